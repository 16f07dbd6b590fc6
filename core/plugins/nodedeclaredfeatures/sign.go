package nodedeclaredfeatures

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign lists the features that the pod needs.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	needs, err := p.needs(pod)
	if err != nil {
		return nil, broken(err)
	}
	return []framework.Part{framework.PartOf("features", needs.String())}, trace.Verdict{}
}
