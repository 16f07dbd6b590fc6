package framework

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// ExtenderName stands among the rejectors of a pod, and at the head of a column of the matrix, for all extenders
// together, as in kube-scheduler.
const ExtenderName = "Extender"

// MaxExtenderScore is the highest score that an extender is to give; no release checks it.
const MaxExtenderScore int64 = 10

// Extender is one extender of a profile: another program that kube-scheduler calls during a cycle. Extenders hold for
// all profiles of a configuration; those whose failures are ignored come last.
type Extender struct {
	Name      string // as config.Config.ExtenderNames has it
	Weight    int64  // of its scores
	Ignorable bool   // when it fails, the cycle goes on as if it had not been asked
	// Managed names the resources it is responsible for; it is called only for pods that request one. Empty: for all
	// pods.
	Managed []string

	Filters     bool
	Prioritizes bool
	Preempts    bool
	Binds       bool

	// Line carries the questions; nil: every question fails.
	Line Line
}

// Line carries questions to an extender and brings the answers back: nothing else talks to another program in the
// middle of a cycle. A step may be run again, so the same Question of the same cycle always gets the same Answer.
type Line interface {
	// Ask sends a question and waits for the answer. It does not panic, whatever the extender answers.
	Ask(q Question) Answer
}

// Call is what a request wants from an extender.
type Call string

// The calls.
const (
	CallFilter     Call = "filter"
	CallPrioritize Call = "prioritize"
	CallPreempt    Call = "preempt"
	CallBind       Call = "bind"
)

// Question is one request to an extender.
type Question struct {
	Call    Call
	Cycle   int64 // number of the cycle
	Pod     *cluster.Pod
	Nodes   []*cluster.Node // filter and prioritize: the nodes in question, in order
	Victims []NodeVictims   // preempt: the candidates, in order of name
	Node    string          // bind: the host
}

// NodeVictims is a node with the pods that would have to leave it.
type NodeVictims struct {
	Node       string
	Pods       []*cluster.Pod
	Violations int64 // of disruption budgets
}

// Answer is what came back. The caller checks the names in it, where kube-scheduler does.
type Answer struct {
	// Failure is what went wrong, in kube-scheduler's words; nothing else counts then.
	Failure string

	// Nodes are those that pass a filter, in the extender's order; each was part of the request.
	Nodes []string
	// Described is true where the nodes came back as objects. kube-scheduler 1.37 scores such nodes by what came back:
	// without pods and images.
	Described bool
	// Changed are the objects that came back different from what was sent.
	Changed []*corev1.Node

	Failed       []NodeReason // nodes a filter rejects, in order of name; they need not be ones asked about
	Unresolvable []NodeReason // likewise, and no eviction will help

	Scores []NodeScore // in the extender's order

	Victims []NodeUIDs // preempt: the candidates that are left, in order of name
}

// NodeReason is why a node is rejected.
type NodeReason struct{ Node, Reason string }

// NodeScore is the score of a node, 0 to MaxExtenderScore.
type NodeScore struct {
	Node  string
	Score int64
}

// NodeUIDs is a node with the pods that have to leave it, by UID.
type NodeUIDs struct {
	Node       string
	UIDs       []string
	Violations int64
}

// Ask sends the question over the extender's line.
func (e *Extender) Ask(q Question) Answer {
	if e.Line == nil {
		return Answer{Failure: "extender " + e.Name + ": there is no way to ask it"}
	}
	return e.Line.Ask(q)
}

// NotAskedAbout is why an answer to a filter with another node is wrong, in kube-scheduler's words.
func (e *Extender) NotAskedAbout(node string) string {
	return fmt.Sprintf(
		"extender %q claims a filtered node %q which is not found in the input node list", e.Name, node,
	)
}

// NotOn is why an answer about a preemption with a pod of another node is wrong, in kube-scheduler's words.
func (e *Extender) NotOn(node, uid string) string {
	return fmt.Sprintf(
		"extender: %v claims to preempt pod (UID: &{%v}) on node: %v, but the pod is not found on that node",
		e.Name, uid, node,
	)
}

// Interested reports whether the extender is called for a pod: it manages no resource in particular, or one that a
// container of the pod requests or limits.
func (e *Extender) Interested(pod *cluster.Pod) bool {
	if len(e.Managed) == 0 {
		return true
	}
	return e.manages(pod.API.Spec.Containers) || e.manages(pod.API.Spec.InitContainers)
}

func (e *Extender) manages(containers []corev1.Container) bool {
	for i := range containers {
		for _, name := range e.Managed {
			if _, requested := containers[i].Resources.Requests[corev1.ResourceName(name)]; requested {
				return true
			}
			if _, limited := containers[i].Resources.Limits[corev1.ResourceName(name)]; limited {
				return true
			}
		}
	}
	return false
}
