package defaultpreemption

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/preemption"
)

// units decides what can preempt and be evicted: pods alone, or pod groups as well.
type units interface {
	// preemptor returns the UID and the kind ("pod" or "pod group") of what would preempt for a pod; "" when nothing can.
	preemptor(pod *cluster.Pod, known *cluster.State) (uid, whom string)
	// lookup is where pod groups are found; nil: their pods are pods like others.
	lookup(snapshot *cluster.Snapshot) *cluster.Snapshot
	// weight is the priority that a pod's eviction is weighed by.
	weight(pod *cluster.Pod, snapshot *cluster.Snapshot) int32
}

// alone treats the pods of groups as pods like others.
type alone struct{}

func (alone) preemptor(pod *cluster.Pod, _ *cluster.State) (uid, whom string) {
	return pod.UID(), "pod"
}

func (alone) lookup(*cluster.Snapshot) *cluster.Snapshot { return nil }

func (alone) weight(pod *cluster.Pod, _ *cluster.Snapshot) int32 { return pod.Priority }

// grouped lets a group preempt, and be evicted as a whole, where its PodGroup permits it (GenericWorkload).
type grouped struct{}

func (grouped) preemptor(pod *cluster.Pod, known *cluster.State) (uid, whom string) {
	if pod.Group == "" {
		return pod.UID(), "pod"
	}
	group, there := known.PodGroup(pod.Group)
	if !there { // GangScheduling holds the pod back
		return "", ""
	}
	return cluster.GroupUID(group), "pod group"
}

func (grouped) lookup(snapshot *cluster.Snapshot) *cluster.Snapshot { return snapshot }

func (grouped) weight(pod *cluster.Pod, snapshot *cluster.Snapshot) int32 {
	return preemption.PriorityOf(pod, snapshot)
}
