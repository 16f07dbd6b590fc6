package priorities

import (
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// LeastRequested is LeastRequestedPriority: the mean of the free tenths of CPU and memory.
func LeastRequested() *Plugin {
	return ofResources("LeastRequestedPriority", func(a amounts) int64 {
		return (unused(a.milliCPU, a.node.MilliCPU) + unused(a.memory, a.node.Memory)) / 2
	})
}

// MostRequested is MostRequestedPriority: the mean of the tenths in use; 0 for what does not fit.
func MostRequested() *Plugin {
	return ofResources("MostRequestedPriority", func(a amounts) int64 {
		return (used(a.milliCPU, a.node.MilliCPU) + used(a.memory, a.node.Memory)) / 2
	})
}

// Balanced is BalancedResourceAllocation: how near the shares of CPU and memory in use are to each other; 0 where
// nothing is left of one of them.
func Balanced(ways Ways) *Plugin {
	return ofResources("BalancedResourceAllocation", func(a amounts) int64 {
		cpu, memory := share(a.milliCPU, a.node.MilliCPU), share(a.memory, a.node.Memory)
		if cpu >= 1 || memory >= 1 {
			return 0
		}
		apart := math.Abs(cpu - memory)
		if ways.SharesAsFractions {
			return int64(Max - float64(apart*Max))
		}
		return int64((1 - apart) * Max)
	})
}

// amounts is what a node would have promised with the pod, and what it has.
type amounts struct {
	milliCPU, memory int64
	node             *cluster.Resources
}

// ofResources is a priority by what a node would have promised of CPU and memory.
func ofResources(name string, score func(amounts) int64) *Plugin {
	return Of(name, byNode{name, func(pod *cluster.Pod, node *cluster.Node) (int64, []trace.Evidence) {
		cpu, memory := demand(&pod.API.Spec)
		a := amounts{cpu + node.NonZeroCPU, memory + node.NonZeroMem, &node.Allocatable}
		return score(a), []trace.Evidence{
			{
				Topic: trace.OfResource, What: phrase.Text(corev1.ResourceCPU), Want: trace.MilliCPU(cpu),
				Used: trace.MilliCPU(node.NonZeroCPU), Capacity: trace.MilliCPU(node.Allocatable.MilliCPU),
			},
			{
				Topic: trace.OfResource, What: phrase.Text(corev1.ResourceMemory), Want: trace.Bytes(memory),
				Used: trace.Bytes(node.NonZeroMem), Capacity: trace.Bytes(node.Allocatable.Memory),
			},
		}
	}}, nil, nil)
}

// demand is what a pod counts for: each container without a request for the default; init containers do not count.
func demand(spec *corev1.PodSpec) (milliCPU, memory int64) {
	for i := range spec.Containers {
		requests := spec.Containers[i].Resources.Requests
		cpu, mem := cluster.DefaultMilliCPU, cluster.DefaultMemoryBytes
		if q, has := requests[corev1.ResourceCPU]; has {
			cpu = q.MilliValue()
		}
		if q, has := requests[corev1.ResourceMemory]; has {
			mem = q.Value()
		}
		milliCPU, memory = milliCPU+cpu, memory+mem
	}
	return milliCPU, memory
}

func unused(requested, capacity int64) int64 {
	if capacity == 0 || requested > capacity {
		return 0
	}
	return (capacity - requested) * Max / capacity
}

func used(requested, capacity int64) int64 {
	if capacity == 0 || requested > capacity {
		return 0
	}
	return requested * Max / capacity
}

func share(requested, capacity int64) float64 {
	if capacity == 0 {
		return 1
	}
	return float64(requested) / float64(capacity)
}

// ResourceLimits is ResourceLimitsPriority: 1 where the node has room for the pod's limit of CPU or of memory, whatever
// runs there.
func ResourceLimits() *Plugin {
	const name = "ResourceLimitsPriority"
	return Of(name, byNode{name, func(pod *cluster.Pod, node *cluster.Node) (int64, []trace.Evidence) {
		cpu, memory := limits(&pod.API.Spec)
		score := int64(0)
		if within(cpu, node.Allocatable.MilliCPU) || within(memory, node.Allocatable.Memory) {
			score = 1
		}
		return score, []trace.Evidence{
			{What: "limit of cpu", Want: trace.MilliCPU(cpu), Capacity: trace.MilliCPU(node.Allocatable.MilliCPU)},
			{What: "limit of memory", Want: trace.Bytes(memory), Capacity: trace.Bytes(node.Allocatable.Memory)},
		}
	}}, nil, nil)
}

// limits is the sum of the containers, or the largest init container if that is more.
func limits(spec *corev1.PodSpec) (milliCPU, memory int64) {
	for i := range spec.Containers {
		of := spec.Containers[i].Resources.Limits
		milliCPU, memory = milliCPU+of.Cpu().MilliValue(), memory+of.Memory().Value()
	}
	for i := range spec.InitContainers {
		of := spec.InitContainers[i].Resources.Limits
		milliCPU, memory = max(milliCPU, of.Cpu().MilliValue()), max(memory, of.Memory().Value())
	}
	return milliCPU, memory
}

func within(limit, capacity int64) bool { return limit != 0 && capacity != 0 && limit <= capacity }

// The sizes between which images count, in bytes.
const (
	smallImages = 23 * 1024 * 1024
	largeImages = 1000 * 1024 * 1024
)

// ImageLocality is ImageLocalityPriority: the size of the images of the pod's containers that the node has under
// exactly that name, from 23 MiB to 1000 MiB.
func ImageLocality() *Plugin {
	const name = "ImageLocalityPriority"
	return Of(name, byNode{name, func(pod *cluster.Pod, node *cluster.Node) (int64, []trace.Evidence) {
		sizes := map[string]int64{}
		for _, image := range node.API.Status.Images {
			for _, name := range image.Names {
				sizes[name] = image.SizeBytes
			}
		}
		sum := int64(0)
		for i := range pod.API.Spec.Containers {
			sum += sizes[pod.API.Spec.Containers[i].Image]
		}
		why := []trace.Evidence{{What: "images that are there", Have: trace.Bytes(sum)}}
		switch {
		case sum < smallImages:
			return 0, why
		case sum >= largeImages:
			return Max, why
		}
		return Max*(sum-smallImages)/(largeImages-smallImages) + 1, why
	}}, nil, nil)
}
