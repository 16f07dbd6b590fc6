// Package selectorspread is kube-scheduler's SelectorSpread plugin (1.19; gone since 1.27): nodes and zones are better
// the fewer pods they have of the same Service, ReplicationController, ReplicaSet or StatefulSet. It filters nothing.
package selectorspread

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	nodetopology "k8s.io/component-helpers/node/topology"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

const pluginName = "SelectorSpread"

// zonePart is what zones count for where a node is in one; the node counts for the rest.
const zonePart float64 = 2.0 / 3.0

// Plugin spreads the pods that belong together.
type Plugin struct{ name string }

var _ framework.ScorePlugin = (*Plugin)(nil)

// New makes the plugin; it has no arguments.
func New() *Plugin { return &Plugin{name: pluginName} }

// NewNamed makes the plugin under a name that it has in 1.17: DefaultPodTopologySpread, or ServiceSpreadingPriority, by
// which a Policy means the same, for what both know of a pod is found out once.
func NewNamed(name string) *Plugin { return &Plugin{name: name} }

// Name is SelectorSpread, or what it was called.
func (p *Plugin) Name() string { return p.name }

// PreScore finds the selector of the pod's kin. A pod with spread constraints of its own is left to PodTopologySpread:
// it is not skipped, and has 0 everywhere.
func (p *Plugin) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	if len(pod.API.Spec.TopologySpreadConstraints) > 0 {
		return framework.Scoring{Scorer: &scorer{}}
	}
	return framework.Scoring{Scorer: &scorer{
		spreads: true, namespace: pod.Namespace(), selector: selectorOf(pod, snapshot.Objects()),
	}}
}

// selectorOf merges the selectors of all Services and controllers that select the pod, whatever created it
// (helper.DefaultSelector, 1.19). It is empty for a pod that none selects.
func selectorOf(pod *cluster.Pod, objects *cluster.Objects) labels.Selector {
	own, merged := labels.Set(pod.API.Labels), objects.ServiceLabels(pod.Namespace(), pod.API.Labels)
	if len(own) == 0 {
		return merged.AsSelector()
	}
	objects.ReplicationControllers.EachIn(pod.Namespace(), func(c *corev1.ReplicationController) bool {
		if len(c.Spec.Selector) > 0 && labels.SelectorFromSet(c.Spec.Selector).Matches(own) {
			merged = labels.Merge(merged, c.Spec.Selector)
		}
		return true
	})
	selector := merged.AsSelector()
	objects.ReplicaSets.EachIn(pod.Namespace(), func(c *appsv1.ReplicaSet) bool {
		selector = narrowed(selector, c.Spec.Selector, own)
		return true
	})
	objects.StatefulSets.EachIn(pod.Namespace(), func(c *appsv1.StatefulSet) bool {
		selector = narrowed(selector, c.Spec.Selector, own)
		return true
	})
	return selector
}

// narrowed adds a controller's selector if it selects the labels.
func narrowed(selector labels.Selector, by *metav1.LabelSelector, own labels.Set) labels.Selector {
	other, err := metav1.LabelSelectorAsSelector(by)
	if err != nil || other.Empty() || !other.Matches(own) {
		return selector
	}
	requirements, _ := other.Requirements()
	return selector.Add(requirements...)
}

type scorer struct {
	spreads   bool
	namespace string
	selector  labels.Selector
}

var _ framework.Reasoner = (*scorer)(nil)

// Score counts the kin on each node that are not on their way out.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		raw[i] = s.kin(node)
	}
	return trace.Verdict{}
}

func (s *scorer) kin(node *cluster.Node) int64 {
	if !s.spreads || s.selector.Empty() {
		return 0
	}
	return node.CountPods(s.namespace, s.selector)
}

// Normalize gives 100 where there are none, and 0 where there are most; where there are zones, two thirds of it by the
// number in the zone.
func (s *scorer) Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict {
	if !s.spreads {
		return trace.Verdict{}
	}
	zones, most, mostInZone := map[string]int64{}, int64(0), int64(0)
	for i, node := range nodes {
		most = max(most, scores[i])
		if zone := nodetopology.GetZoneKey(node.API); zone != "" {
			zones[zone] += scores[i]
			mostInZone = max(mostInZone, zones[zone])
		}
	}
	for i, node := range nodes {
		score := share(scores[i], most)
		if zone := nodetopology.GetZoneKey(node.API); zone != "" {
			score = (score * (1.0 - zonePart)) + (zonePart * share(zones[zone], mostInZone))
		}
		scores[i] = int64(score)
	}
	return trace.Verdict{}
}

// share is 100 for none, and 0 for the most.
func share(count, most int64) float64 {
	if most == 0 {
		return float64(framework.MaxNodeScore)
	}
	return float64(framework.MaxNodeScore) * (float64(most-count) / float64(most))
}

// Why is the number of kin.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	if !s.spreads {
		return nil
	}
	return []trace.Evidence{{What: "pods of the same services and controllers", Have: trace.Count(s.kin(node))}}
}
