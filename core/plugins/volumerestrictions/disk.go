package volumerestrictions

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// isExclusive reports whether the volume is of a kind that pods on one node may not be able to share.
func isExclusive(v *corev1.Volume) bool {
	return v.GCEPersistentDisk != nil || v.AWSElasticBlockStore != nil || v.RBD != nil || v.ISCSI != nil
}

// conflicting is the first of the other volumes that cannot be on a node with this one; nil when none is.
func conflicting(v *corev1.Volume, others []*corev1.Volume) *corev1.Volume {
	for _, o := range others {
		if conflict(v, o) {
			return o
		}
	}
	return nil
}

// conflict reports whether two volumes are one disk that two pods cannot have together: readers may share a GCE disk,
// an iSCSI target or an RBD image, but never an EBS volume.
func conflict(a, b *corev1.Volume) bool {
	switch {
	case a.GCEPersistentDisk != nil && b.GCEPersistentDisk != nil:
		x, y := a.GCEPersistentDisk, b.GCEPersistentDisk
		return x.PDName == y.PDName && !(x.ReadOnly && y.ReadOnly)
	case a.AWSElasticBlockStore != nil && b.AWSElasticBlockStore != nil:
		return a.AWSElasticBlockStore.VolumeID == b.AWSElasticBlockStore.VolumeID
	case a.ISCSI != nil && b.ISCSI != nil:
		return a.ISCSI.IQN == b.ISCSI.IQN && !(a.ISCSI.ReadOnly && b.ISCSI.ReadOnly)
	case a.RBD != nil && b.RBD != nil:
		x, y := a.RBD, b.RBD
		shared := slices.ContainsFunc(x.CephMonitors, func(m string) bool { return slices.Contains(y.CephMonitors, m) })
		return shared && x.RBDPool == y.RBDPool && x.RBDImage == y.RBDImage && !(x.ReadOnly && y.ReadOnly)
	}
	return false
}

// diskText names the disk, and notes when it is read-only.
func diskText(v *corev1.Volume) string {
	text, readOnly := "", false
	switch {
	case v.GCEPersistentDisk != nil:
		text, readOnly = "GCE disk "+v.GCEPersistentDisk.PDName, v.GCEPersistentDisk.ReadOnly
	case v.AWSElasticBlockStore != nil:
		text = "EBS volume " + v.AWSElasticBlockStore.VolumeID
	case v.ISCSI != nil:
		text, readOnly = "iSCSI target "+v.ISCSI.IQN, v.ISCSI.ReadOnly
	case v.RBD != nil:
		text, readOnly = "RBD image "+v.RBD.RBDPool+"/"+v.RBD.RBDImage, v.RBD.ReadOnly
	}
	if readOnly {
		text += " (read only)"
	}
	return text
}

// nameOf is the name in a key.
func nameOf(key string) string { return key[strings.IndexByte(key, '/')+1:] }
