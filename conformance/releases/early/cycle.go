package early

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"github.com/schedstep/schedstep/conformance/answer"
)

// Truth is the filters' verdict on every node, sampled or not.
type Truth struct {
	Barred    error            // why the pod's claims end the cycle before any plugin runs; nil: they do not
	PreFilter answer.Verdict   // of the first PreFilter plugin that fails, where there are such plugins
	Verdicts  []answer.Verdict // of the first filter that fails, one for each node of the snapshot
	Blamed    map[string]bool  // the filters that fail on some node, as far as the cycle runs them
}

// Barred is why a cycle ends before any plugin runs: kube-scheduler looks for the pod's claims itself, with and without
// a plugin for volumes. Truth.Told compares this with the end of the cycle.
func Barred(pod *corev1.Pod, all corelisters.PersistentVolumeClaimLister) error {
	claims := all.PersistentVolumeClaims(pod.Namespace)
	for i := range pod.Spec.Volumes {
		source := pod.Spec.Volumes[i].PersistentVolumeClaim
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

// Outcome is how the cycle proper ended.
type Outcome struct {
	Result core.ScheduleResult
	Err    error
}

// Told completes an answer with how its cycle ended, and with what follows: score adds the scores of the feasible
// nodes, unplaced the preemption where there are none.
func (t Truth) Told(
	a *answer.Answer, cycle Outcome, feasible []*corev1.Node, score func([]*corev1.Node) error,
	unplaced func(*core.FitError) error,
) error {
	d, err := &a.Decision, cycle.Err
	var fit *core.FitError
	switch {
	case t.Barred != nil && (err == nil || err.Error() != t.Barred.Error()):
		return fmt.Errorf("pod %s: kube-scheduler ended the cycle with %v, the oracle expected %v", a.Pod, err, t.Barred)
	case errors.As(err, &fit):
		t.unplaced(d, fit)
		return unplaced(fit)
	case errors.Is(err, core.ErrNoNodesAvailable):
		d.FitError, d.FitErrorAfter = err.Error(), err.Error()
		d.UnschedulablePlugins, d.PendingPlugins = []string{}, []string{}
		return nil
	case err != nil:
		d.Error = err.Error()
		return nil
	}
	result := cycle.Result
	d.Host, d.EvaluatedNodes, d.FeasibleNodes = result.SuggestedHost, result.EvaluatedNodes, result.FeasibleNodes
	if len(feasible) != result.FeasibleNodes {
		return fmt.Errorf(
			"pod %s: kube-scheduler found %d feasible nodes, the oracle %d", a.Pod, result.FeasibleNodes, len(feasible),
		)
	}
	if err := score(feasible); err != nil {
		return err
	}
	if d.Best = best(a.Scores); !slices.Contains(d.Best, d.Host) {
		return fmt.Errorf("pod %s: kube-scheduler chose %s, the oracle expected one of %v", a.Pod, d.Host, d.Best)
	}
	d.HostByChance = len(d.Best) > 1
	return nil
}

// unplaced is the decision of a cycle that found no feasible node.
func (t Truth) unplaced(d *answer.Decision, fit *core.FitError) {
	blamed := t.Blamed
	if t.PreFilter.Code == "" || t.PreFilter.Passed() {
		d.EvaluatedNodes = len(fit.FilteredNodesStatuses)
	} else {
		blamed = map[string]bool{t.PreFilter.Plugin: true}
	}
	d.FitError, d.FitErrorAfter = fit.Error(), fit.Error()
	d.UnschedulablePlugins, d.PendingPlugins = []string{}, []string{}
	for name := range blamed {
		d.UnschedulablePlugins = append(d.UnschedulablePlugins, name)
	}
	slices.Sort(d.UnschedulablePlugins)
}

// Feasible is the feasible nodes as a cycle finds them that begins at a node and has a percentageOfNodesToScore.
func Feasible[N interface{ Node() *corev1.Node }](
	nodes []N, verdicts []answer.Verdict, start int, percentage int32,
) []*corev1.Node {
	var found []*corev1.Node
	limit := enough(len(nodes), int(percentage))
	for k := range verdicts {
		i := (start + k) % len(nodes)
		if len(found) < limit && verdicts[i].Passed() {
			found = append(found, nodes[i].Node())
		}
	}
	return found
}

// enough is how many feasible nodes end the search.
func enough(nodes, percentage int) int {
	if nodes < 100 || percentage >= 100 {
		return nodes
	}
	if percentage <= 0 {
		percentage = max(50-nodes/125, 5)
	}
	return max(nodes*percentage/100, 100)
}

// Scorers are the score plugins of a profile.
type Scorers struct {
	Plugins []framework.ScorePlugin
	Weights map[string]int
	Besides [][]answer.PluginScore // what those give each of the nodes that are no plugins
}

// Rate runs the scorers for the feasible nodes, which for a single one the cycle does not. Weighted runs them together.
func (s Scorers) Rate(
	a *answer.Answer, pod *corev1.Pod, state *framework.CycleState, nodes []*corev1.Node,
	weighted func() (framework.PluginToNodeScores, *framework.Status),
) error {
	all, status := weighted()
	for i, node := range nodes {
		scores := answer.NodeScores{Node: node.Name}
		for _, p := range s.Plugins {
			var raw int64
			if status.IsSuccess() {
				raw, status = p.Score(context.Background(), state, pod, node.Name)
			}
			if !status.IsSuccess() {
				return unrated(a, nodes, status)
			}
			counts := all[p.Name()][i].Score
			scores.Plugins = append(scores.Plugins, answer.PluginScore{
				Plugin: p.Name(), Raw: raw, Normalized: counts / int64(s.Weights[p.Name()]), Weighted: counts,
			})
			scores.Total += counts
		}
		if s.Besides != nil {
			for _, of := range s.Besides[i] {
				scores.Plugins = append(scores.Plugins, of)
				scores.Total += of.Weighted
			}
		}
		a.Scores = append(a.Scores, scores)
	}
	return nil
}

// unrated is an error, except for a single node, which the cycle does not score.
func unrated(a *answer.Answer, nodes []*corev1.Node, status *framework.Status) error {
	if len(nodes) > 1 {
		return fmt.Errorf("pod %s: scores: %w", a.Pod, status.AsError())
	}
	a.Scores = []answer.NodeScores{{Node: nodes[0].Name}}
	return nil
}
