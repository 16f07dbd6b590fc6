package play

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// reclaim handles the volume of a claim that is gone. The volume is deleted, and its storage is free again where its
// driver counts it; or it stays with its data, and no other claim gets it. The event may hold no more of the claim than
// its name.
func (c *controllers) reclaim(claim *corev1.PersistentVolumeClaim) {
	var v *corev1.PersistentVolume
	c.known.Volumes.Each(func(o *corev1.PersistentVolume) bool {
		if ref := o.Spec.ClaimRef; ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name &&
			o.Status.Phase == corev1.VolumeBound {
			v = o
		}
		return v == nil
	})
	if v == nil {
		return
	}
	released := v.DeepCopy()
	released.Status.Phase = corev1.VolumeReleased
	c.send(0, cluster.Update, released)
	if v.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		return
	}
	c.events = append(
		c.events, source.Timed{At: c.now.Add(provisionTime), Event: cluster.Event{Action: cluster.Delete, Object: released}},
	)
	if storage := c.origin(v); storage != nil {
		c.send(provisionTime, cluster.Update, storage)
	}
}

// origin is the storage that a volume was drawn from, grown by the volume; nil when the driver does not count it. A
// limit on the size of one volume stays what it came down to.
func (c *controllers) origin(v *corev1.PersistentVolume) (grown *storagev1.CSIStorageCapacity) {
	size, sized := v.Spec.Capacity[corev1.ResourceStorage]
	if !sized || v.Spec.CSI == nil {
		return nil
	}
	driver, ok := c.known.CSIDrivers.Find(v.Spec.CSI.Driver)
	if !ok || driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity {
		return nil
	}
	where := whereabouts(v)
	c.known.EachCapacity(cluster.VolumeClass(v), func(at *cluster.Capacity) bool {
		if at.Topology == nil || at.API.Capacity == nil || !at.Topology.Matches(where) {
			return true
		}
		grown = at.API.DeepCopy()
		grown.Capacity.Add(size)
		return false
	})
	return grown
}

// whereabouts are the labels that the volume's node affinity requires, as far as it requires single values.
func whereabouts(v *corev1.PersistentVolume) labels.Set {
	where := labels.Set{}
	if v.Spec.NodeAffinity == nil || v.Spec.NodeAffinity.Required == nil {
		return where
	}
	for _, term := range v.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, r := range term.MatchExpressions {
			if r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1 {
				where[r.Key] = r.Values[0]
			}
		}
	}
	return where
}
