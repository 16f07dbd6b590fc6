package scenario

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// deviceKinds are the kinds that devices are made of.
func deviceKinds() []kind {
	return []kind{
		described(
			"deviceclass", "adds a DeviceClass.",
			`deviceclass gpu cel="device.driver == 'gpu.example.com'"`, deviceClassWords(), nil, nil,
		),
		described(
			"resourceslice",
			"adds a ResourceSlice: the devices of a pool, which is called as the slice is.",
			"resourceslice gpus-of-n1 driver=gpu.example.com node=n1 device=gpu-0,model=a100,memory:80Gi", sliceWords(), nil,
			func(s *resourcev1.ResourceSlice) {
				s.Spec.Pool = resourcev1.ResourcePool{Name: s.Name, Generation: 1, ResourceSliceCount: 1}
			}),
		described(
			"resourceclaim", "adds a ResourceClaim.",
			`resourceclaim two request=gpu*2 cel="device.attributes['gpu.example.com'].model == 'a100'"`,
			resourceClaimWords(), nil, nil,
		),
	}
}

func selectorOf(cel string) resourcev1.DeviceSelector {
	return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: cel}}
}

func deviceClassWords() []word[resourcev1.DeviceClass] {
	type class = resourcev1.DeviceClass
	return []word[class]{
		{name: "cel", value: "EXPRESSION", does: "Devices of the class make it true.", many: true, clear: func(c *class) {
			c.Spec.Selectors = nil
		}, read: func(v string) (func(*class), error) {
			return func(c *class) { c.Spec.Selectors = append(c.Spec.Selectors, selectorOf(v)) }, nil
		}},
		{
			name: "extended-resource", value: "NAME", does: "The extended resource it stands for.",
			read: func(v string) (func(*class), error) {
				return func(c *class) { c.Spec.ExtendedResourceName = &v }, nil
			},
		},
	}
}

func sliceWords() []word[resourcev1.ResourceSlice] {
	type slice = resourcev1.ResourceSlice
	return []word[slice]{
		{name: "driver", value: "NAME", does: "The driver.", read: func(v string) (func(*slice), error) {
			return func(s *slice) { s.Spec.Driver = v }, nil
		}},
		{name: "node", value: "NAME", does: "The devices are on that node.", read: func(v string) (func(*slice), error) {
			return func(s *slice) { s.Spec.NodeName = &v }, nil
		}},
		{name: "all-nodes", does: "The devices can be used from every node.", read: func(v string) (func(*slice), error) {
			yes, err := truth(v)
			return func(s *slice) { s.Spec.AllNodes = &yes }, err
		}},
		{
			name: "where", value: "CONDITION,...", does: "The devices can be used from such nodes.",
			read: func(v string) (func(*slice), error) {
				term, err := nodeTerm(v)
				return func(s *slice) {
					s.Spec.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
				}, err
			},
		},
		{
			name: "device", value: "NAME[,KEY=VALUE][,KEY:QUANTITY]", does: "A device with attributes and capacities.",
			many: true, clear: func(s *slice) { s.Spec.Devices = nil }, read: sliceDevice,
		},
		{
			name: "device-taint", value: "DEVICE/KEY[=VALUE]:EFFECT", does: "A taint of a device of this command.",
			many: true, late: true, read: sliceTaint,
		},
		{
			name: "binding-condition", value: "DEVICE/CONDITION",
			does: "A device is ready for its pod only when its driver says so.", many: true, late: true,
			read: func(v string) (func(*slice), error) {
				name, condition, has := strings.Cut(v, "/")
				if !has || condition == "" {
					return nil, phrase.Errorf("%q names no condition (want DEVICE/CONDITION)", v)
				}
				return func(s *slice) {
					eachDevice(s, name, func(d *resourcev1.Device) {
						d.BindingConditions = append(d.BindingConditions, condition)
						d.BindingFailureConditions = []string{condition + "Failed"}
					})
				}, nil
			},
		},
	}
}

func eachDevice(s *resourcev1.ResourceSlice, name string, do func(*resourcev1.Device)) {
	for i := range s.Spec.Devices {
		if s.Spec.Devices[i].Name == name {
			do(&s.Spec.Devices[i])
		}
	}
}

func sliceDevice(v string) (func(*resourcev1.ResourceSlice), error) {
	if v == "" {
		return func(*resourcev1.ResourceSlice) {}, nil
	}
	name, rest, _ := strings.Cut(v, ",")
	d := resourcev1.Device{
		Name: name, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{},
		Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{},
	}
	for part := range parts(rest, ",") {
		if key, value, has := strings.Cut(part, "="); has {
			d.Attributes[resourcev1.QualifiedName(key)] = resourcev1.DeviceAttribute{StringValue: &value}
			continue
		}
		key, text, has := strings.Cut(part, ":")
		if !has {
			return nil, phrase.Errorf(
				"%q says nothing of a device (want key=value for an attribute, key:quantity for a capacity)", part,
			)
		}
		q, err := quantity(text)
		if err != nil {
			return nil, err
		}
		d.Capacity[resourcev1.QualifiedName(key)] = resourcev1.DeviceCapacity{Value: q}
	}
	return func(s *resourcev1.ResourceSlice) { s.Spec.Devices = append(s.Spec.Devices, *d.DeepCopy()) }, nil
}

func sliceTaint(v string) (func(*resourcev1.ResourceSlice), error) {
	name, text, _ := strings.Cut(v, "/")
	t, err := taint(text)
	return func(s *resourcev1.ResourceSlice) {
		eachDevice(s, name, func(d *resourcev1.Device) {
			d.Taints = append(d.Taints, resourcev1.DeviceTaint{
				Key: t.Key, Value: t.Value, Effect: resourcev1.DeviceTaintEffect(t.Effect),
				TimeAdded: &metav1.Time{Time: begin},
			})
		})
	}, err
}

func resourceClaimWords() []word[resourcev1.ResourceClaim] {
	type claim = resourcev1.ResourceClaim
	return []word[claim]{
		{
			name: "request", value: "CLASS[*COUNT]",
			does: "Devices of a class, 1 unless it says so; CLASS|CLASS is the first of these that can be had. Requests are " +
				"called req-0, req-1 and so on.",
			many: true, clear: func(c *claim) { c.Spec.Devices.Requests = nil }, read: claimRequest,
		},
		{
			name: "cel", value: "EXPRESSION", does: "What devices of every request have to make true.", many: true, late: true,
			read: func(v string) (func(*claim), error) {
				return func(c *claim) {
					for i := range c.Spec.Devices.Requests {
						if exactly := c.Spec.Devices.Requests[i].Exactly; exactly != nil {
							exactly.Selectors = append(exactly.Selectors, selectorOf(v))
						}
					}
				}, nil
			},
		},
		{
			name: "allocated", value: "DRIVER/POOL/DEVICE[@NODE]",
			does: "It has that device, which can be used from everywhere, or from one node; `allocated=` gives all back.",
			many: true, late: true, clear: func(c *claim) { c.Status.Allocation = nil }, read: claimAllocated,
		},
		{
			name: "reserved-for", value: "POD", does: "The pod may use it; `reserved-for=` leaves nobody.", many: true,
			late: true, clear: func(c *claim) {
				c.Status.ReservedFor = nil
			}, read: func(v string) (func(*claim), error) {
				return func(c *claim) {
					if v != "" {
						c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
							Resource: "pods", Name: v, UID: uidOf(c.Namespace, v),
						})
					}
				}, nil
			},
		},
		{
			name: "condition", value: "DRIVER/POOL/DEVICE=CONDITION", does: "The driver says that of the device.",
			many: true, late: true, read: claimCondition,
		},
		{name: "labels", value: "KEY=VALUE,...", does: "Sets labels; `KEY-` drops one.", read: labelWords[claim]()[0].read},
		{name: "owner", value: "POD", does: "It was generated for that pod.", read: func(v string) (func(*claim), error) {
			return func(c *claim) {
				c.OwnerReferences = []metav1.OwnerReference{
					{APIVersion: "v1", Kind: "Pod", Name: v, UID: uidOf(c.Namespace, v), Controller: ptr.To(true)},
				}
			}, nil
		}},
		{name: "deleting", does: "It was asked to go and is still there.", late: true, read: deletingWord[claim]},
	}
}

func claimRequest(v string) (func(*resourcev1.ResourceClaim), error) {
	if v == "" {
		return func(*resourcev1.ResourceClaim) {}, nil
	}
	var wishes []resourcev1.DeviceSubRequest
	for _, part := range list(v) {
		class, count, counted := strings.Cut(part, "*")
		n := int64(1)
		if counted {
			var err error
			if n, err = integer(count); err != nil {
				return nil, err
			}
		}
		wishes = append(wishes, resourcev1.DeviceSubRequest{
			Name: "choice-" + strconv.Itoa(len(wishes)), DeviceClassName: class,
			AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: n,
		})
	}
	return func(c *resourcev1.ResourceClaim) {
		r := resourcev1.DeviceRequest{Name: "req-" + strconv.Itoa(len(c.Spec.Devices.Requests))}
		if len(wishes) == 1 {
			r.Exactly = &resourcev1.ExactDeviceRequest{
				DeviceClassName: wishes[0].DeviceClassName, AllocationMode: wishes[0].AllocationMode,
				Count: wishes[0].Count,
			}
		} else {
			r.FirstAvailable = wishes
		}
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, r)
	}, nil
}

// deviceNamed reads driver/pool/device.
func deviceNamed(v string) (resourcev1.DeviceRequestAllocationResult, error) {
	names := strings.Split(v, "/")
	if len(names) != 3 {
		return resourcev1.DeviceRequestAllocationResult{}, phrase.Errorf("%q is no device (want driver/pool/device)", v)
	}
	return resourcev1.DeviceRequestAllocationResult{
		Request: "req-0", Driver: names[0], Pool: names[1], Device: names[2],
	}, nil
}

func claimAllocated(v string) (func(*resourcev1.ResourceClaim), error) {
	if v == "" {
		return func(*resourcev1.ResourceClaim) {}, nil
	}
	text, node, onNode := strings.Cut(v, "@")
	result, err := deviceNamed(text)
	return func(c *resourcev1.ResourceClaim) {
		if c.Status.Allocation == nil {
			c.Status.Allocation = &resourcev1.AllocationResult{}
		}
		a := c.Status.Allocation
		a.Devices.Results = append(a.Devices.Results, result)
		if onNode {
			a.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{
					{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
				},
			}}}
		}
	}, err
}

func claimCondition(v string) (func(*resourcev1.ResourceClaim), error) {
	text, condition, has := strings.Cut(v, "=")
	if !has || condition == "" {
		return nil, phrase.Errorf("%q names no condition (want driver/pool/device=CONDITION)", v)
	}
	device, err := deviceNamed(text)
	return func(c *resourcev1.ResourceClaim) {
		c.Status.Devices = append(c.Status.Devices, resourcev1.AllocatedDeviceStatus{
			Driver: device.Driver, Pool: device.Pool, Device: device.Device,
			Conditions: []metav1.Condition{{
				Type: condition, Status: metav1.ConditionTrue, Reason: "Said", Message: "as the driver says",
				LastTransitionTime: metav1.Time{Time: begin},
			}},
		})
	}, err
}
