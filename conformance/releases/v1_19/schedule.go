package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/releases/early"
)

// question is one pod against one snapshot.
type question struct {
	*oracle
	profile *profilePlugins
	pod     *corev1.Pod
	nodes   []*framework.NodeInfo
	start   int // where the search begins
}

// Schedule runs one cycle for a pod that was put, and everything kube-scheduler leaves out of it.
func (o *oracle) Schedule(pod *corev1.Pod) (answer.Answer, error) {
	pod, err := o.Stored(pod)
	if err != nil {
		return answer.Answer{}, err
	}
	p, ok := o.profiles[pod.Spec.SchedulerName]
	if !ok {
		return answer.Answer{}, fmt.Errorf("pod %s: no profile %q", early.Key(pod), pod.Spec.SchedulerName)
	}
	if err := o.refresh(); err != nil {
		return answer.Answer{}, fmt.Errorf("snapshot: %w", err)
	}
	nodes, err := p.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return answer.Answer{}, fmt.Errorf("snapshot: %w", err)
	}
	o.Writes.Take()
	q := question{oracle: o, profile: p, pod: pod, nodes: nodes, start: o.StartIndex()}
	a := answer.Answer{Pod: early.Key(pod), Profile: pod.Spec.SchedulerName, PreScoreSkipped: []string{}}
	var alone map[string][]answer.Verdict
	a.PreFilters, alone = q.filtersAlone()
	said := q.filters()
	a.PreFilter.Verdict = said.PreFilter
	for i, node := range nodes {
		name := node.Node().Name
		a.Nodes = append(a.Nodes, answer.NodeAnswer{Node: name, Filters: alone[name], Framework: said.Verdicts[i]})
	}
	if err := q.decide(&a, said); err != nil {
		return a, err
	}
	a.Decision.Ends = early.Ended()
	return a, nil
}

// filtersAlone runs every plugin on a cycle state of its own, so that no plugin hides another. Verdicts are by node.
func (q question) filtersAlone() ([]answer.PreFilterVerdict, map[string][]answer.Verdict) {
	ctx := context.Background()
	var before []answer.PreFilterVerdict
	states, failed := map[string]*framework.CycleState{}, map[string]bool{}
	for _, p := range q.profile.preFilter {
		state := framework.NewCycleState()
		status := p.PreFilter(ctx, state, q.pod)
		states[p.Name()], failed[p.Name()] = state, !status.IsSuccess()
		before = append(before, answer.PreFilterVerdict{Verdict: told(p.Name(), status)})
	}
	verdicts := map[string][]answer.Verdict{}
	for _, p := range q.profile.filter {
		if failed[p.Name()] {
			continue
		}
		state := states[p.Name()]
		if state == nil {
			state = framework.NewCycleState()
		}
		for _, node := range q.nodes {
			name := node.Node().Name
			verdicts[name] = append(verdicts[name], told(p.Name(), q.filterAlone(p, state, node)))
		}
	}
	return before, verdicts
}

// filterAlone is what the framework would do with one plugin: first with the pods nominated to the node, then without.
func (q question) filterAlone(
	p framework.FilterPlugin, state *framework.CycleState, node *framework.NodeInfo,
) *framework.Status {
	ctx := context.Background()
	with, withState, failed := q.crowded(state, node, func(
		withState *framework.CycleState, nominated *corev1.Pod, with *framework.NodeInfo,
	) *framework.Status {
		pre, is := p.(framework.PreFilterPlugin)
		if !is || pre.PreFilterExtensions() == nil {
			return nil
		}
		return pre.PreFilterExtensions().AddPod(ctx, withState, q.pod, nominated, with)
	})
	if !failed.IsSuccess() {
		return failed
	}
	status := p.Filter(ctx, withState, q.pod, with)
	if with != node && status.IsSuccess() {
		status = p.Filter(ctx, state, q.pod, node)
	}
	return status
}

// crowded is the node and the state with the pods nominated there that the pod has to leave room for. It calls tell,
// which runs the plugins' AddPod, for each of them. Where there are none, it is the node and the state as they are.
func (q question) crowded(
	state *framework.CycleState, node *framework.NodeInfo,
	tell func(*framework.CycleState, *corev1.Pod, *framework.NodeInfo) *framework.Status,
) (*framework.NodeInfo, *framework.CycleState, *framework.Status) {
	with, withState := node, state
	for _, p := range q.profile.PreemptHandle().NominatedPodsForNode(node.Node().Name) {
		if podutil.GetPodPriority(p) < podutil.GetPodPriority(q.pod) || p.UID == q.pod.UID {
			continue
		}
		if with == node {
			with, withState = node.Clone(), state.Clone()
		}
		with.AddPod(p)
		if status := tell(withState, p, with); !status.IsSuccess() {
			return with, withState, status
		}
	}
	return with, withState, nil
}

// filters runs the PreFilter plugins of the profile together, and its filters on every node.
func (q question) filters() early.Truth {
	ctx := context.Background()
	said := early.Truth{
		Verdicts: make([]answer.Verdict, len(q.nodes)), PreFilter: told("", nil), Blamed: map[string]bool{},
	}
	if said.Barred = early.Barred(q.pod, q.Factory.Core().V1().PersistentVolumeClaims().Lister()); said.Barred != nil {
		said.PreFilter = answer.Verdict{Code: framework.Error.String(), Reasons: []string{said.Barred.Error()}}
		return said
	}
	state := framework.NewCycleState()
	for _, p := range q.profile.preFilter {
		if status := p.PreFilter(ctx, state, q.pod); !status.IsSuccess() {
			said.PreFilter = told(p.Name(), status)
			return said
		}
	}
	for i, node := range q.nodes {
		said.Verdicts[i] = told("", nil)
		for k, failure := range q.together(state, node) {
			if k == 0 {
				said.Verdicts[i] = failure
			}
			said.Blamed[failure.Plugin] = true
		}
	}
	return said
}

// together is the filters that fail on a node, with the pods nominated to it and then without: the first one alone,
// unless all run.
func (q question) together(state *framework.CycleState, node *framework.NodeInfo) []answer.Verdict {
	with, withState, failed := q.crowded(state, node, func(
		withState *framework.CycleState, nominated *corev1.Pod, with *framework.NodeInfo,
	) *framework.Status {
		return q.profile.RunPreFilterExtensionAddPod(context.Background(), withState, q.pod, nominated, with)
	})
	if !failed.IsSuccess() {
		return []answer.Verdict{told("", failed)}
	}
	failures := q.failures(withState, with)
	if with != node && len(failures) == 0 {
		failures = q.failures(state, node)
	}
	return failures
}

func (q question) failures(state *framework.CycleState, node *framework.NodeInfo) []answer.Verdict {
	var all []answer.Verdict
	for _, p := range q.profile.filter {
		switch status := p.Filter(context.Background(), state, q.pod, node); {
		case status.IsSuccess():
		case !status.IsUnschedulable():
			return []answer.Verdict{early.Broken(p.Name(), status.Reasons()...)}
		default:
			if all = append(all, told(p.Name(), status)); !q.profile.all {
				return all
			}
		}
	}
	return all
}

// decide runs the cycle proper, then reads its scores and its PostFilter.
func (q question) decide(a *answer.Answer, said early.Truth) error {
	state := framework.NewCycleState()
	a.Decision.StartIndex = q.start
	result, err := q.Scheduler.Algorithm.Schedule(context.Background(), q.profile.Profile, state, q.pod)
	q.Last = early.Cycle{Pod: q.pod, State: state}
	feasible := early.Feasible(q.nodes, said.Verdicts, q.start, q.percentage)
	score := func(nodes []*corev1.Node) error { return q.score(a, state, nodes) }
	return said.Told(a, early.Outcome{Result: result, Err: err}, feasible, score, func(fit *core.FitError) error {
		if !q.profile.HasPostFilterPlugins() {
			return nil
		}
		return q.postFilter(&a.Preemption, state, fit.FilteredNodesStatuses)
	})
}

// score runs the score plugins for the feasible nodes, which for a single one the cycle does not.
func (q question) score(a *answer.Answer, state *framework.CycleState, nodes []*corev1.Node) error {
	if len(q.profile.scorers.Plugins) == 0 {
		for _, node := range nodes {
			a.Scores = append(a.Scores, answer.NodeScores{Node: node.Name, Total: 1})
		}
		return nil
	}
	scorers := q.profile.scorers
	return scorers.Rate(a, q.pod, state, nodes, func() (framework.PluginToNodeScores, *framework.Status) {
		ctx := context.Background()
		if status := q.profile.RunPreScorePlugins(ctx, state, q.pod, nodes); !status.IsSuccess() {
			return nil, status
		}
		return q.profile.RunScorePlugins(ctx, state, q.pod, nodes)
	})
}
