package interpodaffinity

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign refuses pods with affinity to pods: their answers depend on where other pods are. The labels of others count,
// unless the preferences of running pods are ignored.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	if a := pod.API.Spec.Affinity; a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil) {
		return nil, framework.Unsigned("pods with InterPodAffinity are not signable")
	}
	if p.ownOnly {
		return nil, trace.Verdict{}
	}
	return []framework.Part{framework.PartOf("labels", pod.API.Labels)}, trace.Verdict{}
}
