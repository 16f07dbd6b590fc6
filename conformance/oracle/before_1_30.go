//go:build before_1_30

package oracle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// toScore is nodes as PreScore, Score and extenders take them.
func toScore(nodes []fwk.NodeInfo) []*corev1.Node {
	list := make([]*corev1.Node, len(nodes))
	for i, node := range nodes {
		list[i] = node.Node()
	}
	return list
}

// anyWillDo is never so: 1.29 always looks for as many nodes.
func (q question) anyWillDo() bool { return false }

// filterBy is the nodes that an extender leaves.
func (q question) filterBy(extender int, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, error) {
	names, _, _, err := q.scheduler.Extenders[extender].Filter(q.pod, toScore(nodes))
	var left []fwk.NodeInfo
	for _, name := range names {
		left = append(left, nodes[slices.IndexFunc(nodes, func(n fwk.NodeInfo) bool { return n.Node().Name == name.Name })])
	}
	return left, err
}

// matches is never called: hints are off.
func matches(_, _ fwk.ClusterEvent) bool { return false }
