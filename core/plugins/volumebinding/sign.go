package volumebinding

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign says that of the pod the plugin reads only the volumes.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	return []framework.Part{framework.VolumesPart(pod)}, trace.Verdict{}
}
