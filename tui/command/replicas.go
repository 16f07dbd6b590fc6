package command

import (
	"slices"

	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/workload"
)

// replicaVerbs tell of workloads of which pods were made.
func replicaVerbs() []Verb {
	return []Verb{{
		Name: "replicas", Does: "say how many replicas of a rollout fit, and what would change that",
		Run: replicas,
	}}
}

func replicas(c Call) (Answer, error) {
	all := c.Session.At().Replicas()
	if len(all) == 0 {
		return Answer{Said: c.lang().Of("no pods were made of a Deployment or another workload here")}, nil
	}
	p := Page{Title: c.lang().Of("How many replicas fit")}
	waits := func(r session.Replicas) bool { return len(r.Without) > 0 }
	if slices.ContainsFunc(all, waits) && !c.Session.Frame().AtEnd {
		p.Lines = append(p.Lines, c.lang().Of("So far, at the cursor: goto end (F) has every pod tried."), "")
	}
	searched := 0
	for _, r := range all {
		p.Lines = append(p.Lines, prose.Replicas(c.lang(), r))
		if len(r.Without) == 0 {
			continue
		}
		if searched++; searched <= workload.MostAtOnce {
			whole, is, err := workload.OfMade(c.Context, c.Session, r.Workload, c.Progress)
			if err != nil {
				return Answer{}, err
			}
			if is {
				p.Lines = append(p.Lines, "  "+prose.ForAll(c.lang(), &whole))
			}
		}
		found, err := remedies(c, r.Without[0])
		if err != nil {
			return Answer{}, err
		}
		p.Lines = append(p.Lines, "  "+prose.Smallest(c.lang(), r.Without[0], found))
		if len(found.Remedies) > 0 {
			p.Choices = append(p.Choices, applied(c.lang(), 1, r.Without[0]))
		}
	}
	return Answer{Page: p}, nil
}
