package cluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// The annotations by which scheduler and volume controllers talk.
const (
	// AnnotationSelectedNode on a claim names the node its volume is to be made for.
	AnnotationSelectedNode = "volume.kubernetes.io/selected-node"
	// AnnotationBindCompleted on a claim marks that claim and volume are bound for good.
	AnnotationBindCompleted = "pv.kubernetes.io/bind-completed"
	// AnnotationBoundByController on a volume or a claim marks that no user chose the other.
	AnnotationBoundByController = "pv.kubernetes.io/bound-by-controller"
	// AnnotationProvisionedBy on a volume names the provisioner that made it.
	AnnotationProvisionedBy = "pv.kubernetes.io/provisioned-by"
)

// NoProvisioner is the provisioner of classes whose volumes are made by hand.
const NoProvisioner = "kubernetes.io/no-provisioner"

// MakesVolumes reports whether the class has a provisioner.
func MakesVolumes(c *storagev1.StorageClass) bool {
	return c.Provisioner != "" && c.Provisioner != NoProvisioner
}

// DefaultClassAnnotation marks a StorageClass that claims without a class get.
const DefaultClassAnnotation = "storageclass.kubernetes.io/is-default-class"

// IsDefaultClass reports whether claims that name no class get this one, by the annotation of today or that of old.
func IsDefaultClass(c *storagev1.StorageClass) bool {
	return c.Annotations[DefaultClassAnnotation] == "true" ||
		c.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true"
}

// VolumeClass is the storage class of a PersistentVolume; the annotation of old wins.
func VolumeClass(v *corev1.PersistentVolume) string {
	if class, has := v.Annotations[corev1.BetaStorageClassAnnotation]; has {
		return class
	}
	return v.Spec.StorageClassName
}

// ClaimClass is the storage class of a PersistentVolumeClaim, "" for none; the annotation of old wins.
func ClaimClass(c *corev1.PersistentVolumeClaim) string {
	if class, has := c.Annotations[corev1.BetaStorageClassAnnotation]; has {
		return class
	}
	if c.Spec.StorageClassName != nil {
		return *c.Spec.StorageClassName
	}
	return ""
}

// NamesClass reports whether a claim names a storage class; "" is a name, too.
func NamesClass(c *corev1.PersistentVolumeClaim) bool {
	_, has := c.Annotations[corev1.BetaStorageClassAnnotation]
	return has || c.Spec.StorageClassName != nil
}

// IsBound reports whether claim and volume are bound for good.
func IsBound(c *corev1.PersistentVolumeClaim) bool {
	_, done := c.Annotations[AnnotationBindCompleted]
	return done && c.Spec.VolumeName != ""
}

// IsFor reports whether a volume is set aside for a claim, or bound to it.
func IsFor(v *corev1.PersistentVolume, c *corev1.PersistentVolumeClaim) bool {
	ref := v.Spec.ClaimRef
	return ref != nil && ref.Name == c.Name && ref.Namespace == c.Namespace && (ref.UID == "" || ref.UID == c.UID)
}

// Suits reports whether size and mode of a volume are what the claim wants, and the volume is to stay.
func Suits(v *corev1.PersistentVolume, c *corev1.PersistentVolumeClaim) bool {
	size, wanted := v.Spec.Capacity[corev1.ResourceStorage], c.Spec.Resources.Requests[corev1.ResourceStorage]
	return size.Cmp(wanted) >= 0 && modeOf(v.Spec.VolumeMode) == modeOf(c.Spec.VolumeMode) && v.DeletionTimestamp == nil
}

// HasAttributes reports whether a volume has the class of attributes that the claim wants.
func HasAttributes(v *corev1.PersistentVolume, c *corev1.PersistentVolumeClaim) bool {
	return textOf(v.Spec.VolumeAttributesClassName) == textOf(c.Spec.VolumeAttributesClassName)
}

// HasModes reports whether a volume has every access mode that the claim wants.
func HasModes(v *corev1.PersistentVolume, c *corev1.PersistentVolumeClaim) bool {
	for _, mode := range c.Spec.AccessModes {
		if !slices.Contains(v.Spec.AccessModes, mode) {
			return false
		}
	}
	return true
}

// ClaimSelector selects the volumes that the claim accepts by their labels; everything when it has no selector.
func ClaimSelector(c *corev1.PersistentVolumeClaim) (labels.Selector, error) {
	if c.Spec.Selector == nil {
		return labels.Everything(), nil
	}
	return metav1.LabelSelectorAsSelector(c.Spec.Selector)
}

// VolumeLimit is the size of the largest volume that a storage has room for; nil when the driver does not report it.
func VolumeLimit(c *storagev1.CSIStorageCapacity) *resource.Quantity {
	if c.MaximumVolumeSize != nil {
		return c.MaximumVolumeSize
	}
	return c.Capacity
}

func modeOf(m *corev1.PersistentVolumeMode) corev1.PersistentVolumeMode {
	if m == nil {
		return corev1.PersistentVolumeFilesystem
	}
	return *m
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
