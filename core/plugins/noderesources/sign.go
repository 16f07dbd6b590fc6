package noderesources

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var (
	_ framework.Signer = (*Fit)(nil)
	_ framework.Signer = (*BalancedAllocation)(nil)
)

// Sign lists what the pod requests; it refuses pods that request devices as an extended resource.
func (f *Fit) Sign(pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	return sign(pod, known)
}

// Sign lists the same as that of Fit.
func (b *BalancedAllocation) Sign(pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	return sign(pod, known)
}

func sign(pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	for _, s := range pod.Requests.Scalars {
		if s.Value != 0 && known.Objects().DeviceClassFor(s.Name) != nil {
			return nil, framework.Unsigned("signature disabled when dra extended resources are used in the cluster")
		}
	}
	return []framework.Part{framework.PartOf("requests", pod.Requests)}, trace.Verdict{}
}
