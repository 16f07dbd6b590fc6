package core

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
)

// placedPod is a pod that has its node and is not bound: Permit plugins hold it back, PreBind plugins work for it, or
// its Bind is on its way. It is a value that forks share; what changes is replaced.
type placedPod struct {
	pod      *cluster.Pod // as assumed
	item     *queue.Item
	profile  *lane
	reserved reserved
}

// reserved is what is held for a pod that has its node, and what is still to be done before it is bound.
type reserved struct {
	held    []held       // one per plugin of Reserve that held something, in their order
	waits   []permitWait // in the order of the profile; those that still hold the pod back
	tasks   []task       // in the order of the profile; those whose PreBind is not done
	since   time.Time    // when PreBind began
	arrival uint64       // numbers placed pods in the order of their placement
}

// held is what a plugin holds for a pod.
type held struct {
	plugin  string
	hold    framework.Hold
	assumed []cluster.Assumption
}

// task is a plugin's PreBind that is not done.
type task struct {
	plugin framework.PreBindPlugin
	rounds int       // how often it returned Wait
	again  time.Time // when to run it next
}

func (c *cycle) placedPod() placedPod {
	return placedPod{pod: c.pod, item: c.item, profile: c.profile, reserved: c.reserved}
}

// resume is the rest of the cycle of a pod that waited.
func (s *Scheduler) resume(p placedPod) *cycle {
	left := p.reserved
	left.waits = nil
	return &cycle{
		scheduler: s, profile: p.profile, item: p.item, pod: p.pod, reserved: left,
		placed: true, binding: true, resumed: true,
	}
}

// nextMove is when time alone brings something about: the first Permit plugin gives up, or the first PreBind plugin
// wants to run again.
func (p placedPod) nextMove() time.Time {
	var first time.Time
	sooner := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, w := range p.reserved.waits {
		sooner(w.until)
	}
	if len(p.reserved.waits) > 0 {
		return first
	}
	for _, t := range p.reserved.tasks {
		sooner(t.again)
	}
	return first
}

// inOrder lists placed pods in the order of their placement.
func inOrder(pods *btree.Map[string, placedPod]) []placedPod {
	all := pods.Values()
	slices.SortFunc(all, func(a, b placedPod) int { return cmp.Compare(a.reserved.arrival, b.reserved.arrival) })
	return all
}
