package request

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/schedstep/schedstep/core/cluster"
)

// allowedResize is why the API server refuses a resize; nil: it does not. Cpu and memory of containers may change, the
// quality of service may not (pkg/apis/core/validation, ValidatePodResize, 1.37). Pods with requests of their own,
// beside those of their containers, are left alone.
func allowedResize(before, after cluster.Object) *Refused {
	was, isPod := before.(*corev1.Pod)
	now, is := after.(*corev1.Pod)
	switch {
	case !isPod || !is:
		return &Refused{Code: notFound, Message: "the server could not find the requested resource"}
	case was.Annotations[corev1.MirrorPodAnnotationKey] != "":
		return refusal(now, "Pod", "Forbidden: static pods cannot be resized")
	case was.Spec.OS != nil && was.Spec.OS.Name == corev1.Windows:
		return refusal(now, "Pod", "Forbidden: windows pods cannot be resized")
	case was.Spec.Resources != nil:
		return refusal(now, "Pod", "Forbidden: pods with pod-level resources are not resized here")
	case qualityOf(was) != qualityOf(now):
		return refusal(now, "Pod", "spec: Invalid value: %q: Pod QOS Class may not change as a result of resizing",
			string(qualityOf(now)))
	}
	same := now.Spec.DeepCopy()
	for i := range same.Containers {
		if i >= len(was.Spec.Containers) {
			break
		}
		mine, other := &same.Containers[i].Resources, &was.Spec.Containers[i].Resources
		for _, lists := range [][2]corev1.ResourceList{{mine.Requests, other.Requests}, {mine.Limits, other.Limits}} {
			for name, amount := range lists[1] {
				if _, kept := lists[0][name]; !kept {
					return refusal(now, "Pod", "spec.containers[%d].resources: Forbidden: resource requests cannot be removed", i)
				}
				if name == corev1.ResourceCPU || name == corev1.ResourceMemory {
					lists[0][name] = amount
				}
			}
		}
	}
	if !equality.Semantic.DeepEqual(*same, was.Spec) {
		return refusal(now, "Pod", "spec: Forbidden: only cpu and memory resources are mutable")
	}
	return nil
}

// qualityOf is the class of quality of service that an API server gives a pod by the cpu and memory of its containers
// (pkg/apis/core/helper/qos, ComputePodQOS, 1.37).
func qualityOf(p *corev1.Pod) corev1.PodQOSClass {
	guaranteed, some := true, false
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			some = some || !request.IsZero() || !limit.IsZero()
			guaranteed = guaranteed && !limit.IsZero() && request.Cmp(limit) == 0
		}
	}
	switch {
	case !some:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}
