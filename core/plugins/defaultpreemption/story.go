package defaultpreemption

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/core/trace"
)

// How one of equal candidates is chosen; kube-scheduler takes the first of a map.
const (
	tieBreak = "node order"
	drawn    = "drawn by the seed"
)

// tell writes the result into the facts. With detail Summary it leaves out facts about single nodes.
func (p *Plugin) tell(story *trace.Preemption, found *preemption.Answer, ask framework.PostFilterAsk) {
	story.Found, story.Tied = len(found.Candidates), found.Tied
	if found.Tied > 1 {
		story.TieBreak = tieBreak
		if ask.Draws {
			story.TieBreak = drawn
		}
		for i := range found.Candidates[:min(found.Tied, len(found.Candidates))] {
			story.Equals = append(story.Equals, int32(found.Candidates[i].Node.Index()))
		}
	}
	if story.Found > 0 {
		story.Victims = names(found.Candidates[0].Victims)
	}
	if story.Found > 1 {
		story.Decided = p.order.Behind(&found.Candidates[1], &found.Candidates[0])
	}
	if ask.Detail < trace.Reported {
		return
	}
	for i := range found.Candidates {
		told := candidate(&found.Candidates[i])
		if i > 0 {
			told.Behind = p.order.Behind(&found.Candidates[i], &found.Candidates[i-1])
		}
		story.Candidates = append(story.Candidates, told)
	}
	for _, r := range found.Refusals {
		refusal := trace.PreemptionRefusal{Node: r.Node, Verdict: r.Verdict}
		if r.Plugin != preemption.NoPlugin {
			refusal.Plugin = ask.Filters[r.Plugin]
		}
		story.Refused = append(story.Refused, refusal)
	}
	for _, node := range found.Untried {
		story.Untried = append(story.Untried, int32(node.Index()))
	}
}

func candidate(c *preemption.Candidate) trace.PreemptionCandidate {
	told := trace.PreemptionCandidate{
		Node: int32(c.Node.Index()), Victims: names(c.Victims), Reprieved: keys(c.Reprieved),
		Highest: c.Highest, Sum: c.Sum, Earliest: c.Earliest,
	}
	if c.Extended {
		counted := int64(c.Violations)
		told.Counted = &counted
	}
	told.Leaving = make([]trace.PreemptionVictim, len(c.Victims))
	for i := range c.Victims {
		v := &c.Victims[i]
		leaving := trace.PreemptionVictim{Pod: v.Pod.Key, Priority: v.Pod.Priority}
		if v.Pod.API.Status.StartTime != nil {
			leaving.Start = v.Pod.StartTime()
		}
		if v.Budget != nil {
			leaving.Budget = v.Budget.Name
		}
		if v.Violates {
			told.Violating = append(told.Violating, v.Pod.Key)
		}
		told.Leaving[i] = leaving
	}
	return told
}

func names(victims []preemption.Victim) []string {
	list := make([]string, len(victims))
	for i := range victims {
		list[i] = victims[i].Pod.Key
	}
	return list
}

func keys(pods []*cluster.Pod) []string {
	list := make([]string, len(pods))
	for i, p := range pods {
		list[i] = p.Key
	}
	return list
}
