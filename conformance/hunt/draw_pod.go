package hunt

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod draws one that waits to be placed, as the API server stores it.
func (d *drawer) pod(name string) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: d.labels()},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, RestartPolicy: corev1.RestartPolicyAlways,
			Containers: []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(d.cpu())},
			}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	if d.with("memory", 50) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse(pick(d, "500Mi", "1Gi", "2Gi"))
	}
	if d.with("lifetime", 40) {
		p.Annotations = map[string]string{lifetime: fmt.Sprint(d.between(1, 30))}
	}
	if d.with("grace", 50) {
		grace := int64(pick(d, 0, 1, 5, 20))
		p.Spec.TerminationGracePeriodSeconds = &grace
	}
	if d.has("priority") {
		priority := int32(d.IntN(3) * 10) //nolint:gosec // small
		p.Spec.Priority = &priority
		if d.with("never", 30) {
			never := corev1.PreemptNever
			p.Spec.PreemptionPolicy = &never
		}
	}
	if d.with("gate", 30) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	if d.with("ports", 50) {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80, Protocol: corev1.ProtocolTCP}}
	}
	d.where(p)
	return p
}

func (d *drawer) cpu() string {
	if d.has("size") {
		return pick(d, "100m", "500m", "1", "2", "3")
	}
	return pick(d, "500m", "1", "1")
}

// where draws on which nodes it may be.
func (d *drawer) where(p *corev1.Pod) {
	if d.with("selector", 50) {
		p.Spec.NodeSelector = map[string]string{"disk": pick(d, "ssd", "hdd")}
	}
	if d.with("taint", 40) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	}
	if d.with("anti", 40) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: d.terms(),
		}}
	}
	if d.with("affinity", 30) {
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &corev1.Affinity{}
		}
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: d.terms()}
	}
	if d.with("spread", 50) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: int32(pick(d, 1, 1, 2)), WhenUnsatisfiable: corev1.DoNotSchedule, //nolint:gosec // small
			TopologyKey:   pick(d, corev1.LabelHostname, corev1.LabelTopologyZone),
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}},
		}}
	}
}

func (d *drawer) terms() []corev1.PodAffinityTerm {
	return []corev1.PodAffinityTerm{{
		TopologyKey:   pick(d, corev1.LabelHostname, corev1.LabelTopologyZone),
		LabelSelector: &metav1.LabelSelector{MatchLabels: d.labels()},
	}}
}
