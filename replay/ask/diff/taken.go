package diff

import (
	"context"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Taken is why a pod cannot have, under the one side, the node that it has under the other.
type Taken struct {
	Node   string      `json:"node"`
	Side   phrase.Text `json:"side"`   // under which it cannot have it
	Plugin string      `json:"plugin"` // that rejects the node there, at the last try
	Reason string      `json:"reason"`
	// Pods that are on the node then, and elsewhere under the other side, in the order in which they were tried.
	Pods []string `json:"pods"`
}

// mostTaken is how many pods without a node under one side are looked into in that way: for each the state of a cycle
// is read.
const mostTaken = 2000

// takenNodes completes the causes of pods that have a node under one side alone, though in the same cluster both sides
// decide the same: something else is on that node. The side without the node is played once more.
func takenNodes(ctx context.Context, r *Report, about map[string]*Difference, a, b Side) error {
	for _, side := range []struct {
		Side
		what What
		mine func(*Difference) *Result // under this side
		node func(*Difference) string  // under the other one
	}{
		{b, Lost, func(d *Difference) *Result { return &d.B }, func(d *Difference) string { return d.A.Node }},
		{a, Gained, func(d *Difference) *Result { return &d.A }, func(d *Difference) string { return d.B.Node }},
	} {
		wanted := map[int64]*Difference{}
		for i := range r.Differences {
			d := &r.Differences[i]
			if d.What == side.what && d.Cause.Kind == Order && side.mine(d).Cycle > 0 && len(wanted) < mostTaken {
				wanted[side.mine(d).Cycle] = d
			}
		}
		if len(wanted) == 0 {
			continue
		}
		player := side.Play(trace.Summary)
		err := Steps(ctx, side.Side, &watched{player, wanted}, func(step play.Step) {
			for _, t := range Tries(&step) {
				d := wanted[t.Number]
				if d == nil || d.Pod != t.Entity.Key() {
					continue
				}
				d.Cause.take(t, player, side.node(d), side.Name, func(pod string) (string, int64) {
					if other := about[pod]; other != nil {
						return side.node(other), side.mine(other).Cycle
					}
					return side.node(d), 0
				})
				d.Cause.because(about, r)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// watched plays in summary, and in more detail the cycles that are wanted.
type watched struct {
	*play.Player
	wanted map[int64]*Difference
}

// Step is the player's.
func (w *watched) Step() (play.Step, bool) {
	detail := trace.Summary
	if w.wanted[w.Scheduler().Cycles()+1] != nil {
		detail = trace.Reported
	}
	w.Keep(detail)
	return w.Player.Step()
}

// take fills in the result of a try on a node. elsewhere is the node of a pod under the other side, and the cycle of
// the pod under this one.
func (c *Cause) take(
	t *trace.Try, player *play.Player, node string, side phrase.Text, elsewhere func(pod string) (string, int64),
) {
	f, rejected := failure(t, node)
	if !rejected {
		return
	}
	c.Taken = &Taken{
		Node: node, Side: side, Plugin: t.Matrix.Plugins[f.Plugin], Reason: f.Verdict.Message(), Pods: []string{},
	}
	cycles := map[string]int64{}
	player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
		if p.NodeName != node {
			return true
		}
		if there, cycle := elsewhere(p.Key); there != node {
			c.Taken.Pods, cycles[p.Key] = append(c.Taken.Pods, p.Key), cycle
		}
		return true
	})
	slices.SortStableFunc(c.Taken.Pods, func(x, y string) int { return int(cycles[x] - cycles[y]) })
	c.Plugin = c.Taken.Plugin
}

// because returns what Taken holds, and why the first of the pods on the node is there, as far as that is known.
func (c *Cause) because(about map[string]*Difference, r *Report) {
	t := c.Taken
	if t == nil {
		return
	}
	if len(t.Pods) == 0 {
		c.Text = phrase.Textf("%s rejects %s under %s: %s", t.Plugin, t.Node, t.Side, t.Reason)
		return
	}
	first := about[t.Pods[0]]
	for _, pod := range t.Pods {
		if about[pod].Cause.Kind != Order {
			first = about[pod]
			break
		}
	}
	if first.Cause.Kind == Order {
		first = about[r.First]
	}
	c.Text = phrase.Textf("%s rejects %s under %s: %s; on it are %s, elsewhere under the other side; of %s: %s", t.Plugin,
		t.Node, t.Side, t.Reason, phrase.Names(t.Pods), first.Pod, first.Cause.Text)
}
