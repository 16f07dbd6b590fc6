package oracle

import (
	"math"
	"runtime"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingcorev1 "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// postFilter runs PostFilter for its choice and its text, then dry-runs the
// preemption for its candidates: the filters of a dry run may note something in
// the cycle state that PostFilter plugins read.
func (q question) postFilter(answer *Answer, state fwk.CycleState, fit *framework.FitError) error {
	p := &answer.Preemption
	q.writes.Take()
	result, status := q.profile.framework.RunPostFilterPlugins(q.ctx, state, q.pod, statusesOf(&fit.Diagnosis))
	fit.Diagnosis.PostFilterMsg = status.Message()
	p.Code = status.Code().String()
	if result != nil && result.NominatingInfo != nil {
		p.Nominated = result.NominatedNodeName
	}
	if q.profile.preemption != nil {
		for preempting(q.profile, q.pod.UID) {
			runtime.Gosched()
		}
	}
	p.Writes = q.writes.Take()
	if q.profile.preemption == nil {
		return nil
	}
	p.Ran = true
	candidates, err := q.dryRun(p, state, statusesOf(&fit.Diagnosis))
	p.Tied = tied(candidates, p.Nominated)
	return err
}

// dryRun finds what DefaultPreemption chooses from. Upstream starts at a
// random node and stops when it has enough candidates, so its own list is part
// of this one whenever there are more nodes than candidates wanted.
func (q question) dryRun(
	p *Preemption, state fwk.CycleState, statuses nodeStatuses,
) ([]preemption.Candidate, error) {
	if ok, why := q.eligible(statuses); !ok {
		p.Ineligible = why
		return nil, nil
	}
	var potential []fwk.NodeInfo
	for _, node := range q.nodes {
		if mayHelp(statuses, node.Node().Name) {
			potential = append(potential, node)
			p.PotentialNodes = append(p.PotentialNodes, node.Node().Name)
		}
	}
	if len(potential) == 0 {
		return nil, nil
	}
	candidates, refused, err := q.candidates(state, potential)
	if err != nil {
		return nil, err
	}
	for _, c := range candidates {
		victims := Victims{Node: c.Name(), PDBViolations: c.Victims().NumPDBViolations}
		for _, pod := range c.Victims().Pods {
			victims.Pods = append(victims.Pods, key(pod))
		}
		p.Candidates = append(p.Candidates, victims)
	}
	p.Refused = map[string]Verdict{}
	eachStatus(refused, func(node string, status *fwk.Status) {
		p.Refused[node] = own(status)
	})
	return candidates, nil
}

// tied are the candidates that are equal to the chosen one by the criteria of pickOneNode.
func tied(candidates []preemption.Candidate, chosen string) []string {
	var want *rank
	for _, c := range candidates {
		if c.Name() == chosen {
			r := rankOf(c.Victims())
			want = &r
		}
	}
	if want == nil {
		return nil
	}
	var names []string
	for _, c := range candidates {
		if rankOf(c.Victims()) == *want {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return names
}

// rank is pickOneNode's criteria in their order.
type rank struct {
	violations      int64
	highestPriority int32
	priorities      int64
	victims         int
	earliestStart   int64
}

func rankOf(victims *extenderv1.Victims) rank {
	r := rank{
		violations:      victims.NumPDBViolations,
		highestPriority: schedulingcorev1.PodPriority(victims.Pods[0]),
		victims:         len(victims.Pods),
	}
	for _, pod := range victims.Pods {
		r.priorities += int64(schedulingcorev1.PodPriority(pod)) + math.MaxInt32 + 1
	}
	if someStarted(victims.Pods, r.highestPriority) {
		r.earliestStart = util.GetEarliestPodStartTime(victims).UnixNano()
	}
	return r
}

// someStarted reports that the earliest start among the pods of that priority is not taken from the clock, as that of a
// pod without a start time is.
func someStarted(pods []*corev1.Pod, priority int32) bool {
	return slices.ContainsFunc(pods, func(pod *corev1.Pod) bool {
		return schedulingcorev1.PodPriority(pod) == priority && pod.Status.StartTime != nil
	})
}
