package priorities

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// SelectorSpread is SelectorSpreadPriority: a node, and a zone, is better the fewer pods it has that a Service,
// ReplicationController, ReplicaSet or StatefulSet of the pod selects.
func SelectorSpread(ways Ways) *Plugin { return ofSpread("SelectorSpreadPriority", ways, true) }

// ServiceSpreading is ServiceSpreadingPriority: the same for Services alone.
func ServiceSpreading(ways Ways) *Plugin { return ofSpread("ServiceSpreadingPriority", ways, false) }

func ofSpread(name string, ways Ways, controllers bool) *Plugin {
	return Of(name, spread{name, ways, controllers}, nil, nil).own()
}

type spread struct {
	name        string
	ways        Ways
	controllers bool
}

// Name is the priority's.
func (s spread) Name() string { return s.name }

// PreScore finds the selectors of the Services and controllers that select the pod.
func (s spread) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	return framework.Scoring{Scorer: &spreadScorer{
		ways: s.ways, namespace: pod.Namespace(), selectors: s.selectors(pod, snapshot.Objects()),
	}}
}

// selectors are those that select the pod; of controllers an empty one selects nothing (getSelectors, 1.10).
func (s spread) selectors(pod *cluster.Pod, objects *cluster.Objects) []labels.Selector {
	var all []labels.Selector
	own := labels.Set(pod.API.Labels)
	for _, service := range objects.ServicesOf(pod.Namespace(), pod.API.Labels) {
		all = append(all, labels.SelectorFromSet(service.Spec.Selector))
	}
	if !s.controllers || len(own) == 0 {
		return all
	}
	add := func(selector labels.Selector, err error) {
		if err == nil && !selector.Empty() && selector.Matches(own) {
			all = append(all, selector)
		}
	}
	objects.ReplicationControllers.EachIn(pod.Namespace(), func(c *corev1.ReplicationController) bool {
		add(labels.SelectorFromSet(c.Spec.Selector), nil)
		return true
	})
	objects.ReplicaSets.EachIn(pod.Namespace(), func(c *appsv1.ReplicaSet) bool {
		add(metav1.LabelSelectorAsSelector(c.Spec.Selector))
		return true
	})
	objects.StatefulSets.EachIn(pod.Namespace(), func(c *appsv1.StatefulSet) bool {
		add(metav1.LabelSelectorAsSelector(c.Spec.Selector))
		return true
	})
	return all
}

type spreadScorer struct {
	ways      Ways
	namespace string
	selectors []labels.Selector
	noNumber  bool // the last Normalize divided 0 by 0
}

var _ framework.Reasoner = (*spreadScorer)(nil)

// Score counts the pods on each node that any of the selectors takes and that are not on their way out.
func (s *spreadScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		raw[i] = s.count(node)
	}
	return trace.Verdict{}
}

func (s *spreadScorer) count(node *cluster.Node) (count int64) {
	for _, pod := range node.Pods {
		if pod.Namespace() == s.namespace && !pod.Terminating() && s.selects(pod) {
			count++
		}
	}
	return count
}

func (s *spreadScorer) selects(pod *cluster.Pod) bool {
	for _, selector := range s.selectors {
		if selector.Matches(labels.Set(pod.API.Labels)) {
			return true
		}
	}
	return false
}

// zonePart is what a zone counts for where a node is in one; the node counts for the rest.
const zonePart = 2.0 / 3.0

// Normalize gives 10 where there are none and 0 where there are most; in a zone two thirds of it by the zone.
func (s *spreadScorer) Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict {
	zones, most, mostInZone := map[string]int64{}, int64(0), int64(0)
	for i, node := range nodes {
		most = max(most, scores[i])
		if zone := zoneOf(node); zone != "" {
			zones[zone] += scores[i]
			mostInZone = max(mostInZone, zones[zone])
		}
	}
	for i, node := range nodes {
		zone := zoneOf(node)
		inZone := zone != "" && (len(s.selectors) > 0 || !s.ways.EmptyZonesDivideByZero)
		switch {
		case inZone && mostInZone == 0 && s.ways.EmptyZonesDivideByZero:
			scores[i], s.noNumber = noNumber, true
		case s.ways.SharesAsFractions:
			scores[i] = spreadOf[float32](scores[i], most, zones[zone], mostInZone, inZone)
		default:
			scores[i] = spreadOf[float64](scores[i], most, zones[zone], mostInZone, inZone)
		}
	}
	return trace.Verdict{}
}

// noNumber is what amd64 makes of a float that is not a number where an int is wanted, on which 1.6 runs.
const noNumber = math.MinInt64

// spreadOf is the score of a node with so many pods, in a zone with so many (CalculateSpreadPriorityReduce, 1.10). 1.6
// computes with floats of 32 bits, 1.10 with floats of 64.
func spreadOf[F float32 | float64](count, most, zone, mostInZone int64, inZone bool) int64 {
	part := func(n, of int64) F {
		if of == 0 {
			return Max
		}
		return Max * (F(of-n) / F(of))
	}
	score := part(count, most)
	if inZone {
		score = F(score*(1.0-zonePart)) + F(zonePart*part(zone, mostInZone)) // F rounds each product
	}
	return int64(score)
}

// zoneOf is the region and zone of a node by the labels of that time; "" without either (GetZoneKey, 1.10).
func zoneOf(node *cluster.Node) string {
	region, _ := node.Label(corev1.LabelFailureDomainBetaRegion)
	zone, _ := node.Label(corev1.LabelFailureDomainBetaZone)
	if region == "" && zone == "" {
		return ""
	}
	return region + ":\x00:" + zone
}

// Why is the number of pods; where kube-scheduler 1.6 divides 0 by 0, the evidence names that fault.
func (s *spreadScorer) Why(node *cluster.Node) []trace.Evidence {
	why := []trace.Evidence{{What: "pods of the same services and controllers", Have: trace.Count(s.count(node))}}
	if s.noNumber && zoneOf(node) != "" {
		why = append(why, trace.Evidence{
			What: "0/0, a fault of kube-scheduler 1.6: pods of the same services and controllers in all zones",
			Have: trace.Count(0),
		})
	}
	return why
}
