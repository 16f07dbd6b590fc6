//go:build !before_1_30

package oracle

import "github.com/schedstep/schedstep/conformance/oracle/fwk"

// toScore is nodes as PreScore, Score and extenders take them.
func toScore(nodes []fwk.NodeInfo) []fwk.NodeInfo { return nodes }

// anyWillDo reports that no plugin scores, and no extender has to be called: one feasible node is enough then.
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
func (q question) filterBy(extender int, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, error) {
	left, _, _, err := q.scheduler.Extenders[extender].Filter(q.pod, nodes)
	return left, err
}
