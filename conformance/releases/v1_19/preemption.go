package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/schedstep/schedstep/conformance/answer"
)

// postFilter runs PostFilter for its choice, then looks for the candidates once more.
func (q question) postFilter(
	p *answer.Preemption, state *framework.CycleState, statuses framework.NodeToStatusMap,
) error {
	ctx := context.Background()
	q.writes.Take()
	result, status := q.profile.RunPostFilterPlugins(ctx, state, q.pod, statuses)
	p.Code = status.Code().String()
	if status.IsSuccess() && result != nil {
		p.Nominated = result.NominatedNodeName
	}
	p.Writes = q.writes.Take()
	defer q.writes.Take()
	if said, _ := ends.Load().(string); said != "" {
		return nil
	}
	p.Ran = true
	nodes := q.profile.SnapshotSharedLister().NodeInfos()
	if !defaultpreemption.PodEligibleToPreemptOthers(q.pod, nodes, statuses[q.pod.Status.NominatedNodeName]) {
		p.Ineligible = ineligible(q.pod)
		return nil
	}
	for _, node := range q.nodes {
		if statuses[node.Node().Name].Code() != framework.UnschedulableAndUnresolvable {
			p.PotentialNodes = append(p.PotentialNodes, node.Node().Name)
		}
	}
	candidates, err := defaultpreemption.FindCandidates(
		ctx, q.profile.ClientSet(), state, q.pod, statuses, q.profile.PreemptHandle(), nodes,
		q.factory.Policy().V1beta1().PodDisruptionBudgets().Lister(),
	)
	if err != nil {
		return fmt.Errorf("pod %s: candidates: %w", key(q.pod), err)
	}
	for _, c := range candidates {
		victims := answer.Victims{Node: c.Name(), PDBViolations: c.Victims().NumPDBViolations}
		for _, pod := range c.Victims().Pods {
			victims.Pods = append(victims.Pods, key(pod))
		}
		p.Candidates = append(p.Candidates, victims)
	}
	p.Tied = tied(candidates, p.Nominated)
	p.Refused = q.refused(p, state)
	return nil
}

// ineligible is why a pod may not preempt, in the words of later releases; 1.19 says nothing.
func ineligible(pod *corev1.Pod) string {
	if policy := pod.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		return "not eligible due to preemptionPolicy=Never."
	}
	return "not eligible due to a terminating pod on the nominated node."
}

// refused asks the filters about the nodes that are no candidates, without the pods of lower priority; where there are
// none, it has the words of later releases, for 1.19 says nothing.
func (q question) refused(p *answer.Preemption, state *framework.CycleState) map[string]answer.Verdict {
	ctx := context.Background()
	said := map[string]answer.Verdict{}
	for _, info := range q.nodes {
		name := info.Node().Name
		candidate := func(v answer.Victims) bool { return v.Node == name }
		if !slices.Contains(p.PotentialNodes, name) || slices.ContainsFunc(p.Candidates, candidate) {
			continue
		}
		node, own, removed := info.Clone(), state.Clone(), 0
		for _, other := range info.Pods {
			if podutil.GetPodPriority(other.Pod) >= podutil.GetPodPriority(q.pod) {
				continue
			}
			removed++
			if err := node.RemovePod(other.Pod); err != nil {
				said[name] = answer.Verdict{Code: framework.Error.String(), Reasons: []string{err.Error()}}
			}
			q.profile.RunPreFilterExtensionRemovePod(ctx, own, q.pod, other.Pod, node)
		}
		if removed == 0 {
			said[name] = answer.Verdict{
				Plugin: defaultpreemption.Name, Code: framework.UnschedulableAndUnresolvable.String(),
				Reasons: []string{"No preemption victims found for incoming pod"},
			}
			continue
		}
		if failures := q.together(own, node); len(failures) > 0 {
			said[name] = failures[0]
		} else {
			said[name] = verdict("", nil)
		}
	}
	return said
}

// tied are the candidates that the criteria cannot tell from the chosen one.
func tied(candidates []defaultpreemption.Candidate, chosen string) []string {
	i := slices.IndexFunc(candidates, func(c defaultpreemption.Candidate) bool { return c.Name() == chosen })
	if i < 0 {
		return nil
	}
	want := rankOf(candidates[i].Victims())
	var names []string
	for _, c := range candidates {
		if rankOf(c.Victims()) == want {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return names
}

// rank is the criteria in their order.
type rank struct {
	violations int64
	highest    int32
	priorities int64
	victims    int
	start      int64
}

func rankOf(victims *extenderv1.Victims) rank {
	r := rank{violations: victims.NumPDBViolations, victims: len(victims.Pods)}
	if len(victims.Pods) == 0 {
		return r
	}
	r.highest = podutil.GetPodPriority(victims.Pods[0])
	first, started := r.highest, false // the highest of all: victims are not in order
	for _, pod := range victims.Pods {
		priority := podutil.GetPodPriority(pod)
		r.priorities += int64(priority) + math.MaxInt32 + 1
		if priority > first {
			first, started = priority, false
		}
		started = started || priority == first && pod.Status.StartTime != nil
	}
	if started {
		r.start = util.GetEarliestPodStartTime(victims).UnixNano()
	}
	return r
}
