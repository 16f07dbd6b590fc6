package priorities

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// ServiceAntiAffinity is a priority of a Policy: nodes are better the fewer pods of the pod's Service run where a label
// has the same value. Nodes without the label have 0.
func ServiceAntiAffinity(name, label string, ways Ways) *Plugin {
	return Of(name, antiAffinity{name, label, ways}, nil, nil).own()
}

type antiAffinity struct {
	name, label string
	ways        Ways
}

// Name is the priority's.
func (a antiAffinity) Name() string { return a.name }

// PreScore finds the Service of the pod. Of several, kube-scheduler takes any; here it is always the same.
func (a antiAffinity) PreScore(
	pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node,
) framework.Scoring {
	s := &antiAffinityScorer{antiAffinity: a, namespace: pod.Namespace(), snapshot: snapshot}
	if of := snapshot.Objects().ServicesOf(pod.Namespace(), pod.API.Labels); len(of) > 0 {
		s.selector = labels.SelectorFromSet(of[0].Spec.Selector)
	}
	return framework.Scoring{Scorer: s}
}

type antiAffinityScorer struct {
	antiAffinity
	namespace string
	selector  labels.Selector // nil: no Service selects the pod
	snapshot  *cluster.Snapshot
	meant     map[string]string // the node whose score a node has got; only those that have another's
}

var _ framework.Reasoner = (*antiAffinityScorer)(nil)

// Score counts the pods of the Service on each node, also those on their way out.
func (s *antiAffinityScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		raw[i] = s.count(node)
	}
	return trace.Verdict{}
}

func (s *antiAffinityScorer) count(node *cluster.Node) (count int64) {
	if s.selector == nil {
		return 0
	}
	for _, pod := range node.Pods {
		if pod.Namespace() == s.namespace && s.selector.Matches(labels.Set(pod.API.Labels)) {
			count++
		}
	}
	return count
}

// Normalize gives a node the share of the Service's pods that run where the label has another value. In 1.10 these are
// the pods of the feasible nodes, in 1.6 of all.
func (s *antiAffinityScorer) Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict {
	all, by := int64(0), map[string]int64{}
	for i, node := range nodes {
		all += scores[i]
		if value, has := node.Label(s.label); has {
			by[value] += scores[i]
		}
	}
	if s.ways.AntiAffinityScoresShifted {
		all = 0
		for _, node := range s.snapshot.Nodes {
			all += s.count(node)
		}
	}
	for i, node := range nodes {
		value, has := node.Label(s.label)
		switch {
		case !has:
			scores[i] = 0
		case all == 0:
			scores[i] = Max
		case s.ways.SharesAsFractions:
			scores[i] = int64(Max * (float32(all-by[value]) / float32(all)))
		default:
			scores[i] = int64(Max * (float64(all-by[value]) / float64(all)))
		}
	}
	if s.ways.AntiAffinityScoresShifted {
		s.shift(nodes, scores)
	}
	return trace.Verdict{}
}

// shift does what 1.6 does: it lists the scores of the nodes that have the label before all others, and gives the first
// score to the first node. In which order those with the label are, is chance there; here it is that of the nodes.
func (s *antiAffinityScorer) shift(nodes []*cluster.Node, scores []int64) {
	order := make([]int, 0, len(nodes))
	for _, labelled := range []bool{true, false} {
		for i, node := range nodes {
			if _, has := node.Label(s.label); has == labelled {
				order = append(order, i)
			}
		}
	}
	own := slices.Clone(scores)
	s.meant = map[string]string{}
	for i, from := range order {
		scores[i] = own[from]
		if i != from {
			s.meant[nodes[i].Name] = nodes[from].Name
		}
	}
}

// Why is the number of pods, and in 1.6 whose score the node has got by mistake.
func (s *antiAffinityScorer) Why(node *cluster.Node) []trace.Evidence {
	why := []trace.Evidence{{What: "pods of the pod's Service", Have: trace.Count(s.count(node))}}
	if other, wrong := s.meant[node.Name]; wrong {
		why = append(why, trace.Evidence{
			What: "score of another node, a fault of kube-scheduler 1.6", Want: trace.Text(node.Name),
			Have: trace.Text(other),
		})
	}
	return why
}
