package trace

import "time"

// Cycle is what the facts of one cycle add up to, up to the fact where the folding stopped.
type Cycle struct {
	Number  int64
	Time    time.Time
	Profile string
	Entity  Entity
	From    string // the queue it was popped from
	Attempt int
	Nodes   int // nodes in the snapshot

	PreFilters []PreFiltered
	Nominated  *NominatedTried
	Matrix     *Matrix     // nil before the Filter phase, and with detail Summary
	Preemption *Preemption // nil: no node was looked at for whom to evict
	PostFilter []PostFiltered
	PreScores  []PreScored
	Scores     *Scores // nil when nothing was scored
	Selected   *Selected
	Extended   []Extended // the calls of extenders
	Ran        []Ran      // Reserve, Permit, PreBind, Bind and PostBind
	Recorded   []Recorded // the events kube-scheduler would write
	Moves      []Moved
	Diverged   *Diverged
	Ended      *Ended // nil while the cycle is going on
	Phase      Phase  // of the last fact

	// Group is set in the cycle of a pod group. What the fields above say of one pod they then say of the member that
	// was tried last; Group has them all.
	Group  *Group
	member *Cycle // whose try goes on; nil: none
}

// Shown is the pod that the fields about one pod are about: the entity itself, or the member tried last.
func (c *Cycle) Shown() Entity {
	if c.Group == nil || len(c.Group.Placements) == 0 {
		return c.Entity
	}
	last := c.Group.Placements[len(c.Group.Placements)-1].Members
	if len(last) == 0 {
		return c.Entity
	}
	return last[len(last)-1].Entity
}

// Fold adds up facts; false when they are not those of a cycle.
func Fold(facts []Fact) (*Cycle, bool) {
	c := &Cycle{}
	began := false
	for _, fact := range facts {
		if _, is := fact.(Popped); is {
			began = true
		}
		c.take(fact)
		if _, is := fact.(Gathered); is || c.Group != nil {
			c.takeGroup(fact)
		}
	}
	return c, began
}

// take adds up one fact.
func (c *Cycle) take(fact Fact) {
	c.Phase = fact.Phase()
	switch f := fact.(type) {
	case Popped:
		c.Number, c.Time, c.Profile, c.Entity = f.Cycle, f.Now, f.Profile, f.Entity
		c.From, c.Attempt, c.Nodes = f.From, f.Attempt, f.Nodes
	case PreFiltered:
		c.PreFilters = append(c.PreFilters, f)
	case NominatedTried:
		c.Nominated = &f
	case Filtered:
		c.Matrix = f.Matrix
	case Preempted:
		c.Preemption = f.Preemption
	case PostFiltered:
		c.PostFilter = append(c.PostFilter, f)
	case PreScored:
		c.PreScores = append(c.PreScores, f)
	case Scored:
		c.Scores = f.Scores
	case Selected:
		c.Selected = &f
	case Extended:
		c.Extended = append(c.Extended, f)
	case Ran:
		c.Ran = append(c.Ran, f)
	case Recorded:
		c.Recorded = append(c.Recorded, f)
	case Moved:
		c.Moves = append(c.Moves, f)
	case Diverged:
		c.Diverged = &f
	case Ended:
		c.Ended = &f
	}
}

// PreFilterRejected says whether a PreFilter plugin, or all of them together, rejected the pod, so that no filter ran.
func (c *Cycle) PreFilterRejected() bool {
	return c.Matrix != nil && len(c.Matrix.Visited) == 0 && !c.Matrix.Complete && c.Nodes > 0
}

// RunnerUp is the position among the scored nodes of the best node that was not chosen; -1 when there is none.
func (c *Cycle) RunnerUp() int {
	if c.Scores == nil || c.Selected == nil {
		return -1
	}
	second := -1
	for k, i := range c.Scores.Index {
		if c.Scores.Nodes[i] == c.Selected.Node {
			continue
		}
		if second < 0 || c.Scores.Totals[k] > c.Scores.Totals[second] {
			second = k
		}
	}
	return second
}
