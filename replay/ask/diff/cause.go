package diff

import (
	"context"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Kind is what a cause is about.
type Kind string

// The kinds.
const (
	Filter     Kind = "filter"     // a plugin rejects a node, or the pod, under one side alone, or for another reason
	Score      Kind = "score"      // a plugin scores the two nodes otherwise
	Gate       Kind = "gate"       // a plugin keeps the pod out of activeQ under one side
	Tie        Kind = "tie"        // the totals are the same, and another of the best nodes is taken
	search     Kind = "search"     // other nodes were looked at before enough were found
	Preemption Kind = "preemption" // others have to leave, or leave another node
	Words      Kind = "words"      // the same reasons in other words
	Order      Kind = "order"      // in the same cluster both sides decide the same: what happened before differs
	unknown    Kind = "unknown"    // it could not be tried
)

// Cause is what first makes a pod end otherwise.
type Cause struct {
	Kind   Kind        `json:"kind"`
	Plugin string      `json:"plugin,omitempty"` // "": none in particular
	Text   phrase.Text `json:"text"`
	// Taken is why the pod has no node under the one side, where in the same cluster both decide the same.
	Taken *Taken `json:"taken,omitempty"`
}

// explain finds the causes. A is played once more. A scheduler of B receives every event of A, and tries a pod just
// when A has tried it: a difference is then one in the same cluster. Of a pod that is tried several times the first try
// counts that leads elsewhere; for the message it is the last. Of pods with a node under one side alone it is looked at
// too what is on that node under the other side.
func explain(ctx context.Context, r *Report, a, b Side) error {
	about := map[string]*Difference{}
	for i := range r.Differences {
		d := &r.Differences[i]
		about[d.Pod] = d
		d.Cause = Cause{Kind: Order, Text: "it is tried under one side alone, because of what happened before"}
	}
	if len(about) == 0 {
		return nil
	}
	other, player := b.Play(trace.Reported).Scheduler(), a.Play(trace.Reported)
	err := Steps(ctx, a, player, func(step play.Step) {
		for _, t := range Tries(&step) {
			if d := about[t.Entity.Key()]; d != nil && d.Cause.Kind == Order && (d.What != Message || t.Number == d.A.Cycle) {
				d.Cause = ask(other, t, d, r)
			}
		}
		if step.Event.Object != nil {
			other.Apply(step.Event)
		}
		if step.At.After(other.Now()) {
			other.Advance(step.At)
		}
		if step.Kind == play.Tried {
			other.BeginAs(player.Scheduler())
		}
	})
	if err != nil {
		return err
	}
	for i := range r.Differences {
		r.Differences[i].beside(about, r)
	}
	return takenNodes(ctx, r, about, a, b)
}

// ask finds the cause as far as one try under the other side shows it; an Order where the try shows none.
func ask(other *core.Scheduler, t *trace.Try, d *Difference, r *Report) Cause {
	same := Cause{Kind: Order, Text: "in the cluster as it is then, both decide the same: what happened before differs"}
	facts, err := other.ExamineIn(d.Pod, trace.Reported)
	if err != nil {
		return Cause{Kind: unknown, Text: phrase.OfError(err)}
	}
	c, _ := trace.Fold(facts)
	theirs, tried := c.Try(d.Pod)
	if !tried || theirs.Ended == nil {
		return same
	}
	if d.What.isAboutANode() && t.Ended.Node != "" && theirs.Ended.Node != "" {
		return same // on whichever node: this is not what costs it the node
	}
	p := pair{a: t, b: theirs, as: r.A, bs: r.B}
	if p.leadTheSameWay() && (d.What != Message || t.Ended.Message == theirs.Ended.Message) {
		return same
	}
	return p.cause()
}

// beside completes the cause of a pod that was not decided about in a cycle of its own: it is held back by a gate, or
// another pod takes its place.
func (d *Difference) beside(about map[string]*Difference, r *Report) {
	for _, side := range []struct {
		name    phrase.Text
		r, then *Result
	}{{r.A, &d.A, &d.B}, {r.B, &d.B, &d.A}} {
		switch {
		case side.r.Gate != "" && side.then.Gate == "":
			d.Cause = Cause{
				Kind: Gate, Plugin: side.r.Gate, Text: phrase.Textf("%s holds it back under %s", side.r.Gate, side.name),
			}
		case side.r.EvictedBy != "" && side.then.EvictedBy == "":
			d.Cause = Cause{Kind: Preemption, Text: phrase.Textf("%s takes its place under %s", side.r.EvictedBy, side.name)}
			if by := about[side.r.EvictedBy]; by != nil {
				d.Cause.Plugin = by.Cause.Plugin
				d.Cause.Text = phrase.Textf("%s; of that: %s", d.Cause.Text, by.Cause.Text)
			}
		}
	}
}
