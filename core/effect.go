package core

import (
	"fmt"
	"strings"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Effect is a request of the scheduler to the world. Effects of one step are to be carried out in order; their results
// come back as events, or as a Reply.
type Effect interface {
	// String is the effect in one line.
	String() string
	effect()
}

// Bind requests that a pod is bound to a node.
type Bind struct {
	Pod    *cluster.Pod // as assumed on the node
	Node   string
	Plugin string // the Bind plugin
}

// Evict requests that a pod is deleted in favour of another, after its condition DisruptionTarget was set to True.
type Evict struct {
	Pod     *cluster.Pod
	For     *cluster.Pod // the preemptor; of a group its first pod
	UID     string       // of the pod or the pod group that gains
	Reason  string       // of the condition
	Message string       // of the condition
}

// Nominate requests a value of status.nominatedNodeName of a pod; an empty Node clears it.
type Nominate struct {
	Pod  *cluster.Pod
	Node string
}

// Write requests that an object of the API is created, updated or deleted, most often on behalf of a pod on its way to
// its node.
type Write struct {
	Pod    *cluster.Pod // nil: on behalf of no pod
	Plugin string
	framework.Write
}

// Report requests an event about a pod and, when Condition is set, the same in its PodScheduled condition.
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
	return trace.Recorded{Pod: e.Pod.Key, Type: e.Type, Reason: e.Reason, Note: e.Note, Condition: e.Condition}
}

// Conclude requests the PodGroupInitiallyScheduled condition of a pod group. It is never taken back once it is True.
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

// String names the victim and the preemptor.
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
	gains := e.Plugin
	if e.Pod != nil {
		gains = e.Pod.Key
	}
	return fmt.Sprintf(
		"%s %s %s for %s: %s", strings.ToLower(e.Action.String()), kind, cluster.Key(e.Object), gains, e.Note,
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
