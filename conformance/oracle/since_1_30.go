//go:build !before_1_30

package oracle

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// toScore is nodes as PreScore, Score and extenders take them.
func toScore(nodes []fwk.NodeInfo) []fwk.NodeInfo { return nodes }

// anyWillDo says that nobody scores, and no extender has to be asked: one feasible node is enough then.
func (q question) anyWillDo() bool {
	if q.profile.framework.HasScorePlugins() {
		return false
	}
	for _, extender := range q.scheduler.Extenders {
		if extender.IsPrioritizer() || extender.IsFilter() {
			return false
		}
	}
	return true
}

// filterBy is the nodes that an extender leaves.
func filterBy(extender fwk.Extender, pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, error) {
	left, _, _, err := extender.Filter(pod, nodes)
	return left, err
}
