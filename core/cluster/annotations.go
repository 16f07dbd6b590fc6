package cluster

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
)

// affinityAnnotation is where pods had their affinity before 1.6.
const affinityAnnotation = "scheduler.alpha.kubernetes.io/affinity"

// annotated is a pod with the affinity of its annotation, where that counts: each of the three kinds as far as the spec
// has none. One that cannot be read counts for nothing (ReconcileAffinity, 1.6).
func (r *Reading) annotated(api *corev1.Pod) *corev1.Pod {
	text := api.Annotations[affinityAnnotation]
	if !r.AffinityFromAnnotation || text == "" {
		return api
	}
	noted := new(corev1.Affinity)
	if err := json.Unmarshal([]byte(text), noted); err != nil {
		return api
	}
	if own := api.Spec.Affinity; own != nil {
		if own.NodeAffinity != nil {
			noted.NodeAffinity = own.NodeAffinity
		}
		if own.PodAffinity != nil {
			noted.PodAffinity = own.PodAffinity
		}
		if own.PodAntiAffinity != nil {
			noted.PodAntiAffinity = own.PodAntiAffinity
		}
	}
	pod := *api
	pod.Spec.Affinity = noted
	return &pod
}
