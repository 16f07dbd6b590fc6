package core

import (
	"fmt"
	"strings"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Effect is something the scheduler asks of the world. Effects of one step are to be carried out in order; what
// becomes of them comes back as events, or as a Reply.
type Effect interface {
	// String says it in one line.
	String() string
	effect()
}

// Bind asks for a pod to be bound to a node.
type Bind struct {
	Pod    *cluster.Pod // as assumed on the node
	Node   string
	Plugin string // the Bind plugin
}

// Evict asks for a pod to be deleted in favour of another, after its condition DisruptionTarget was set to True.
type Evict struct {
	Pod     *cluster.Pod
	For     *cluster.Pod // who gains; of a group its first pod
	UID     string       // of the pod or the pod group that gains
	Reason  string       // of the condition
	Message string       // of the condition
}

// Nominate asks for status.nominatedNodeName of a pod to be set; an empty Node clears it.
type Nominate struct {
	Pod  *cluster.Pod
	Node string
}

// Write asks for an object of the API to be created, updated or deleted on behalf of a pod on its way to its node.
type Write struct {
	Pod    *cluster.Pod
	Plugin string
	framework.Write
}

// Report asks for an event about a pod to be written, and for its PodScheduled condition to say the same when
// Condition is set.
type Report struct {
	Pod       *cluster.Pod
	Type      string // "Normal" or "Warning"
	Reason    string // "Scheduled", "FailedScheduling", "Preempted" or "BindingConditionsPending"
	Note      string // at most 1024 bytes
	Condition string // reason of PodScheduled=False: "Unschedulable" or "SchedulerError"; "" leaves it alone
	Message   string // the condition's message, of any length
}

// fact is the report as the event that would be written.
func (e Report) fact() trace.Fact {
	return trace.Recorded{Pod: e.Pod.Key, Type: e.Type, Reason: e.Reason, Note: e.Note}
}

// Conclude asks for the PodGroupInitiallyScheduled condition of a pod group to be set. It is never taken back once it
// is True.
type Conclude struct {
	Group   *schedulingv1beta1.PodGroup
	True    bool
	Reason  string // "Scheduled", "Unschedulable" or "SchedulerError"
	Message string // of any length
}

// String is the condition.
func (e Conclude) String() string {
	return fmt.Sprintf(
		"conclude %s PodGroupInitiallyScheduled=%t %s: %s", cluster.Key(e.Group), e.True, e.Reason, e.Message,
	)
}

// String names the pod and its node.
func (e Bind) String() string { return "bind " + e.Pod.Key + " to " + e.Node }

// String names the victim and who gains.
func (e Evict) String() string { return "evict " + e.Pod.Key + " for " + e.For.Key }

// String names the pod and its node.
func (e Nominate) String() string {
	if e.Node == "" {
		return "nominate " + e.Pod.Key + " nowhere"
	}
	return "nominate " + e.Pod.Key + " on " + e.Node
}

// String names the object and what the write is for.
func (e Write) String() string {
	kind, _ := cluster.KindOf(e.Object)
	return fmt.Sprintf(
		"%s %s %s for %s: %s", strings.ToLower(e.Action.String()), kind, cluster.Key(e.Object), e.Pod.Key, e.Note,
	)
}

// String is the event as kubectl lists it.
func (e Report) String() string {
	return fmt.Sprintf("report %s %s %s: %s", e.Type, e.Reason, e.Pod.Key, e.Note)
}

func (Bind) effect()     {}
func (Evict) effect()    {}
func (Nominate) effect() {}
func (Write) effect()    {}
func (Report) effect()   {}
func (Conclude) effect() {}
