package cluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Reading decides how a release of kube-scheduler reads the objects of the API. The zero value is 1.37's.
type Reading struct {
	Requests Requests
	Unread   []Kind // kinds that it does not watch though this build does
	// NoClassForResource stops a DeviceClass from standing for an extended resource (without DRAExtendedResource;
	// eventhandlers.go keeps such classes from 1.34 on).
	NoClassForResource bool
	// Unseen are the kinds of update that the release does not distinguish. Where an update of a pod is only of such
	// kinds, its event has no kind; where that of a node is, there is no event.
	Unseen ActionType
	// NodeUpdateIsOneEvent reports only the first of the changes that one update of a node makes (1.29 and earlier,
	// eventhandlers.go, nodeSchedulingPropertiesChange).
	NodeUpdateIsOneEvent bool
	// SidecarPortsUncounted ignores the host ports of restartable init containers (1.32 and earlier,
	// framework/types.go, updateUsedPorts).
	SidecarPortsUncounted bool
	// ImageCountFixedAtUpdate counts how many nodes have an image when a node is added or updated, and keeps that
	// count until the next update of the node (1.19 and earlier, internal/cache/cache.go, createImageStateSummary).
	ImageCountFixedAtUpdate bool
	// AffinityFromAnnotation takes the affinity of a pod from its annotation where its spec has none (1.6,
	// schedulercache/reconcile_affinity.go, ReconcileAffinity).
	AffinityFromAnnotation bool
	// NodeListMadeEachCycle builds the list of nodes again for each cycle, so that it also follows a node that moved
	// to another zone (1.17 and earlier, internal/cache/cache.go, UpdateNodeInfoSnapshot).
	NodeListMadeEachCycle bool
	Unstored              Unstored // fields of pods that the API server drops
	// SeenPodStaysAssumed keeps an assumed pod as it was assumed, at its place among the pods of the node, when the
	// API shows the pod on that node; the next update of the pod replaces it (1.19 and earlier,
	// internal/cache/cache.go, AddPod).
	SeenPodStaysAssumed bool
}

// Unstored are the fields of a pod that the API server of a release does not store while the feature gate is off that
// they came with.
type Unstored struct{ Spread, PreemptionPolicy, Overhead bool }

// stored is the pod as the API server has it.
func (u *Unstored) stored(api *corev1.Pod) *corev1.Pod {
	has := &api.Spec
	spread := u.Spread && len(has.TopologySpreadConstraints) > 0
	policy := u.PreemptionPolicy && has.PreemptionPolicy != nil
	overhead := u.Overhead && has.Overhead != nil
	if !spread && !policy && !overhead {
		return api
	}
	pod := *api
	if spread {
		pod.Spec.TopologySpreadConstraints = nil
	}
	if policy {
		pod.Spec.PreemptionPolicy = nil
	}
	if overhead {
		pod.Spec.Overhead = nil
	}
	return &pod
}

// Requests decides what counts as the requests of a pod.
type Requests struct {
	Resize Resize
	// PodLevelRequestsUncounted ignores requests of the whole pod (without PodLevelResources).
	PodLevelRequestsUncounted bool
	// PodLevelStatusUncounted ignores what the status allocates where the spec has requests of the whole pod (without
	// InPlacePodLevelResourcesVerticalScaling).
	PodLevelStatusUncounted bool
	// PlacedInitUncounted leaves init containers out of what the pods of a node request, though a pod that is to be
	// placed needs room for its own (1.10 and earlier, schedulercache/node_info.go, calculateResource).
	PlacedInitUncounted bool
	// ExtendedUncounted ignores every resource but CPU, memory, GPUs and opaque integer resources (1.6,
	// schedulercache/node_info.go).
	ExtendedUncounted bool
	// SidecarDefaultsUncounted leaves restartable init containers out of the default requests that stand in for
	// missing ones (1.31 and earlier, framework/types.go, calculateResource).
	SidecarDefaultsUncounted bool
}

// Resize decides what counts of a pod whose containers are resized in place.
type Resize uint8

// The kinds of Resize.
const (
	LargestSum    Resize = iota // of what all containers are to get, have, and were promised, the largest sum (1.37)
	LargestOfEach               // the sum of the largest of each container (1.33 to 1.36)
	AsSpecified                 // the requests of the spec (without InPlacePodVerticalScaling)
)

// list is the pod's requests; each container without a request of fill has it added.
func (r Requests) list(api *corev1.Pod, fill corev1.ResourceList) corev1.ResourceList {
	if r.Resize == LargestOfEach {
		api = r.settled(api)
	}
	return resourcehelper.PodRequests(api, resourcehelper.PodResourcesOptions{
		UseStatusResources: r.Resize == LargestSum,
		InPlacePodLevelResourcesVerticalScalingEnabled: !r.PodLevelStatusUncounted,
		SkipPodLevelResources:                          r.PodLevelRequestsUncounted,
		NonMissingContainerRequests:                    fill,
	})
}

// settled is the pod as if its spec requested what counts of each container, and of the pod.
func (r Requests) settled(api *corev1.Pod) *corev1.Pod {
	statuses := slices.Concat(api.Status.ContainerStatuses, api.Status.InitContainerStatuses)
	podLevel := !r.PodLevelStatusUncounted && api.Status.Resources != nil && resourcehelper.IsPodLevelRequestsSet(api)
	resized := func(s corev1.ContainerStatus) bool { return s.Resources != nil }
	if !podLevel && !slices.ContainsFunc(statuses, resized) {
		return api
	}
	settled := *api
	stuck := resourcehelper.IsPodResizeInfeasible(api)
	settled.Spec.Containers = slices.Clone(api.Spec.Containers)
	for i := range settled.Spec.Containers {
		settle(&settled.Spec.Containers[i], statuses, stuck)
	}
	settled.Spec.InitContainers = slices.Clone(api.Spec.InitContainers)
	for i := range settled.Spec.InitContainers {
		c := &settled.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			settle(c, statuses, stuck)
		}
	}
	if !podLevel {
		return &settled
	}
	counts := largest(stuck, api.Spec.Resources.Requests, api.Status.Resources.Requests, api.Status.AllocatedResources)
	whole := corev1.ResourceList{}
	for name := range api.Spec.Resources.Requests {
		whole[name] = counts[name]
	}
	settled.Spec.Resources = &corev1.ResourceRequirements{Requests: whole, Limits: api.Spec.Resources.Limits}
	return &settled
}

// settle sets the requests of a container to what counts of it. The last status of its name holds what it has.
func settle(c *corev1.Container, statuses []corev1.ContainerStatus, stuck bool) {
	for i := len(statuses) - 1; i >= 0; i-- {
		s := &statuses[i]
		if s.Name != c.Name {
			continue
		}
		if s.Resources != nil {
			c.Resources.Requests = largest(stuck, c.Resources.Requests, s.Resources.Requests, s.AllocatedResources)
		}
		return
	}
}

// largest has the largest amount of each resource; what is wanted does not count while it is stuck.
func largest(stuck bool, wanted, has, promised corev1.ResourceList) corev1.ResourceList {
	all := corev1.ResourceList{}
	lists := []corev1.ResourceList{has, promised, wanted}
	if stuck {
		lists = lists[:2]
	}
	for _, list := range lists {
		for name, q := range list {
			if known, is := all[name]; !is || q.Cmp(known) > 0 {
				all[name] = q
			}
		}
	}
	return all
}

// counted is the pod as far as its containers count where only regular ones do.
func (r Requests) counted(api *corev1.Pod) *corev1.Pod {
	if !r.PlacedInitUncounted || len(api.Spec.InitContainers) == 0 {
		return api
	}
	main := *api
	main.Spec.InitContainers = nil
	return &main
}

// known is an amount without the resources that do not count.
func (r Requests) known(all Resources) Resources {
	if !r.ExtendedUncounted {
		return all
	}
	all.EphemeralStorage = 0
	all.Scalars = slices.DeleteFunc(all.Scalars, func(s Scalar) bool {
		return s.Name != nvidiaGPU && !strings.HasPrefix(string(s.Name), opaquePrefix)
	})
	return all
}

// The resources that had a name for each, or a prefix, before there were extended ones.
const (
	nvidiaGPU    corev1.ResourceName = "alpha.kubernetes.io/nvidia-gpu"
	opaquePrefix string              = "pod.alpha.kubernetes.io/opaque-int-resource-"
)

// SpecRequests is what the pod's spec requests; its status does not count.
func (p *Pod) SpecRequests() Resources {
	status := &p.API.Status
	if len(status.ContainerStatuses) == 0 && len(status.InitContainerStatuses) == 0 && status.Resources == nil &&
		status.AllocatedResources == nil && !resourcehelper.IsPodResizeInfeasible(p.API) &&
		p.reading.Requests.counted(p.API) == p.API {
		return p.Requests
	}
	return p.reading.Requests.known(ResourcesOf(resourcehelper.PodRequests(
		p.API, resourcehelper.PodResourcesOptions{SkipPodLevelResources: p.reading.Requests.PodLevelRequestsUncounted},
	)))
}
