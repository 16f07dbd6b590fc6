package cluster

import (
	"iter"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured/schedulerapi"
)

// deviceIndex keeps what every cycle with claims needs of all claims and slices: which devices are taken, and what the
// slices look like under the DeviceTaintRules. Copies of a State share its maps until one of them writes.
type deviceIndex struct {
	taken  *TakenDevices
	shared bool // another State has taken too

	slices []*resourcev1.ResourceSlice // sorted by name, tainted; nil when it has to be made again
}

// TakenDevices is what allocated claims hold (allocatedDevices and foreachAllocatedDevice of DynamicResources, 1.37).
// It is read only.
type TakenDevices struct {
	State   schedulerapi.AllocatedState
	holders map[schedulerapi.DeviceID]string // namespace/name of the claim that came last
}

// Holder is the claim that holds a device, as namespace/name; false when none does. Of several that share it, it is
// the one that came last.
func (t *TakenDevices) Holder(id schedulerapi.DeviceID) (string, bool) {
	claim, held := t.holders[id]
	return claim, held
}

func newTakenDevices() *TakenDevices {
	return &TakenDevices{
		State: schedulerapi.AllocatedState{
			AllocatedDevices:         sets.New[schedulerapi.DeviceID](),
			AllocatedSharedDeviceIDs: sets.New[schedulerapi.SharedDeviceID](),
			AggregatedCapacity:       schedulerapi.NewConsumedCapacityCollection(),
		},
		holders: map[schedulerapi.DeviceID]string{},
	}
}

func (t *TakenDevices) clone() *TakenDevices {
	return &TakenDevices{
		State: schedulerapi.AllocatedState{
			AllocatedDevices:         t.State.AllocatedDevices.Clone(),
			AllocatedSharedDeviceIDs: t.State.AllocatedSharedDeviceIDs.Clone(),
			AggregatedCapacity:       t.State.AggregatedCapacity.Clone(),
		},
		holders: maps.Clone(t.holders),
	}
}

// add takes the devices of an allocated claim.
func (t *TakenDevices) add(claim *resourcev1.ResourceClaim) {
	key := Key(claim)
	for id, r := range devicesOf(claim) {
		t.holders[id] = key
		if r.ShareID == nil {
			t.State.AllocatedDevices.Insert(id)
			continue
		}
		t.State.AllocatedSharedDeviceIDs.Insert(schedulerapi.MakeSharedDeviceID(id, r.ShareID))
		if r.ConsumedCapacity != nil {
			t.State.AggregatedCapacity.Insert(schedulerapi.NewDeviceConsumedCapacity(id, r.ConsumedCapacity))
		}
	}
}

// remove gives the devices of an allocated claim back. A device that two claims held is free after the first.
func (t *TakenDevices) remove(claim *resourcev1.ResourceClaim) {
	for id, r := range devicesOf(claim) {
		delete(t.holders, id)
		if r.ShareID == nil {
			t.State.AllocatedDevices.Delete(id)
			continue
		}
		t.State.AllocatedSharedDeviceIDs.Delete(schedulerapi.MakeSharedDeviceID(id, r.ShareID))
		if r.ConsumedCapacity != nil {
			t.State.AggregatedCapacity.Remove(schedulerapi.NewDeviceConsumedCapacity(id, r.ConsumedCapacity))
		}
	}
}

// allocated is one device of a claim's allocation.
type allocated = resourcev1.DeviceRequestAllocationResult

// devicesOf is the devices that a claim takes, in the order of its allocation; none before it is allocated. Devices
// with admin access are not taken.
func devicesOf(claim *resourcev1.ResourceClaim) iter.Seq2[schedulerapi.DeviceID, *allocated] {
	return func(yield func(schedulerapi.DeviceID, *allocated) bool) {
		if claim.Status.Allocation == nil {
			return
		}
		for i := range claim.Status.Allocation.Devices.Results {
			r := &claim.Status.Allocation.Devices.Results[i]
			if r.AdminAccess != nil && *r.AdminAccess {
				continue
			}
			if !yield(schedulerapi.MakeDeviceID(r.Driver, r.Pool, r.Device), r) {
				return
			}
		}
	}
}

func (x *deviceIndex) copy() deviceIndex {
	x.shared = true
	return *x
}

// claim notes another version of a claim; either may be nil. A claim that stays allocated holds what it held.
func (x *deviceIndex) claim(old, new *resourcev1.ResourceClaim) {
	had := old != nil && old.Status.Allocation != nil
	has := new != nil && new.Status.Allocation != nil
	if had == has {
		return
	}
	switch {
	case x.taken == nil:
		x.taken = newTakenDevices()
	case x.shared:
		x.taken = x.taken.clone()
	}
	x.shared = false
	if had {
		x.taken.remove(old)
		return
	}
	x.taken.add(new)
}

// TakenDevices is what allocated claims hold of the devices, those whose allocation is assumed included. It is good
// until the State changes.
func (s *Objects) TakenDevices() *TakenDevices {
	taken := s.devices.taken
	if taken == nil {
		taken = newTakenDevices()
	}
	if s.ResourceClaims.assumed.Len() == 0 {
		return taken
	}
	taken = taken.clone()
	s.ResourceClaims.eachAssumed(func(claim *resourcev1.ResourceClaim) bool {
		taken.add(claim)
		return true
	})
	return taken
}

// TaintedSlices lists the ResourceSlices by name, with the taints that DeviceTaintRules put on their devices: what
// kube-scheduler's slice tracker shows (1.37). It is read only and good until the State changes.
func (s *Objects) TaintedSlices() []*resourcev1.ResourceSlice {
	x := &s.devices
	if x.slices != nil || s.resourceSlices.Len() == 0 {
		return x.slices
	}
	rules := make([]*resourcev1.DeviceTaintRule, 0, s.deviceTaintRules.Len())
	s.deviceTaintRules.Each(func(r *resourcev1.DeviceTaintRule) bool {
		rules = append(rules, r)
		return true
	})
	x.slices = make([]*resourcev1.ResourceSlice, 0, s.resourceSlices.Len())
	s.resourceSlices.Each(func(slice *resourcev1.ResourceSlice) bool {
		x.slices = append(x.slices, tainted(slice, rules))
		return true
	})
	return x.slices
}

// tainted is the slice with the taints of the rules that select its devices, after the driver's own, in the order of
// the rules; the very slice when no rule does (resourceslice/tracker, 1.37). A rule without selector selects nothing,
// one with an empty selector everything.
func tainted(slice *resourcev1.ResourceSlice, rules []*resourcev1.DeviceTaintRule) *resourcev1.ResourceSlice {
	tainted := slice
	for _, rule := range rules {
		selector := rule.Spec.DeviceSelector
		if selector == nil || !names(selector.Driver, slice.Spec.Driver) || !names(selector.Pool, slice.Spec.Pool.Name) {
			continue
		}
		for i := range slice.Spec.Devices {
			if !names(selector.Device, slice.Spec.Devices[i].Name) {
				continue
			}
			if tainted == slice {
				tainted = slice.DeepCopy()
			}
			tainted.Spec.Devices[i].Taints = append(tainted.Spec.Devices[i].Taints, rule.Spec.Taint)
		}
	}
	return tainted
}

// names reports whether a selector's field wants this name, or is empty.
func names(want *string, name string) bool { return want == nil || *want == name }

// sameTaints reports whether two versions of a slice with the same devices have the same taints.
func sameTaints(a, b *resourcev1.ResourceSlice) bool {
	return a == b || slices.EqualFunc(a.Spec.Devices, b.Spec.Devices, func(a, b resourcev1.Device) bool {
		return slices.EqualFunc(a.Taints, b.Taints, func(a, b resourcev1.DeviceTaint) bool {
			return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect && a.TimeAdded.Equal(b.TimeAdded)
		})
	})
}

// retainted is what a change of the rules means for the slices: an update of each whose taints are others.
func (s *Objects) retainted(before []*resourcev1.ResourceSlice) []Change {
	var changes []Change
	for i, slice := range s.TaintedSlices() {
		if !sameTaints(before[i], slice) {
			changes = append(changes, Change{Kind: KindResourceSlice, Action: Update, Old: before[i], New: slice})
		}
	}
	return changes
}

// DeviceClassFor is the DeviceClass that stands for an extended resource; nil when there is none. A class stands for
// the name in its spec and for deviceclass.resource.kubernetes.io/ with its own name. Of several with the same name in
// their specs the newest counts, then the first by name (deviceclass/extendedresourcecache, 1.37).
func (s *Objects) DeviceClassFor(name corev1.ResourceName) *resourcev1.DeviceClass {
	if s.DeviceClasses.Len() == 0 || s.namesAre {
		return nil
	}
	if own, implicit := strings.CutPrefix(string(name), resourcev1.ResourceDeviceClassPrefix); implicit {
		if class, ok := s.DeviceClasses.Find(own); ok {
			return class
		}
	}
	var found *resourcev1.DeviceClass
	s.DeviceClasses.Each(func(class *resourcev1.DeviceClass) bool {
		named := class.Spec.ExtendedResourceName != nil && *class.Spec.ExtendedResourceName == string(name)
		if named && (found == nil || class.CreationTimestamp.After(found.CreationTimestamp.Time)) {
			found = class
		}
		return true
	})
	return found
}

func (s *Objects) applyClaim(action Action, o *resourcev1.ResourceClaim) Object {
	old, had := s.ResourceClaims.apply(action, o)
	gone := action == Delete
	if gone || o.Status.Allocation != nil {
		s.keepsPromise(o)
	}
	if gone {
		o = nil
	}
	s.devices.claim(old, o)
	if !had {
		return nil
	}
	return old
}

// keepsPromise ends the assumption that a claim is going to be allocated: it is now, or never will be. A claim made for
// a pod's extended resources was assumed under another name.
func (s *Objects) keepsPromise(claim *resourcev1.ResourceClaim) {
	s.dropClaims(func(assumed *resourcev1.ResourceClaim) bool {
		return Key(
			assumed,
		) == Key(claim) || isExtended(assumed) && isExtended(claim) && assumed.Namespace == claim.Namespace &&
			slices.EqualFunc(assumed.OwnerReferences, claim.OwnerReferences, func(a, b metav1.OwnerReference) bool {
				return a.UID == b.UID && a.Name == b.Name
			})
	})
}

func isExtended(claim *resourcev1.ResourceClaim) bool {
	return claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true"
}

// breaksPromises ends the assumptions that claims are going to be allocated for a pod, which is gone. Those that other
// pods share stay.
func (s *Objects) breaksPromises(pod *Pod) {
	s.dropClaims(func(assumed *resourcev1.ResourceClaim) bool {
		if b, _ := s.ResourceClaims.stock.assumed.Get(Key(assumed)); b.sharers > 1 {
			return false
		}
		for _, r := range assumed.Status.ReservedFor {
			if r.UID == pod.API.UID && r.Name == pod.API.Name && assumed.Namespace == pod.API.Namespace {
				return true
			}
		}
		return false
	})
}

func (s *Objects) dropClaims(over func(assumed *resourcev1.ResourceClaim) bool) {
	if s.ResourceClaims.assumed.Len() == 0 {
		return
	}
	var gone []*resourcev1.ResourceClaim
	s.ResourceClaims.eachAssumed(func(claim *resourcev1.ResourceClaim) bool {
		if over(claim) {
			gone = append(gone, claim)
		}
		return true
	})
	for _, claim := range gone {
		s.ResourceClaims.assumed.Delete(Key(claim))
	}
}

func (s *Objects) applySlice(action Action, o *resourcev1.ResourceSlice) Object {
	s.devices.slices = nil
	return applied(&s.resourceSlices.stock, action, o)
}

func (s *Objects) applyRule(action Action, o *resourcev1.DeviceTaintRule) Object {
	s.devices.slices = nil
	return applied(&s.deviceTaintRules.stock, action, o)
}
