package preemption

import (
	"cmp"
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// GroupAsk is a pod group that gets no placement. Evictions anywhere in the cluster may make room for it.
type GroupAsk struct {
	Snapshot *cluster.Snapshot
	Priority int32 // of the group
	Trial    func(without []*cluster.Pod) framework.Trial
	Now      time.Time // when a pod started that has not started yet
}

// GroupAnswer is the pods that would have to leave, and where the group would go.
type GroupAnswer struct {
	Verdict   trace.Verdict // Success, or why no eviction helps
	Victims   []*cluster.Pod
	Violating int // of Victims, protected by a disruption budget
	Reprieved []*cluster.Pod
	Nodes     []trace.MemberNode
}

// RunGroup takes every less important pod away, sees whether the group gets what it needs, and then lets pods back
// beside which all of its members still fit: first those that a disruption budget protects, in both cases the most
// important first (PodGroupEvaluator, 1.37).
func RunGroup(ask GroupAsk) GroupAnswer {
	units := unitsOf(ask.Snapshot.Nodes, ask.Snapshot, ask.Now)
	units = slices.DeleteFunc(units, func(u unit) bool { return u.priority >= ask.Priority })
	if len(units) == 0 {
		return GroupAnswer{Verdict: trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"No preemption victims found for incoming preemptor"},
		}}
	}
	var leaving []*cluster.Pod
	for _, u := range units {
		leaving = append(leaving, u.pods...)
	}
	t := ask.Trial(leaving)
	if v := t.Verdict(); !v.OK() {
		return GroupAnswer{Verdict: v}
	}
	slices.SortFunc(units, unit.compare)
	b := budgets{objects: ask.Snapshot.Objects()}
	for i := range units {
		b.count(&units[i])
	}
	a := GroupAnswer{Nodes: t.Nodes()}
	var victims []unit
	for _, protected := range [...]bool{true, false} {
		for _, u := range units {
			switch {
			case u.violating > 0 != protected:
			case t.Return(u.pods):
				a.Reprieved = append(a.Reprieved, u.pods...)
			default:
				victims = append(victims, u)
				a.Violating += u.violating
			}
		}
	}
	slices.SortFunc(victims, unit.compare)
	for _, u := range victims {
		a.Victims = append(a.Victims, u.pods...)
	}
	return a
}

// unit is what is evicted together: a pod, or all placed pods of a group whose disruption mode is All.
type unit struct {
	pods      []*cluster.Pod
	priority  int32
	grouped   bool                            // its pods are of a group, be it a single one
	started   time.Time                       // when the first of pods started
	violating int                             // of pods, protected by a disruption budget
	protected []*policyv1.PodDisruptionBudget // for each of pods its budget, nil without one; nil: none has one
}

// compare puts what is more important first: the higher priority, then pods of groups, then the larger group, then what
// started earlier (MoreImportantVictim, 1.37).
func (u unit) compare(v unit) int {
	return cmp.Or(
		cmp.Compare(v.priority, u.priority),
		cmp.Compare(rankOf(v.grouped), rankOf(u.grouped)),
		cmp.Compare(len(v.pods), len(u.pods)),
		u.started.Compare(v.started),
	)
}

func rankOf(grouped bool) int {
	if grouped {
		return 1
	}
	return 0
}

// unitsOf lists what could be evicted from nodes, in the order in which its first pods stand there. A group with
// disruption mode All is one unit, with its pods on other nodes too (1.37, getCrossNodesVictims).
func unitsOf(nodes []*cluster.Node, snapshot *cluster.Snapshot, now time.Time) []unit {
	var units []unit
	whole := map[string]bool{} // groups that are listed as one unit
	clock := startClock{now: now}
	for _, node := range nodes {
		for _, p := range node.Pods {
			u := unit{pods: []*cluster.Pod{p}, priority: p.Priority, grouped: p.Group != ""}
			if group, known := groupOf(p, snapshot); known {
				u.priority = cluster.GroupPriority(group)
				if mode := group.Spec.DisruptionMode; mode != nil && mode.All != nil {
					if whole[p.Group] {
						continue
					}
					whole[p.Group] = true
					if all := snapshot.Scheduled(p.Group); len(all) > 0 {
						u.pods = all
					}
				}
			}
			u.started = clock.earliest(u.pods)
			units = append(units, u)
		}
	}
	return units
}

// startClock returns the start times of pods. kube-scheduler reads its clock for a pod that has not started, so that a
// pod read later starts later (util/utils.go, GetPodStartTime). Here the clock advances by 1 ns with each pod that is
// read.
type startClock struct {
	now  time.Time
	read int // pods read so far
}

// earliest reads the pods in their order, and returns when the first of them started.
func (c *startClock) earliest(pods []*cluster.Pod) (first time.Time) {
	for i, p := range pods {
		start := p.StartTime()
		c.read++
		if p.API.Status.StartTime == nil {
			start = c.now.Add(time.Duration(c.read))
		}
		if i == 0 || start.Before(first) {
			first = start
		}
	}
	return first
}

func groupOf(p *cluster.Pod, snapshot *cluster.Snapshot) (*schedulingv1beta1.PodGroup, bool) {
	if p.Group == "" {
		return nil, false
	}
	return snapshot.PodGroup(p.Group)
}

// PriorityOf is what a pod's eviction is weighed by: its group's priority where it has one.
func PriorityOf(p *cluster.Pod, snapshot *cluster.Snapshot) int32 {
	if group, known := groupOf(p, snapshot); known {
		return cluster.GroupPriority(group)
	}
	return p.Priority
}
