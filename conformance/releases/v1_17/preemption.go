package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	extenderv1 "k8s.io/kubernetes/pkg/scheduler/apis/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	schedulernodeinfo "k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/releases/early"
)

// priorityMetadata makes what priorities have to know.
type priorityMetadata = priorities.MetadataProducer

// preemption has the scheduler make room, then looks for the candidates once more.
func (q question) preemption(p *answer.Preemption, state *framework.CycleState, fit *core.FitError) error {
	ctx := context.Background()
	q.Writes.Take()
	nominated, err := preempt(q.Scheduler, ctx, state, q.Scheduler.Framework, q.pod, fit)
	switch {
	case err != nil:
		p.Code = framework.Error.String()
	case nominated == "":
		p.Code = framework.Unschedulable.String()
	default:
		p.Code, p.Nominated = framework.Success.String(), nominated
	}
	p.Writes = q.Writes.Take()
	defer q.Writes.Take()
	if early.Ends() {
		return nil
	}
	p.Ran = true
	policies := utilfeature.DefaultFeatureGate.Enabled(features.NonPreemptingPriority)
	if !mayPreempt(q.pod, q.snapshot.NodeInfoMap, policies) {
		p.Ineligible = early.Ineligible(q.pod)
		return nil
	}
	potential := mightHelp(q.snapshot.NodeInfoMap, fit)
	for _, node := range potential {
		p.PotentialNodes = append(p.PotentialNodes, node.Name)
	}
	budgets, err := q.Factory.Policy().V1beta1().PodDisruptionBudgets().Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	chosen, err := selectNodes(q.algorithm(), ctx, state, q.pod, potential, budgets)
	if err != nil {
		return fmt.Errorf("pod %s: candidates: %w", early.Key(q.pod), err)
	}
	var candidates []early.Candidate
	for node, victims := range chosen {
		candidates = append(candidates, early.Candidate{
			Node: node.Name, Victims: victims.Pods, Violations: victims.NumPDBViolations,
		})
	}
	for i := range candidates {
		p.Candidates = append(p.Candidates, candidates[i].Told())
	}
	p.Tied = early.Tied(candidates, p.Nominated, earliest)
	p.Refused = q.refused(p, state)
	return nil
}

func earliest(c *early.Candidate) time.Time {
	return util.GetEarliestPodStartTime(&extenderv1.Victims{Pods: c.Victims}).Time
}

// refused runs the filters for the nodes that are no candidates.
func (q question) refused(p *answer.Preemption, state *framework.CycleState) map[string]answer.Verdict {
	return early.Refused(p, q.nodes, func(info *schedulernodeinfo.NodeInfo) (answer.Verdict, int) {
		node, meta, removed := info.Clone(), known(state).ShallowCopy(), 0
		for _, other := range info.Pods() {
			if early.Priority(other) >= early.Priority(q.pod) {
				continue
			}
			removed++
			if err := errors.Join(node.RemovePod(other), meta.RemovePod(other, node.Node())); err != nil {
				return answer.Verdict{Code: framework.Error.String(), Reasons: []string{err.Error()}}, removed
			}
		}
		return q.together(with(state.Clone(), meta), node), removed
	})
}
