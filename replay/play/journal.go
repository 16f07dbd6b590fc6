package play

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core"
)

// Journal records the result of every effect of one course of events, so that the world acts once: a player that runs
// the same steps again reads it. A branch has a journal of its own, which begins with its parent's up to the branch.
// One goroutine uses a journal and its branches at a time.
type Journal struct {
	parent *Journal // with which it shares the first effects; nil: it shares none
	shared int      // how many effects it shares
	done   int      // effects that were carried out, the shared ones included
	kept   []kept   // in order, without those that nothing came of
	lossy  bool     // outcomes are not kept any more
}

// kept is the outcome of one effect.
type kept struct {
	number  int // how many effects there were before
	effect  core.Effect
	outcome Outcome
	world   World // as it was afterwards; only ever forked
}

// Effects is how many effects were carried out.
func (j *Journal) Effects() int { return j.done }

// branch is a journal that goes its own way after a number of effects.
func (j *Journal) branch(after int) *Journal {
	return &Journal{parent: j, shared: after, done: after, lossy: j.lossy}
}

// keep adds the outcome of the next effect.
func (j *Journal) keep(e core.Effect, o *Outcome, after World) {
	if !o.empty() && !j.lossy {
		j.kept = append(j.kept, kept{number: j.done, effect: e, outcome: *o, world: after.Fork()})
	}
	j.done++
}

// forget drops the results of the effects before a number, which are not read any more.
func (j *Journal) forget(before int) {
	n, _ := j.find(before)
	j.kept = slices.Clone(j.kept[n:])
}

// find returns where the outcome of an effect is in the list, or would be.
func (j *Journal) find(number int) (int, bool) {
	return slices.BinarySearchFunc(j.kept, number, func(k kept, n int) int { return cmp.Compare(k.number, n) })
}

// read is the outcome of an effect that was carried out; nil when the outcome was empty.
func (j *Journal) read(number int, e core.Effect) *kept {
	for number < j.shared {
		j = j.parent
	}
	i, found := j.find(number)
	if !found {
		return nil
	}
	if was := j.kept[i].effect; was.String() != e.String() {
		panic(fmt.Sprintf("effect %d was %q when it was carried out, and is %q now", number, was, e))
	}
	return &j.kept[i]
}
