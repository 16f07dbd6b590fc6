package early

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"github.com/schedstep/schedstep/conformance/answer"
)

// Candidate is a node where room could be made.
type Candidate struct {
	Node       string
	Victims    []*corev1.Pod
	Violations int64
}

// Told is the candidate as a value of package answer.
func (c *Candidate) Told() answer.Victims {
	victims := answer.Victims{Node: c.Node, PDBViolations: c.Violations}
	for _, pod := range c.Victims {
		victims.Pods = append(victims.Pods, Key(pod))
	}
	return victims
}

// Ineligible is why a pod may not preempt, in the words of later releases; those before 1.20 give no reason.
func Ineligible(pod *corev1.Pod) string {
	if policy := pod.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		return "not eligible due to preemptionPolicy=Never."
	}
	return "not eligible due to a terminating pod on the nominated node."
}

// Refused are the filters' verdicts on the nodes that are no candidates, without the pods of lower priority. For a node
// without such pods the verdict has the words of later releases: releases before 1.20 give no reason.
func Refused[N interface{ Node() *corev1.Node }](
	p *answer.Preemption, nodes []N, without func(N) (said answer.Verdict, removed int),
) map[string]answer.Verdict {
	refused := map[string]answer.Verdict{}
	for _, info := range nodes {
		name := info.Node().Name
		candidate := func(v answer.Victims) bool { return v.Node == name }
		if !slices.Contains(p.PotentialNodes, name) || slices.ContainsFunc(p.Candidates, candidate) {
			continue
		}
		said, removed := without(info)
		if removed == 0 {
			said = answer.Verdict{
				Plugin: "DefaultPreemption", Code: framework.UnschedulableAndUnresolvable.String(),
				Reasons: []string{"No preemption victims found for incoming pod"},
			}
		}
		refused[name] = said
	}
	return refused
}

// Priority is that of a pod; 0 where it has none.
func Priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// Tied are the candidates that are equal to the chosen one by the criteria, sorted. Earliest is when the first of the
// most important victims started.
func Tied(candidates []Candidate, chosen string, earliest func(*Candidate) time.Time) []string {
	i := slices.IndexFunc(candidates, func(c Candidate) bool { return c.Node == chosen })
	if i < 0 {
		return nil
	}
	want := rankOf(&candidates[i], earliest)
	var names []string
	for k := range candidates {
		if rankOf(&candidates[k], earliest) == want {
			names = append(names, candidates[k].Node)
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

func rankOf(c *Candidate, earliest func(*Candidate) time.Time) rank {
	r := rank{violations: c.Violations, victims: len(c.Victims)}
	if len(c.Victims) == 0 {
		return r
	}
	r.highest = Priority(c.Victims[0])
	first, started := r.highest, false // the highest of all: victims are not in order
	for _, pod := range c.Victims {
		priority := Priority(pod)
		r.priorities += int64(priority) + math.MaxInt32 + 1
		if priority > first {
			first, started = priority, false
		}
		started = started || priority == first && pod.Status.StartTime != nil
	}
	if started {
		r.start = earliest(c).UnixNano()
	}
	return r
}
