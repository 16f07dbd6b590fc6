// Package room is how nodes are used: what is requested and left of each resource, what is left that no pod can use,
// and what the cycles of a run decided about a node. It sums up; it judges nothing and writes no page.
package room

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Amounts are what is requested and what there is of one resource on one node, in its smallest unit: millicores, bytes,
// pieces.
type Amounts struct{ Used, All int64 }

// Free is what is left; never less than nothing.
func (a Amounts) Free() int64 { return max(a.All-a.Used, 0) }

// Always are the resources that every node has.
func Always() []string { return []string{"cpu", "memory", "pods"} }

// Of is what is requested and what there is of a resource on a node.
func Of(n *cluster.Node, resource string) Amounts {
	name := corev1.ResourceName(resource)
	if name == corev1.ResourcePods { // no pod requests them
		return Amounts{int64(len(n.Pods)), n.Allocatable.Pods}
	}
	return Amounts{n.Requested.Amount(name), n.Allocatable.Amount(name)}
}

// Written is an amount of a resource with its unit.
func Written(resource string, n int64) string {
	switch resource {
	case "cpu":
		return trace.MilliCPU(n).String()
	case "memory", "ephemeral-storage":
		return trace.Bytes(n).String()
	}
	return strconv.FormatInt(n, 10)
}
