package serviceaffinity

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// PreScore finds the Service of the pod. Of several, kube-scheduler takes any; here it is always the same.
func (p *Plugin) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	s := &scorer{namespace: pod.Namespace(), keys: p.args.AntiAffinityLabelsPreference}
	if of := services(pod, snapshot); len(of) > 0 && len(of[0].Spec.Selector) > 0 {
		s.selector = labels.SelectorFromSet(of[0].Spec.Selector)
	}
	return framework.Scoring{Scorer: s}
}

type scorer struct {
	namespace string
	selector  labels.Selector // nil: no Service selects the pod
	keys      []string
}

var _ framework.Reasoner = (*scorer)(nil)

// Score counts the Service's pods on each node, without those on their way out.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		raw[i] = s.count(node)
	}
	return trace.Verdict{}
}

func (s *scorer) count(node *cluster.Node) int64 {
	if s.selector == nil {
		return 0
	}
	return node.CountPods(s.namespace, s.selector)
}

// Normalize gives a node for each label the share of the Service's pods that run where the label has another value, and
// the mean of that, 0 to 100. A node without the label gets nothing for it.
func (s *scorer) Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict {
	shares := make([]float64, len(scores))
	for _, key := range s.keys {
		all, by := int64(0), map[string]int64{}
		for i, node := range nodes {
			all += scores[i]
			if value, has := node.API.Labels[key]; has {
				by[value] += scores[i]
			}
		}
		for i, node := range nodes {
			value, has := node.API.Labels[key]
			if !has {
				continue
			}
			share := float64(framework.MaxNodeScore)
			if all > 0 {
				share = float64(framework.MaxNodeScore) * (float64(all-by[value]) / float64(all))
			}
			shares[i] += share / float64(len(s.keys))
		}
	}
	for i := range scores {
		scores[i] = int64(shares[i])
	}
	return trace.Verdict{}
}

// Why is the number of the Service's pods.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	return []trace.Evidence{{What: "pods of the pod's Service", Have: trace.Count(s.count(node))}}
}
