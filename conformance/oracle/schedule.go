package oracle

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// question is one pod against one snapshot.
type question struct {
	*Oracle
	profile *profilePlugins
	pod     *corev1.Pod
	nodes   []fwk.NodeInfo
	// start is nextStartNodeIndex before the cycle.
	start int
	// hint is the node that the scores of an earlier cycle put first.
	hint string
	// member: the cycle is part of that of a pod group.
	member bool
}

// Schedule runs one scheduling cycle for pod, which must have been Put, and everything kube-scheduler leaves out of it.
// The next cycle starts at the node where this one stopped, as in kube-scheduler. The cluster stays as it was: victims
// live, and the pod stays pending and unnominated until the caller changes that.
//
// At decides whether it reuses scores of the cycle before.
func (o *Oracle) Schedule(pod *corev1.Pod) (Answer, error) { return o.ask(pod, nil) }

// ask answers for a pod: Schedule, or Member within a placement.
func (o *Oracle) ask(pod *corev1.Pod, within *placement) (Answer, error) {
	stored, ok := o.cluster.Stored(pod)
	if !ok {
		return Answer{}, fmt.Errorf("pod %s: not in the cluster", key(pod))
	}
	pod = stored.(*corev1.Pod)
	profile, ok := o.profiles[pod.Spec.SchedulerName]
	if !ok {
		return Answer{}, fmt.Errorf("pod %s: no profile %q", key(pod), pod.Spec.SchedulerName)
	}
	if err := o.refresh(); err != nil {
		return Answer{}, fmt.Errorf("snapshot: %w", err)
	}
	leave, err := o.enter(within)
	if err != nil {
		return Answer{}, err
	}
	defer leave()
	nodes, err := nodesOf(o.snapshot)
	if err != nil {
		return Answer{}, fmt.Errorf("snapshot: %w", err)
	}
	o.writes.Take()
	q := question{Oracle: o, profile: profile, pod: pod, nodes: nodes, start: o.startIndex(), member: within != nil}
	answer := Answer{Pod: key(pod), Profile: pod.Spec.SchedulerName}
	answer.PreEnqueue = q.preEnqueue()
	var alone map[string][]Verdict
	answer.PreFilters, alone = q.filtersAlone()
	truth := q.runFramework()
	answer.PreFilter = truth.preFilter
	for i, node := range nodes {
		answer.Nodes = append(answer.Nodes, NodeAnswer{
			Node: node.Node().Name, Filters: alone[node.Node().Name], Framework: truth.verdicts[i],
		})
	}
	err = q.decide(&answer, truth)
	return answer, err
}

// placement is where a member of a group may go; nil nodes stand for all.
type placement struct{ nodes []string }

// startIndex reads the scheduler's nextStartNodeIndex: after a Filter plugin's
// Error within a PreFilter node set it depends on map order.
func (o *Oracle) startIndex() int {
	return int(reflect.ValueOf(o.scheduler).Elem().FieldByName("nextStartNodeIndex").Int())
}

// Gates runs every PreEnqueue plugin for pod as it was Put, sorted by name; none for a pod that is not there or has no
// profile.
func (o *Oracle) Gates(pod *corev1.Pod) []Verdict {
	stored, ok := o.cluster.Stored(pod)
	if !ok {
		return nil
	}
	pod = stored.(*corev1.Pod)
	profile, mine := o.profiles[pod.Spec.SchedulerName]
	if !mine {
		return nil
	}
	return question{Oracle: o, profile: profile, pod: pod}.preEnqueue()
}

// preEnqueue runs every PreEnqueue plugin, sorted by name: kube-scheduler runs them in map order.
func (q question) preEnqueue() []Verdict {
	var verdicts []Verdict
	for _, plugin := range q.profile.preEnqueue {
		verdicts = append(verdicts, verdict(plugin.Name(), plugin.PreEnqueue(q.ctx, q.pod)))
	}
	slices.SortFunc(verdicts, func(a, b Verdict) int {
		if a.Plugin < b.Plugin {
			return -1
		}
		return 1
	})
	return verdicts
}

// decide runs the cycle proper, then reads its scores and its PostFilter.
func (q question) decide(answer *Answer, truth frameworkTruth) error {
	info, err := framework.NewPodInfo(q.pod)
	if err != nil {
		return fmt.Errorf("pod %s: %w", key(q.pod), err)
	}
	state := q.newState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	d := &answer.Decision
	d.StartIndex = q.start
	result, batch, err := q.run(state, info, truth.nodeSet != nil)
	d.Batch, q.hint = batch, batch.Hint
	q.last = lastCycle{pod: q.pod, state: state}
	var fit *framework.FitError
	switch {
	case err == nil:
		return q.placed(answer, truth, state, result)
	case errors.As(err, &fit):
		return q.unplaced(answer, truth, state, fit)
	default:
		d.Error = err.Error()
		return nil
	}
}

// placed completes the answer of a cycle that chose a node, and checks that
// the oracle's own reading of the cycle ends at the same node.
func (q question) placed(
	answer *Answer, truth frameworkTruth, state fwk.CycleState, result scheduler.ScheduleResult,
) error {
	d := &answer.Decision
	d.Host, d.EvaluatedNodes, d.FeasibleNodes = result.SuggestedHost, result.EvaluatedNodes, result.FeasibleNodes
	feasible, nominated := q.feasible(truth)
	if len(feasible) != result.FeasibleNodes {
		return fmt.Errorf(
			"pod %s: kube-scheduler found %d feasible nodes, the oracle %d", key(q.pod), result.FeasibleNodes,
			len(feasible),
		)
	}
	totals, err := q.score(answer, state, feasible)
	if err != nil {
		return err
	}
	d.Best = best(totals)
	byMap := truth.nodeSet != nil && !nominated && len(feasible) > 1
	d.HostByChance = len(d.Best) > 1 && (byMap || tiesByChance || len(q.scheduler.Extenders) > 0)
	expected := d.Best
	if !d.HostByChance {
		expected = []string{first(totals)}
	}
	if !slices.Contains(expected, d.Host) {
		return fmt.Errorf("pod %s: kube-scheduler chose %s, the oracle expected one of %v", key(q.pod), d.Host, expected)
	}
	return nil
}

// unplaced completes the answer of a cycle without a feasible node.
func (q question) unplaced(answer *Answer, truth frameworkTruth, state fwk.CycleState, fit *framework.FitError) error {
	d := &answer.Decision
	diagnosis := &fit.Diagnosis
	if truth.preFilter.Passed() {
		d.EvaluatedNodes = statusCount(diagnosis)
	}
	if err := q.checkStatuses(truth, fit); err != nil {
		return err
	}
	d.FitError = fit.Error()
	d.UnschedulablePlugins = sets.List(diagnosis.UnschedulablePlugins)
	d.PendingPlugins = sets.List(diagnosis.PendingPlugins)
	if !q.member && q.profile.framework.HasPostFilterPlugins() {
		if err := q.postFilter(answer, state, fit); err != nil {
			return err
		}
	}
	d.FitErrorAfter = fit.Error()
	return nil
}

// checkStatuses compares the statuses of the cycle with those of the separate
// run over all nodes. Extenders add statuses of their own.
func (q question) checkStatuses(truth frameworkTruth, fit *framework.FitError) error {
	if len(q.scheduler.Extenders) > 0 || !truth.preFilter.Passed() {
		return nil
	}
	var err error
	eachStatus(statusesOf(&fit.Diagnosis), func(node string, status *fwk.Status) {
		said := own(status)
		for i, info := range q.nodes {
			if info.Node().Name == node && !truth.verdicts[i].Equal(said) {
				err = fmt.Errorf("pod %s on %s: the cycle said %v, the separate run %v", key(q.pod), node, said, truth.verdicts[i])
			}
		}
	})
	return err
}
