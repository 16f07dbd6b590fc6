package scenario

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// containerWords are the words for what a pod requests beyond its first container.
func containerWords() []word[corev1.Pod] {
	return []word[corev1.Pod]{
		{
			name: "container", value: "RESOURCE=QUANTITY,...", does: "A further container with these requests.",
			many: true, clear: func(p *corev1.Pod) { p.Spec.Containers = p.Spec.Containers[:1] }, read: moreContainers,
		},
		{
			name: "init", value: "RESOURCE=QUANTITY,...",
			does: "An init container; `init` and `sidecar` run in the order they are written.", many: true,
			read: initContainer,
		},
		{
			name: "sidecar", value: "RESOURCE=QUANTITY,...", does: "An init container that is restarted, and so stays.",
			many: true, read: sidecar,
		},
		{
			name: "init-image", value: "NAME", does: "An init container that asks for nothing, with this image.",
			many: true, read: initImage,
		},
		{
			name: "overhead", value: "RESOURCE=QUANTITY,...",
			does: "What the sandbox costs; it needs no RuntimeClass here.", late: true, read: podOverhead,
		},
		{name: "pod-level", value: "RESOURCE=QUANTITY,...", does: "Requests of the pod as a whole.", read: podLevel},
		{
			name: "actual", value: "RESOURCE=QUANTITY,...",
			does: "What the kubelet says the first container has now, while a resize is under way.", late: true,
			read: podActual,
		},
		{
			name: "resize", value: "STATE", does: "Infeasible or Deferred: what the kubelet says of a resize.",
			late: true, read: podResize,
		},
	}
}

func moreContainers(v string) (func(*corev1.Pod), error) {
	requests, err := resourceList(v)
	return func(p *corev1.Pod) {
		name := "more-" + strconv.Itoa(len(p.Spec.Containers))
		p.Spec.Containers = append(
			p.Spec.Containers, corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: requests}},
		)
	}, err
}

func initContainer(v string) (func(*corev1.Pod), error) {
	requests, err := resourceList(v)
	return func(p *corev1.Pod) {
		addInit(p, corev1.Container{Resources: corev1.ResourceRequirements{Requests: requests}})
	}, err
}

func sidecar(v string) (func(*corev1.Pod), error) {
	requests, err := resourceList(v)
	return func(p *corev1.Pod) {
		addInit(p, corev1.Container{
			RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways),
			Resources:     corev1.ResourceRequirements{Requests: requests},
		})
	}, err
}

func initImage(v string) (func(*corev1.Pod), error) {
	return func(p *corev1.Pod) { addInit(p, corev1.Container{Image: v}) }, nil
}

func addInit(p *corev1.Pod, c corev1.Container) {
	c.Name = "init-" + strconv.Itoa(len(p.Spec.InitContainers))
	p.Spec.InitContainers = append(p.Spec.InitContainers, c)
}

func podOverhead(v string) (func(*corev1.Pod), error) {
	list, err := resourceList(v)
	return func(p *corev1.Pod) { p.Spec.Overhead = list }, err
}

func podLevel(v string) (func(*corev1.Pod), error) {
	list, err := resourceList(v)
	return func(p *corev1.Pod) { p.Spec.Resources = &corev1.ResourceRequirements{Requests: list} }, err
}

func podActual(v string) (func(*corev1.Pod), error) {
	list, err := resourceList(v)
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: p.Spec.Containers[0].Name, AllocatedResources: list, Resources: &corev1.ResourceRequirements{Requests: list},
		}}
	}, err
}

func podResize(v string) (func(*corev1.Pod), error) {
	if v != corev1.PodReasonInfeasible && v != corev1.PodReasonDeferred {
		return nil, phrase.Errorf("%q is nothing a kubelet says (want Infeasible or Deferred)", v)
	}
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: v,
		})
	}, nil
}
