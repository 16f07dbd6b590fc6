package dynamicresources

import (
	"errors"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// reasonReleased is kube-scheduler's message whether or not there was a claim to release (1.37).
const reasonReleased = "deallocation and deletion of ResourceClaims completed"

// errOutdated is how an API server words that an update was made from an old version.
var errOutdated = errors.New(
	"the object has been modified; please apply your changes to the latest version and try again",
)

// PodGroupPostFilter frees the claims that stand in the way of members, as PostFilter does for a pod. A group that
// wants to be within one domain is passed over, where placements are tried. kube-scheduler calls it an error when no
// member came as far as this plugin's PreFilter, and when two members free one claim: the API server refuses what is
// written the second time, from a version that is no longer the last (1.37).
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
			if w.Action == cluster.Update && slices.ContainsFunc(a.Writes, func(before framework.MemberWrite) bool {
				return cluster.Key(before.Object) == cluster.Key(w.Object)
			}) {
				a.Verdict = broken(apierrors.NewConflict(
					resourcev1.Resource("resourceclaims"), w.Object.GetName(), errOutdated,
				))
				return a
			}
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
