package dynamicresources

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign refuses pods with claims: a claim may bind the pod to one node.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	if len(pod.API.Spec.ResourceClaims) > 0 {
		return nil, framework.Unsigned("pods with dra resource claims are not signable")
	}
	return nil, trace.Verdict{}
}
