package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// truth is what the filters say of every node, sampled or not.
type truth struct {
	barred    error // why the pod's claims end the cycle before any plugin is asked; nil: they do not
	preFilter answer.Verdict
	verdicts  []answer.Verdict // of the first filter that fails, one for each node of the snapshot
	blamed    map[string]bool  // the filters that fail on some node, as far as the cycle asks them
}

// Schedule runs one cycle for a pod that was put, and everything kube-scheduler leaves out of it.
func (o *oracle) Schedule(pod *corev1.Pod) (answer.Answer, error) {
	stored, ok := o.cluster.Stored(pod)
	if !ok {
		return answer.Answer{}, fmt.Errorf("pod %s: not in the cluster", early.Key(pod))
	}
	pod = stored.(*corev1.Pod)
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
	o.writes.Take()
	q := question{oracle: o, profile: p, pod: pod, nodes: nodes, start: o.startIndex()}
	a := answer.Answer{Pod: early.Key(pod), Profile: pod.Spec.SchedulerName, PreScoreSkipped: []string{}}
	var alone map[string][]answer.Verdict
	a.PreFilters, alone = q.filtersAlone()
	said := q.filters()
	a.PreFilter.Verdict = said.preFilter
	for i, node := range nodes {
		name := node.Node().Name
		a.Nodes = append(a.Nodes, answer.NodeAnswer{Node: name, Filters: alone[name], Framework: said.verdicts[i]})
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
	with, withState := node, state
	for _, nominated := range q.nominated(node) {
		if with == node {
			with, withState = node.Clone(), state.Clone()
		}
		with.AddPod(nominated)
		if pre, is := p.(framework.PreFilterPlugin); is && pre.PreFilterExtensions() != nil {
			if s := pre.PreFilterExtensions().AddPod(ctx, withState, q.pod, nominated, with); !s.IsSuccess() {
				return s
			}
		}
	}
	status := p.Filter(ctx, withState, q.pod, with)
	if with != node && status.IsSuccess() {
		status = p.Filter(ctx, state, q.pod, node)
	}
	return status
}

// nominated are the pods that the pod has to leave room for on the node.
func (q question) nominated(node *framework.NodeInfo) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, p := range q.profile.PreemptHandle().NominatedPodsForNode(node.Node().Name) {
		if podutil.GetPodPriority(p) >= podutil.GetPodPriority(q.pod) && p.UID != q.pod.UID {
			pods = append(pods, p)
		}
	}
	return pods
}

// filters runs the PreFilter plugins of the profile together, and its filters on every node.
func (q question) filters() truth {
	ctx := context.Background()
	said := truth{
		verdicts: make([]answer.Verdict, len(q.nodes)), preFilter: told("", nil), blamed: map[string]bool{},
	}
	if said.barred = q.barred(); said.barred != nil {
		said.preFilter = answer.Verdict{Code: framework.Error.String(), Reasons: []string{said.barred.Error()}}
		return said
	}
	state := framework.NewCycleState()
	for _, p := range q.profile.preFilter {
		if status := p.PreFilter(ctx, state, q.pod); !status.IsSuccess() {
			said.preFilter = told(p.Name(), status)
			return said
		}
	}
	for i, node := range q.nodes {
		said.verdicts[i] = told("", nil)
		for k, failure := range q.together(state, node) {
			if k == 0 {
				said.verdicts[i] = failure
			}
			said.blamed[failure.Plugin] = true
		}
	}
	return said
}

// barred is why the cycle ends before any plugin is asked: kube-scheduler looks for the pod's claims itself, with and
// without a plugin for volumes. decide holds this to what the cycle says.
func (q question) barred() error {
	claims := q.factory.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(q.pod.Namespace)
	for i := range q.pod.Spec.Volumes {
		source := q.pod.Spec.Volumes[i].PersistentVolumeClaim
		if source == nil {
			continue
		}
		claim, err := claims.Get(source.ClaimName)
		if err != nil {
			return err
		}
		if claim.DeletionTimestamp != nil {
			return fmt.Errorf("persistentvolumeclaim %q is being deleted", claim.Name)
		}
	}
	return nil
}

// together is the filters that fail on a node, with the pods nominated to it and then without: the first one alone,
// unless all are asked.
func (q question) together(state *framework.CycleState, node *framework.NodeInfo) []answer.Verdict {
	ctx := context.Background()
	with, withState := node, state
	for _, nominated := range q.nominated(node) {
		if with == node {
			with, withState = node.Clone(), state.Clone()
		}
		with.AddPod(nominated)
		if s := q.profile.RunPreFilterExtensionAddPod(ctx, withState, q.pod, nominated, with); !s.IsSuccess() {
			return []answer.Verdict{told("", s)}
		}
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
func (q question) decide(a *answer.Answer, said truth) error {
	state := framework.NewCycleState()
	d := &a.Decision
	d.StartIndex = q.start
	result, err := q.scheduler.Algorithm.Schedule(context.Background(), q.profile.Profile, state, q.pod)
	q.last = lastCycle{pod: q.pod, state: state}
	var fit *core.FitError
	switch {
	case said.barred != nil && (err == nil || err.Error() != said.barred.Error()):
		return fmt.Errorf("pod %s: kube-scheduler ended the cycle with %v, the oracle expected %v", a.Pod, err, said.barred)
	case errors.As(err, &fit):
		return q.unplaced(a, said, state, fit)
	case errors.Is(err, core.ErrNoNodesAvailable):
		d.FitError, d.FitErrorAfter = err.Error(), err.Error()
		d.UnschedulablePlugins, d.PendingPlugins = []string{}, []string{}
		return nil
	case err != nil:
		d.Error = err.Error()
		return nil
	}
	d.Host, d.EvaluatedNodes, d.FeasibleNodes = result.SuggestedHost, result.EvaluatedNodes, result.FeasibleNodes
	feasible := q.feasible(said)
	if len(feasible) != result.FeasibleNodes {
		return fmt.Errorf(
			"pod %s: kube-scheduler found %d feasible nodes, the oracle %d", a.Pod, result.FeasibleNodes, len(feasible),
		)
	}
	if err := q.score(a, state, feasible); err != nil {
		return err
	}
	if d.Best = early.Best(a.Scores); !slices.Contains(d.Best, d.Host) {
		return fmt.Errorf("pod %s: kube-scheduler chose %s, the oracle expected one of %v", a.Pod, d.Host, d.Best)
	}
	d.HostByChance = len(d.Best) > 1
	return nil
}

// feasible is the feasible nodes as the cycle found them.
func (q question) feasible(said truth) []*corev1.Node {
	var found []*corev1.Node
	limit := q.feasibleNodesToFind(len(q.nodes))
	for k := range q.nodes {
		i := (q.start + k) % len(q.nodes)
		if len(found) < limit && early.Passed(said.verdicts[i]) {
			found = append(found, q.nodes[i].Node())
		}
	}
	return found
}

func (q question) feasibleNodesToFind(nodes int) int {
	if nodes < 100 || q.percentage >= 100 {
		return nodes
	}
	percentage := int(q.percentage)
	if percentage <= 0 {
		percentage = max(50-nodes/125, 5)
	}
	return max(nodes*percentage/100, 100)
}

// score asks the score plugins about the feasible nodes, which for a single one the cycle does not.
func (q question) score(a *answer.Answer, state *framework.CycleState, nodes []*corev1.Node) error {
	ctx := context.Background()
	if len(q.profile.score) == 0 {
		for _, node := range nodes {
			a.Scores = append(a.Scores, answer.NodeScores{Node: node.Name, Total: 1})
		}
		return nil
	}
	if status := q.profile.RunPreScorePlugins(ctx, state, q.pod, nodes); !status.IsSuccess() {
		return q.unscored(a, nodes, status)
	}
	weighted, status := q.profile.RunScorePlugins(ctx, state, q.pod, nodes)
	if !status.IsSuccess() {
		return q.unscored(a, nodes, status)
	}
	for i, node := range nodes {
		scores := answer.NodeScores{Node: node.Name}
		for _, p := range q.profile.score {
			raw, status := p.Score(ctx, state, q.pod, node.Name)
			if !status.IsSuccess() {
				return q.unscored(a, nodes, status)
			}
			counts := weighted[p.Name()][i].Score
			scores.Plugins = append(scores.Plugins, answer.PluginScore{
				Plugin: p.Name(), Raw: raw, Normalized: counts / int64(q.profile.weights[p.Name()]), Weighted: counts,
			})
			scores.Total += counts
		}
		a.Scores = append(a.Scores, scores)
	}
	return nil
}

// unscored is an error, but for a single node, which the cycle does not score.
func (q question) unscored(a *answer.Answer, nodes []*corev1.Node, status *framework.Status) error {
	if len(nodes) > 1 {
		return fmt.Errorf("pod %s: scores: %w", early.Key(q.pod), status.AsError())
	}
	a.Scores = []answer.NodeScores{{Node: nodes[0].Name}}
	return nil
}

// unplaced completes the answer of a cycle without a feasible node.
func (q question) unplaced(a *answer.Answer, said truth, state *framework.CycleState, fit *core.FitError) error {
	d := &a.Decision
	blamed := map[string]bool{}
	if early.Passed(said.preFilter) {
		d.EvaluatedNodes = len(fit.FilteredNodesStatuses)
		blamed = said.blamed
	} else {
		blamed[said.preFilter.Plugin] = true
	}
	d.FitError, d.FitErrorAfter = fit.Error(), fit.Error()
	d.UnschedulablePlugins, d.PendingPlugins = []string{}, []string{}
	for name := range blamed {
		d.UnschedulablePlugins = append(d.UnschedulablePlugins, name)
	}
	slices.Sort(d.UnschedulablePlugins)
	if !q.profile.HasPostFilterPlugins() {
		return nil
	}
	return q.postFilter(&a.Preemption, state, fit.FilteredNodesStatuses)
}
