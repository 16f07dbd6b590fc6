package compare

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// waits follows the pods that their scheduler has tried in vain. Where both agree about such a pod, it is set aside
// here as well, and the queue here decides which event would have it tried again:
//
//	they try it again, and nothing woke it here          a difference, unless what wakes it comes a little later
//	it was woken here and fits, and they leave it alone  a difference, once their scheduler has nothing else to do
//
// What they do in silence, because it ends as it did before, is no difference.
type waits struct {
	of    map[string]*wait // by pod
	woken []waking         // in the order of time
	late  []*late
	// reasonless are retries for which no reason is known, and for which none is waited for
	reasonless []reasonless
	working    time.Time // until when the last start of their scheduler was seen to have pods tried again
	decided    time.Time // when their scheduler last showed a decision
	patience   time.Duration
}

// wait is the last message of their scheduler about a pod that it found no node for.
type wait struct {
	text    string          // as an event has it
	seen    time.Time       // when the text was seen
	shown   map[string]bool // Message, Event: what has shown it
	verdict Verdict         // on the text; "" while it is open
	parked  bool            // it waits here, for the same reasons
	because queue.Rejection
	since   time.Time // when it was set aside
	by      string    // the event that has woken it here since; "" for none
	at      time.Time // when it was last woken
}

// waking is a pod that was woken.
type waking struct {
	pod string
	at  time.Time
}

// late is a pod that was tried again without a reason that is known by now.
type late struct {
	Decision
	state *core.Scheduler // in which it still waits
	tried *core.Scheduler // as it was when it was tried again
	left  int             // events that are waited for
}

// quiet is how long their scheduler must have decided nothing before it counts as not going to, besides the longest
// backoff.
const quiet = 30 * time.Second

func newWaits(longestBackoff time.Duration) waits {
	return waits{of: map[string]*wait{}, patience: quiet + longestBackoff}
}

// decided takes what shows a decision, and returns our try of the pod when it ended with the same text.
func (h *Hindsight) decided(d Decision) *trace.Try {
	h.waits.decided = d.At
	w := h.waits.of[d.Pod]
	if w.counts(d) {
		w.shown[Event] = true
		return nil
	}
	if w != nil && (d.What == Message || d.What == Event) && w.text == core.Note(d.Theirs) && !w.shown[d.What] {
		w.shown[d.What] = true // the other of the two signs of one try
		if w.verdict != "" {
			d.Ours, d.Verdict = phrase.Verbatim(w.text), w.verdict
			h.judge(d)
			return nil
		}
	} else {
		h.again(d.Pod, d.At)
		w = nil
	}
	if d.What == Host {
		h.compare(d)
		return nil
	}
	if w == nil {
		w = &wait{text: core.Note(d.Theirs), seen: d.At, shown: map[string]bool{d.What: true}}
		h.waits.of[d.Pod] = w
	}
	if d.What == Retry { // its text is that of a time before
		w.shown = map[string]bool{Message: true, Event: true}
		if a := h.ask(h.now, d); a.judge(d).Verdict == Agreed {
			w.verdict = Agreed
			return a.try
		}
		return nil
	}
	try := h.compare(d)
	if try != nil {
		w.verdict = Agreed
	}
	return try
}

// counts reports whether a count of an event is the other sign of the try that the pod's condition shows. An event
// that is counted keeps the text of its first time, so the text does not show it. But such a try was over when its
// condition was seen, and a later one was not.
func (w *wait) counts(d Decision) bool {
	return w != nil && d.What == Retry && w.shown[Message] && !w.shown[Event] && w.text == core.Note(d.Theirs) &&
		!d.observed.IsZero() && !d.observed.After(w.seen)
}

// again compares that a pod is tried again.
func (h *Hindsight) again(pod string, at time.Time) {
	w := h.waits.of[pod]
	delete(h.waits.of, pod)
	if w == nil || !w.parked {
		return
	}
	d := Decision{Pod: pod, At: at, What: Retry, Theirs: "it was tried again", Ours: "the same", Verdict: Agreed}
	known, _ := h.now.State().Pod(pod)
	switch {
	case w.by != "":
		h.judge(d)
		return
	case known.Nominated != "":
		d.Verdict, d.Why = Explained, "the evictions for it were over"
		h.judge(d)
		return
	}
	if h.startWoke(w, &d) {
		h.judge(d)
		return
	}
	d.Verdict, d.Ours = Different, phrase.Textf("it waits: rejected by %s at %s, and nothing since then helps",
		phrase.Names(append(w.because.Plugins, w.because.Pending...)), words.Clock(w.since))
	r := &late{Decision: d, state: h.now.Alone(), tried: h.now.Alone(), left: nearby}
	if _, err := r.state.SetAside(pod, w.because); err != nil {
		return
	}
	h.waits.late = append(h.waits.late, r)
}

// learnLate checks whether an event that was only seen later is the reason for a try.
func (h *Hindsight) learnLate(e cluster.Event) {
	h.waits.late = slices.DeleteFunc(h.waits.late, func(r *late) bool {
		if cluster.Key(e.Object) == r.Pod {
			return false
		}
		r.left--
		_, facts := r.state.Apply(e)
		if by := wakes(facts, r.Pod); by != "" {
			r.Verdict = Explained
			r.Why = phrase.Textf("%s, which was seen %s later, has woken it", by, phrase.Count(nearby-r.left, "event", "events"))
		}
		switch {
		case r.Verdict == Explained:
			h.judge(r.Decision)
		case r.left == 0:
			h.waits.anew(r)
		default:
			return false
		}
		return true
	})
}

// setAside has a pod wait here as it waits there. An event shortly before their message may have happened while the pod
// was in flight there.
func (h *Hindsight) setAside(d Decision, try *trace.Try) {
	w, because := h.waits.of[d.Pod], queue.Rejection{Plugins: try.Ended.Plugins, Pending: try.Ended.Pending}
	if w == nil || len(because.Plugins)+len(because.Pending) == 0 {
		return
	}
	if _, err := h.now.SetAside(d.Pod, because); err != nil {
		return
	}
	w.parked, w.because, w.since = true, because, d.At
	var before *core.Scheduler
	for _, m := range h.past {
		if before == nil {
			before = m.before.Alone()
			if _, err := before.SetAside(d.Pod, because); err != nil {
				before = nil // it was not there yet
				continue
			}
		}
		_, facts := before.Apply(m.event)
		if by := wakes(facts, d.Pod); by != "" {
			h.wake(d.Pod, w, by)
			return
		}
	}
}

// wakes is the event that has a pod tried again, of the facts of a step; "" when none has.
func wakes(facts []trace.Fact, pod string) string {
	for _, f := range facts {
		if m, is := f.(trace.Moved); is && m.Entity.Key() == pod && isWaking(&m) {
			return m.Event
		}
	}
	return ""
}

func isWaking(m *trace.Moved) bool {
	return (m.From == queue.Unschedulable || m.From == queue.Gated) && (m.To == queue.ActiveQ || m.To == queue.BackoffQ)
}

// advance lets time go on: it ends the patience of the queue.
func (h *Hindsight) advance(to time.Time) {
	_, facts := h.now.Advance(to)
	h.stir(facts)
}

// stir notes the pods that the facts of a step have woken, and sets them aside again: what wakes them once more counts
// as well.
func (h *Hindsight) stir(facts []trace.Fact) {
	for _, f := range facts {
		m, is := f.(trace.Moved)
		if !is || !isWaking(&m) {
			continue
		}
		w := h.waits.of[m.Entity.Key()]
		if w == nil || !w.parked {
			continue
		}
		if _, err := h.now.SetAside(m.Entity.Key(), w.because); err == nil {
			h.wake(m.Entity.Key(), w, m.Event)
		}
	}
}

func (h *Hindsight) wake(pod string, w *wait, by string) {
	w.by, w.at = by, h.now.Now()
	h.turns.wake(pod)
	h.waits.woken = append(h.waits.woken, waking{pod, w.at})
}

// overdue compares that a pod is not tried again: one that was woken, that nothing has woken since, and that fits. It
// has fitted ever since, because whatever makes room for it would have woken it.
func (h *Hindsight) overdue() {
	now := h.now.Now()
	if now.Sub(h.waits.decided) < h.waits.patience {
		return
	}
	for len(h.waits.woken) > 0 && now.Sub(h.waits.woken[0].at) >= h.waits.patience {
		next := h.waits.woken[0]
		h.waits.woken = h.waits.woken[1:]
		w := h.waits.of[next.pod]
		if w == nil || !w.at.Equal(next.at) || w.by == "" {
			continue
		}
		known, there := h.now.State().Pod(next.pod)
		if !there || bindsSlowly(known.API) {
			continue
		}
		a := h.ask(h.now, Decision{Pod: next.pod})
		if a.err != nil || a.try.Ended.Node == "" {
			continue
		}
		delete(h.waits.of, next.pod)
		h.judge(Decision{
			Pod: next.pod, At: now, What: Retry, Verdict: Different, Theirs: "it was not tried again",
			Ours: phrase.Textf("it is tried again, and placed on %s", a.try.Ended.Node),
			Why:  phrase.Textf("%s has woken it at %s", w.by, words.Clock(w.at)),
		})
	}
}

// bindsSlowly reports whether a pod may be on its way to its node for minutes without a sign: something else has to be
// ready first.
func bindsSlowly(p *corev1.Pod) bool {
	return len(p.Spec.ResourceClaims) > 0 || slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil || v.Ephemeral != nil
	})
}
