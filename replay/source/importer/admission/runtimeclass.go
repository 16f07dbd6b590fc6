package admission

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// setRuntime adds what a runtime costs and where it runs (RuntimeClass, 1.37).
func (a *admission) setRuntime(pod *corev1.Pod) (*nodev1.RuntimeClass, error) {
	if pod.Spec.RuntimeClassName == nil {
		return nil, nil
	}
	at := slices.IndexFunc(a.runtimes, func(r *nodev1.RuntimeClass) bool { return r.Name == *pod.Spec.RuntimeClassName })
	if at < 0 {
		return nil, refusal{
			what:  fmt.Sprintf("pod rejected: RuntimeClass %q not found", *pod.Spec.RuntimeClassName),
			right: "add the RuntimeClass to the input",
		}
	}
	runtime := a.runtimes[at]
	if runtime.Overhead != nil {
		if len(pod.Spec.Overhead) > 0 && !apiequality.Semantic.DeepEqual(runtime.Overhead.PodFixed, pod.Spec.Overhead) {
			return nil, refusal{what: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"}
		}
		pod.Spec.Overhead = runtime.Overhead.PodFixed.DeepCopy()
	}
	if runtime.Scheduling == nil {
		return runtime, nil
	}
	for _, key := range slices.Sorted(maps.Keys(runtime.Scheduling.NodeSelector)) {
		value := runtime.Scheduling.NodeSelector[key]
		if own, has := pod.Spec.NodeSelector[key]; has && own != value {
			return nil, refusal{what: fmt.Sprintf(
				"conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, value,
				key, own,
			)}
		}
		if pod.Spec.NodeSelector == nil {
			pod.Spec.NodeSelector = map[string]string{}
		}
		pod.Spec.NodeSelector[key] = value
	}
	for _, t := range runtime.Scheduling.Tolerations {
		if !slices.ContainsFunc(pod.Spec.Tolerations, func(own corev1.Toleration) bool {
			return apiequality.Semantic.DeepEqual(own, t)
		}) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
		}
	}
	return runtime, nil
}

func checkOverhead(pod *corev1.Pod, runtime *nodev1.RuntimeClass) error {
	if pod.Spec.Overhead != nil && (runtime == nil || runtime.Overhead == nil) {
		return refusal{what: "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"}
	}
	return nil
}
