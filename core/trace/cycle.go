package trace

import "time"

// Opening is how a cycle began.
type Opening struct {
	Number  int64
	Time    time.Time
	Profile string
	Entity  Entity
	From    QueueName // the queue it was popped from; Outside for a member of a pod group, which came with its group
	Attempt int
	Nodes   int // nodes in the snapshot
}

// Cycle is what the facts of one cycle add up to, up to the fact where the folding stopped. The cycle of a pod has one
// try. The cycle of a pod group has one for each member in each placement, as far as it came.
type Cycle struct {
	Opening
	Tries    []*Try    // in the order they began
	Group    *Group    // what the cycle of a pod group has besides its tries; nil in the cycle of a pod
	Diverged *Diverged // nil: the replay went as the recording, or nothing was recorded
	Ended    *Ended    // nil while the cycle is going on
	Phase    Phase     // of the last fact

	open *Try // the try that facts about one pod belong to; nil: none
}

// Try is the search for a node for one pod, and its outcome.
type Try struct {
	Opening // of its cycle, with the pod and its attempts
	State   TryState
	Found   MemberEnded // what the search of a member came to; zero for a pod on its own

	PreFilters []PreFiltered
	Nominated  *NominatedTried
	Batch      *Batch  // nil: the profile signs no pod, or there was nothing to reuse or to keep
	Matrix     *Matrix // nil before the Filter phase, and with detail Summary
	// Equivalence is what the release would have taken out of its equivalence cache; nil: it has none, or the pod has no
	// class.
	Equivalence *Equivalence
	Preemption  *Preemption // nil: no node was searched for victims
	PostFilter  []PostFiltered
	PreScores   []PreScored
	Scores      *Scores // nil when nothing was scored
	Selected    *Selected
	Extended    []Extended // the calls of extenders
	Ran         []Ran      // Reserve, Permit, PreBind, Bind and PostBind
	Diverged    *Diverged  // of a pod on its own
	// Ended is how the cycle ended for the pod: nil while the cycle is going on, and for a member that found a node in a
	// placement that the group did not get.
	Ended *Ended
	Phase Phase // of the last fact about the pod
}

// TryState is how far a try is.
type TryState uint8

const (
	// NotTried is a member that no node was looked for: its turn is still to come, or the group was lost before it.
	NotTried TryState = iota
	// Trying is a search that is going on.
	Trying
	// FoundNode is a search that found a node. A member gets it only if its group gets the placement.
	FoundNode
	// FoundNone is a search that ended without a node.
	FoundNone
	// Failed is a search that ended in an error.
	Failed
)

// Fold adds up facts; false when they are not those of a cycle.
func Fold(facts []Fact) (*Cycle, bool) {
	c := &Cycle{}
	began := false
	for _, fact := range facts {
		if _, is := fact.(Popped); is {
			began = true
		}
		c.add(fact)
	}
	return c, began
}

// Latest is the try that began last. Before any did, it is an empty one of the cycle's entity.
func (c *Cycle) Latest() *Try {
	if n := len(c.Tries); n > 0 {
		return c.Tries[n-1]
	}
	return &Try{Opening: c.Opening, Ended: c.Ended, Phase: c.Phase}
}

// Try is the try that counts for a pod: the one there is, or for a member of a pod group the one in the chosen
// placement. false when the cycle is not about the pod, or did not look for a node for it.
func (c *Cycle) Try(pod string) (*Try, bool) {
	if c.Group == nil {
		return c.Latest(), c.Entity.Key() == pod
	}
	chosen := c.Group.Chosen()
	if chosen == nil {
		return nil, false
	}
	t := chosen.Try(pod)
	return t, t != nil && t.State != NotTried
}

// Alone is the cycle as if it had been only about the pod of the try.
func (t *Try) Alone() *Cycle {
	return &Cycle{Opening: t.Opening, Tries: []*Try{t}, Diverged: t.Diverged, Ended: t.Ended, Phase: t.Phase}
}

// add adds one fact.
func (c *Cycle) add(fact Fact) {
	c.Phase = fact.Phase()
	switch f := fact.(type) {
	case Popped:
		c.Opening = Opening{
			Number: f.Cycle, Time: f.Now, Profile: f.Profile, Entity: f.Entity, From: f.From, Attempt: f.Attempt,
			Nodes: f.Nodes,
		}
		if f.Entity.Type != KindPodGroup {
			c.begin(&Try{Opening: c.Opening})
		}
	case Gathered:
		c.Group = &Group{Gathered: f}
	case Diverged:
		c.Diverged = &f
	case Ended:
		c.Ended = &f
	}
	if c.Group != nil {
		c.addToGroup(fact)
	}
	if c.open != nil {
		c.open.add(fact)
	}
}

// begin makes a try the one that facts about one pod belong to.
func (c *Cycle) begin(t *Try) {
	t.State = Trying
	c.open = t
	c.Tries = append(c.Tries, t)
}

// add adds one fact about the pod.
func (t *Try) add(fact Fact) {
	t.Phase = fact.Phase()
	switch f := fact.(type) {
	case PreFiltered:
		t.PreFilters = append(t.PreFilters, f)
	case NominatedTried:
		t.Nominated = &f
	case BatchHint, BatchUnused, BatchKept:
		t.addBatch(fact)
	case Filtered:
		t.Matrix = f.Matrix
	case EquivalenceHits, EquivalenceStale:
		t.addEquivalence(fact)
	case Preempted:
		t.Preemption = f.Preemption
	case PostFiltered:
		t.PostFilter = append(t.PostFilter, f)
	case PreScored:
		t.PreScores = append(t.PreScores, f)
	case Scored:
		t.Scores = f.Scores
	case Selected:
		t.Selected = &f
	case Extended:
		t.Extended = append(t.Extended, f)
	case Ran:
		t.Ran = append(t.Ran, f)
	case Diverged:
		t.Diverged = &f
	case Ended:
		t.Ended = &f
		t.State = f.Outcome.state()
	}
}

// state is how far a pod's own try is when its cycle ended so.
func (o Outcome) state() TryState {
	switch o {
	case Scheduled, Waiting:
		return FoundNode
	case SkippedScheduling:
		return NotTried
	case SchedulerError:
		return Failed
	case NotSchedulable, Preempting:
	}
	return FoundNone
}

// PreFilterRejected reports whether a PreFilter plugin, or all of them together, rejected the pod, so that no filter
// ran.
func (t *Try) PreFilterRejected() bool {
	return t.Matrix != nil && len(t.Matrix.Visited) == 0 && !t.Matrix.Complete && t.Nodes > 0
}

// RunnerUp is the position among the scored nodes of the best node that was not chosen; -1 when there is none.
func (t *Try) RunnerUp() int {
	if t.Scores == nil || t.Selected == nil {
		return -1
	}
	second := -1
	for k, i := range t.Scores.Index {
		if t.Scores.Nodes[i] == t.Selected.Node {
			continue
		}
		if second < 0 || t.Scores.Totals[k] > t.Scores.Totals[second] {
			second = k
		}
	}
	return second
}
