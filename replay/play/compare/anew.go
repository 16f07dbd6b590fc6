package compare

import (
	"maps"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// A scheduler that is started has every pod that waits in activeQ, whatever woke it or did not (kube-scheduler keeps no
// queue over a restart). Its own log shows when that was. No event does: without the log, pods that were tried again
// one after the other, though nothing woke them, are its sign, when no other pod was left out: trying that one then
// would have ended as before, in silence.
const (
	anewGap   = 5 * time.Second // between two of these pods at most
	anewLeast = 3               // so many pods
	anewAsked = 200             // so many of the pods that show nothing are tried here at most

	// startLasts is how long after a start, or after the last retry for which it was the reason, it may be the reason for
	// one more: activeQ is as long as there are pods that wait.
	startLasts = time.Minute
)

// startWoke explains a retry by a start that a log of their scheduler shows. It is the reason for one retry of a pod
// that waited before it, and for no second one.
func (h *Hindsight) startWoke(w *wait, d *Decision) bool {
	for _, began := range slices.Backward(h.limits.Began) {
		if began.After(d.At) {
			continue
		}
		working := began
		if h.waits.working.After(began) {
			working = h.waits.working
		}
		if !w.since.Before(began) || d.At.Sub(working) > startLasts {
			return false
		}
		h.waits.working = d.At
		d.Verdict, d.Ours = Explained, "it waits until their scheduler is started again"
		d.Why = phrase.Textf("their scheduler was started again, and first decided at %s, by its log: "+
			"then every pod that waits is tried", words.Clock(began))
		return true
	}
	return false
}

// reasonless is a retry without a reason, and the state when it happened.
type reasonless struct {
	Decision
	tried *core.Scheduler
}

// anew takes a decision for which no reason was found.
func (w *waits) anew(r *late) { w.reasonless = append(w.reasonless, reasonless{r.Decision, r.tried}) }

// beganAnew judges the retries without a reason that are old enough to have all of their neighbours; all of them at the
// end.
func (h *Hindsight) beganAnew(end bool) {
	all := h.waits.reasonless
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b reasonless) int { return a.At.Compare(b.At) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].At.Sub(all[n-1].At) <= anewGap {
			n++
		}
		last := all[n-1].At.Add(anewGap)
		open := slices.ContainsFunc(h.waits.late, func(r *late) bool { return !r.At.After(last) })
		if !end && (open || !h.now.Now().After(last)) {
			break
		}
		h.judgeAnew(all[:n])
		all = all[n:]
	}
	h.waits.reasonless = slices.Clone(all)
}

// judgeAnew judges retries that happened one after the other.
func (h *Hindsight) judgeAnew(group []reasonless) {
	first, last := group[0], group[len(group)-1]
	took := last.At.Sub(first.At)
	if len(group) >= anewLeast && h.othersAreSilent(first.At, first.tried, last.tried) {
		for i := range group {
			group[i].Verdict, group[i].Why = Explained, phrase.Textf(
				"their scheduler was started again: within %s it tried %d pods that nothing had woken",
				took.Round(time.Millisecond), len(group),
			)
		}
	}
	for _, r := range group {
		h.judge(r.Decision)
	}
}

// othersAreSilent reports whether a try of each pod that has waited since before a moment, and showed nothing since,
// ends with the message that it has in one of some states: those when the first and the last pod were tried. In later
// ones it may have another message.
func (h *Hindsight) othersAreSilent(since time.Time, then ...*core.Scheduler) bool {
	asked := 0
	for _, pod := range slices.Sorted(maps.Keys(h.waits.of)) {
		w := h.waits.of[pod]
		if !w.parked || w.by != "" || !w.since.Before(since) {
			continue
		}
		if asked++; asked > anewAsked {
			return true
		}
		if !slices.ContainsFunc(then, func(s *core.Scheduler) bool {
			a := h.ask(s, Decision{Pod: pod})
			return a.err != nil || core.Note(a.try.Ended.Message) == w.text
		}) {
			return false
		}
	}
	return true
}
