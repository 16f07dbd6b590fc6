package scenario

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func csiNodeWords() []word[storagev1.CSINode] {
	type csi = storagev1.CSINode
	return []word[csi]{
		{
			name: "driver", value: "NAME[:COUNT]",
			does: "A driver that is on the node, and how many volumes it can attach there; `driver=` leaves none.", many: true,
			clear: func(n *csi) {
				n.Spec.Drivers = nil
			}, read: func(v string) (func(*csi), error) {
				if v == "" {
					return func(*csi) {}, nil
				}
				name, count, limited := strings.Cut(v, ":")
				var limit *storagev1.VolumeNodeResources
				if limited {
					n, err := integer(count)
					if err != nil {
						return nil, err
					}
					limit = &storagev1.VolumeNodeResources{Count: ptr.To(int32(n))}
				}
				return func(n *csi) {
					n.Spec.Drivers = append(n.Spec.Drivers, storagev1.CSINodeDriver{Name: name, NodeID: n.Name, Allocatable: limit})
				}, nil
			},
		},
		{
			name: "topology-keys", value: "KEY|KEY", does: "The labels by which the drivers say where a volume can be used.",
			late: true, read: func(v string) (func(*csi), error) {
				var keys []string
				for _, key := range list(v) {
					keys = append(keys, longLabel(key))
				}
				return func(n *csi) {
					for i := range n.Spec.Drivers {
						n.Spec.Drivers[i].TopologyKeys = keys
					}
				}, nil
			},
		},
		{
			name: "migrated", value: "PLUGIN,...", does: "The in-tree plugins that the node serves through CSI.",
			read: func(v string) (func(*csi), error) {
				return func(n *csi) { metav1.SetMetaDataAnnotation(&n.ObjectMeta, corev1.MigratedPluginsAnnotationKey, v) }, nil
			},
		},
	}
}

func csiDriverWords() []word[storagev1.CSIDriver] {
	return []word[storagev1.CSIDriver]{
		{
			name: "counts-storage", does: "It tells how much storage is left; `counts-storage=false` ends it.",
			read: func(v string) (func(*storagev1.CSIDriver), error) {
				yes, err := truth(v)
				return func(d *storagev1.CSIDriver) { d.Spec.StorageCapacity = &yes }, err
			},
		},
		{
			name: "must-be-installed", does: "No pod with its volumes goes to a node that lacks it.",
			read: func(v string) (func(*storagev1.CSIDriver), error) {
				yes, err := truth(v)
				return func(d *storagev1.CSIDriver) { d.Spec.PreventPodSchedulingIfMissing = &yes }, err
			},
		},
	}
}

func capacityWords() []word[storagev1.CSIStorageCapacity] {
	type capacity = storagev1.CSIStorageCapacity
	return []word[capacity]{
		{name: "class", value: "NAME", does: "The StorageClass.", read: func(v string) (func(*capacity), error) {
			return func(c *capacity) { c.StorageClassName = v }, nil
		}},
		{name: "size", value: "QUANTITY", does: "How much is left.", read: func(v string) (func(*capacity), error) {
			q, err := quantity(v)
			return func(c *capacity) { c.Capacity = &q }, err
		}},
		{
			name: "largest", value: "QUANTITY", does: "The largest volume that can be made.",
			read: func(v string) (func(*capacity), error) {
				q, err := quantity(v)
				return func(c *capacity) { c.MaximumVolumeSize = &q }, err
			},
		},
		{
			name: "where", value: selectorForm, does: "The nodes that can use it; all unless it says so.",
			read: func(v string) (func(*capacity), error) {
				s, err := labelSelector(v)
				if err != nil {
					return nil, err
				}
				labels := map[string]string{}
				for key, value := range s.MatchLabels {
					labels[longLabel(key)] = value
				}
				s.MatchLabels = labels
				for i := range s.MatchExpressions {
					s.MatchExpressions[i].Key = longLabel(s.MatchExpressions[i].Key)
				}
				return func(c *capacity) { c.NodeTopology = s }, nil
			},
		},
	}
}

func attachmentWords() []word[storagev1.VolumeAttachment] {
	type attachment = storagev1.VolumeAttachment
	return []word[attachment]{
		{name: "driver", value: "NAME", does: "The CSI driver.", read: func(v string) (func(*attachment), error) {
			return func(a *attachment) { a.Spec.Attacher = v }, nil
		}},
		{name: "volume", value: "NAME", does: "The PersistentVolume.", read: func(v string) (func(*attachment), error) {
			return func(a *attachment) { a.Spec.Source.PersistentVolumeName = &v }, nil
		}},
		{name: "node", value: "NAME", does: "The node it is attached to.", read: func(v string) (func(*attachment), error) {
			return func(a *attachment) { a.Spec.NodeName = v }, nil
		}},
	}
}
