//go:build before_1_36

package oracle

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// sign has nothing to do: 1.35 signs a pod in its cycle, and those before it sign none.
func (o *Oracle) sign(*corev1.Pod) {}

// enter knows no placements.
func (o *Oracle) enter(*placement) (leave func(), err error) { return func() {}, nil }

// nodesOf lists the nodes that the cycle sees, in the order of the snapshot.
func nodesOf(s snapshot) ([]fwk.NodeInfo, error) { return s.NodeInfos().List() }
