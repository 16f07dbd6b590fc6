package cluster

import corev1 "k8s.io/api/core/v1"

// countedApart is the CPU and the memory that a pod counts for on its node, with the defaults for containers without
// a request: all containers together, or the init container that needs most, with the restartable ones before it
// (calculateResource, 1.31, which counts those nowhere else).
func countedApart(spec *corev1.PodSpec) (cpu, memory int64) {
	for i := range spec.Containers {
		c, m := orDefaults(spec.Containers[i].Resources.Requests)
		cpu, memory = cpu+c, memory+m
	}
	staying := corev1.ResourceList{}
	for i := range spec.InitContainers {
		init := &spec.InitContainers[i]
		together := staying.DeepCopy()
		for name, q := range init.Resources.Requests {
			sum := together[name]
			sum.Add(q)
			together[name] = sum
		}
		if init.RestartPolicy != nil && *init.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			staying = together
		}
		c, m := orDefaults(together)
		cpu, memory = max(cpu, c), max(memory, m)
	}
	return cpu + spec.Overhead.Cpu().MilliValue(), memory + spec.Overhead.Memory().Value()
}

// orDefaults is the CPU and the memory that are requested, each with its default where it is not named.
func orDefaults(requests corev1.ResourceList) (cpu, memory int64) {
	cpu, memory = DefaultMilliCPU, DefaultMemoryBytes
	if q, named := requests[corev1.ResourceCPU]; named {
		cpu = q.MilliValue()
	}
	if q, named := requests[corev1.ResourceMemory]; named {
		memory = q.Value()
	}
	return cpu, memory
}
