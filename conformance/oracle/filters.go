package oracle

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	schedulingcorev1 "k8s.io/component-helpers/scheduling/corev1"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

func verdict(plugin string, status *fwk.Status) Verdict {
	if status == nil {
		return Verdict{Plugin: plugin, Code: status.Code().String()}
	}
	reasons := slices.Clone(status.Reasons())
	slices.Sort(reasons)
	return Verdict{Plugin: plugin, Code: status.Code().String(), Reasons: reasons}
}

// own is the verdict of the plugin that the framework named in status.
func own(status *fwk.Status) Verdict {
	if status == nil {
		return verdict("", nil)
	}
	return verdict(status.Plugin(), status)
}

// filtersAlone runs every PreFilter/Filter plugin on a cycle state of its own,
// so that no plugin hides another. Verdicts are by node name.
func (q question) filtersAlone() ([]PreFilterVerdict, map[string][]Verdict) {
	preFilters := map[string]PreFilterVerdict{}
	verdicts := map[string][]Verdict{}
	for _, plugin := range q.profile.filters {
		state := q.newState()
		proceed := true
		if plugin.preFilter != nil {
			result, status := preFilter(q.ctx, plugin.preFilter, state, q.pod, q.nodes)
			answer := PreFilterVerdict{Verdict: verdict(plugin.name, status)}
			if status.IsSuccess() {
				answer.Nodes = nodeSet(result)
			}
			preFilters[plugin.name] = answer
			proceed = status.IsSuccess()
			if status.IsSkip() && plugin.filter != nil {
				for _, node := range q.nodes {
					verdicts[node.Node().Name] = append(verdicts[node.Node().Name], verdict(plugin.name, status))
				}
			}
		}
		if !proceed || plugin.filter == nil {
			continue
		}
		for _, node := range q.nodes {
			name := node.Node().Name
			verdicts[name] = append(verdicts[name], q.filterAlone(plugin, state, node))
		}
	}
	var ordered []PreFilterVerdict
	for _, name := range q.profile.names["PreFilter"] {
		ordered = append(ordered, preFilters[name])
	}
	return ordered, verdicts
}

// filterAlone is what the framework would do with one plugin: first with the
// pods nominated to the node, then without.
func (q question) filterAlone(plugin filterPlugin, state fwk.CycleState, node fwk.NodeInfo) Verdict {
	with, withState := node, state
	added := false
	for _, nominated := range q.profile.framework.NominatedPodsForNode(node.Node().Name) {
		other := fwk.PodOf(nominated)
		if other.UID == q.pod.UID || schedulingcorev1.PodPriority(other) < schedulingcorev1.PodPriority(q.pod) {
			continue
		}
		if !added {
			with, withState, added = node.Snapshot(), state.Clone(), true
		}
		with.AddPodInfo(nominated)
		if plugin.preFilter == nil || plugin.preFilter.PreFilterExtensions() == nil {
			continue
		}
		if status := plugin.preFilter.PreFilterExtensions().AddPod(
			q.ctx, withState, q.pod, nominated, with,
		); !status.IsSuccess() {
			return Verdict{Plugin: plugin.name, Code: "Error", Reasons: []string{status.AsError().Error()}}
		}
	}
	status := plugin.filter.Filter(q.ctx, withState, q.pod, with)
	if added && status.IsSuccess() {
		status = plugin.filter.Filter(q.ctx, state, q.pod, node)
	}
	return verdict(plugin.name, status)
}

// nodeSet is nil for all nodes.
func nodeSet(result *fwk.PreFilterResult) []string {
	if result.AllNodes() {
		return nil
	}
	list := sets.List(result.NodeNames)
	if list == nil {
		return []string{}
	}
	return list
}

// frameworkTruth is the framework's verdict on every node, sampled or not.
type frameworkTruth struct {
	preFilter PreFilterOutcome
	// nodeSet is nil when PreFilter left all nodes.
	nodeSet sets.Set[string]
	// verdicts has one entry per node of the snapshot; the zero Verdict means that the framework ran no filter there.
	verdicts []Verdict
}

// runFramework runs the framework's PreFilter, then its Filter with nominated
// pods on every node of PreFilter's node set and on the pod's nominated node,
// which kube-scheduler tries whether the set has it or not.
func (q question) runFramework() frameworkTruth {
	f := q.profile.framework
	truth := frameworkTruth{verdicts: make([]Verdict, len(q.nodes))}
	state := q.newState()
	result, status := runPreFilters(q.ctx, f, state, q.pod)
	truth.preFilter = PreFilterOutcome{Verdict: own(status), Nodes: nodeSet(result)}
	if !status.IsSuccess() {
		return truth
	}
	if !result.AllNodes() {
		truth.nodeSet = result.NodeNames
	}
	for i, node := range q.nodes {
		name := node.Node().Name
		if truth.nodeSet != nil && !truth.nodeSet.Has(name) && name != q.pod.Status.NominatedNodeName {
			continue
		}
		truth.verdicts[i] = own(f.RunFilterPluginsWithNominatedPods(q.ctx, state, q.pod, node))
	}
	return truth
}
