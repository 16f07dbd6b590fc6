package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/core"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/migration"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/releases/early"
)

// question is one pod against one snapshot.
type question struct {
	*oracle
	pod   *corev1.Pod
	nodes []*schedulernodeinfo.NodeInfo
	start int // where the search begins
}

// truth is what the filters say of every node, sampled or not.
type truth struct {
	barred   error            // why the pod's claims end the cycle before any plugin is asked; nil: they do not
	verdicts []answer.Verdict // of the first filter that fails, one for each node of the snapshot
	blamed   map[string]bool  // the filters that fail on some node
}

// Schedule runs one cycle for a pod that was put, and everything kube-scheduler leaves out of it.
func (o *oracle) Schedule(pod *corev1.Pod) (answer.Answer, error) {
	stored, ok := o.cluster.Stored(pod)
	if !ok {
		return answer.Answer{}, fmt.Errorf("pod %s: not in the cluster", early.Key(pod))
	}
	if pod = stored.(*corev1.Pod); pod.Spec.SchedulerName != o.name {
		return answer.Answer{}, fmt.Errorf("pod %s: no profile %q", early.Key(pod), pod.Spec.SchedulerName)
	}
	if err := o.refresh(); err != nil {
		return answer.Answer{}, fmt.Errorf("snapshot: %w", err)
	}
	o.writes.Take()
	q := question{oracle: o, pod: pod, nodes: o.snapshot.NodeInfoList, start: o.startIndex()}
	a := answer.Answer{Pod: early.Key(pod), Profile: o.name, PreScoreSkipped: []string{}}
	state := q.studied()
	said := q.filters(state)
	a.PreFilter.Code = framework.Success.String()
	if said.barred != nil {
		a.PreFilter.Verdict = answer.Verdict{Code: framework.Error.String(), Reasons: []string{said.barred.Error()}}
	}
	for i, node := range q.nodes {
		n := answer.NodeAnswer{Node: node.Node().Name, Framework: said.verdicts[i]}
		for _, p := range o.filter {
			n.Filters = append(n.Filters, told(p.Name(), q.filterAlone(p, state, node)))
		}
		a.Nodes = append(a.Nodes, n)
	}
	if err := q.decide(&a, said); err != nil {
		return a, err
	}
	a.Decision.Ends = early.Ended()
	return a, nil
}

// studied is the state of a cycle with what predicates have to know.
func (q question) studied() *framework.CycleState {
	return with(framework.NewCycleState(), q.scheduler.Algorithm.PredicateMetadataProducer()(q.pod, q.snapshot))
}

func with(state *framework.CycleState, meta predicates.Metadata) *framework.CycleState {
	state.Write(migration.PredicatesStateKey, &migration.PredicatesStateData{Reference: meta})
	return state
}

// known is what predicates know.
func known(state *framework.CycleState) predicates.Metadata {
	return migration.PredicateMetadata(state).(predicates.Metadata)
}

// crowded is the node and the state with the pods nominated there that the pod has to leave room for; false: there are
// none.
func (q question) crowded(
	state *framework.CycleState, node *schedulernodeinfo.NodeInfo,
) (*framework.CycleState, *schedulernodeinfo.NodeInfo, bool) {
	var meta predicates.Metadata
	more := node
	for _, p := range q.scheduler.SchedulingQueue.NominatedPodsForNode(node.Node().Name) {
		if early.Priority(p) < early.Priority(q.pod) || p.UID == q.pod.UID {
			continue
		}
		if meta == nil {
			more, meta = node.Clone(), known(state).ShallowCopy()
		}
		more.AddPod(p)
		if err := meta.AddPod(p, more.Node()); err != nil {
			return state, node, false
		}
	}
	if meta == nil {
		return state, node, false
	}
	return with(state.Clone(), meta), more, true
}

// filterAlone is what the framework would do with one plugin: first with the pods nominated to the node, then without.
func (q question) filterAlone(
	p framework.FilterPlugin, state *framework.CycleState, node *schedulernodeinfo.NodeInfo,
) *framework.Status {
	if more, at, has := q.crowded(state, node); has {
		if status := p.Filter(context.Background(), more, q.pod, at); !status.IsSuccess() {
			return status
		}
	}
	return p.Filter(context.Background(), state, q.pod, node)
}

// filters runs the filters on every node.
func (q question) filters(state *framework.CycleState) truth {
	said := truth{verdicts: make([]answer.Verdict, len(q.nodes)), blamed: map[string]bool{}}
	said.barred = q.barred()
	for i, node := range q.nodes {
		said.verdicts[i] = q.together(state, node)
		if v := said.verdicts[i]; !early.Passed(v) {
			said.blamed[v.Plugin] = true
		}
	}
	return said
}

// barred is why the cycle ends before any plugin is asked: kube-scheduler looks for the pod's claims itself. decide
// holds this to what the cycle says.
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

// together is the first filter that fails on a node, with the pods nominated to it and then without.
func (q question) together(state *framework.CycleState, node *schedulernodeinfo.NodeInfo) answer.Verdict {
	if more, at, has := q.crowded(state, node); has {
		if v := q.failure(more, at); !early.Passed(v) {
			return v
		}
	}
	return q.failure(state, node)
}

func (q question) failure(state *framework.CycleState, node *schedulernodeinfo.NodeInfo) answer.Verdict {
	for _, p := range q.filter {
		switch status := p.Filter(context.Background(), state, q.pod, node); {
		case status.IsSuccess():
		case !status.IsUnschedulable():
			return early.Broken(p.Name(), status.Message())
		default:
			return told(p.Name(), status)
		}
	}
	return told("", nil)
}

// told is a status in the words of package answer: it has one reason.
func told(plugin string, status *framework.Status) answer.Verdict {
	return early.Verdict(plugin, status, status.Message())
}

// decide runs the cycle proper, then reads its scores and its preemption.
func (q question) decide(a *answer.Answer, said truth) error {
	state := framework.NewCycleState()
	d := &a.Decision
	d.StartIndex = q.start
	result, err := q.scheduler.Algorithm.Schedule(context.Background(), state, q.pod)
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
	if err := q.rate(a, state, feasible); err != nil {
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
	limit := q.enough(len(q.nodes))
	for k := range q.nodes {
		i := (q.start + k) % len(q.nodes)
		if len(found) < limit && early.Passed(said.verdicts[i]) {
			found = append(found, q.nodes[i].Node())
		}
	}
	return found
}

// enough is how many feasible nodes end the search.
func (q question) enough(nodes int) int {
	if nodes < 100 || q.options.percentage >= 100 {
		return nodes
	}
	percentage := int(q.options.percentage)
	if percentage <= 0 {
		percentage = max(50-nodes/125, 5)
	}
	return max(nodes*percentage/100, 100)
}

// rate asks the score plugins about the feasible nodes, which for a single one the cycle does not.
func (q question) rate(a *answer.Answer, state *framework.CycleState, nodes []*corev1.Node) error {
	ctx := context.Background()
	prioritizers := q.scheduler.Algorithm.Prioritizers()
	if len(q.score)+len(prioritizers) == 0 {
		for _, node := range nodes {
			a.Scores = append(a.Scores, answer.NodeScores{Node: node.Name, Total: 1})
		}
		return nil
	}
	meta := (*early.Hidden[priorityMetadata](q.scheduler.Algorithm, "priorityMetaProducer"))(q.pod, nodes, q.snapshot)
	state.Write(migration.PrioritiesStateKey, &migration.PrioritiesStateData{Reference: meta})
	besides, err := q.besides(meta, nodes)
	if err != nil {
		return fmt.Errorf("pod %s: scores: %w", early.Key(q.pod), err)
	}
	weighted, status := q.scheduler.Framework.RunScorePlugins(ctx, state, q.pod, nodes)
	if !status.IsSuccess() {
		return q.unrated(a, nodes, status)
	}
	for i, node := range nodes {
		scores := answer.NodeScores{Node: node.Name}
		for _, p := range q.score {
			raw, status := p.Score(ctx, state, q.pod, node.Name)
			if !status.IsSuccess() {
				return q.unrated(a, nodes, status)
			}
			counts := weighted[p.Name()][i].Score
			scores.Plugins = append(scores.Plugins, answer.PluginScore{
				Plugin: p.Name(), Raw: raw, Normalized: counts / int64(q.weights[p.Name()]), Weighted: counts,
			})
			scores.Total += counts
		}
		for _, of := range besides[i] {
			scores.Plugins = append(scores.Plugins, of)
			scores.Total += of.Weighted
		}
		a.Scores = append(a.Scores, scores)
	}
	return nil
}

// besides is what the priorities give each node that are no plugins.
func (q question) besides(meta any, nodes []*corev1.Node) ([][]answer.PluginScore, error) {
	all := make([][]answer.PluginScore, len(nodes))
	for _, p := range q.scheduler.Algorithm.Prioritizers() {
		list := make(framework.NodeScoreList, len(nodes))
		for i, node := range nodes {
			var err error
			if list[i], err = p.Map(q.pod, meta, q.snapshot.NodeInfoMap[node.Name]); err != nil {
				return nil, err
			}
			all[i] = append(all[i], answer.PluginScore{Plugin: p.Name, Raw: list[i].Score})
		}
		if p.Reduce != nil {
			if err := p.Reduce(q.pod, meta, q.snapshot, list); err != nil {
				return nil, err
			}
		}
		for i := range nodes {
			of := &all[i][len(all[i])-1]
			of.Normalized, of.Weighted = list[i].Score, list[i].Score*p.Weight
		}
	}
	return all, nil
}

// unrated is an error, but for a single node, which the cycle does not score.
func (q question) unrated(a *answer.Answer, nodes []*corev1.Node, status *framework.Status) error {
	if len(nodes) > 1 {
		return fmt.Errorf("pod %s: scores: %w", early.Key(q.pod), status.AsError())
	}
	a.Scores = []answer.NodeScores{{Node: nodes[0].Name}}
	return nil
}

// unplaced completes the answer of a cycle without a feasible node.
func (q question) unplaced(a *answer.Answer, said truth, state *framework.CycleState, fit *core.FitError) error {
	d := &a.Decision
	d.EvaluatedNodes = len(fit.FilteredNodesStatuses)
	d.FitError, d.FitErrorAfter = fit.Error(), fit.Error()
	d.UnschedulablePlugins, d.PendingPlugins = []string{}, []string{}
	for name := range said.blamed {
		d.UnschedulablePlugins = append(d.UnschedulablePlugins, name)
	}
	slices.Sort(d.UnschedulablePlugins)
	if !q.options.preempts {
		return nil
	}
	return q.preemption(&a.Preemption, state, fit)
}
