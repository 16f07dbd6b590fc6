package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	helpers "k8s.io/component-helpers/resource"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// setPodDefaults is what decoding a pod does in an API server.
func setPodDefaults(pod *corev1.Pod) {
	spec := &pod.Spec
	if spec.SchedulerName == "" {
		spec.SchedulerName = corev1.DefaultSchedulerName
	}
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.TerminationGracePeriodSeconds == nil {
		spec.TerminationGracePeriodSeconds = ptr.To(int64(corev1.DefaultTerminationGracePeriodSeconds))
	} else if *spec.TerminationGracePeriodSeconds < 0 {
		spec.TerminationGracePeriodSeconds = ptr.To(int64(1))
	}
	for _, c := range containers(pod) {
		roundUp(c.Resources.Limits)
		roundUp(c.Resources.Requests)
		c.Resources.Requests = filled(c.Resources.Requests, c.Resources.Limits)
		for i := range c.Ports {
			if c.Ports[i].Protocol == "" {
				c.Ports[i].Protocol = corev1.ProtocolTCP
			}
			if spec.HostNetwork && c.Ports[i].HostPort == 0 {
				c.Ports[i].HostPort = c.Ports[i].ContainerPort
			}
		}
	}
	roundUp(spec.Overhead)
	if spec.Resources != nil {
		roundUp(spec.Resources.Limits)
		roundUp(spec.Resources.Requests)
	}
}

// containers lists containers and init containers, to be changed in place.
func containers(pod *corev1.Pod) []*corev1.Container {
	list := make([]*corev1.Container, 0, len(pod.Spec.Containers)+len(pod.Spec.InitContainers))
	for i := range pod.Spec.Containers {
		list = append(list, &pod.Spec.Containers[i])
	}
	for i := range pod.Spec.InitContainers {
		list = append(list, &pod.Spec.InitContainers[i])
	}
	return list
}

// roundUp rounds to thousandths, the finest an API server keeps.
func roundUp(list corev1.ResourceList) {
	for name, quantity := range list {
		if quantity.RoundUp(resource.Milli) {
			continue
		}
		list[name] = quantity
	}
}

// filled adds to a list what it lacks of another. A list stays nil if there is nothing to add.
func filled(list, from corev1.ResourceList) corev1.ResourceList {
	for name, quantity := range from {
		if _, has := list[name]; has {
			continue
		}
		if list == nil {
			list = corev1.ResourceList{}
		}
		list[name] = quantity.DeepCopy()
	}
	return list
}

// fillPodResources completes resources of the pod as a whole (the pod's strategy, 1.37): hugepage limits, then
// requests, then limits, each from what the containers request.
func fillPodResources(pod *corev1.Pod) {
	own := pod.Spec.Resources
	if own == nil || len(own.Requests) == 0 && len(own.Limits) == 0 {
		return
	}
	bare := &corev1.Pod{Spec: corev1.PodSpec{Containers: pod.Spec.Containers, InitContainers: pod.Spec.InitContainers}}
	limits := helpers.AggregateContainerLimits(bare, helpers.PodResourcesOptions{})
	hugepages := corev1.ResourceList{}
	for name, quantity := range limits {
		if _, asked := own.Requests[name]; !asked && isHugePage(name) {
			hugepages[name] = quantity
		}
	}
	own.Limits = filled(own.Limits, hugepages)
	requests := corev1.ResourceList{}
	for name, quantity := range helpers.AggregateContainerRequests(bare, helpers.PodResourcesOptions{}) {
		if helpers.IsSupportedPodLevelResource(name) && mayOvercommit(name) {
			requests[name] = quantity
		}
	}
	own.Requests = filled(own.Requests, requests)
	own.Requests = filled(own.Requests, supported(own.Limits))
	for name, request := range own.Requests {
		limit, limited := limits[name]
		if _, has := own.Limits[name]; has || !limited || !everyContainerLimits(pod, name) ||
			!helpers.IsSupportedPodLevelResource(name) {
			continue
		}
		if request.Cmp(limit) > 0 {
			limit = request
		}
		own.Limits = filled(own.Limits, corev1.ResourceList{name: limit})
	}
}

func supported(list corev1.ResourceList) corev1.ResourceList {
	kept := corev1.ResourceList{}
	for name, quantity := range list {
		if helpers.IsSupportedPodLevelResource(name) {
			kept[name] = quantity
		}
	}
	return kept
}

func everyContainerLimits(pod *corev1.Pod, name corev1.ResourceName) bool {
	return !slices.ContainsFunc(containers(pod), func(c *corev1.Container) bool {
		_, has := c.Resources.Limits[name]
		return !has
	})
}

func isHugePage(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// mayOvercommit reports whether requests may be below limits: for the kernel's own resources other than huge pages.
func mayOvercommit(name corev1.ResourceName) bool {
	native := !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
	return native && !isHugePage(name)
}

// checkRequests is the part of validation that defaults of limit ranges run into: a request above its limit.
func checkRequests(pod *corev1.Pod) error {
	for i := range pod.Spec.Containers {
		if err := checkContainer(&pod.Spec.Containers[i], fmt.Sprintf("spec.containers[%d]", i)); err != nil {
			return err
		}
	}
	for i := range pod.Spec.InitContainers {
		if err := checkContainer(&pod.Spec.InitContainers[i], fmt.Sprintf("spec.initContainers[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// checkPodResources holds the resources of the pod as a whole to those of its containers
// (validatePodResourceConsistency in pkg/apis/core/validation, 1.37): the pod requests as much as its containers, and
// no container has a limit above that of the pod.
func checkPodResources(pod *corev1.Pod) error {
	own := pod.Spec.Resources
	if own == nil {
		return nil
	}
	bare := &corev1.Pod{Spec: corev1.PodSpec{Containers: pod.Spec.Containers, InitContainers: pod.Spec.InitContainers}}
	if err := atLeast(
		"requests", own.Requests, helpers.AggregateContainerRequests(bare, helpers.PodResourcesOptions{}),
	); err != nil {
		return err
	}
	hugepages := helpers.AggregateContainerLimits(bare, helpers.PodResourcesOptions{})
	for name := range hugepages {
		if !isHugePage(name) {
			delete(hugepages, name)
		}
	}
	if err := atLeast("limits", own.Limits, hugepages); err != nil {
		return err
	}
	for i := range pod.Spec.Containers {
		limits := pod.Spec.Containers[i].Resources.Limits
		for _, name := range slices.Sorted(maps.Keys(limits)) {
			limit, most := limits[name], own.Limits[name]
			if _, has := own.Limits[name]; has && limit.Cmp(most) > 0 {
				return phrase.Errorf(
					"spec.resources.containers[%d][%s].limits: Invalid value: %q: must be less than or equal to pod limits of %s", i,
					name, limit.String(), most.String(),
				)
			}
		}
	}
	return nil
}

// atLeast compares what a pod requests as a whole with what its containers request together.
func atLeast(what string, whole, together corev1.ResourceList) error {
	for _, name := range slices.Sorted(maps.Keys(together)) {
		sum, own := together[name], whole[name]
		if _, has := whole[name]; has && sum.Cmp(own) > 0 {
			return refusal{
				what: fmt.Sprintf(
					"spec.resources.%s[%s]: Invalid value: %q: must be greater than or equal to aggregate container %s of %s",
					what, name, own.String(), what, sum.String(),
				),
				right: phrase.Textf("set %s of the pod to %s or more, or leave it out", name, sum.String()),
			}
		}
	}
	return nil
}

func checkContainer(c *corev1.Container, path string) error {
	for _, name := range slices.Sorted(maps.Keys(c.Resources.Requests)) {
		request := c.Resources.Requests[name]
		limit, has := c.Resources.Limits[name]
		switch {
		case has && mayOvercommit(name) && request.Cmp(limit) > 0:
			return phrase.Errorf(
				"%s.resources.requests: Invalid value: %q: must be less than or equal to %s limit of %s", path,
				request.String(), name, limit.String(),
			)
		case has && !mayOvercommit(name) && request.Cmp(limit) != 0:
			return phrase.Errorf(
				"%s.resources.requests: Invalid value: %q: must be equal to %s limit of %s", path, request.String(),
				name, limit.String(),
			)
		case !has && !mayOvercommit(name):
			return phrase.Errorf("%s.resources.limits: Required value: Limit must be set for non overcommitable resources", path)
		}
	}
	return nil
}
