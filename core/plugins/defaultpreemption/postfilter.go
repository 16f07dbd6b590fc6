package defaultpreemption

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/core/trace"
)

// prefix begins every message of the plugin about a pod.
const prefix = "preemption: "

// The reasons why a pod may not preempt (1.37).
const (
	reasonNever       = "not eligible due to preemptionPolicy=Never."
	reasonTerminating = "not eligible due to a terminating pod on the nominated node."
)

// PostFilter nominates the node where the least harm makes room for the pod. Without one it gives the pod's old
// nomination free; a pod that may not preempt, or an error, leaves it as it is.
func (p *Plugin) PostFilter(ask framework.PostFilterAsk) framework.PostFilterAnswer {
	pod := ask.Pod
	if live, known := ask.Snapshot.Pod(pod.Key); known {
		pod = live
	}
	story := &trace.Preemption{Nodes: ask.Snapshot.Names}
	if why := p.ineligible(pod, ask); why != "" {
		return answer(story, trace.Unschedulable, why, framework.Nomination{})
	}
	story.Eligible = true
	potential := p.potential(ask, story)
	var found preemption.Answer
	if len(potential) > 0 {
		story.Offset, story.Wanted = int(ask.Seed%uint64(len(potential))), p.enough(len(potential))
		found = preemption.Run(preemption.Ask{
			Judge: ask.Judge, Objects: ask.Snapshot.Objects(), Potential: potential,
			Offset: story.Offset, Wanted: story.Wanted, Order: p.order, Now: ask.Now, Groups: p.units.lookup(ask.Snapshot),
			VictimChargedToEveryBudget: p.ways.VictimChargedToEveryBudget,
			BudgetNotCountedDown:       p.ways.BudgetNotCountedDown,
			UnstartedPodStartsNow:      p.ways.UnstartedPodStartsNow,
			ProtectedVictimsFirst:      p.ways.ProtectedVictimsFirst,
			Tries:                      ask.Tries,
		})
	}
	if len(found.Candidates) == 0 {
		if len(potential) > 0 {
			p.tell(story, &found, ask)
		}
		a := inVain(story, &found, ask)
		a.Nomination.Change = a.Nomination.Change && !(p.ways.NominationKeptOnFailure && len(potential) > 0)
		return a
	}
	facts, refused := p.extend(&found, ask)
	if ask.Draws && found.Tied > 1 {
		at := int(ask.Seed / uint64(len(potential)) % uint64(found.Tied)) // what is left of it after the offset
		found.Candidates[0], found.Candidates[at] = found.Candidates[at], found.Candidates[0]
	}
	p.tell(story, &found, ask)
	if refused.Code != trace.Success {
		a := answer(story, refused.Code, refused.Message(), framework.Nomination{})
		a.Facts = append(facts, a.Facts...)
		return a
	}
	best := &found.Candidates[0]
	message := fmt.Sprintf(
		"found a potential placement for pod on node %v, preempting %d victims", best.Node.Name, len(best.Victims),
	)
	a := answer(story, trace.Success, message, framework.Nomination{Change: true, Node: best.Node.Name})
	if p.ways.SuccessHasNoReason {
		a.Verdict.Reasons, story.Message, story.Reason = nil, "", ""
	}
	for _, v := range best.Victims {
		a.Victims = append(a.Victims, v.Pod)
	}
	a.Facts = append(facts, a.Facts...)
	return a
}

// extend sends the candidates to the extenders. A verdict other than Success ends the preemption, and leaves the
// nomination as it is.
func (p *Plugin) extend(found *preemption.Answer, ask framework.PostFilterAsk) ([]trace.Fact, trace.Verdict) {
	if len(ask.Extenders) == 0 {
		return nil, trace.Verdict{}
	}
	x := preemption.Extend(ask, found.Candidates, p.order)
	found.Candidates, found.Tied = x.Candidates, x.Tied
	switch {
	case x.Failure != "":
		return x.Facts, trace.Verdict{Code: trace.Error, Reasons: []string{x.Failure}}
	case len(x.Candidates) == 0:
		return x.Facts, trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"no candidate node for preemption"}}
	}
	return x.Facts, trace.Verdict{}
}

// ineligible is why the pod may not preempt; "" when it may. A pod that has made room on a node already, which is not
// free yet, has to wait, unless the node has turned out to be no good at all.
func (p *Plugin) ineligible(pod *cluster.Pod, ask framework.PostFilterAsk) string {
	if policy := pod.API.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		return reasonNever
	}
	if pod.Nominated == "" {
		return ""
	}
	node, known := ask.Snapshot.Node(pod.Nominated)
	if !known || !p.ways.HopelessNodeAwaited && ask.Statuses(node.Index()).Code == trace.UnschedulableAndUnresolvable {
		return ""
	}
	for _, other := range node.Pods {
		goes := goesByPreemption(other) || p.ways.AnyDeletionAwaited && other.Terminating()
		if goes && p.units.weight(other, ask.Snapshot) < pod.Priority {
			return reasonTerminating
		}
	}
	return ""
}

// goesByPreemption reports whether the pod is terminating because a scheduler preempted it.
func goesByPreemption(pod *cluster.Pod) bool {
	if !pod.Terminating() {
		return false
	}
	for i := range pod.API.Status.Conditions {
		if c := &pod.API.Status.Conditions[i]; c.Type == corev1.DisruptionTarget {
			return c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler
		}
	}
	return false
}

// potential are the nodes whose rejection evictions might resolve, in the order of the snapshot.
func (p *Plugin) potential(ask framework.PostFilterAsk, story *trace.Preemption) []*cluster.Node {
	var potential []*cluster.Node
	if ask.Hopeless && ask.Detail < trace.Reported {
		return nil
	}
	for i, node := range ask.Snapshot.Nodes {
		switch {
		case ask.Statuses(i).Code == trace.Unschedulable:
			if potential == nil {
				potential = make([]*cluster.Node, 0, len(ask.Snapshot.Nodes)-i)
			}
			potential = append(potential, node)
		case ask.Detail >= trace.Reported:
			story.Unhelpful = append(story.Unhelpful, int32(i))
		}
	}
	story.Potential = len(potential)
	return potential
}

// inVain is the answer when no node is a candidate. Where a dry run failed with an error, the answer reports that
// error.
func inVain(story *trace.Preemption, found *preemption.Answer, ask framework.PostFilterAsk) framework.PostFilterAnswer {
	text := trace.FitMessage{Nodes: len(ask.Snapshot.Nodes)}
	var broken []error
	for i := range found.Refusals {
		v := found.Refusals[i].Verdict
		text.Count(v, 1)
		if v.Code == trace.Error {
			broken = append(broken, brokenBy(&found.Refusals[i], ask.Filters))
		}
	}
	if err := utilerrors.NewAggregate(broken); err != nil {
		return answer(story, trace.Error, err.Error(), framework.Nomination{})
	}
	if rest := len(ask.Snapshot.Nodes) - len(found.Refusals); rest > 0 {
		text.Count(trace.Verdict{Reasons: []string{trace.ReasonNotHelpful}}, rest)
	}
	return answer(story, trace.Unschedulable, ask.Message.FitError(&text), framework.Nomination{Change: true})
}

// brokenBy is what went wrong in a dry run, in kube-scheduler's words.
func brokenBy(f *trace.Failure, filters []string) error {
	if f.Plugin == preemption.NoPlugin {
		return errors.New(f.Verdict.Message())
	}
	return fmt.Errorf("running %q filter plugin: %s", filters[f.Plugin], f.Verdict.Message())
}

func answer(
	story *trace.Preemption, code trace.Code, message string, n framework.Nomination,
) framework.PostFilterAnswer {
	story.Message, story.Reason, story.Node = prefix+message, message, n.Node
	return framework.PostFilterAnswer{
		Verdict: trace.Verdict{Code: code, Reasons: []string{story.Message}}, Nomination: n,
		Facts: []trace.Fact{trace.Preempted{Preemption: story}},
	}
}
