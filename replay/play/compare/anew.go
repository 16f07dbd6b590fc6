package compare

import (
	"maps"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/internal/phrase"
)

// A scheduler that is started has every pod that waits in activeQ, whatever woke it or did not (kube-scheduler keeps no
// queue over a restart). No event shows that. So pods that were tried again one after the other, though nothing woke
// them, are its sign, when no other pod was left out: trying that one would have ended as before, in silence.
const (
	anewGap   = 5 * time.Second // between two of these pods at most
	anewLeast = 3               // so many pods
	anewAsked = 200             // so many of the pods that show nothing are tried here at most
)

// anew takes a decision for which no reason was found.
func (w *waits) anew(d Decision) { w.reasonless = append(w.reasonless, d) }

// beganAnew judges the retries without a reason that are old enough to have all of their neighbours; all of them at the
// end.
func (h *Hindsight) beganAnew(end bool) {
	all := h.waits.reasonless
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b Decision) int { return a.At.Compare(b.At) })
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
func (h *Hindsight) judgeAnew(group []Decision) {
	first, took := group[0].At, group[len(group)-1].At.Sub(group[0].At)
	if len(group) >= anewLeast && h.othersAreSilent(first) {
		for i := range group {
			group[i].Verdict, group[i].Why = Explained, phrase.Textf(
				"their scheduler was started again: within %s it tried %d pods that nothing had woken",
				took.Round(time.Millisecond), len(group),
			)
		}
	}
	for _, d := range group {
		h.judge(d)
	}
}

// othersAreSilent reports whether a try of each pod that has waited since before a moment, and showed nothing since,
// ends with the message that it has.
func (h *Hindsight) othersAreSilent(since time.Time) bool {
	asked := 0
	for _, pod := range slices.Sorted(maps.Keys(h.waits.of)) {
		w := h.waits.of[pod]
		if !w.parked || w.by != "" || !w.since.Before(since) {
			continue
		}
		if asked++; asked > anewAsked {
			return true
		}
		a := h.ask(h.now, Decision{Pod: pod})
		if a.err == nil && core.Note(a.try.Ended.Message) != w.text {
			return false
		}
	}
	return true
}
