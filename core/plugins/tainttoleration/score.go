package tainttoleration

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// scorer counts PreferNoSchedule taints that the tolerations do not cover.
type scorer struct{ tolerated }

var _ framework.Reasoner = (*scorer)(nil)

// Score is the number of untolerated PreferNoSchedule taints: less is better.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for k, node := range nodes {
		raw[k] = 0
		taints := node.Taints
		for i := range taints {
			if s.repels(&taints[i]) {
				raw[k]++
			}
		}
	}
	return trace.Verdict{}
}

// Normalize gives the nodes without such taints 100 and those with the most 0.
func (s *scorer) Normalize(_ []*cluster.Node, scores []int64) trace.Verdict {
	framework.DefaultNormalizeReverse(scores)
	return trace.Verdict{}
}

// Why lists the taints that were counted, in the node's order.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	taints := node.Taints
	for i := range taints {
		if s.repels(&taints[i]) {
			why = append(why, missing(&taints[i]))
		}
	}
	return why
}

func (s *scorer) repels(taint *corev1.Taint) bool {
	return taint.Effect == corev1.TaintEffectPreferNoSchedule && !s.has(taint)
}
