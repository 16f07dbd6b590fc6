package scenario

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// storageKinds are the kinds that volumes are made of.
func storageKinds() []kind {
	return []kind{
		described(
			"storageclass", "adds a StorageClass.",
			"storageclass fast provisioner=csi.example.com mode=WaitForFirstConsumer", classWords(), nil,
			func(c *storagev1.StorageClass) {
				c.Provisioner, c.VolumeBindingMode = cluster.NoProvisioner, ptr.To(storagev1.VolumeBindingImmediate)
			}),
		described(
			"volume", "adds a PersistentVolume.",
			"volume disk-a size=10Gi class=fast zone=a node-affinity=zone=a", volumeWords(), nil,
			func(v *corev1.PersistentVolume) {
				v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
				v.Spec.PersistentVolumeReclaimPolicy, v.Spec.VolumeMode = corev1.PersistentVolumeReclaimRetain, ptr.To(
					corev1.PersistentVolumeFilesystem,
				)
			}),
		described(
			"volumeclaim", "adds a PersistentVolumeClaim.",
			"volumeclaim data size=5Gi class=fast", volumeClaimWords(), nil, func(c *corev1.PersistentVolumeClaim) {
				c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
				c.Spec.VolumeMode, c.Status.Phase = ptr.To(corev1.PersistentVolumeFilesystem), corev1.ClaimPending
			}),
		described(
			"csinode", "adds a CSINode: which drivers a node has.",
			"csinode n1 driver=csi.example.com:8", csiNodeWords(), nil, nil,
		),
		described(
			"csidriver", "adds a CSIDriver.", "csidriver csi.example.com counts-storage",
			csiDriverWords(), nil, nil,
		),
		described(
			"storagecapacity",
			"adds a CSIStorageCapacity: how much storage a driver has left for a class.",
			"storagecapacity in-a class=fast size=100Gi where=zone=a", capacityWords(), nil,
			func(c *storagev1.CSIStorageCapacity) {
				c.NodeTopology = &metav1.LabelSelector{}
			}),
		described(
			"attachment", "adds a VolumeAttachment.",
			"attachment old driver=csi.example.com volume=disk-a node=n1", attachmentWords(), nil, nil,
		),
	}
}

func classWords() []word[storagev1.StorageClass] {
	return []word[storagev1.StorageClass]{
		{
			name: "provisioner", value: "NAME", does: "Who makes volumes; nobody unless it says so.",
			read: func(v string) (func(*storagev1.StorageClass), error) {
				return func(c *storagev1.StorageClass) { c.Provisioner = v }, nil
			},
		},
		{
			name: "mode", value: "MODE",
			does: "Immediate, which it is unless it says so, or WaitForFirstConsumer; `mode=` leaves none.", late: true,
			read: func(v string) (func(*storagev1.StorageClass), error) {
				mode := storagev1.VolumeBindingMode(v)
				if v == "" {
					return func(c *storagev1.StorageClass) { c.VolumeBindingMode = nil }, nil
				}
				if mode != storagev1.VolumeBindingImmediate && mode != storagev1.VolumeBindingWaitForFirstConsumer {
					return nil, phrase.Errorf("%q is no binding mode (want Immediate or WaitForFirstConsumer)", v)
				}
				return func(c *storagev1.StorageClass) { c.VolumeBindingMode = &mode }, nil
			},
		},
		{
			name: "topology", value: "KEY=A|B,...",
			does: "Where volumes may be made; several are alternatives, `topology=` leaves none.", many: true,
			clear: func(c *storagev1.StorageClass) { c.AllowedTopologies = nil }, read: classTopology,
		},
		{
			name: "default", does: "Claims that name no class get it.",
			read: func(v string) (func(*storagev1.StorageClass), error) {
				yes, err := truth(v)
				return func(c *storagev1.StorageClass) {
					metav1.SetMetaDataAnnotation(&c.ObjectMeta, cluster.DefaultClassAnnotation, fmt.Sprint(yes))
				}, err
			},
		},
		{
			name: "reclaim", value: "POLICY", does: "Delete, which it is unless it says so, or Retain.",
			read: func(v string) (func(*storagev1.StorageClass), error) {
				policy, err := reclaimPolicy(v)
				return func(c *storagev1.StorageClass) { c.ReclaimPolicy = &policy }, err
			},
		},
	}
}

func classTopology(v string) (func(*storagev1.StorageClass), error) {
	if v == "" {
		return func(*storagev1.StorageClass) {}, nil
	}
	all, err := requirements(v)
	var term corev1.TopologySelectorTerm
	for _, r := range all {
		if r.operator != corev1.NodeSelectorOpIn {
			return nil, phrase.Errorf("%q is no topology (want key=value or key=a|b)", v)
		}
		term.MatchLabelExpressions = append(
			term.MatchLabelExpressions,
			corev1.TopologySelectorLabelRequirement{Key: longLabel(r.key), Values: r.values},
		)
	}
	return func(c *storagev1.StorageClass) { c.AllowedTopologies = append(c.AllowedTopologies, term) }, err
}

func reclaimPolicy(v string) (corev1.PersistentVolumeReclaimPolicy, error) {
	policy := corev1.PersistentVolumeReclaimPolicy(v)
	if policy != corev1.PersistentVolumeReclaimDelete && policy != corev1.PersistentVolumeReclaimRetain {
		return "", phrase.Errorf("%q is no reclaim policy (want Delete or Retain)", v)
	}
	return policy, nil
}

func volumeWords() []word[corev1.PersistentVolume] {
	type pv = corev1.PersistentVolume
	return []word[pv]{
		{name: "size", value: "QUANTITY", does: "Its capacity.", read: func(v string) (func(*pv), error) {
			q, err := quantity(v)
			return func(o *pv) { put(&o.Spec.Capacity, corev1.ResourceStorage, q) }, err
		}},
		{name: "class", value: "NAME", does: "The StorageClass.", read: func(v string) (func(*pv), error) {
			return func(o *pv) { o.Spec.StorageClassName = v }, nil
		}},
		{
			name: "zone", value: "NAME",
			does: "The label topology.kubernetes.io/zone, which VolumeZone goes by; a__b is both.",
			read: volumeLabel("zone"),
		},
		{name: "region", value: "NAME", does: "The label topology.kubernetes.io/region.", read: volumeLabel("region")},
		{
			name: "labels", value: "KEY=VALUE,...", does: "Sets labels; `KEY-` drops one.",
			read: func(v string) (func(*pv), error) {
				all, err := labelChanges(v, longLabel)
				return func(o *pv) { applyLabels(o, all) }, err
			},
		},
		{
			name: "node-affinity", value: "CONDITION,...",
			does: "From where it can be used, which VolumeBinding goes by; several are alternatives.", many: true,
			clear: func(o *pv) { o.Spec.NodeAffinity = nil }, read: volumeAffinity,
		},
		{
			name: "access", value: "MODE,...",
			does: "ReadWriteOnce, which it is unless it says so, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.",
			read: func(v string) (func(*pv), error) {
				modes, err := accessModes(v)
				return func(o *pv) { o.Spec.AccessModes = modes }, err
			},
		},
		{
			name: "csi", value: "DRIVER/HANDLE", does: "The CSI driver that serves it, and what it calls it.",
			read: volumeDriver,
		},
		{
			name: "claim", value: "[NAMESPACE/]NAME", does: "The claim it is set aside for.",
			read: func(v string) (func(*pv), error) {
				namespace, name, err := (&kind{name: "volumeclaim", namespaced: true}).split(v)
				return func(o *pv) {
					o.Spec.ClaimRef = &corev1.ObjectReference{
						Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace, Name: name,
					}
				}, err
			},
		},
		{
			name: "reclaim", value: "POLICY", does: "Retain, which it is unless it says so, or Delete.",
			read: func(v string) (func(*pv), error) {
				policy, err := reclaimPolicy(v)
				return func(o *pv) { o.Spec.PersistentVolumeReclaimPolicy = policy }, err
			},
		},
	}
}

func volumeDriver(v string) (func(*corev1.PersistentVolume), error) {
	driver, handle, has := strings.Cut(v, "/")
	if !has || driver == "" || handle == "" {
		return nil, phrase.Errorf("%q is no CSI volume (want driver/handle)", v)
	}
	return func(o *corev1.PersistentVolume) {
		o.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle}
	}, nil
}

func volumeLabel(key string) func(string) (func(*corev1.PersistentVolume), error) {
	return func(v string) (func(*corev1.PersistentVolume), error) {
		all := []labelChange{{longLabel(key), &v}}
		return func(o *corev1.PersistentVolume) { applyLabels(o, all) }, nil
	}
}

func volumeAffinity(v string) (func(*corev1.PersistentVolume), error) {
	term, err := nodeTerm(v)
	return func(o *corev1.PersistentVolume) {
		if o.Spec.NodeAffinity == nil {
			o.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{}}
		}
		required := o.Spec.NodeAffinity.Required
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, term)
	}, err
}

func accessModes(v string) ([]corev1.PersistentVolumeAccessMode, error) {
	var modes []corev1.PersistentVolumeAccessMode
	for part := range parts(v, ",") {
		switch mode := corev1.PersistentVolumeAccessMode(part); mode {
		case corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod:
			modes = append(modes, mode)
		default:
			return nil, phrase.Errorf(
				"%q is no access mode (want ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod)", part,
			)
		}
	}
	if modes == nil {
		return nil, phrase.Errorf("want at least one access mode")
	}
	return modes, nil
}

func volumeClaimWords() []word[corev1.PersistentVolumeClaim] {
	type pvc = corev1.PersistentVolumeClaim
	return []word[pvc]{
		{name: "size", value: "QUANTITY", does: "What it requests.", read: func(v string) (func(*pvc), error) {
			q, err := quantity(v)
			return func(o *pvc) { put(&o.Spec.Resources.Requests, corev1.ResourceStorage, q) }, err
		}},
		{
			name: "class", value: "NAME", does: "The StorageClass; `class=` asks for volumes without one.",
			read: func(v string) (func(*pvc), error) {
				return func(o *pvc) { o.Spec.StorageClassName = &v }, nil
			},
		},
		{
			name: "access", value: "MODE,...",
			does: "ReadWriteOnce, which it is unless it says so, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.",
			read: func(v string) (func(*pvc), error) {
				modes, err := accessModes(v)
				return func(o *pvc) { o.Spec.AccessModes = modes }, err
			},
		},
		{name: "volume", value: "NAME", does: "The volume it names.", read: func(v string) (func(*pvc), error) {
			return func(o *pvc) { o.Spec.VolumeName = v }, nil
		}},
		{
			name: "bound", value: "VOLUME", does: "It names that volume and is bound to it.", late: true,
			read: func(v string) (func(*pvc), error) {
				return func(o *pvc) {
					o.Spec.VolumeName, o.Status.Phase = v, corev1.ClaimBound
					metav1.SetMetaDataAnnotation(&o.ObjectMeta, cluster.AnnotationBindCompleted, "yes")
				}, nil
			},
		},
		{name: "lost", does: "Its volume is gone.", late: true, read: func(v string) (func(*pvc), error) {
			yes, err := truth(v)
			return func(o *pvc) {
				if o.Status.Phase = corev1.ClaimBound; yes {
					o.Status.Phase = corev1.ClaimLost
				}
			}, err
		}},
		{
			name: "selected-node", value: "NODE", does: "The node that an earlier attempt selected for its volume.",
			read: func(v string) (func(*pvc), error) {
				return func(o *pvc) { metav1.SetMetaDataAnnotation(&o.ObjectMeta, cluster.AnnotationSelectedNode, v) }, nil
			},
		},
		{name: "labels", value: "KEY=VALUE,...", does: "Sets labels; `KEY-` drops one.", read: labelWords[pvc]()[0].read},
		{name: "deleting", does: "It was asked to go and is still there.", late: true, read: deletingWord[pvc]},
	}
}

// deletingWord sets or takes back a deletion timestamp.
func deletingWord[T any, P interface {
	*T
	cluster.Object
}](v string) (func(*T), error) {
	yes, err := truth(v)
	return func(o *T) {
		P(o).SetDeletionTimestamp(nil)
		if yes {
			P(o).SetDeletionTimestamp(&metav1.Time{Time: begin})
		}
	}, err
}
