package oracle

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// kube-scheduler's limits of the search for feasible nodes.
const (
	minFeasibleNodes      = 100
	minFeasiblePercentage = 5
)

// order is the snapshot indices in the order in which the cycle filters the nodes: from the start index around the
// ring. A PreFilter node set has a random order upstream; here it is walked in snapshot order from the same start
// index.
func (q question) order(truth frameworkTruth) []int {
	var asked []int
	for i, node := range q.nodes {
		if truth.nodeSet == nil || truth.nodeSet.Has(node.Node().Name) {
			asked = append(asked, i)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	start := q.start % len(asked)
	return append(slices.Clone(asked[start:]), asked[:start]...)
}

// feasible is the feasible nodes as the cycle found them, and whether they are
// the pod's nominated node, or the hint, alone.
func (q question) feasible(truth frameworkTruth) ([]fwk.NodeInfo, bool) {
	first := q.pod.Status.NominatedNodeName
	if q.hint != "" {
		first = q.hint
	}
	for i, node := range q.nodes {
		if node.Node().Name != first || !truth.verdicts[i].Passed() {
			continue
		}
		if left := q.afterExtenders([]fwk.NodeInfo{node}); len(left) > 0 {
			return left, true
		}
	}
	order := q.order(truth)
	limit := q.feasibleNodesToFind(len(order))
	var found []fwk.NodeInfo
	for _, i := range order {
		if len(found) == limit {
			break
		}
		if truth.verdicts[i].Passed() {
			found = append(found, q.nodes[i])
		}
	}
	return q.afterExtenders(found), false
}

func (q question) feasibleNodesToFind(nodes int) int {
	if q.anyWillDo() {
		return 1
	}
	if nodes < minFeasibleNodes {
		return nodes
	}
	percentage := int(q.percentage)
	if own := q.profile.framework.PercentageOfNodesToScore(); own != nil {
		percentage = int(*own)
	}
	if percentage == 0 {
		percentage = max(50-nodes/125, minFeasiblePercentage)
	}
	return max(nodes*percentage/100, minFeasibleNodes)
}

func (q question) afterExtenders(nodes []fwk.NodeInfo) []fwk.NodeInfo {
	for i, extender := range q.scheduler.Extenders {
		if len(nodes) == 0 || !extender.IsInterested(q.pod) {
			continue
		}
		left, err := q.filterBy(i, nodes)
		if err == nil {
			nodes = left
		}
	}
	return nodes
}

// score runs PreScore and Score on the feasible nodes and fills the answer. It
// returns the totals in the order of nodes.
func (q question) score(answer *Answer, state fwk.CycleState, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, error) {
	f := q.profile.framework
	if !f.HasScorePlugins() && len(q.scheduler.Extenders) == 0 {
		totals := make([]fwk.NodePluginScores, len(nodes))
		for i, node := range nodes {
			totals[i] = fwk.NodePluginScores{Name: node.Node().Name, TotalScore: 1}
			answer.Scores = append(answer.Scores, NodeScores{Node: node.Node().Name, Total: 1})
		}
		return totals, nil
	}
	if status := f.RunPreScorePlugins(q.ctx, state, q.pod, toScore(nodes)); !status.IsSuccess() {
		return nil, fmt.Errorf("pod %s: PreScore: %w", key(q.pod), status.AsError())
	}
	answer.PreScoreSkipped = sets.List(fwk.SkippedScores(state))
	totals, status := f.RunScorePlugins(q.ctx, state, q.pod, toScore(nodes))
	if !status.IsSuccess() {
		if len(nodes) > 1 {
			return nil, fmt.Errorf("pod %s: Score: %w", key(q.pod), status.AsError())
		}
		// kube-scheduler does not score a single node, so it cannot fail there.
		return []fwk.NodePluginScores{{Name: nodes[0].Node().Name}}, nil
	}
	if slices.ContainsFunc(totals, func(n fwk.NodePluginScores) bool { return n.Name == "" }) {
		// A plugin panicked while it scored that node, in a goroutine that ends the process after it has let the others
		// go on. What it prints is the answer.
		<-q.ctx.Done()
		return nil, q.ctx.Err()
	}
	q.addExtenderScores(totals, nodes)
	for _, node := range totals {
		raw, err := q.rawScores(state, node)
		if err != nil {
			return nil, err
		}
		answer.Scores = append(answer.Scores, q.nodeScores(node, raw))
	}
	return totals, nil
}

func (q question) nodeScores(node fwk.NodePluginScores, raw []int64) NodeScores {
	scores := NodeScores{Node: node.Name, Total: node.TotalScore}
	for i, weighted := range node.Scores {
		score := PluginScore{Plugin: weighted.Name, Weighted: weighted.Score, Normalized: weighted.Score}
		if weight, plugin := q.profile.weights[weighted.Name]; plugin {
			score.Raw = raw[i]
			score.Normalized = weighted.Score / weight
		}
		scores.Plugins = append(scores.Plugins, score)
	}
	return scores
}

// addExtenderScores calls the prioritizing extenders a second time, since the cycle keeps its totals to itself.
func (q question) addExtenderScores(totals []fwk.NodePluginScores, nodes []fwk.NodeInfo) {
	for _, extender := range q.scheduler.Extenders {
		if !extender.IsInterested(q.pod) {
			continue
		}
		hosts, weight, err := extender.Prioritize(q.pod, toScore(nodes))
		if err != nil {
			continue
		}
		for _, host := range *hosts {
			for i := range totals {
				if totals[i].Name != host.Host {
					continue
				}
				score := host.Score * weight * (fwk.MaxNodeScore / extenderv1.MaxExtenderPriority)
				totals[i].Scores = append(totals[i].Scores, fwk.PluginScore{Name: extender.Name(), Score: score})
				totals[i].TotalScore += score
			}
		}
	}
}

func best(totals []fwk.NodePluginScores) []string {
	return answer.Best(totals, func(n fwk.NodePluginScores) (string, int64) { return n.Name, n.TotalScore })
}
