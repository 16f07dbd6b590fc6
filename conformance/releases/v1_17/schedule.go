package main

import (
	"context"
	"fmt"

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

// Schedule runs one cycle for a pod that was put, and everything kube-scheduler leaves out of it.
func (o *oracle) Schedule(pod *corev1.Pod) (answer.Answer, error) {
	pod, err := o.Stored(pod)
	if err != nil {
		return answer.Answer{}, err
	}
	if pod.Spec.SchedulerName != o.name {
		return answer.Answer{}, fmt.Errorf("pod %s: no profile %q", early.Key(pod), pod.Spec.SchedulerName)
	}
	if err := o.refresh(); err != nil {
		return answer.Answer{}, fmt.Errorf("snapshot: %w", err)
	}
	o.Writes.Take()
	q := question{oracle: o, pod: pod, nodes: o.snapshot.NodeInfoList, start: o.StartIndex()}
	a := answer.Answer{Pod: early.Key(pod), Profile: o.name, PreScoreSkipped: []string{}}
	state := q.studied()
	said := q.filters(state)
	a.PreFilter.Code = framework.Success.String()
	if said.Barred != nil {
		a.PreFilter.Verdict = answer.Verdict{Code: framework.Error.String(), Reasons: []string{said.Barred.Error()}}
	}
	for i, node := range q.nodes {
		n := answer.NodeAnswer{Node: node.Node().Name, Framework: said.Verdicts[i]}
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
	return with(framework.NewCycleState(), q.Scheduler.Algorithm.PredicateMetadataProducer()(q.pod, q.snapshot))
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
	for _, p := range q.Scheduler.SchedulingQueue.NominatedPodsForNode(node.Node().Name) {
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
func (q question) filters(state *framework.CycleState) early.Truth {
	said := early.Truth{Verdicts: make([]answer.Verdict, len(q.nodes)), Blamed: map[string]bool{}}
	said.Barred = early.Barred(q.pod, q.Factory.Core().V1().PersistentVolumeClaims().Lister())
	for i, node := range q.nodes {
		said.Verdicts[i] = q.together(state, node)
		if v := said.Verdicts[i]; !v.Passed() {
			said.Blamed[v.Plugin] = true
		}
	}
	return said
}

// together is the first filter that fails on a node, with the pods nominated to it and then without.
func (q question) together(state *framework.CycleState, node *schedulernodeinfo.NodeInfo) answer.Verdict {
	if more, at, has := q.crowded(state, node); has {
		if v := q.failure(more, at); !v.Passed() {
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

// told is a status as a verdict of package answer: it has one reason.
func told(plugin string, status *framework.Status) answer.Verdict {
	return early.Verdict(plugin, status, status.Message())
}

// decide runs the cycle proper, then reads its scores and its preemption.
func (q question) decide(a *answer.Answer, said early.Truth) error {
	state := framework.NewCycleState()
	a.Decision.StartIndex = q.start
	result, err := q.Scheduler.Algorithm.Schedule(context.Background(), state, q.pod)
	q.Last = early.Cycle{Pod: q.pod, State: state}
	feasible := early.Feasible(q.nodes, said.Verdicts, q.start, q.options.percentage)
	rate := func(nodes []*corev1.Node) error { return q.rate(a, state, nodes) }
	return said.Told(a, early.Outcome{Result: result, Err: err}, feasible, rate, func(fit *core.FitError) error {
		if !q.options.preempts {
			return nil
		}
		return q.preemption(&a.Preemption, state, fit)
	})
}

// rate runs the score plugins for the feasible nodes, which for a single one the cycle does not.
func (q question) rate(a *answer.Answer, state *framework.CycleState, nodes []*corev1.Node) error {
	prioritizers := q.Scheduler.Algorithm.Prioritizers()
	if len(q.scorers.Plugins)+len(prioritizers) == 0 {
		for _, node := range nodes {
			a.Scores = append(a.Scores, answer.NodeScores{Node: node.Name, Total: 1})
		}
		return nil
	}
	meta := (*early.Hidden[priorityMetadata](q.Scheduler.Algorithm, "priorityMetaProducer"))(q.pod, nodes, q.snapshot)
	state.Write(migration.PrioritiesStateKey, &migration.PrioritiesStateData{Reference: meta})
	besides, err := q.besides(meta, nodes)
	if err != nil {
		return fmt.Errorf("pod %s: scores: %w", a.Pod, err)
	}
	scorers := q.scorers
	scorers.Besides = besides
	return scorers.Rate(a, q.pod, state, nodes, func() (framework.PluginToNodeScores, *framework.Status) {
		return q.Scheduler.Framework.RunScorePlugins(context.Background(), state, q.pod, nodes)
	})
}

// besides is what the priorities give each node that are no plugins.
func (q question) besides(meta any, nodes []*corev1.Node) ([][]answer.PluginScore, error) {
	all := make([][]answer.PluginScore, len(nodes))
	for _, p := range q.Scheduler.Algorithm.Prioritizers() {
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
