package predicates

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// EquivalenceCache is that of 1.10: pods of one controller with the same claims are one class. Its answers become
// outdated only where its event handlers mark them so: some changes leave answers that are wrong
// (pkg/scheduler/core/equivalence_cache.go, pkg/scheduler/factory/factory.go). It keeps answers of at most 100
// predicates for a node; no more than 20 predicates ever run, so none is dropped for lack of room.
type EquivalenceCache struct{}

var _ framework.Equivalence = EquivalenceCache{}

// The predicates whose answers go out of date.
const (
	generalName   = "GeneralPredicates"
	noDiskName    = "NoDiskConflict"
	taintsName    = "PodToleratesNodeTaints"
	serviceName   = "CheckServiceAffinity"
	ebsName       = "MaxEBSVolumeCount"
	gceName       = "MaxGCEPDVolumeCount"
	azureName     = "MaxAzureDiskVolumeCount"
	bindingName   = "CheckVolumeBinding"
	memoryName    = "CheckNodeMemoryPressure"
	diskName      = "CheckNodeDiskPressure"
	conditionName = "CheckNodeCondition"
)

// Annotations that are compared when a node or a volume changes.
const (
	taintsAnnotation   = "scheduler.alpha.kubernetes.io/taints"
	affinityAnnotation = "volume.alpha.kubernetes.io/node-affinity"
)

// Class is the controller of a pod with the claims that the pod uses. A pod without a controller has none, nor has one
// with a claim that is missing.
func (EquivalenceCache) Class(pod *cluster.Pod, objects *cluster.Objects) (framework.EquivalenceClass, bool) {
	i := slices.IndexFunc(pod.API.OwnerReferences, func(r metav1.OwnerReference) bool {
		return r.Controller != nil && *r.Controller
	})
	if i < 0 {
		return framework.EquivalenceClass{}, false
	}
	owner := pod.API.OwnerReferences[i]
	claims := map[string]string{} // by UID
	for _, use := range pod.Claims {
		if use.Ephemeral {
			continue
		}
		claim, there := objects.VolumeClaims.Find(pod.ClaimKey(use))
		if !there {
			return framework.EquivalenceClass{}, false
		}
		uid := string(claim.UID)
		if uid == "" { // as in manifests that are written by hand
			uid = cluster.Key(claim)
		}
		claims[uid] = claim.Name
	}
	uid := string(owner.UID)
	if uid == "" {
		uid = pod.Namespace()
	}
	blocks := owner.BlockOwnerDeletion != nil && *owner.BlockOwnerDeletion
	key := []string{owner.APIVersion, owner.Kind, owner.Name, uid, map[bool]string{true: "blocks"}[blocks]}
	key = append(key, slices.Sorted(maps.Keys(claims))...)
	class := framework.EquivalenceClass{Key: strings.Join(key, "\x01"), Name: owner.Kind + "/" + owner.Name}
	if len(claims) > 0 {
		class.Name += " + " + strings.Join(slices.Sorted(maps.Values(claims)), " + ")
	}
	return class, true
}

// Placed are the answers that become outdated when a pod gets its node: the general predicates there, and the
// predicates that count the disks which the pod has.
func (EquivalenceCache) Placed(pod *cluster.Pod) []framework.Outdated {
	filters := []string{generalName}
	for i := range pod.API.Spec.Volumes {
		switch v := &pod.API.Spec.Volumes[i]; {
		case v.PersistentVolumeClaim != nil:
			filters = append(filters, ebsName, gceName, azureName)
		case v.AWSElasticBlockStore != nil:
			filters = append(filters, ebsName)
		case v.GCEPersistentDisk != nil:
			filters = append(filters, gceName)
		case v.AzureDisk != nil:
			filters = append(filters, azureName)
		}
	}
	return at(pod.NodeName, filters...)
}

// Supposed are the answers of CheckVolumeBinding, which depend on which volumes are free.
func (EquivalenceCache) Supposed() []framework.Outdated { return at("", bindingName) }

// Changed follows the event handlers. A pod that comes with a node, or gets one, makes nothing outdated: the handlers
// rely on the scheduler, which called Placed.
func (e EquivalenceCache) Changed(c *cluster.Change) []framework.Outdated {
	switch c.Kind {
	case cluster.KindPod:
		return e.podChanged(c.OldPod, c.NewPod)
	case cluster.KindNode:
		return nodeChanged(c)
	}
	switch o := either(c).(type) {
	case *corev1.PersistentVolume:
		if c.Action == cluster.Update {
			return volumeUpdated(c.Old.(*corev1.PersistentVolume), o)
		}
		return volumeCameOrWent(o)
	case *corev1.PersistentVolumeClaim:
		return claimChanged(c)
	case *corev1.Service:
		if before, is := c.Old.(*corev1.Service); is && c.Action == cluster.Update &&
			equality.Semantic.DeepEqual(before.Spec.Selector, o.Spec.Selector) {
			return nil
		}
		return at("", serviceName)
	}
	return nil
}

// either is the object that changed: as it is now, or as it was last.
func either(c *cluster.Change) cluster.Object {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// at are the answers of some predicates about a node; about all nodes where node is "".
func at(node string, filters ...string) []framework.Outdated {
	outdated := make([]framework.Outdated, len(filters))
	for i, name := range filters {
		outdated[i] = framework.Outdated{Node: node, Filter: name}
	}
	return outdated
}

// podChanged are the answers that become outdated when a pod on a node changes or is deleted.
func (e EquivalenceCache) podChanged(before, after *cluster.Pod) []framework.Outdated {
	switch {
	case before == nil || before.NodeName == "":
		return nil
	case after == nil:
		outdated := append(e.Placed(before), at("", affinityName)...)
		for i := range before.API.Spec.Volumes {
			v := &before.API.Spec.Volumes[i]
			if v.GCEPersistentDisk != nil || v.AWSElasticBlockStore != nil || v.RBD != nil || v.ISCSI != nil {
				outdated = append(outdated, at(before.NodeName, noDiskName)...)
			}
		}
		return outdated
	case before.NodeName != after.NodeName:
		return nil
	}
	var outdated []framework.Outdated
	if !maps.Equal(before.API.Labels, after.API.Labels) {
		outdated = at("", affinityName)
	}
	if !equality.Semantic.DeepEqual(before.Requests, after.Requests) {
		outdated = append(outdated, at(after.NodeName, generalName)...)
	}
	return outdated
}

// nodeChanged are the answers that become outdated when a node changes or is deleted. A label that is new is overlooked
// by all but the general predicates and service affinity.
func nodeChanged(c *cluster.Change) []framework.Outdated {
	switch {
	case c.Action == cluster.Delete:
		return []framework.Outdated{{Node: c.Old.GetName()}}
	case c.Action != cluster.Update || c.OldNode == nil || c.NewNode == nil || c.OldNode.API == nil:
		return nil
	}
	before, after := c.OldNode.API, c.NewNode.API
	var filters []string
	if !equality.Semantic.DeepEqual(before.Status.Allocatable, after.Status.Allocatable) {
		filters = append(filters, generalName)
	}
	if !maps.Equal(before.Labels, after.Labels) {
		filters = append(filters, generalName, serviceName)
		for key, value := range before.Labels {
			if value == after.Labels[key] {
				continue
			}
			filters = append(filters, affinityName)
			if aboutZones(key) {
				filters = append(filters, zoneName)
			}
		}
	}
	if !equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints) ||
		before.Annotations[taintsAnnotation] != after.Annotations[taintsAnnotation] {
		filters = append(filters, taintsName)
	}
	filters = append(filters, conditionsChanged(before, after)...)
	slices.Sort(filters)
	return at(after.Name, slices.Compact(filters)...)
}

// conditionsChanged are the predicates that read a condition whose status has changed.
func conditionsChanged(before, after *corev1.Node) []string {
	status := func(n *corev1.Node) map[corev1.NodeConditionType]corev1.ConditionStatus {
		all := map[corev1.NodeConditionType]corev1.ConditionStatus{}
		for _, c := range n.Status.Conditions {
			all[c.Type] = c.Status
		}
		return all
	}
	was, is := status(before), status(after)
	var filters []string
	if was[corev1.NodeMemoryPressure] != is[corev1.NodeMemoryPressure] {
		filters = append(filters, memoryName)
	}
	if was[corev1.NodeDiskPressure] != is[corev1.NodeDiskPressure] {
		filters = append(filters, diskName)
	}
	if was[corev1.NodeReady] != is[corev1.NodeReady] || was[outOfDisk] != is[outOfDisk] ||
		was[corev1.NodeNetworkUnavailable] != is[corev1.NodeNetworkUnavailable] ||
		before.Spec.Unschedulable != after.Spec.Unschedulable {
		filters = append(filters, conditionName)
	}
	return filters
}

// aboutZones reports whether a label names a zone or a region.
func aboutZones(key string) bool {
	return key == corev1.LabelFailureDomainBetaZone || key == corev1.LabelFailureDomainBetaRegion
}

// volumeCameOrWent are the answers that become outdated when a PersistentVolume is added or deleted.
func volumeCameOrWent(v *corev1.PersistentVolume) []framework.Outdated {
	filters := []string{bindingName}
	switch source := &v.Spec.PersistentVolumeSource; {
	case source.AWSElasticBlockStore != nil:
		filters = append(filters, ebsName)
	case source.GCEPersistentDisk != nil:
		filters = append(filters, gceName)
	case source.AzureDisk != nil:
		filters = append(filters, azureName)
	}
	for key := range v.Labels {
		if aboutZones(key) {
			filters = append(filters, zoneName)
			break
		}
	}
	return at("", filters...)
}

// volumeUpdated are the answers that become outdated when a PersistentVolume is updated. Of its node affinity only the
// annotation counts, and not the specification.
func volumeUpdated(before, after *corev1.PersistentVolume) []framework.Outdated {
	var filters []string
	for key, value := range after.Labels {
		if aboutZones(key) && value != before.Labels[key] {
			filters = append(filters, zoneName)
			break
		}
	}
	if before.Annotations[affinityAnnotation] != after.Annotations[affinityAnnotation] {
		filters = append(filters, bindingName)
	}
	return at("", filters...)
}

// claimChanged are the answers that become outdated when a claim is added, is deleted, or gets another volume. In the
// last case the zone of the volume is overlooked.
func claimChanged(c *cluster.Change) []framework.Outdated {
	if c.Action != cluster.Update {
		return at("", ebsName, gceName, azureName, zoneName, bindingName)
	}
	before, after := c.Old.(*corev1.PersistentVolumeClaim), c.New.(*corev1.PersistentVolumeClaim)
	if before.Spec.VolumeName == after.Spec.VolumeName {
		return nil
	}
	return at("", bindingName, ebsName, gceName, azureName)
}
