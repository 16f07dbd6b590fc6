package session

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// IsTaintOfController reports whether a controller puts a taint with that key on a node and takes it off again: the
// node lifecycle controller by the node's conditions (kube-controller-manager 1.37, pkg/controller/nodelifecycle), a
// cloud provider before a node is set up and after it was shut down, an autoscaler that is about to delete the node.
// Taking it off by hand is undone, and a pod that tolerates it comes to a node that does not work.
func IsTaintOfController(key string) bool {
	for _, prefix := range []string{"node.cloudprovider.kubernetes.io/", "karpenter.sh/"} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	switch key {
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable,
		corev1.TaintNodeOutOfService, "ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler":
		return true
	}
	return false
}
