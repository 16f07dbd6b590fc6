package session

import (
	"cmp"
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
)

// beside lays what the cluster's own scheduler decided beside what this one would have decided, as a line goes on.
type beside struct {
	hindsight *compare.Hindsight
	heard     int      // entries of the log that were compared
	first     int      // the entry that heard began with
	begun     bool     // all that was there before anything happened has been taken
	judged    []judged // in order of steps
}

// judged is what is known since a step about the decisions of the cluster's scheduler.
type judged struct {
	step      int
	all       compare.Tally      // of all steps so far
	different []compare.Decision // those of this step
}

// open takes what was there before anything happened; the comparison begins with the state it makes.
func (b *beside) open(tip *play.Player) {
	if b.begun {
		return
	}
	for _, t := range tip.Log().From(b.heard)[:tip.Taken()-b.heard] {
		if !b.hindsight.Foresee(t) { // the state has it already: the comparison makes one of its own
			b.begun, b.heard = true, b.first
			return
		}
		b.heard++
	}
	if next := tip.Log().From(tip.Taken()); len(next) > 0 && b.hindsight.Expects(next[0]) {
		return
	}
	b.begun = true
	b.hindsight.Begin(tip.Scheduler())
}

// see compares what the last step of a line took from the log.
func (b *beside) see(l *line) {
	if !b.begun {
		return
	}
	var all []compare.Decision
	for _, t := range l.tip.Log().From(b.heard)[:l.tip.Taken()-b.heard] {
		all = append(all, b.hindsight.See(t)...)
		b.heard++
	}
	if len(all) > 0 {
		b.judged = append(b.judged, judged{l.steps, b.hindsight.Agreement(), slices.DeleteFunc(
			all, func(d compare.Decision) bool { return d.Verdict != compare.Different },
		)})
	}
}

// find is where in the list a step is, or would be.
func (b *beside) find(step int) (int, bool) {
	return slices.BinarySearchFunc(b.judged, step, func(j judged, s int) int { return cmp.Compare(j.step, s) })
}

// until counts all that is known after a step.
func (b *beside) until(step int) compare.Tally {
	if b == nil {
		return compare.Tally{}
	}
	n, _ := b.find(step + 1)
	if n == 0 {
		return compare.Tally{}
	}
	return b.judged[n-1].all
}

// forget drops what became known before a step, except for the last of it.
func (b *beside) forget(before int) {
	if b == nil {
		return
	}
	n, _ := b.find(before + 1)
	b.judged = slices.Clone(b.judged[max(n-1, 0):])
}

// hits reports whether a step has shown a decision that differs, and that a breakpoint means, in words.
func (b *beside) hits(at *Breakpoint, step int) (why phrase.Phrase, ok bool) {
	n, found := b.find(step)
	if !found {
		return why, false
	}
	for _, d := range b.judged[n].different {
		hosts := d.What == compare.Host && (matches(at.Node, d.Theirs) || matches(at.Node, d.Ours.String()))
		if (at.Pod == "" || podMatches(at.Pod, d.Pod)) && (at.Node == "" || hosts) {
			return inWords(&d), true
		}
	}
	return why, false
}

// inWords is a decision that differs as a sentence.
func inWords(d *compare.Decision) phrase.Phrase {
	theirs, ours := d.Said(), d.Ours
	said := phrase.New("it says of %s: %s, and here it would be %s", d.Pod, theirs, ours)
	switch d.What {
	case compare.Host:
		said = phrase.New("%s is on %s, and here it would be %s", d.Pod, theirs, ours)
	case compare.Retry:
		said = phrase.New("of %s: %s, and here %s", d.Pod, theirs, ours)
	}
	if d.Why == "" {
		return said
	}
	return phrase.Join(": ", said, d.Why.Phrase())
}
