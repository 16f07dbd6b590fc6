package main

import (
	"context"
	"fmt"
	"time"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/releases/early"
)

// postFilter runs PostFilter for its choice, then looks for the candidates once more.
func (q question) postFilter(
	p *answer.Preemption, state *framework.CycleState, statuses framework.NodeToStatusMap,
) error {
	ctx := context.Background()
	q.Writes.Take()
	result, status := q.profile.RunPostFilterPlugins(ctx, state, q.pod, statuses)
	p.Code = status.Code().String()
	if status.IsSuccess() && result != nil {
		p.Nominated = result.NominatedNodeName
	}
	p.Writes = q.Writes.Take()
	defer q.Writes.Take()
	if early.Ends() {
		return nil
	}
	p.Ran = true
	nodes := q.profile.SnapshotSharedLister().NodeInfos()
	if !defaultpreemption.PodEligibleToPreemptOthers(q.pod, nodes, statuses[q.pod.Status.NominatedNodeName]) {
		p.Ineligible = early.Ineligible(q.pod)
		return nil
	}
	for _, node := range q.nodes {
		if statuses[node.Node().Name].Code() != framework.UnschedulableAndUnresolvable {
			p.PotentialNodes = append(p.PotentialNodes, node.Node().Name)
		}
	}
	candidates, err := defaultpreemption.FindCandidates(
		ctx, q.profile.ClientSet(), state, q.pod, statuses, q.profile.PreemptHandle(), nodes,
		q.Factory.Policy().V1beta1().PodDisruptionBudgets().Lister(),
	)
	if err != nil {
		return fmt.Errorf("pod %s: candidates: %w", early.Key(q.pod), err)
	}
	var rated []early.Candidate
	for _, c := range candidates {
		rated = append(rated, early.Candidate{
			Node: c.Name(), Victims: c.Victims().Pods, Violations: c.Victims().NumPDBViolations,
		})
		p.Candidates = append(p.Candidates, rated[len(rated)-1].Told())
	}
	p.Tied = early.Tied(rated, p.Nominated, earliest)
	p.Refused = q.refused(p, state)
	return nil
}

// refused runs the filters for the nodes that are no candidates.
func (q question) refused(p *answer.Preemption, state *framework.CycleState) map[string]answer.Verdict {
	return early.Refused(p, q.nodes, func(info *framework.NodeInfo) (answer.Verdict, int) {
		node, own, removed := info.Clone(), state.Clone(), 0
		for _, other := range info.Pods {
			if early.Priority(other.Pod) >= early.Priority(q.pod) {
				continue
			}
			removed++
			if err := node.RemovePod(other.Pod); err != nil {
				return answer.Verdict{Code: framework.Error.String(), Reasons: []string{err.Error()}}, removed
			}
			q.profile.RunPreFilterExtensionRemovePod(context.Background(), own, q.pod, other.Pod, node)
		}
		if failures := q.together(own, node); len(failures) > 0 {
			return failures[0], removed
		}
		return told("", nil), removed
	})
}

func earliest(c *early.Candidate) time.Time {
	return util.GetEarliestPodStartTime(&extenderv1.Victims{Pods: c.Victims}).Time
}
