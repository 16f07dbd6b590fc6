package dynamicresources

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// specialName is what the claim for a pod's extended resources is called until it is written; no claim of the API
// server can be called so.
const specialName = "<extended-resources>"

// isUnwritten reports whether a special claim exists only in memory.
func isUnwritten(claim *resourcev1.ResourceClaim) bool { return claim.Name == specialName }

// isForDevices reports whether a DeviceClass may stand for the resource.
func isForDevices(name corev1.ResourceName) bool {
	return cluster.IsExtended(name) || strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix)
}

// specialClaim is the claim for a pod's extended resources that a DeviceClass stands for: the one an earlier attempt
// wrote, else an empty one. nil when the pod has no such resource.
func specialClaim(pod *corev1.Pod, known *cluster.Objects) *resourcev1.ResourceClaim {
	if known.DeviceClasses.Len() == 0 {
		return nil
	}
	backed := false
	for _, s := range scalarsOf(pod) {
		backed = backed || known.DeviceClassFor(s.Name) != nil
	}
	if !backed {
		return nil
	}
	if written := writtenSpecial(pod, known); written != nil {
		return written
	}
	controller := true
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: pod.Namespace, Name: specialName, GenerateName: pod.Name + "-extended-resources-",
		UID:         types.UID(specialName + cluster.UID(pod)),
		Annotations: map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
		OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &controller},
		},
	}}
}

// scalarsOf is what a pod's spec requests of resources that a DeviceClass may stand for, by name and without zeros.
func scalarsOf(pod *corev1.Pod) []cluster.Scalar {
	requests := cluster.ResourcesOf(resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}))
	return slices.DeleteFunc(requests.Scalars, func(s cluster.Scalar) bool {
		return s.Value == 0 || !isForDevices(s.Name)
	})
}

// writtenSpecial is the special claim of a pod that the API server has; nil when there is none.
func writtenSpecial(pod *corev1.Pod, known *cluster.Objects) *resourcev1.ResourceClaim {
	var found *resourcev1.ResourceClaim
	known.ResourceClaims.EachIn(pod.Namespace, func(claim *resourcev1.ResourceClaim) bool {
		if claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] != "true" {
			return true
		}
		for i := range claim.OwnerReferences {
			o := &claim.OwnerReferences[i]
			if o.Name == pod.Name && o.Controller != nil && *o.Controller && o.UID == pod.UID {
				found = claim
			}
		}
		return found == nil
	})
	return found
}

// specialNeeds is the special claim as one kind of nodes needs it: those that have no device plugin for the same
// resources.
type specialNeeds struct {
	resources []corev1.ResourceName
	claim     *resourcev1.ResourceClaim
	mappings  []corev1.ContainerExtendedResourceRequest // which container's resource comes out of which request
}

// specialOn is what the node needs of the special claim; nil when there is no such claim, or when device plugins
// of the node serve all of it and the pod has no other.
func (c *check) specialOn(node *cluster.Node) (*specialNeeds, trace.Verdict) {
	if c.special == nil {
		return nil, trace.Verdict{}
	}
	if c.special.Spec.Devices.Requests != nil {
		return nil, rejected(ReasonStale, trace.Evidence{
			What: phrase.Textf("claim %s", cluster.Key(c.special)), Have: trace.Words("left over from an earlier attempt"),
		})
	}
	if c.scalars == nil {
		c.scalars = scalarsOf(c.pod.API)
	}
	var resources []corev1.ResourceName
	for _, s := range c.scalars {
		switch backed := c.objects.DeviceClassFor(s.Name) != nil; {
		case backed && node.Allocatable.Scalar(s.Name) == 0:
			resources = append(resources, s.Name)
		case !node.Allocatable.HasScalar(s.Name):
			return nil, rejected(reasonNoResource, trace.Evidence{
				Topic: trace.OfResource, What: phrase.Text(s.Name), Want: trace.Count(s.Value), Have: trace.Count(0),
			})
		}
	}
	if len(c.needs) == 1 && len(resources) == 0 {
		return nil, trace.Verdict{}
	}
	for _, known := range c.kinds {
		if slices.Equal(known.resources, resources) {
			return known, trace.Verdict{}
		}
	}
	kind := c.kindOf(resources)
	c.kinds = append(c.kinds, kind)
	return kind, trace.Verdict{}
}

func (c *check) kindOf(resources []corev1.ResourceName) *specialNeeds {
	kind := &specialNeeds{resources: resources, claim: c.special.DeepCopy()}
	for _, name := range resources {
		r := newRequester(c.pod.API, name, c.objects.DeviceClassFor(name).Name)
		kind.claim.Spec.Devices.Requests = append(kind.claim.Spec.Devices.Requests, r.requests()...)
		kind.mappings = append(kind.mappings, r.mappings...)
	}
	slices.SortFunc(kind.claim.Spec.Devices.Requests, func(a, b resourcev1.DeviceRequest) int {
		return strings.Compare(a.Name, b.Name)
	})
	return kind
}

// requester turns what containers request of one resource into requests of devices. Containers that run at the same
// time have a request each; of init containers that run one after the other the greediest has one, for what it needs
// beyond the devices of the containers that come after it.
type requester struct {
	resource   corev1.ResourceName
	class      string
	containers []corev1.Container
	inits      int                         // how many of containers are init containers
	lasting    []*resourcev1.DeviceRequest // by container; nil: none
	greediest  *resourcev1.DeviceRequest
	mappings   []corev1.ContainerExtendedResourceRequest
}

func newRequester(pod *corev1.Pod, resource corev1.ResourceName, class string) *requester {
	r := &requester{
		resource: resource, class: class, inits: len(pod.Spec.InitContainers),
		containers: slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers),
	}
	r.lasting = make([]*resourcev1.DeviceRequest, len(r.containers))
	for i := range r.containers {
		if r.isLasting(i) {
			var maps []corev1.ContainerExtendedResourceRequest
			r.lasting[i], maps = r.request(i, nil)
			r.mappings = append(r.mappings, maps...)
		}
	}
	r.passing()
	return r
}

// isLasting reports whether a container runs beside those after it.
func (r *requester) isLasting(i int) bool {
	policy := r.containers[i].RestartPolicy
	return i >= r.inits || policy != nil && *policy == corev1.ContainerRestartPolicyAlways
}

// passing adds the init containers that are over before the next container begins.
func (r *requester) passing() {
	from := len(r.mappings)
	var others []string
	for i := range r.inits {
		if r.isLasting(i) {
			continue
		}
		request, maps := r.request(i, r.lasting[i:])
		r.mappings = append(r.mappings, maps...)
		if request == nil {
			continue
		}
		others = append(others, request.Name)
		if r.greediest == nil || r.greediest.Exactly.Count < request.Exactly.Count {
			r.greediest = request
		}
	}
	for i := from; i < len(r.mappings); i++ {
		if m := &r.mappings[i]; slices.Contains(others, m.RequestName) {
			m.RequestName = r.greediest.Name
		}
	}
}

// request is what a container needs beyond the requests it may use with others; nil when these are enough. The mappings
// list all requests that serve the container.
func (r *requester) request(
	i int, others []*resourcev1.DeviceRequest,
) (*resourcev1.DeviceRequest, []corev1.ContainerExtendedResourceRequest) {
	container := &r.containers[i]
	quantity, asks := container.Resources.Requests[r.resource]
	count, whole := quantity.AsInt64()
	if !asks || !whole || count == 0 {
		return nil, nil
	}
	var maps []corev1.ContainerExtendedResourceRequest
	serves := func(request string) {
		maps = append(maps, corev1.ContainerExtendedResourceRequest{
			ContainerName: container.Name, ResourceName: string(r.resource), RequestName: request,
		})
	}
	shared := int64(0)
	for _, other := range others {
		if other == nil {
			continue
		}
		shared += other.Exactly.Count
		serves(other.Name)
		if shared >= count {
			return nil, maps
		}
	}
	name := "container-" + strconv.Itoa(i) + "-request-" + strconv.Itoa(place(r.resource, container.Resources.Requests))
	serves(name)
	return &resourcev1.DeviceRequest{Name: name, Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: r.class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count - shared,
	}}, maps
}

// place is how many of the container's resources come before this one by name.
func place(name corev1.ResourceName, requests corev1.ResourceList) int {
	before := 0
	for other := range requests {
		if other < name {
			before++
		}
	}
	return before
}

func (r *requester) requests() []resourcev1.DeviceRequest {
	var all []resourcev1.DeviceRequest
	if r.greediest != nil {
		all = append(all, *r.greediest)
	}
	for _, request := range r.lasting {
		if request != nil {
			all = append(all, *request)
		}
	}
	return all
}
