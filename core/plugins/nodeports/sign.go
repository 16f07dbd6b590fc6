package nodeports

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.Signer = (*Plugin)(nil)

// Sign lists the numbers of the host ports. kube-scheduler leaves protocol and address out (1.37): a node where only
// they differ is found out by the filter.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	ports := []int32{}
	spec := &pod.API.Spec
	for _, containers := range [...][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			for _, port := range containers[i].Ports {
				if port.HostPort != 0 {
					ports = append(ports, port.HostPort)
				}
			}
		}
	}
	slices.Sort(ports)
	return []framework.Part{framework.PartOf("host ports", slices.Compact(ports))}, trace.Verdict{}
}
