package framework

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// CountedPredicates is CountedNodes in the words that kube-scheduler had for everything else before its framework
// (1.10): it has no plugins to name.
type CountedPredicates struct{ CountedNodes }

// Broken is the predicate's own message.
func (CountedPredicates) Broken(_, _, said string) string { return said }

// BrokenAt is the predicate's own message.
func (CountedPredicates) BrokenAt(_, _, said string) string { return said }

// BrokenNodes has each error once, with how often it came; more than one in brackets. Their order is chance there.
func (CountedPredicates) BrokenNodes(errors []string) string {
	counts := map[string]int{}
	for _, err := range errors {
		counts[err]++
	}
	var all []string
	for _, err := range slices.Compact(slices.Sorted(slices.Values(errors))) {
		if counts[err] > 1 {
			err = fmt.Sprintf("%s (repeated %d times)", err, counts[err])
		}
		all = append(all, err)
	}
	return aggregate(all)
}

// aggregate joins errors as Kubernetes does.
func aggregate(errors []string) string {
	if len(errors) == 1 {
		return errors[0]
	}
	return "[" + strings.Join(errors, ", ") + "]"
}

// BrokenPart is the part's own message.
func (CountedPredicates) BrokenPart(_, _ string, _ *cluster.Pod, said string) string { return said }

// BrokenScore is the priority's own message.
func (CountedPredicates) BrokenScore(_, _ string, _ *cluster.Pod, said string) string { return said }

// Assigned names the pod without its namespace.
func (CountedPredicates) Assigned(pod *cluster.Pod) string {
	return fmt.Sprintf("Successfully assigned %s to %s", pod.Name(), pod.NodeName)
}

// Preempted names the pod that gains.
func (CountedPredicates) Preempted(_ trace.EntityKind, _ string, pod *cluster.Pod, node string) string {
	return "by " + pod.Key + " on node " + node
}

// Condition is the same for errors.
func (CountedPredicates) Condition(bool) string { return "Unschedulable" }

// Refused is why.
func (CountedPredicates) Refused(_ string, _ *cluster.Pod, why string) (event, note, condition string) {
	return "Warning", "Binding rejected: " + why, "BindingRejected"
}

// NamedPredicates is the message of a kube-scheduler whose reasons are the names of predicates: "No nodes are available
// that match all of the following predicates:: Insufficient cpu (2), MatchNodeSelector (1)." (FitError, 1.6). The
// second colon is kube-scheduler's own.
type NamedPredicates struct{ CountedPredicates }

// FitError has each reason with the number of its nodes in brackets.
func (NamedPredicates) FitError(m *trace.FitMessage) string {
	var all []string
	for reason, nodes := range m.Reasons() {
		all = append(all, fmt.Sprintf("%s (%d)", reason, nodes))
	}
	slices.Sort(all)
	return "No nodes are available that match all of the following predicates:: " + strings.Join(all, ", ") + "."
}

// BrokenAt puts the predicate's message into the error of the node.
func (NamedPredicates) BrokenAt(_, _, said string) string {
	return "SchedulerPredicates failed due to " + said + ", which is unexpected."
}

// BrokenNodes has every error as often as it came, in the order of the nodes, which is chance there.
func (NamedPredicates) BrokenNodes(errors []string) string { return aggregate(errors) }

// Refused is no warning.
func (n NamedPredicates) Refused(plugin string, pod *cluster.Pod, why string) (event, note, condition string) {
	_, note, condition = n.CountedPredicates.Refused(plugin, pod, why)
	return "Normal", note, condition
}
