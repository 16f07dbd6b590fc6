package dynamicresources

import (
	"errors"
	"slices"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// reasonReleased is kube-scheduler's message whether or not there was a claim to release (1.37).
const reasonReleased = "deallocation and deletion of ResourceClaims completed"

// PodGroupPostFilter frees the claims that stand in the way of members, as PostFilter does for a pod. A group that
// wants to be within one domain is passed over, where placements are tried. kube-scheduler calls it an error when no
// member came as far as this plugin's PreFilter.
func (p *Plugin) PodGroupPostFilter(ask framework.GroupPostFilterAsk) framework.GroupPostFilterAnswer {
	var a framework.GroupPostFilterAnswer
	a.Verdict.Code = trace.Unschedulable
	if p.passesOver(ask.Group) {
		return a
	}
	reached := false
	for _, study := range ask.Studies {
		member := study.Ask()
		if slices.Contains(member.Unasked, Name) {
			continue
		}
		reached = true
		said := p.PostFilter(member)
		if said.Verdict.Code == trace.Error {
			a.Verdict = said.Verdict
			return a
		}
		for _, w := range said.Writes {
			a.Writes = append(a.Writes, framework.MemberWrite{Pod: study.Pod, Write: w})
		}
	}
	if !reached {
		a.Verdict = broken(errors.New("not found"))
		return a
	}
	a.Verdict.Reasons = []string{reasonReleased}
	return a
}
