package host

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// judging is a PostFilter under way: through it plugins run all filters of the profile on nodes as they might be.
type judging struct {
	snapshot *cluster.Snapshot
	checks   []framework.Check // of the cycle; the members of a group have their own in their states
}

// ours is the checks of the plugins that are not hosted, as a CycleState carries them: they go with its clones.
type ours struct{ checks []framework.Check }

const oursKey fwk.StateKey = "schedstep/checks"

// Clone is a copy.
func (o *ours) Clone() fwk.StateData { return &ours{slices.Clone(o.checks)} }

// checksIn are the checks that a state carries; those of the cycle when it carries none yet.
func (h *handle) checksIn(state fwk.CycleState) []framework.Check {
	if data, err := state.Read(oursKey); err == nil {
		if o, is := data.(*ours); is {
			return o.checks
		}
	}
	if h.of.judging == nil {
		return nil
	}
	return h.of.judging.checks
}

// check is that of one place of the profile's Filter; nil: it does not run, or is not known now.
func check(checks []framework.Check, seat int) framework.Check {
	if seat >= len(checks) {
		return nil
	}
	return checks[seat]
}

// runs reports whether a hosted filter runs in the cycle of a state: its PreFilter may have returned Skip.
func (h *handle) runs(state fwk.CycleState, seat int) bool {
	return heard(h.of, "runs", func() bool { return h.of.judging != nil && check(h.checksIn(state), seat) != nil })
}

// RunFilterPlugins calls the filters of the profile about a node until one rejects it.
func (h *handle) RunFilterPlugins(
	ctx context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo,
) *fwk.Status {
	for seat, f := range h.filters {
		if f.guest != nil {
			if !h.runs(state, seat) {
				continue
			}
			if filter, is := h.of.plugins[f.guest].Plugin.(fwk.FilterPlugin); is {
				if status := filter.Filter(ctx, state, pod, info); !status.IsSuccess() {
					return failed(f.name, status)
				}
			}
			continue
		}
		v := heard(h.of, "filter", func() trace.Verdict {
			if c := check(h.checksIn(state), seat); c != nil {
				return c.Filter(h.node(info))
			}
			return trace.Verdict{}
		})
		if !v.OK() {
			return failed(f.name, statusOf(v))
		}
	}
	return nil
}

// failed is the status of a filter that does not succeed, as the framework words it.
func failed(plugin string, status *fwk.Status) *fwk.Status {
	if !status.IsRejected() {
		return fwk.AsStatus(fmt.Errorf("running %q filter plugin: %w", plugin, status.AsError())).WithPlugin(plugin)
	}
	status.SetPlugin(plugin)
	return status
}

// node is a node of the framework as ours.
func (h *handle) node(info fwk.NodeInfo) *cluster.Node {
	base, known := h.of.judging.snapshot.Node(info.Node().Name)
	if !known {
		return cluster.NewNode(info.Node())
	}
	here := map[string]bool{}
	for _, p := range info.GetPods() {
		here[cluster.UID(p.GetPod())] = true
	}
	draft := &cluster.Draft{}
	draft.Copy(base)
	for _, p := range slices.Clone(base.Pods) {
		if !here[p.UID()] {
			draft.Remove(p)
		}
		delete(here, p.UID())
	}
	for _, p := range info.GetPods() {
		if here[cluster.UID(p.GetPod())] {
			draft.Add(h.pod(p.GetPod()))
		}
	}
	return draft.Node()
}

// pod is a pod of the framework as ours.
func (h *handle) pod(p *corev1.Pod) *cluster.Pod {
	state := h.of.groups.around.State()
	key := cluster.Key(p)
	if there, is := state.Assumed(key); is && there.UID() == cluster.UID(p) {
		return there
	}
	if there, is := state.Pod(key); is && there.UID() == cluster.UID(p) {
		return there
	}
	return state.ParsePod(p)
}

// RunFilterPluginsWithNominatedPods counts the pods nominated to the node as if they were on it, and then not.
func (h *handle) RunFilterPluginsWithNominatedPods(
	ctx context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo,
) *fwk.Status {
	var with fwk.NodeInfo
	var withState fwk.CycleState
	for _, nominated := range h.NominatedPodsForNode(info.Node().Name) {
		other := nominated.GetPod()
		if priorityOf(other) < priorityOf(pod) || other.UID == pod.UID {
			continue
		}
		if with == nil {
			with, withState = info.Snapshot(), state.Clone()
		}
		with.AddPodInfo(nominated)
		if status := h.RunPreFilterExtensionAddPod(ctx, withState, pod, nominated, with); !status.IsSuccess() {
			return status
		}
	}
	if with != nil {
		if status := h.RunFilterPlugins(ctx, withState, pod, with); !status.IsSuccess() {
			return status
		}
	}
	return h.RunFilterPlugins(ctx, state, pod, info)
}

func priorityOf(p *corev1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// RunPreFilterExtensionAddPod informs the filters that a pod is on a node besides.
func (h *handle) RunPreFilterExtensionAddPod(
	ctx context.Context, state fwk.CycleState, to *corev1.Pod, added fwk.PodInfo, info fwk.NodeInfo,
) *fwk.Status {
	return h.disturb(state, added, info, framework.Disturbable.With,
		func(e fwk.PreFilterExtensions) *fwk.Status { return e.AddPod(ctx, state, to, added, info) }, "AddPod")
}

// RunPreFilterExtensionRemovePod informs the filters that a pod is gone from a node.
func (h *handle) RunPreFilterExtensionRemovePod(
	ctx context.Context, state fwk.CycleState, to *corev1.Pod, removed fwk.PodInfo, info fwk.NodeInfo,
) *fwk.Status {
	return h.disturb(state, removed, info, framework.Disturbable.Without,
		func(e fwk.PreFilterExtensions) *fwk.Status { return e.RemovePod(ctx, state, to, removed, info) }, "RemovePod")
}

func (h *handle) disturb(
	state fwk.CycleState, of fwk.PodInfo, info fwk.NodeInfo,
	our func(framework.Disturbable, *cluster.Pod, *cluster.Node) framework.Check,
	their func(fwk.PreFilterExtensions) *fwk.Status, what string,
) *fwk.Status {
	heard(h.of, "disturb", func() bool {
		if h.of.judging == nil {
			return false
		}
		checks := slices.Clone(h.checksIn(state))
		var pod *cluster.Pod
		var node *cluster.Node
		for seat, f := range h.filters {
			d, is := check(checks, seat).(framework.Disturbable)
			if !is || f.guest != nil {
				continue
			}
			if pod == nil {
				pod, node = h.pod(of.GetPod()), h.node(info)
			}
			checks[seat] = our(d, pod, node)
		}
		state.Write(oursKey, &ours{checks})
		return true
	})
	for seat, f := range h.filters {
		if f.guest == nil || !h.runs(state, seat) {
			continue
		}
		pre, is := h.of.plugins[f.guest].Plugin.(fwk.PreFilterPlugin)
		if !is || pre.PreFilterExtensions() == nil {
			continue
		}
		if status := their(pre.PreFilterExtensions()); !status.IsSuccess() {
			return fwk.AsStatus(fmt.Errorf("running %s on PreFilter plugin %q: %w", what, f.name, status.AsError()))
		}
	}
	return nil
}

// RunPreScorePlugins is not answered.
func (h *handle) RunPreScorePlugins(context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo) *fwk.Status {
	return h.refuse("RunPreScorePlugins")
}

// RunScorePlugins is not answered.
func (h *handle) RunScorePlugins(
	context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo,
) ([]fwk.NodePluginScores, *fwk.Status) {
	return nil, h.refuse("RunScorePlugins")
}

// RunReservePluginsReserve is answered in PodGroupPostFilter, for a member on the node that it found.
func (h *handle) RunReservePluginsReserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) *fwk.Status {
	if h.of.making == nil {
		return h.refuse("RunReservePluginsReserve")
	}
	return h.of.reserving(pod)
}

// RunReservePluginsUnreserve is answered where RunReservePluginsReserve is.
func (h *handle) RunReservePluginsUnreserve(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) {
	if h.of.making == nil {
		h.lacks("RunReservePluginsUnreserve")
		return
	}
	h.of.unreserving(pod)
}

func (h *handle) refuse(what string) *fwk.Status {
	h.lacks(what)
	return fwk.NewStatus(fwk.Error, "schedstep does not answer "+what)
}
