package session

import (
	"cmp"
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Duel is the node that the last cycle about a pod chose, beside another one.
type Duel struct {
	Pod, Other string
	Cycle      *trace.Try
	Index      int      // of Other in Cycle.Matrix
	Broken     []Broken // the plugins that reject Other
	Flips      []Flip   // the weights with which Other is chosen, the nearest first; each was run
	// Supposed are the scores that kube-scheduler did not work out, of a node that has none; nil: there is no chosen node
	// to compare it with.
	Supposed *Supposed
}

// Flip is a weight of a score plugin with which a cycle chooses another node, and the next one with which it does not.
type Flip struct {
	Plugin  string
	Now     int64 // the weight that it has
	Weight  int64 // with which the other node is chosen
	Not     int64 // the next weight towards Now: with it, it is not
	checked bool  // both were run
}

// mostWeights is how many weights of one plugin are tried beyond the one at which the totals are equal.
const mostWeights = 2

// Against explains why the last cycle about a pod did not choose a node; "" is the runner-up. The weights with which it
// would have are found by running the cycle again.
func (k *At) Against(pod, node string) (Duel, error) {
	key, err := k.PodKey(pod)
	if err != nil {
		return Duel{}, err
	}
	t, before := k.triedBefore(key)
	if node == "" && k.awaitsScores(key) {
		return Duel{}, phrase.Errorf("cycle %d of %s is not over, and the scores are not worked out yet: that happens at "+
			"%s, after the filters; go to the end of the cycle (out), or name a node", k.trying.Number, key, trace.PhaseScore)
	}
	if t == nil {
		return Duel{}, phrase.Errorf("no cycle has tried pod %q", key)
	}
	if node == "" {
		at := t.RunnerUp()
		if at < 0 {
			return Duel{}, phrase.Errorf("cycle %d of %s had no runner-up: name a node", t.Number, key)
		}
		node = t.Scores.Nodes[t.Scores.Index[at]]
	}
	d := Duel{Pod: key, Other: node, Cycle: t, Index: -1}
	if t.Matrix != nil {
		d.Index = slices.Index(t.Matrix.Nodes, node)
	}
	if d.Index < 0 {
		return d, phrase.Errorf("cycle %d of %s knew no node %q", t.Number, key, node)
	}
	d.Broken = BrokenOn(t.Matrix, d.Index)
	d.Flips = flips(before, &d)
	if !hasScore(t, d.Index) {
		d.Supposed = supposed(before.ForPod(key), t, node)
	}
	return d, nil
}

// awaitsScores reports whether the cursor is in a cycle about a pod on its own whose nodes have no scores yet, and may
// get them: not all filters have answered, or two nodes fit.
func (k *At) awaitsScores(key string) bool {
	c := k.trying
	if c == nil || c.Group != nil || c.Entity.Key() != key || c.Ended != nil {
		return false
	}
	t := c.Latest()
	if t.Selected != nil {
		return false
	}
	return t.Matrix == nil || k.cell != nil || t.Matrix.FeasibleCount() > 1
}

// triedBefore is the last try of a pod and a player before its cycle; nil when there was none.
func (k *At) triedBefore(key string) (*trace.Try, *play.Player) {
	_, t := k.lastCycleOf(key)
	if t == nil || t.Number == 0 {
		return nil, nil
	}
	line := k.line
	return t, line.playerAt(line.stepOf(t.Number)-1, nil, nil)
}

// flips are the weights that would have had the other node chosen.
func flips(before *play.Player, d *Duel) []Flip {
	t := d.Cycle
	if t.Selected == nil || t.Scores == nil || len(d.Broken) > 0 {
		return nil
	}
	ours := slices.IndexFunc(t.Scores.Index, func(i int32) bool { return t.Scores.Nodes[i] == t.Selected.Node })
	other, scored := t.Scores.Of(d.Index)
	if !scored || ours < 0 || ours == other {
		return nil
	}
	lead := t.Scores.Totals[ours] - t.Scores.Totals[other]
	var all []Flip
	for i := range t.Scores.Columns {
		column := &t.Scores.Columns[i]
		if column.Raw == nil {
			continue
		}
		more := column.Normalized[other] - column.Normalized[ours] // what each point of weight brings the other one nearer
		if more == 0 {
			continue
		}
		if f, found := flip(before, d, column, lead, more); found {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b Flip) int {
		return cmp.Or(cmp.Compare(max(a.Weight-a.Now, a.Now-a.Weight), max(b.Weight-b.Now, b.Now-b.Weight)),
			cmp.Compare(a.Plugin, b.Plugin))
	})
	return all
}

// flip looks for the weight of one plugin, next to the one it has, with which the other node is chosen.
func flip(before *play.Player, d *Duel, column *trace.ScoreColumn, lead, more int64) (Flip, bool) {
	step, each := int64(1), more
	if more < 0 {
		step, each = -1, -more
	}
	for n := max((lead+each-1)/each, 1); n < lead/each+1+mostWeights; n++ {
		weight := column.Weight + step*n
		if weight < 1 {
			return Flip{}, false
		}
		if chosenWith(before, d, column.Plugin, weight) != d.Other {
			continue
		}
		f := Flip{Plugin: column.Plugin, Now: column.Weight, Weight: weight, Not: weight - step}
		f.checked = chosenWith(before, d, column.Plugin, f.Not) != d.Other
		return f, f.checked
	}
	return Flip{}, false
}

// chosenWith is the node that the cycle chooses when a plugin has another weight.
func chosenWith(before *play.Player, d *Duel, plugin string, weight int64) string {
	s := before.Scheduler().Fork()
	s.Keep(trace.Reported)
	if !s.Reweigh(plugin, weight) {
		return ""
	}
	_, facts, ran := s.Schedule()
	if !ran {
		return ""
	}
	c, _ := trace.Fold(facts)
	t, tried := c.Try(d.Pod)
	if !tried || t.Selected == nil {
		return ""
	}
	return t.Selected.Node
}
