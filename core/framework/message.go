package framework

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// MessageForm puts into words why a pod fits nowhere, where no plugin has the words.
type MessageForm interface {
	// FitError is the whole message.
	FitError(m *trace.FitMessage) string
	// NoNodes is the message when there is no node at all.
	NoNodes() string
	// Outside is the reason of nodes that are in no node set of PreFilter; plugins gave the sets. "": none is given.
	Outside(plugins []string) string
	// Disjoint is the reason when no node is in all node sets of PreFilter; plugins gave them.
	Disjoint(plugins []string) string
	// Broken is the error that ends a cycle when a plugin breaks in PreFilter; said is the plugin's own message.
	Broken(plugin, pod, said string) string
	// BrokenAt is the error of one node, at which a filter breaks; said is the filter's own message.
	BrokenAt(plugin, pod, said string) string
	// BrokenNodes is the error that ends a cycle in which filters broke at several nodes; one for each of them.
	BrokenNodes(errors []string) string
	// BrokenPart is the error that ends a cycle when a plugin breaks at a later point; said is the plugin's own
	// message.
	BrokenPart(point, plugin string, pod *cluster.Pod, said string) string
	// BrokenScore is the error that ends a cycle when a plugin breaks at Score or NormalizeScore; said is the plugin's
	// own message.
	BrokenScore(point, plugin string, pod *cluster.Pod, said string) string
	// OffScale is the error that ends a cycle when a score is none of 0 to limit once it is normalised.
	OffScale(plugin string, pod *cluster.Pod, score, limit int64) string
	// Assigned is the note of a pod that was bound.
	Assigned(pod *cluster.Pod) string
	// Preempted is the note of a victim. kind and uid are of the preemptor: a pod, which is pod, or a group of which it is
	// the first.
	Preempted(kind trace.EntityKind, uid string, pod *cluster.Pod, node string) string
	// Condition is the reason of PodScheduled=False after a cycle that placed nothing; broke: an error ended it.
	Condition(broke bool) string
	// Refused has the messages about a binding that was not made: the type of the event, its note, and the reason of
	// PodScheduled=False. plugin was to make it; "": an extender.
	Refused(plugin string, pod *cluster.Pod, why string) (event, note, condition string)
}

// CountedReasons counts the nodes that each reason rejects: "0/3 nodes are available: 2 Insufficient cpu, ..."
// (FitError, 1.37).
type CountedReasons struct{}

// FitError is the message of the PreFilter, or the reasons with their counts, and the message of PostFilter.
func (CountedReasons) FitError(m *trace.FitMessage) string { return m.String() }

// NoNodes is ErrNoNodesAvailable.
func (CountedReasons) NoNodes() string { return "no nodes available to schedule pods" }

// Outside names the plugins, sorted.
func (CountedReasons) Outside(plugins []string) string {
	return "node(s) didn't satisfy plugin(s) " + listed(plugins)
}

// Disjoint names the plugins, sorted.
func (CountedReasons) Disjoint(plugins []string) string {
	if len(plugins) == 1 {
		return "node(s) didn't satisfy plugin " + plugins[0]
	}
	return "node(s) didn't satisfy plugin(s) " + listed(plugins) + " simultaneously"
}

// Broken is the error of RunPreFilterPlugins.
func (CountedReasons) Broken(plugin, _, said string) string {
	return fmt.Sprintf("running PreFilter plugin %q: %s", plugin, said)
}

// BrokenAt is the error of RunFilterPlugins.
func (CountedReasons) BrokenAt(plugin, _, said string) string {
	return fmt.Sprintf("running %q filter plugin: %s", plugin, said)
}

// BrokenNodes is the first.
func (CountedReasons) BrokenNodes(errors []string) string { return errors[0] }

// BrokenPart names the plugin.
func (CountedReasons) BrokenPart(point, plugin string, _ *cluster.Pod, said string) string {
	return fmt.Sprintf("running %s plugin %q: %s", point, plugin, said)
}

// BrokenScore names the plugin.
func (CountedReasons) BrokenScore(point, plugin string, _ *cluster.Pod, said string) string {
	if point != "Score" {
		point = "Normalize on Score"
	}
	return fmt.Sprintf("running %s plugins: plugin %q failed with: %s", point, plugin, said)
}

// OffScale names the plugin.
func (CountedReasons) OffScale(plugin string, _ *cluster.Pod, score, limit int64) string {
	return "applying score defaultWeights on Score plugins: " + offScale(plugin, score, limit)
}

func offScale(plugin string, score, limit int64) string {
	return fmt.Sprintf(
		"plugin %q returns an invalid score %d, it should in the range of [0, %d] after normalizing", plugin, score, limit,
	)
}

// Assigned names the pod with its namespace, and its node.
func (CountedReasons) Assigned(pod *cluster.Pod) string {
	return fmt.Sprintf("Successfully assigned %s to %s", pod.Key, pod.NodeName)
}

// Preempted names the preemptor by its UID.
func (CountedReasons) Preempted(kind trace.EntityKind, uid string, _ *cluster.Pod, node string) string {
	return "Preempted by " + string(kind) + " " + uid + " on node " + node
}

// Condition is one reason for an error, and another for a pod that fits nowhere.
func (CountedReasons) Condition(broke bool) string {
	if broke {
		return "SchedulerError"
	}
	return "Unschedulable"
}

// Refused is an error of the plugin.
func (c CountedReasons) Refused(plugin string, pod *cluster.Pod, why string) (event, note, condition string) {
	if plugin != "" {
		why = c.BrokenPart("Bind", plugin, pod, why)
	}
	return "Warning", why, c.Condition(true)
}

// CountedLooks is CountedReasons that counts the nodes alone that were looked at (1.31 and earlier).
type CountedLooks struct{ CountedReasons }

// Outside is nothing.
func (CountedLooks) Outside([]string) string { return "" }

// CountedNodes is the reasons with their counts and nothing besides: a rejection by PreFilter counts for every node,
// and nothing is added for PostFilter (1.19 and earlier).
type CountedNodes struct{ CountedLooks }

// FitError leaves PostFilter out.
func (CountedNodes) FitError(m *trace.FitMessage) string {
	plain := *m
	plain.PostFilter = ""
	if plain.PreFilter != "" {
		plain.PreFilter = strconv.Itoa(m.Nodes) + " " + m.PreFilter
	}
	return plain.String()
}

// Broken names the pod too.
func (CountedNodes) Broken(plugin, pod, said string) string {
	return fmt.Sprintf("prefilter plugin %q failed for pod %q: %s", plugin, pod, said)
}

// BrokenAt names the pod too.
func (CountedNodes) BrokenAt(plugin, pod, said string) string {
	return fmt.Sprintf("running %q filter plugin for pod %q: %s", plugin, pod, said)
}

// CountedFilters is CountedNodes in the words of 1.17.
type CountedFilters struct{ CountedNodes }

// Broken has other words.
func (CountedFilters) Broken(plugin, pod, said string) string {
	return fmt.Sprintf("error while running %q prefilter plugin for pod %q: %s", plugin, pod, said)
}

// BrokenAt has other words.
func (CountedFilters) BrokenAt(plugin, pod, said string) string {
	return fmt.Sprintf("error while running %q filter plugin for pod %q: %s", plugin, pod, said)
}

// Condition is the same for errors.
func (CountedFilters) Condition(bool) string { return "Unschedulable" }

// BrokenPart names the pod too.
func (CountedNodes) BrokenPart(point, plugin string, pod *cluster.Pod, said string) string {
	switch point {
	case "Bind":
		return fmt.Sprintf("plugin %q failed to bind pod %q: %s", plugin, pod.Key, said)
	case "Reserve":
		plugin = "Reserve in " + strconv.Quote(plugin)
	default:
		plugin = strconv.Quote(plugin)
	}
	return fmt.Sprintf("error while running %s %s plugin for pod %q: %s", plugin, strings.ToLower(point), pod.Name(), said)
}

// BrokenScore names the pod, and the plugin where it breaks at NormalizeScore.
func (CountedNodes) BrokenScore(point, plugin string, pod *cluster.Pod, said string) string {
	if point == "Score" {
		return fmt.Sprintf("error while running score plugin for pod %q: %s", pod.Name(), said)
	}
	return fmt.Sprintf(
		"error while running normalize score plugin for pod %q: normalize score plugin %q failed with error %s", pod.Name(),
		plugin, said,
	)
}

// OffScale names the pod and the plugin.
func (CountedNodes) OffScale(plugin string, pod *cluster.Pod, score, limit int64) string {
	return fmt.Sprintf(
		"error while applying score defaultWeights for pod %q: score %s", pod.Name(), offScale(plugin, score, limit),
	)
}

// Refused puts "Binding rejected" before the error.
func (c CountedNodes) Refused(plugin string, pod *cluster.Pod, why string) (event, note, condition string) {
	if plugin != "" {
		why = c.BrokenPart("Bind", plugin, pod, why)
	}
	return "Warning", "Binding rejected: " + why, c.Condition(true)
}

// listed is the names, sorted, each once, as Go prints a list of strings.
func listed(names []string) string {
	return "[" + strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), " ") + "]"
}
