package queue

import (
	"slices"
	"time"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Item is one entity in the queue with its history (framework.QueuedPodInfo and QueuedPodGroupInfo, 1.37). An Item is
// never changed once it is in a queue: what changes is another Item in its place, so that forks may share them.
//
// A pod group is one Item that holds those of its pods. The answers of plugins stand in the members, each of which has
// its own rejectors and its own gate; the group has the gate of the last member that has one.
type Item struct {
	Pod     *cluster.Pod                // nil for a group
	Group   *schedulingv1beta1.PodGroup // nil for a pod; read only
	Members []*Item                     // of a group: one or more, in the order they are tried

	Attempts           int             // cycles it was popped for
	UnschedulableCount int             // failed attempts that plugins caused, since it was added
	ErrorCount         int             // failed attempts in a row that no plugin caused
	Since              time.Time       // when it was added, or came back from its last cycle; moves between queues keep it
	FirstAttempt       time.Time       // when it first entered activeQ; zero before
	BackoffUntil       time.Time       // the window its backoff ends in, a whole second; zero: it has none
	Flushed            time.Time       // when the timeout last took it up since its last cycle
	PoppedFrom         trace.QueueName // the queue it was last popped from

	Rejectors []string // plugins that rejected it in its last cycle, and that gated it since; sorted
	Pending   []string // plugins that answered Pending in its last cycle, sorted
	Gate      string   // the PreEnqueue plugin that holds it back; "" when none does
	GateText  string   // what that plugin said

	backoffs int // how many it has begun; counted where Discipline.FIFOOnly is set, and by ForgetfulBackoff

	arrival uint64    // with Since, the turn at which it came; breaks what Sorter leaves equal
	blame   pluginSet // of Rejectors and Pending
	profile *profile  // of its pod
}

// Key is namespace/name of the pod, or trace.GroupKey of a group.
func (i *Item) Key() string {
	if i.Group != nil {
		return trace.GroupKey(cluster.Key(i.Group))
	}
	return i.Pod.Key
}

// Entity names it in facts.
func (i *Item) Entity() trace.Entity {
	if i.Group != nil {
		return cluster.GroupEntity(i.Group)
	}
	return i.Pod.Entity()
}

// Priority is the pod's or the group's.
func (i *Item) Priority() int32 {
	if i.Group != nil {
		return cluster.GroupPriority(i.Group)
	}
	return i.Pod.Priority
}

// Rejected reports whether any plugin had a part in its last failure; if none had, it came back from an error. Of a
// group nothing is kept, and so it counts as if none had (1.37).
func (i *Item) Rejected() bool { return len(i.Rejectors) > 0 || len(i.Pending) > 0 }

// waitingSince is the moment the timeout counts from.
func (i *Item) waitingSince() time.Time {
	if i.Flushed.After(i.Since) {
		return i.Flushed
	}
	return i.Since
}

// blamed reports whether the plugin is among the rejectors or the pending.
func (i *Item) blamed(plugin string) bool {
	return slices.Contains(i.Rejectors, plugin) || slices.Contains(i.Pending, plugin)
}

// copy is for changing; it is in no queue yet.
func (i *Item) copy() *Item {
	c := *i
	c.Members = slices.Clone(i.Members)
	return &c
}

// describe puts another version of the pod in; the Item must not be in a queue.
func (i *Item) describe(pod *cluster.Pod, d *discipline) {
	i.Pod = pod
	i.profile = d.of(pod)
	i.blame = i.profile.set(i.Rejectors) | i.profile.set(i.Pending)
}

// reject adds a plugin to the rejectors; the Item must not be in a queue.
func (i *Item) reject(plugin string) {
	at, had := slices.BinarySearch(i.Rejectors, plugin)
	if had {
		return
	}
	i.Rejectors = slices.Insert(slices.Clone(i.Rejectors), at, plugin)
	i.blame |= i.profile.set([]string{plugin})
}
