package noderesources

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Allocated is NodeResourcesLeastAllocated, NodeResourcesMostAllocated or RequestedToCapacityRatio, which were plugins
// of their own until 1.22.
type Allocated struct {
	name      string
	resources []resource
	rate      rating
}

var _ framework.ScorePlugin = (*Allocated)(nil)

// NewAllocated is the plugin of a strategy other than RequestedToCapacityRatio. Of a resource that is listed twice, the
// last entry counts.
func NewAllocated(name string, strategy configv1.ScoringStrategyType, resources []configv1.ResourceSpec) *Allocated {
	return &Allocated{name: name, rate: rating{strategy: strategy}, resources: resourcesOf(last(resources))}
}

// NewMostAllocated is NodeResourcesMostAllocated.
func NewMostAllocated(resources []configv1.ResourceSpec, ways Ways) *Allocated {
	a := NewAllocated("NodeResourcesMostAllocated", configv1.MostAllocated, resources)
	a.rate.fullIsNone = ways.OverfullScoresZero
	return a
}

// NewRatio is RequestedToCapacityRatio. Without resources it scores nothing: every node has 0.
func NewRatio(shape []configv1.UtilizationShapePoint, resources []configv1.ResourceSpec) *Allocated {
	a := NewAllocated("RequestedToCapacityRatio", configv1.RequestedToCapacityRatio, resources)
	a.rate.shape, a.rate.up = framework.ShapeOf(shape), true
	return a
}

// NewRatioByDefault is RequestedToCapacityRatio as a Policy of 1.17 has it by its name alone: the less of CPU and
// memory is in use, the better.
func NewRatioByDefault() *Allocated {
	a := NewRatio([]configv1.UtilizationShapePoint{
		{Utilization: 0, Score: 10}, {Utilization: 100, Score: 0},
	}, []configv1.ResourceSpec{{Name: "memory", Weight: 1}, {Name: "cpu", Weight: 1}})
	a.name = "RequestedToCapacityRatioPriority"
	return a
}

// last is the resources without those that are listed again later.
func last(resources []configv1.ResourceSpec) []configv1.ResourceSpec {
	var kept []configv1.ResourceSpec
	for i, r := range resources {
		if !slices.ContainsFunc(resources[i+1:], func(later configv1.ResourceSpec) bool { return later.Name == r.Name }) {
			kept = append(kept, r)
		}
	}
	return kept
}

// Name is the plugin's.
func (a *Allocated) Name() string { return a.name }

// PreScore adds up what the pod counts for. It never skips.
func (a *Allocated) PreScore(pod *cluster.Pod, _ *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	s := &allocatedScorer{demand: demandOf(pod), rate: a.rate, resources: a.resources}
	for i := range a.resources {
		s.others = append(s.others, otherOf(pod, &a.resources[i]))
	}
	return framework.Scoring{Scorer: s}
}

// need is what a pod counts for in the scores of 1.19: CPU and memory with the defaults for each container without a
// request, init containers too.
type need struct{ milliCPU, memory int64 }

// demandOf adds up a pod (calculatePodResourceRequest, 1.19). Overhead of CPU counts in whole CPUs, rounded up, as if
// they were thousandths: so it is there.
func demandOf(pod *cluster.Pod) need {
	var all, largest need
	for i := range pod.API.Spec.Containers {
		one := needOf(&pod.API.Spec.Containers[i])
		all.milliCPU, all.memory = all.milliCPU+one.milliCPU, all.memory+one.memory
	}
	for i := range pod.API.Spec.InitContainers {
		one := needOf(&pod.API.Spec.InitContainers[i])
		largest.milliCPU, largest.memory = max(largest.milliCPU, one.milliCPU), max(largest.memory, one.memory)
	}
	all.milliCPU, all.memory = max(all.milliCPU, largest.milliCPU), max(all.memory, largest.memory)
	if cpu, has := pod.API.Spec.Overhead[corev1.ResourceCPU]; has {
		all.milliCPU += cpu.Value()
	}
	if memory, has := pod.API.Spec.Overhead[corev1.ResourceMemory]; has {
		all.memory += memory.Value()
	}
	return all
}

// otherOf is what the pod counts for in the scores of 1.19 of a resource other than CPU and memory: without a request,
// nothing.
func otherOf(pod *cluster.Pod, r *resource) int64 {
	if r.kind == cpu || r.kind == memory {
		return 0
	}
	all := int64(0)
	for i := range pod.API.Spec.Containers {
		request := pod.API.Spec.Containers[i].Resources.Requests[r.name]
		all += request.Value()
	}
	for i := range pod.API.Spec.InitContainers {
		request := pod.API.Spec.InitContainers[i].Resources.Requests[r.name]
		all = max(all, request.Value())
	}
	overhead := pod.API.Spec.Overhead[r.name]
	return all + overhead.Value()
}

// needOf is one container: a request of 0 counts as 0, none as the default.
func needOf(c *corev1.Container) need {
	n := need{cluster.DefaultMilliCPU, cluster.DefaultMemoryBytes}
	if cpu, has := c.Resources.Requests[corev1.ResourceCPU]; has {
		n.milliCPU = cpu.MilliValue()
	}
	if memory, has := c.Resources.Requests[corev1.ResourceMemory]; has {
		n.memory = memory.Value()
	}
	return n
}

// of is what the node would have promised of CPU or memory with the pod, and what it has.
func (n *need) of(r *resource, node *cluster.Node) (requested, capacity int64) {
	if r.kind == cpu {
		return node.NonZeroCPU + n.milliCPU, node.Allocatable.MilliCPU
	}
	return node.NonZeroMem + n.memory, node.Allocatable.Memory
}

// allocatedScorer scores nodes by how full their resources would be. One that the node does not have counts as full in
// a ratio, and as 0 otherwise.
type allocatedScorer struct {
	demand    need
	rate      rating
	resources []resource
	others    []int64 // what the pod counts for of each of them, but of CPU and memory
}

var _ framework.Reasoner = (*allocatedScorer)(nil)

// Score is the mean by weight.
func (s *allocatedScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for k, node := range nodes {
		weighted, weights := int64(0), int64(0)
		for i := range s.resources {
			if score := s.rated(i, node); s.rate.counts(score) {
				weighted += score * s.resources[i].weight
				weights += s.resources[i].weight
			}
		}
		raw[k] = s.rate.mean(weighted, weights)
	}
	return trace.Verdict{}
}

func (s *allocatedScorer) rated(i int, node *cluster.Node) int64 {
	requested, capacity := s.of(i, node)
	if capacity == 0 {
		return s.rate.ofNone()
	}
	return s.rate.of(requested, capacity)
}

// of is what the node would have promised of a resource with the pod, and what it has.
func (s *allocatedScorer) of(i int, node *cluster.Node) (requested, capacity int64) {
	r := &s.resources[i]
	if r.kind == cpu || r.kind == memory {
		return s.demand.of(r, node)
	}
	return r.of(&node.Requested) + s.others[i], r.of(&node.Allocatable)
}

// Normalize leaves the scores alone: they are 0 to 100 already.
func (s *allocatedScorer) Normalize([]*cluster.Node, []int64) trace.Verdict { return trace.Verdict{} }

// Why lists the rating of each resource.
func (s *allocatedScorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	for i := range s.resources {
		r := &s.resources[i]
		requested, capacity := s.of(i, node)
		why = append(why, trace.Evidence{
			Topic: trace.OfResource, What: phrase.Text(r.name), Have: r.value(capacity - requested), Used: r.value(requested),
			Capacity: r.value(capacity),
		}, trace.Evidence{
			What: phrase.Textf("%s by %s", string(r.name), string(s.rate.strategy)), Have: trace.Count(s.rated(i, node)),
		})
	}
	return why
}

// distanceScorer is NodeResourcesBalancedAllocation of 1.19.
type distanceScorer struct{ demand need }

var _ framework.Reasoner = (*distanceScorer)(nil)

// Score is 100 less the distance between how full CPU and memory would be, in hundredths; 0 where either would be full.
func (s *distanceScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for k, node := range nodes {
		cpus, memories := s.fractions(node)
		raw[k] = 0
		if cpus < 1 && memories < 1 {
			raw[k] = int64((1 - math.Abs(cpus-memories)) * float64(framework.MaxNodeScore))
		}
	}
	return trace.Verdict{}
}

// fractions are how full CPU and memory would be; 1 where there is none.
func (s *distanceScorer) fractions(node *cluster.Node) (cpus, memories float64) {
	part := func(kind resourceKind) float64 {
		requested, capacity := s.demand.of(&resource{kind: kind}, node)
		if capacity == 0 {
			return 1
		}
		return float64(requested) / float64(capacity)
	}
	return part(cpu), part(memory)
}

// Normalize leaves the scores alone: they are 0 to 100 already.
func (s *distanceScorer) Normalize([]*cluster.Node, []int64) trace.Verdict { return trace.Verdict{} }

// Why lists how full CPU and memory would be with the pod, in percent.
func (s *distanceScorer) Why(node *cluster.Node) []trace.Evidence {
	cpus, memories := s.fractions(node)
	return []trace.Evidence{
		{What: "CPU in use with the pod, in percent", Have: trace.Count(int64(100 * cpus))},
		{What: "memory in use with the pod, in percent", Have: trace.Count(int64(100 * memories))},
	}
}
