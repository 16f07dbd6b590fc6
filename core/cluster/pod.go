package cluster

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/schedstep/schedstep/core/trace"
)

// What a container that names no request counts for when nodes are scored (pkg/scheduler/util, 1.37).
const (
	DefaultMilliCPU    int64 = 100               // millicores
	DefaultMemoryBytes int64 = 200 * 1024 * 1024 // bytes
)

// Pod is a pod parsed once. It is never changed after it was made: a pod that changes is another Pod.
type Pod struct {
	API *corev1.Pod // read only

	Key       string // namespace/name
	Priority  int32
	NodeName  string // where it is, or is assumed to be; empty while unscheduled
	Nominated string // status.nominatedNodeName
	Group     string // key of the PodGroup it names; empty: none
	Labels    *LabelSet
	Affinity  *AffinitySet // nil without affinity or anti-affinity to pods

	Requests   Resources // init and sidecar rules, overhead, pod-level resources, in-place resize
	NonZeroCPU int64     // millicores, counting DefaultMilliCPU for each container without a request
	NonZeroMem int64     // bytes, likewise

	Ports  []HostPort
	Claims []ClaimUse       // in the order of spec.volumes; a claim used twice is in it twice
	Disks  []*corev1.Volume // disks that the pod names itself, of kinds that exist outside the node

	RequiredAffinity      []AffinityTerm
	RequiredAntiAffinity  []AffinityTerm
	PreferredAffinity     []WeightedAffinityTerm
	PreferredAntiAffinity []WeightedAffinityTerm
	HasAffinity           bool // has affinity or anti-affinity to other pods, be it empty

	NodeSelection     nodeaffinity.RequiredNodeAffinity      // nodeSelector and required node affinity
	PreferredNodes    *nodeaffinity.PreferredSchedulingTerms // nil when there are none
	PreferredNodesErr error                                  // a preferred term that cannot be parsed

	reading *Reading // of the State that parsed it
}

// LabelSet is a namespace and a set of labels, shared by every pod that has exactly these. A selector is evaluated once
// for a set and not once for a pod.
type LabelSet struct {
	ID        int32 // dense from 0, in order of first appearance
	Namespace string
	Labels    labels.Set

	namespace int32 // its number in whereabouts
}

// Namespace of the pod.
func (p *Pod) Namespace() string { return p.API.Namespace }

// Name of the pod.
func (p *Pod) Name() string { return p.API.Name }

// UID of the pod; its key when it has none, as in hand-written manifests.
func (p *Pod) UID() string { return UID(p.API) }

// UID of a pod; namespace/name when it has none, as in hand-written manifests.
func UID(p *corev1.Pod) string {
	if p.UID == "" {
		return p.Namespace + "/" + p.Name
	}
	return string(p.UID)
}

// Terminating reports whether the pod is being deleted; it still holds its resources.
func (p *Pod) Terminating() bool { return p.API.DeletionTimestamp != nil }

// Finished reports whether the pod holds no resources any more: Succeeded or Failed.
func Finished(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// StartTime is status.startTime; the zero time when it did not start.
func (p *Pod) StartTime() time.Time {
	if p.API.Status.StartTime == nil {
		return time.Time{}
	}
	return p.API.Status.StartTime.Time
}

// Entity names the pod in facts.
func (p *Pod) Entity() trace.Entity {
	return trace.Entity{
		Type: trace.KindPod, Namespace: p.API.Namespace, Name: p.API.Name, UID: p.UID(), Priority: p.Priority,
	}
}

// On is the pod as it would be on a node: assumed or bound there.
func (p *Pod) On(node string) *Pod {
	there := p.again()
	there.API.Spec.NodeName, there.NodeName = node, node
	return there
}

// Nominate is the pod with another status.nominatedNodeName.
func (p *Pod) Nominate(node string) *Pod {
	nominated := p.again()
	nominated.API.Status.NominatedNodeName, nominated.Nominated = node, node
	return nominated
}

// again is a copy of the pod whose own fields may be written, and those of its API object.
func (p *Pod) again() *Pod {
	api, again := *p.API, *p
	again.API = &api
	return &again
}

// parsePod makes a Pod; set must be the LabelSet of its namespace and labels, affinity its AffinitySet.
func parsePod(api *corev1.Pod, set *LabelSet, affinity *AffinitySet, reading *Reading) *Pod {
	p := &Pod{
		reading: reading,
		API:     api, Key: api.Namespace + "/" + api.Name, Priority: corev1helpers.PodPriority(api),
		NodeName: api.Spec.NodeName, Nominated: api.Status.NominatedNodeName,
		Labels: set, Affinity: affinity, Ports: reading.hostPorts(&api.Spec),
	}
	p.Group = groupKey(api)
	p.parseVolumes()
	p.parseRequests()
	p.parseAffinity()
	return p
}

func (p *Pod) parseRequests() {
	api := p.reading.Requests.counted(p.API)
	requests := p.reading.Requests.list(api, nil)
	p.Requests = p.reading.Requests.known(ResourcesOf(requests))
	p.Requests.Pods = 0

	if p.reading.Requests.SidecarDefaultsUncounted {
		p.NonZeroCPU, p.NonZeroMem = countedApart(&api.Spec)
		return
	}
	fill := corev1.ResourceList{}
	podLevel := !p.reading.Requests.PodLevelRequestsUncounted && resourcehelper.IsPodLevelRequestsSet(api)
	if _, has := requests[corev1.ResourceCPU]; !has || !podLevel {
		fill[corev1.ResourceCPU] = *resource.NewMilliQuantity(DefaultMilliCPU, resource.DecimalSI)
	}
	if _, has := requests[corev1.ResourceMemory]; !has || !podLevel {
		fill[corev1.ResourceMemory] = *resource.NewQuantity(DefaultMemoryBytes, resource.DecimalSI)
	}
	if len(fill) == 0 || everyContainerAsks(api) {
		p.NonZeroCPU, p.NonZeroMem = p.Requests.MilliCPU, p.Requests.Memory
		return
	}
	nonZero := p.reading.Requests.list(api, fill)
	p.NonZeroCPU = nonZero.Cpu().MilliValue()
	p.NonZeroMem = nonZero.Memory().Value()
}

// everyContainerAsks reports whether nothing has to be filled in: no container lacks a CPU or memory request, neither
// in the spec nor where the status replaces it. While a resize is infeasible the spec does not count.
func everyContainerAsks(api *corev1.Pod) bool {
	asks := func(cs []corev1.Container) bool {
		for i := range cs {
			if !asksBoth(cs[i].Resources.Requests) {
				return false
			}
		}
		return true
	}
	reports := func(cs []corev1.ContainerStatus) bool {
		for i := range cs {
			c := &cs[i]
			if c.AllocatedResources != nil && !asksBoth(c.AllocatedResources) ||
				c.Resources != nil && c.Resources.Requests != nil && !asksBoth(c.Resources.Requests) {
				return false
			}
		}
		return true
	}
	return !resourcehelper.IsPodResizeInfeasible(api) && asks(api.Spec.Containers) && asks(api.Spec.InitContainers) &&
		reports(api.Status.ContainerStatuses) && reports(api.Status.InitContainerStatuses)
}

// asksBoth reports whether CPU and memory are listed, also with 0.
func asksBoth(requests corev1.ResourceList) bool {
	_, cpu := requests[corev1.ResourceCPU]
	_, memory := requests[corev1.ResourceMemory]
	return cpu && memory
}

func (p *Pod) parseAffinity() {
	spec := &p.API.Spec
	p.NodeSelection = nodeaffinity.GetRequiredNodeAffinity(p.API)
	a := spec.Affinity
	if a == nil {
		return
	}
	if a.NodeAffinity != nil && len(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		p.PreferredNodes, p.PreferredNodesErr = nodeaffinity.NewPreferredSchedulingTerms(
			a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
		)
	}
	if set := p.Affinity; set != nil {
		p.HasAffinity = true
		p.RequiredAffinity, p.RequiredAntiAffinity = set.RequiredAffinity, set.RequiredAntiAffinity
		p.PreferredAffinity, p.PreferredAntiAffinity = set.PreferredAffinity, set.PreferredAntiAffinity
	}
}
