package nodename

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign has one part: the plugin reads nothing of the pod but its node name.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	return []framework.Part{framework.PartOf("node name", pod.API.Spec.NodeName)}, trace.Verdict{}
}
