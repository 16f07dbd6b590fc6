package predicates

import (
	"strconv"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// PortNumbers rejects nodes where a pod has a host port of the same number, whatever the protocol and the address
// (PodFitsHostPorts, 1.6).
type PortNumbers struct{}

// Name is PodFitsHostPorts.
func (PortNumbers) Name() string { return "PodFitsHostPorts" }

// Filter lists every port that is taken, with the pod that holds it.
func (PortNumbers) Filter(pod *cluster.Pod, node *cluster.Node) trace.Verdict {
	var v trace.Verdict
	for _, want := range pod.Ports {
		holder := portHolder(node, want.Port)
		if holder == nil {
			continue
		}
		number := trace.Text(strconv.Itoa(int(want.Port)))
		v.Code, v.Reasons = trace.Unschedulable, []string{reasonPorts}
		v.Evidence = append(v.Evidence, trace.Evidence{
			What: "host port", Want: number, Used: number, By: []string{holder.Key},
		})
	}
	return v
}

// portHolder is the first pod on the node with a port of that number; nil: none has it.
func portHolder(node *cluster.Node, number int32) *cluster.Pod {
	for _, pod := range node.WithPorts {
		for i := range pod.Ports {
			if pod.Ports[i].Port == number {
				return pod
			}
		}
	}
	return nil
}
