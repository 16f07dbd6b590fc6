package generate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	gpuDriver   = "gpu.example.com"
	gpuClass    = "gpu"
	largeClass  = "large-gpu"
	gpuResource = "example.com/gpu" // served by gpuClass when ExtendedDevices
)

// hardware is the devices of the cluster while it is drawn.
type hardware struct {
	slices []*resourcev1.ResourceSlice
	claims []*resourcev1.ResourceClaim
	taken  map[string]bool // pool/device of allocated claims
}

func (w *world) hasDevices() bool {
	return w.weights[Devices]+w.weights[ExtendedDevices]+w.weights[BrokenClaims]+w.weights[SharedClaims] > 0
}

func (w *world) devices() {
	w.taken = map[string]bool{}
	if !w.hasDevices() {
		return
	}
	for _, name := range []string{gpuClass, largeClass} {
		class := &resourcev1.DeviceClass{ObjectMeta: w.meta("", name)}
		expression := fmt.Sprintf("device.driver == %q", gpuDriver)
		if name == largeClass {
			expression += fmt.Sprintf(" && device.capacity[%q].memory.compareTo(quantity(\"40Gi\")) >= 0", gpuDriver)
		} else if w.has(ExtendedDevices) {
			served := gpuResource
			class.Spec.ExtendedResourceName = &served
		}
		class.Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}
		w.add(stored(class))
	}
	for _, node := range w.nodes {
		if w.percent(70) {
			w.slice(node)
		}
	}
	if w.percent(20) {
		w.sharedSlice()
	}
	for range 3 {
		if w.percent(w.weights[SharedClaims] / 2) {
			w.allocatedClaim("default")
		}
	}
}

// slice lists a node's devices; one in four nodes partitions a single device.
func (w *world) slice(node *corev1.Node) {
	slice := &resourcev1.ResourceSlice{ObjectMeta: w.meta("", node.Name+"-gpu")}
	slice.Spec = resourcev1.ResourceSliceSpec{
		Driver: gpuDriver, NodeName: &node.Name,
		Pool: resourcev1.ResourcePool{Name: node.Name, Generation: 1, ResourceSliceCount: 1},
	}
	partitioned := w.percent(25)
	for i := range w.between(1, 4) {
		device := w.device(i)
		if partitioned {
			device.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
				CounterSet: "whole", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("40Gi")}},
			}}
		}
		slice.Spec.Devices = append(slice.Spec.Devices, device)
	}
	if partitioned {
		counters := slice.DeepCopy()
		counters.ObjectMeta = w.meta("", node.Name+"-counters")
		counters.Spec.Devices = nil
		counters.Spec.SharedCounters = []resourcev1.CounterSet{
			{Name: "whole", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("80Gi")}}},
		}
		counters.Spec.Pool.ResourceSliceCount, slice.Spec.Pool.ResourceSliceCount = 2, 2
		w.add(stored(counters))
	}
	slice = stored(slice)
	w.slices = append(w.slices, slice)
	w.add(slice)
}

// sharedSlice lists devices that any node, or any node of a zone, may use.
func (w *world) sharedSlice() {
	slice := &resourcev1.ResourceSlice{ObjectMeta: w.meta("", "network-gpu")}
	slice.Spec = resourcev1.ResourceSliceSpec{
		Driver: gpuDriver, Pool: resourcev1.ResourcePool{Name: "network", Generation: 1, ResourceSliceCount: 1},
	}
	if everywhere := true; w.percent(50) {
		slice.Spec.AllNodes = &everywhere
	} else {
		slice.Spec.NodeSelector = onlyWhere(corev1.LabelTopologyZone, pick(&w.dice, zones)).Required
	}
	slice.Spec.Devices = []resourcev1.Device{w.device(0)}
	w.add(stored(slice))
}

func (w *world) device(index int) resourcev1.Device {
	model, numa := pick(&w.dice, []string{"a100", "t4"}), int64(w.below(2))
	memory := map[string]string{"a100": "80Gi", "t4": "16Gi"}[model]
	device := resourcev1.Device{
		Name: fmt.Sprintf("gpu-%d", index),
		Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"model": {StringValue: &model}, "numa": {IntValue: &numa},
		},
		Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(memory)}},
	}
	if w.has(DeviceTaints) {
		effect := pick(&w.dice, []resourcev1.DeviceTaintEffect{
			resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute,
		})
		device.Taints = []resourcev1.DeviceTaint{{Key: "unhealthy", Effect: effect, TimeAdded: &metav1.Time{Time: epoch}}}
	}
	if many := true; w.percent(15) {
		device.AllowMultipleAllocations = &many
		if w.percent(60) {
			device.Capacity["cores"] = w.shares()
		}
	}
	return device
}

// shares is a capacity that is handed out in steps, most of them fractions.
func (w *world) shares() resourcev1.DeviceCapacity {
	smallest, step := resource.MustParse(pick(&w.dice, []string{"500m", "1", "1500m"})), resource.MustParse(
		pick(&w.dice, []string{"500m", "250m", "1"}),
	)
	return resourcev1.DeviceCapacity{
		Value: resource.MustParse(pick(&w.dice, []string{"3", "4500m", "100P"})),
		RequestPolicy: &resourcev1.CapacityRequestPolicy{
			Default:    &smallest,
			ValidRange: &resourcev1.CapacityRequestPolicyRange{Min: &smallest, Step: &step},
		},
	}
}

// claim gives a pending pod devices, by claim or by extended resource.
func (w *world) claim(pod *corev1.Pod) {
	if w.has(ExtendedDevices) {
		pod.Spec.Containers[0].Resources.Limits[gpuResource] = resource.MustParse(pick(&w.dice, []string{"1", "2"}))
		if w.percent(8) {
			w.leftOver(pod)
		}
	}
	if w.has(Devices) {
		for range w.between(1, 2) {
			w.refer(pod, w.newClaim(pod.Namespace))
		}
	}
	if w.has(SharedClaims) {
		w.refer(pod, w.sharedClaim(pod.Namespace))
	}
	if w.has(BrokenClaims) {
		w.brokenClaim(pod)
	}
}

// leftOver is the claim for a pod's extended resources that an attempt to bind it
// has written and could not finish.
func (w *world) leftOver(pod *corev1.Pod) {
	controller := true
	claim := &resourcev1.ResourceClaim{ObjectMeta: w.meta(pod.Namespace, w.name("claim"))}
	claim.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
	claim.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &controller,
		BlockOwnerDeletion: &controller,
	}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{
		{Name: "container-0-request-0", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: gpuClass}},
	}
	w.claims = append(w.claims, claim)
}

// refer makes a pod use a claim, directly or as one made from a template.
func (w *world) refer(pod *corev1.Pod, claim *resourcev1.ResourceClaim) {
	name := fmt.Sprintf("claim%d", len(pod.Spec.ResourceClaims))
	reference := corev1.PodResourceClaim{Name: name}
	if template := claim.Name + "-template"; claim.Status.Allocation == nil && w.percent(40) {
		controller := true
		reference.ResourceClaimTemplateName = &template
		claim.Annotations = map[string]string{resourcev1.PodResourceClaimAnnotation: name}
		claim.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &controller,
			BlockOwnerDeletion: &controller,
		}}
		pod.Status.ResourceClaimStatuses = append(
			pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: name, ResourceClaimName: &claim.Name},
		)
	} else {
		reference.ResourceClaimName = &claim.Name
	}
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, reference)
	container := &pod.Spec.Containers[0]
	container.Resources.Claims = append(container.Resources.Claims, corev1.ResourceClaim{Name: name})
}

func (w *world) newClaim(namespace string) *resourcev1.ResourceClaim {
	claim := &resourcev1.ResourceClaim{ObjectMeta: w.meta(namespace, w.name("claim"))}
	for i := range w.between(1, 2) {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, w.request(fmt.Sprintf("req%d", i)))
	}
	if w.percent(25) {
		attribute := resourcev1.FullyQualifiedName(gpuDriver + "/" + pick(&w.dice, []string{"numa", "model"}))
		claim.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &attribute}}
	}
	w.claims = append(w.claims, claim)
	return claim
}

func (w *world) request(name string) resourcev1.DeviceRequest {
	if w.percent(25) {
		request := resourcev1.DeviceRequest{Name: name}
		for i, class := range []string{largeClass, gpuClass} {
			request.FirstAvailable = append(request.FirstAvailable, resourcev1.DeviceSubRequest{
				Name: fmt.Sprintf("choice%d", i), DeviceClassName: class, Count: int64(i + 1),
				AllocationMode: resourcev1.DeviceAllocationModeExactCount,
			})
		}
		return request
	}
	exact := &resourcev1.ExactDeviceRequest{DeviceClassName: pick(&w.dice, []string{gpuClass, gpuClass, largeClass})}
	switch w.below(6) {
	case 0:
		exact.AllocationMode = resourcev1.DeviceAllocationModeAll
	case 1:
		exact.Count = 2
	}
	if w.percent(30) {
		exact.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
			Expression: fmt.Sprintf("device.attributes[%q].model == %q", gpuDriver, pick(&w.dice, []string{"a100", "t4"})),
		}}}
	}
	if w.percent(30) {
		exact.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{
			"cores": resource.MustParse(pick(&w.dice, []string{"1500m", "750m", "2", "10P"})),
		}}
	}
	if w.percent(w.weights[DeviceTaints] / 2) {
		exact.Tolerations = []resourcev1.DeviceToleration{{Key: "unhealthy", Operator: resourcev1.DeviceTolerationOpExists}}
	}
	return resourcev1.DeviceRequest{Name: name, Exactly: exact}
}

// sharedClaim is an allocated claim of the namespace, or a free one that
// several pods come to share.
func (w *world) sharedClaim(namespace string) *resourcev1.ResourceClaim {
	for _, claim := range w.claims {
		if claim.Namespace == namespace && len(claim.OwnerReferences) == 0 && w.percent(60) {
			return claim
		}
	}
	if w.percent(60) {
		if claim := w.allocatedClaim(namespace); claim != nil {
			return claim
		}
	}
	return w.newClaim(namespace)
}

// allocatedClaim holds a free device of some node; nil if there is none.
func (w *world) allocatedClaim(namespace string) *resourcev1.ResourceClaim {
	for _, slice := range w.slices {
		device := slice.Spec.Devices[0]
		id := slice.Spec.Pool.Name + "/" + device.Name
		if w.taken[id] || len(device.Taints) > 0 || !w.percent(50) {
			continue
		}
		w.taken[id] = true
		claim := &resourcev1.ResourceClaim{ObjectMeta: w.meta(namespace, w.name("claim"))}
		claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{
			{Name: "req0", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: gpuClass}},
		}
		claim.Finalizers = []string{resourcev1.Finalizer}
		claim.Status.Allocation = &resourcev1.AllocationResult{
			Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{
				Request: "req0", Driver: gpuDriver, Pool: slice.Spec.Pool.Name, Device: device.Name,
			}}},
			NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{
					Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{*slice.Spec.NodeName},
				}},
			}}},
		}
		if w.percent(60) {
			claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{
				{Resource: "pods", Name: "someone", UID: "00000000-0000-4000-8000-ffffffffffff"},
			}
		}
		w.claims = append(w.claims, claim)
		return claim
	}
	return nil
}

// brokenClaim refers to claims that hold the pod back.
func (w *world) brokenClaim(pod *corev1.Pod) {
	switch w.below(4) {
	case 0: // not made yet
		name, template := fmt.Sprintf("claim%d", len(pod.Spec.ResourceClaims)), "nothing-yet"
		pod.Spec.ResourceClaims = append(
			pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimTemplateName: &template},
		)
	case 1:
		name, missing := fmt.Sprintf("claim%d", len(pod.Spec.ResourceClaims)), "missing"
		pod.Spec.ResourceClaims = append(
			pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimName: &missing},
		)
	case 2:
		claim := w.newClaim(pod.Namespace)
		claim.Spec.Devices.Requests[0] = resourcev1.DeviceRequest{
			Name: "req0", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "nonexistent"},
		}
		w.refer(pod, claim)
	default:
		claim := w.newClaim(pod.Namespace)
		w.refer(pod, claim)
		claim.DeletionTimestamp = &metav1.Time{Time: epoch}
		claim.Finalizers = []string{resourcev1.Finalizer}
	}
}
