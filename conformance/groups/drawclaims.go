package groups

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// DrawWithClaims is Draw with devices, on nodes and for all nodes, and members that share claims. A claim may have its
// devices already, for other pods or for none. One at most may be taken back: of several kube-scheduler takes any one.
func DrawWithClaims(r *rand.Rand, zones bool) Cluster {
	d := &drawing{Rand: r, Cluster: Draw(r, zones)}
	d.inventory()
	shared := []string{d.claim("shared-a", true), d.claim("shared-b", true)}
	for _, p := range d.Pods {
		if p.Spec.NodeName != "" {
			continue
		}
		var uses []string
		for i, name := range shared {
			if d.IntN(3+3*i) > 0 == (i == 0) {
				uses = append(uses, name)
			}
		}
		if d.IntN(2) == 0 {
			uses = append(uses, d.claim("own-"+p.Name, false))
		}
		d.Shuffle(len(uses), func(i, k int) { uses[i], uses[k] = uses[k], uses[i] })
		for i := range uses {
			p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{
				Name: fmt.Sprint("use-", i), ResourceClaimName: &uses[i],
			})
		}
	}
	return d.Cluster
}

// inventory makes devices of two models, one pool for each node and perhaps one for all.
func (d *drawing) inventory() {
	large := resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{
		Expression: `device.attributes["gpu.example.com"].size == "large"`,
	}}
	d.classes = []*resourcev1.DeviceClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "any"}},
		{
			ObjectMeta: metav1.ObjectMeta{Name: "large"},
			Spec:       resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{large}},
		},
	}
	for _, n := range d.Nodes {
		s := d.slice(n.Name, d.IntN(5))
		s.Spec.NodeName = &n.Name
	}
	if everywhere := true; d.IntN(3) == 0 {
		d.slice("fabric", 1+d.IntN(3)).Spec.AllNodes = &everywhere
	}
}

func (d *drawing) slice(pool string, devices int) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + pool, UID: types.UID("slice-" + pool)}}
	s.Spec.Driver = "gpu.example.com"
	s.Spec.Pool = resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	for i := range devices {
		size := []string{"large", "small"}[d.IntN(2)]
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{
			Name:       fmt.Sprint("d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"size": {StringValue: &size}},
		})
	}
	d.slices = append(d.slices, s)
	return s
}

// claim is a claim for one or two devices, or for a large one where there is one.
func (d *drawing) claim(name string, shared bool) string {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: name, UID: types.UID(name), ResourceVersion: "1",
	}}
	exactly := func(class string, count int64) *resourcev1.ExactDeviceRequest {
		return &resourcev1.ExactDeviceRequest{
			DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		}
	}
	r := resourcev1.DeviceRequest{Name: "req"}
	switch d.IntN(8) {
	case 0, 1:
		r.Exactly = exactly("large", 1)
	case 2:
		r.Exactly = exactly("any", 2)
	case 3, 4:
		for _, class := range []string{"large", "any"} {
			r.FirstAvailable = append(r.FirstAvailable, resourcev1.DeviceSubRequest{
				Name: class, DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1,
			})
		}
	case 5:
		r.Exactly = exactly([]string{"any", "missing"}[min(1, d.IntN(6)/5)], 1)
	default:
		r.Exactly = exactly("any", 1)
	}
	c.Spec.Devices.Requests = []resourcev1.DeviceRequest{r}
	if shared && d.IntN(4) == 0 {
		d.allocate(c)
	}
	d.Claims = append(d.Claims, c)
	return name
}

// allocate gives a claim the last device of a pool, for a pod that is elsewhere in the namespace, or for none.
func (d *drawing) allocate(c *resourcev1.ResourceClaim) {
	s := d.slices[d.IntN(len(d.slices))]
	for _, other := range d.Claims {
		if a := other.Status.Allocation; a != nil && a.Devices.Results[0].Pool == s.Spec.Pool.Name {
			return
		}
	}
	if len(s.Spec.Devices) == 0 || len(c.Spec.Devices.Requests[0].FirstAvailable) > 0 {
		return
	}
	c.Finalizers = []string{resourcev1.Finalizer}
	c.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{{
			Request: "req", Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: s.Spec.Devices[len(s.Spec.Devices)-1].Name,
		}},
	}}
	if s.Spec.NodeName != nil {
		c.Status.Allocation.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{
				Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{*s.Spec.NodeName},
			}},
		}}}
	}
	if c.Name != "shared-a" || d.IntN(2) == 0 {
		c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "other", UID: "other"}}
	}
}
