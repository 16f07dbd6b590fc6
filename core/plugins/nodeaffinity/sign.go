package nodeaffinity

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign lists the terms of the pod's node affinity, whatever their order, and its node selector.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	parts := []framework.Part{framework.PartOf("node selector", pod.API.Spec.NodeSelector)}
	affinity := "none"
	if a := pod.API.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		affinity = signAffinity(a.NodeAffinity)
	}
	return append(parts, framework.Part{Name: "node affinity", Value: affinity}), trace.Verdict{}
}

func signAffinity(a *corev1.NodeAffinity) string {
	var required, preferred []string
	if r := a.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		for i := range r.NodeSelectorTerms {
			required = append(required, signTerm(&r.NodeSelectorTerms[i]))
		}
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		term := &a.PreferredDuringSchedulingIgnoredDuringExecution[i]
		preferred = append(preferred, framework.PartOf("weight", term.Weight).Value+signTerm(&term.Preference))
	}
	slices.Sort(required)
	slices.Sort(preferred)
	return framework.PartOf("", [][]string{required, preferred}).Value
}

func signTerm(term *corev1.NodeSelectorTerm) string {
	return framework.PartOf("", [][]string{
		signRequirements(term.MatchExpressions), signRequirements(term.MatchFields),
	}).Value
}

func signRequirements(requirements []corev1.NodeSelectorRequirement) []string {
	var signed []string
	for _, r := range requirements {
		r.Values = slices.Sorted(slices.Values(r.Values))
		signed = append(signed, framework.PartOf("", r).Value)
	}
	slices.Sort(signed)
	return signed
}
