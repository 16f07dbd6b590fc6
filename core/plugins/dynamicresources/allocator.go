package dynamicresources

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/dynamic-resource-allocation/structured/schedulerapi"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

// Of the allocators in k8s.io/dynamic-resource-allocation the one for the fewest features searches the pools of a node
// in the order of a map; the others search them by driver and name. In its stead another is made to do the same: it is
// asked for DeviceBindingAndStatus, and gets slices and claims without all that the first one does not read. So what it
// decides is one of those things that the first one decides by chance.

// isUnordered reports whether these features are for the allocator without an order.
func isUnordered(f structured.Features) bool {
	known := structured.Features{
		AdminAccess: f.AdminAccess, PrioritizedList: f.PrioritizedList, PartitionableDevices: f.PartitionableDevices,
		DeviceTaints: f.DeviceTaints,
	}
	return f == known
}

func (c *check) prepare() error {
	if c.allocator != nil {
		return nil
	}
	c.taken = c.objects.TakenDevices()
	features, taken := c.plugin.features, c.taken.State
	if c.plugin.unordered {
		features.DeviceBindingAndStatus = true
		taken = schedulerapi.AllocatedState{
			AllocatedDevices: taken.AllocatedDevices, AggregatedCapacity: schedulerapi.NewConsumedCapacityCollection(),
		}
	}
	allocator, err := structured.NewAllocator(
		c.plugin.quiet, features, taken, classes{c.objects}, c.plugin.slices(c.objects), c.plugin.compiled,
	)
	c.allocator = allocator
	return err
}

// slices are what the allocator searches, by name.
func (p *Plugin) slices(objects *cluster.Objects) []*resourcev1.ResourceSlice {
	all := objects.TaintedSlices()
	own := true // all is cluster's
	for i, slice := range all {
		counters := (p.ways.CountersForEveryNode || p.unordered) && len(slice.Spec.SharedCounters) > 0
		conditions := p.unordered && slices.ContainsFunc(slice.Spec.Devices, isConditional)
		if !counters && !conditions {
			continue
		}
		if own {
			all, own = slices.Clone(all), false
		}
		other := *slice
		if counters {
			other.Spec.NodeName, other.Spec.NodeSelector, other.Spec.AllNodes = nil, nil, ptr.To(true)
		}
		if conditions {
			other.Spec.Devices = unconditional(slice.Spec.Devices)
		}
		all[i] = &other
	}
	return all
}

func isConditional(d resourcev1.Device) bool {
	return d.BindsToNode != nil || d.BindingConditions != nil || d.BindingFailureConditions != nil
}

// unconditional is the devices as an allocator without DeviceBindingAndStatus reads them.
func unconditional(devices []resourcev1.Device) []resourcev1.Device {
	devices = slices.Clone(devices)
	for i := range devices {
		d := &devices[i]
		d.BindsToNode, d.BindingConditions, d.BindingFailureConditions = nil, nil, nil
	}
	return devices
}

// readable is the claims as the allocator for the features reads them: that without an order passes over parts of
// devices, and knows no constraint but MatchAttribute.
func (p *Plugin) readable(claims []*resourcev1.ResourceClaim) []*resourcev1.ResourceClaim {
	if !p.unordered {
		return claims
	}
	own := true // claims is the caller's
	for i, claim := range claims {
		other := claim.DeepCopy()
		if !reduce(&other.Spec.Devices) {
			continue
		}
		if own {
			claims, own = slices.Clone(claims), false
		}
		claims[i] = other
	}
	return claims
}

// reduce drops what is not read, and reports whether there was any.
func reduce(c *resourcev1.DeviceClaim) bool {
	had := false
	for i := range c.Constraints {
		if distinct := &c.Constraints[i].DistinctAttribute; *distinct != nil {
			*distinct, had = nil, true
		}
	}
	for i := range c.Requests {
		r := &c.Requests[i]
		if r.Exactly != nil && r.Exactly.Capacity != nil {
			r.Exactly.Capacity, had = nil, true
		}
		for k := range r.FirstAvailable {
			if capacity := &r.FirstAvailable[k].Capacity; *capacity != nil {
				*capacity, had = nil, true
			}
		}
	}
	return had
}
