package imagelocality

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign lists the images of containers. kube-scheduler leaves those of image volumes out (1.37).
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	names := []string{}
	for i := range pod.API.Spec.Containers {
		names = append(names, normalized(pod.API.Spec.Containers[i].Image))
	}
	for i := range pod.API.Spec.InitContainers {
		names = append(names, normalized(pod.API.Spec.InitContainers[i].Image))
	}
	slices.Sort(names)
	return []framework.Part{framework.PartOf("images", slices.Compact(names))}, trace.Verdict{}
}
