package plays

import (
	"fmt"
	"hash/fnv"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
)

// gpuDriver is the driver of the devices that generate draws.
const gpuDriver = "gpu.example.com"

// devices is a cluster with many devices and claims, and little else that rejects pods.
func devices(seed int, gates config.Gates) (compare.Play, error) {
	weights := generate.Only(70, generate.Devices, generate.SharedClaims, generate.DeviceTaints, generate.NodeChurn,
		generate.OtherChurn, generate.PodChurn)
	weights[generate.ExtendedDevices], weights[generate.Priorities], weights[generate.Zones] = 30, 30, 100
	weights[generate.DeviceTaints] = 25
	return under(seed, gates, generate.WithWeights(weights).Example(seed))
}

// SharedDevices is a cluster in which many pods share allocated claims that any node may use, beside claims of their
// own.
func SharedDevices(seed int, gates config.Gates) (compare.Play, error) {
	return with(devices, anywhere)(seed, gates)
}

// near is a cluster whose pods have affinity and anti-affinity to each other, and some of whose nodes lack labels.
func near(seed int, gates config.Gates) (compare.Play, error) {
	weights := generate.Only(70, generate.PodAffinity, generate.PodAntiAffinity, generate.PreferredPodAffinity,
		generate.NodeChurn, generate.PodChurn, generate.Crowded, generate.Priorities)
	weights[generate.Zones], weights[generate.MissingLabels], weights[generate.Namespaces] = 80, 25, 20
	return under(seed, gates, generate.WithWeights(weights).Example(seed))
}

// with is a draw whose objects are changed before they are played: what generate draws under no weights.
func with(
	draw func(int, config.Gates) (compare.Play, error), change func(cluster.Object),
) func(int, config.Gates) (compare.Play, error) {
	return func(seed int, gates config.Gates) (compare.Play, error) {
		play, err := draw(seed, gates)
		if err != nil {
			return play, err
		}
		play.Script = slices.Clone(play.Script)
		for i := range play.Script {
			object := play.Script[i].Event.Object.DeepCopyObject().(cluster.Object)
			change(object)
			play.Script[i].Event.Object = object
		}
		return play, nil
	}
}

// lot draws by name, so that an object is changed alike before and after an update.
func lot[T any](name, what string, choices ...T) T {
	h := fnv.New32a()
	fmt.Fprint(h, name, "/", what)
	return choices[h.Sum32()%uint32(len(choices))]
}

// levels gives nodes taints with numbers, and some that are none, and pods tolerations that compare them.
func levels(object cluster.Object) {
	switch o := object.(type) {
	case *corev1.Node:
		if level := lot(o.Name, "level", "", "5", "7", "-3", "9", "007", "x", "99999999999999999999"); level != "" {
			o.Spec.Taints = append(o.Spec.Taints, corev1.Taint{
				Key: "level", Value: level, Effect: lot(o.Name, "effect", corev1.TaintEffectNoSchedule,
					corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute),
			})
		}
	case *corev1.Pod:
		operator := lot(o.Name, "operator", corev1.TolerationOpGt, corev1.TolerationOpLt, corev1.TolerationOpEqual)
		o.Spec.Tolerations = append(o.Spec.Tolerations, corev1.Toleration{
			Key: "level", Operator: operator, Value: lot(o.Name, "level", "4", "7", "-9", "8", "y", ""),
			Effect: lot(o.Name, "effect", "", corev1.TaintEffectNoSchedule),
		})
		for i := range o.Spec.TopologySpreadConstraints {
			policy := lot(o.Name, "policy", corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
			o.Spec.TopologySpreadConstraints[i].NodeTaintsPolicy = &policy
		}
	}
}

// sharedNames gives every third node the host name of another one.
func sharedNames(object cluster.Object) {
	if node, is := object.(*corev1.Node); is {
		if _, has := node.Labels[corev1.LabelHostname]; has && lot(node.Name, "twin", true, false, false) {
			node.Labels[corev1.LabelHostname] = "shared"
		}
	}
}

// revisions gives pods a label with few values, which their spread constraints take from the pod.
func revisions(object cluster.Object) {
	pod, is := object.(*corev1.Pod)
	if !is {
		return
	}
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["revision"] = lot(pod.Name, "revision", "1", "2")
	for i := range pod.Spec.TopologySpreadConstraints {
		pod.Spec.TopologySpreadConstraints[i].MatchLabelKeys = []string{"revision"}
	}
}

// anywhere makes of most allocated claims those of a device that is on no node in particular, of another driver.
func anywhere(object cluster.Object) {
	claim, is := object.(*resourcev1.ResourceClaim)
	if !is || claim.Status.Allocation == nil || !lot(claim.Name, "anywhere", true, true, false) {
		return
	}
	claim.Status.Allocation.NodeSelector = nil
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		result.Driver, result.Pool, result.Device = "fabric.example.com", "fabric", claim.Name
	}
}

// lists gives devices attributes that are lists, which claims compare.
func lists(object cluster.Object) {
	switch o := object.(type) {
	case *resourcev1.ResourceSlice:
		for i := range o.Spec.Devices {
			o.Spec.Devices[i].Attributes["links"] = resourcev1.DeviceAttribute{
				StringValues: lot(o.Name, o.Spec.Devices[i].Name, []string{"a", "b"}, []string{"b"}, []string{"c", "a"}),
			}
			o.Spec.Devices[i].Attributes["lanes"] = resourcev1.DeviceAttribute{
				IntValues: lot(o.Name, o.Spec.Devices[i].Name, []int64{1, 2}, []int64{2}, []int64{3}),
			}
		}
	case *resourcev1.ResourceClaim:
		attribute := lot(o.Name, "attribute", "", "links", "lanes", "numa")
		if o.Status.Allocation != nil || attribute == "" {
			return
		}
		name := resourcev1.FullyQualifiedName(gpuDriver + "/" + attribute)
		constraint := resourcev1.DeviceConstraint{MatchAttribute: &name}
		if lot(o.Name, "distinct", true, false) {
			constraint = resourcev1.DeviceConstraint{DistinctAttribute: &name}
		}
		o.Spec.Devices.Constraints = append(o.Spec.Devices.Constraints, constraint)
		for i := range o.Spec.Devices.Requests {
			if exact := o.Spec.Devices.Requests[i].Exactly; exact != nil && lot(o.Name, "selects", true, false) {
				exact.Selectors = append(exact.Selectors, resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{
					Expression: fmt.Sprintf("device.attributes[%q].links.includes(\"a\")", gpuDriver),
				}})
			}
		}
	}
}

// derived has claims compare devices by an attribute that an expression makes of others.
func derived(object cluster.Object) {
	claim, is := object.(*resourcev1.ResourceClaim)
	if !is || claim.Status.Allocation != nil || lot(claim.Name, "derives", 0, 1, 2) == 0 {
		return
	}
	expression := lot(claim.Name, "expression",
		`device.attributes["gpu.example.com"].numa`, `device.attributes["gpu.example.com"].model + "x"`,
		`device.attributes["gpu.example.com"].nothing`, `device.attributes["gpu.example.com"].numa == 0`)
	name := resourcev1.FullyQualifiedName("derived/group")
	derived := []resourcev1.DeviceDerivedAttribute{{Name: name, Expression: expression}}
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if request.Exactly != nil {
			request.Exactly.DerivedAttributes = derived
		}
		for k := range request.FirstAvailable {
			request.FirstAvailable[k].DerivedAttributes = derived
		}
	}
	claim.Spec.Devices.Constraints = append(
		claim.Spec.Devices.Constraints, resourcev1.DeviceConstraint{MatchAttribute: &name},
	)
}

// compatible gives devices that consume the same counters groups in which they may be used together.
func compatible(object cluster.Object) {
	slice, is := object.(*resourcev1.ResourceSlice)
	if !is {
		return
	}
	for i := range slice.Spec.Devices {
		device := &slice.Spec.Devices[i]
		for k := range device.ConsumesCounters {
			device.ConsumesCounters[k].CompatibilityGroups = lot(
				slice.Name, device.Name, nil, []string{"a"}, []string{"b"}, []string{"a", "b"},
			)
		}
	}
}

// optional has slices name operations that their nodes need not do.
func optional(object cluster.Object) {
	if slice, is := object.(*resourcev1.ResourceSlice); is && lot(slice.Name, "skips", true, false) {
		slice.Spec.SkipNodeOperations = []resourcev1.SkipNodeOperation{"*"}
	}
}

// bound gives devices conditions that binding waits for.
func bound(object cluster.Object) {
	slice, is := object.(*resourcev1.ResourceSlice)
	if !is {
		return
	}
	for i := range slice.Spec.Devices {
		if lot(slice.Name, slice.Spec.Devices[i].Name, true, false, false) {
			slice.Spec.Devices[i].BindsToNode = ptr.To(true)
			slice.Spec.Devices[i].BindingConditions = []string{"ready"}
			slice.Spec.Devices[i].BindingFailureConditions = []string{"failed"}
		}
	}
}
