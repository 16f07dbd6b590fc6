package compare

import (
	"slices"
	"strings"
)

// Spoken is a reason that a plugin of the default profile gives, as Tally counts
// it: "*" stands for its details.
type Spoken struct {
	Plugin, Reason string
	// Never explains why no comparison can ever count it; "" for one that can be counted.
	Never string
}

// Reasons are those of the plugins of kube-scheduler 1.37.1's default profile. Reasons that are errors of the API
// objects' own validation are not among them.
var Reasons = []Spoken{
	{"SchedulingGates", "waiting for scheduling gates: *", ""},
	{"NodeName", "node(s) didn't match the requested node name", "a pending pod names no node"},
	{"NodeUnschedulable", "node(s) were unschedulable", ""},
	{"TaintToleration", "node(s) had untolerated taint(s)", ""},
	{"NodeAffinity", "pod affinity terms conflict", ""},
	{"NodeAffinity", "node(s) didn't match Pod's node affinity/selector", ""},
	{"NodeAffinity", "node(s) didn't match scheduler-enforced node affinity", ""},
	{"NodePorts", "node(s) didn't have free ports for the requested pod ports", ""},
	{"NodeResourcesFit", "Too many pods", ""},
	{"NodeResourcesFit", "Insufficient cpu", ""},
	{"NodeResourcesFit", "Insufficient memory", ""},
	{"NodeResourcesFit", "Insufficient ephemeral-storage", ""},
	{"NodeResourcesFit", "Insufficient hugepages-*Mi", ""},
	{"NodeResourcesFit", "Insufficient example.com/*", ""},
	{"VolumeRestrictions", "persistentvolumeclaim * not found", ""},
	{"VolumeRestrictions", "node(s) had no available disk", ""},
	{
		"VolumeRestrictions",
		"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
		"",
	},
	{"NodeVolumeLimits", "PVC */* was not created for pod */* (pod is not owner)", ""},
	{"NodeVolumeLimits", "looking up PVC * not found", ""},
	{"NodeVolumeLimits", "csi.example.com CSI driver is not installed on the node", ""},
	{"NodeVolumeLimits", "node(s) exceed max volume count", ""},
	{"VolumeBinding", "persistentvolumeclaim * not found", ""},
	{"VolumeBinding", "waiting for ephemeral volume controller to create the persistentvolumeclaim *", ""},
	{"VolumeBinding", "persistentvolumeclaim * bound to non-existent persistentvolume *", ""},
	{"VolumeBinding", "persistentvolumeclaim * is being deleted", ""},
	{"VolumeBinding", "PVC */* was not created for pod */* (pod is not owner)", ""},
	{"VolumeBinding", "pod has unbound immediate PersistentVolumeClaims", ""},
	{"VolumeBinding", "node(s) didn't match PersistentVolume's node affinity", ""},
	{"VolumeBinding", "node(s) didn't find available persistent volumes to bind", ""},
	{"VolumeBinding", "node(s) did not have enough free storage", ""},
	{
		"VolumeBinding", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
		"the volume would have to be deleted between PreFilter and Filter",
	},
	{"VolumeZone", "PersistentVolume had no name", ""},
	{"VolumeZone", "PersistentVolumeClaim had no name", "the API server refuses such a pod"},
	{"VolumeZone", "PersistentVolumeClaim had no pv name and storageClass name", ""},
	{"VolumeZone", "VolumeBindingMode not set for StorageClass *", "the API server sets it"},
	{"VolumeZone", "node(s) had no available volume zone", ""},
	{"PodTopologySpread", "node(s) didn't match pod topology spread constraints", ""},
	{"PodTopologySpread", "node(s) didn't match pod topology spread constraints (missing required label)", ""},
	{"InterPodAffinity", "node(s) didn't match pod affinity rules", ""},
	{"InterPodAffinity", "node(s) didn't match pod anti-affinity rules", ""},
	{"InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules", ""},
	{"DynamicResources", "pod *: ResourceClaim not created yet", ""},
	{"DynamicResources", "could not find ResourceClaim *", ""},
	{"DynamicResources", "resourceclaim * is being deleted", ""},
	{
		"DynamicResources", "resource claim * is in the process of being allocated",
		"without a Permit plugin, Reserve and PreBind happen at the same virtual time",
	},
	{"DynamicResources", "request *: device class nonexistent does not exist", ""},
	{"DynamicResources", "resourceclaim not available on the node", ""},
	{"DynamicResources", "cannot allocate all claims", ""},
	{"DynamicResources", "cannot fit resource", ""},
	{"DynamicResources", "cannot schedule extended resource claim", ""},
	{"DynamicResources", "deallocation of ResourceClaim completed", ""},
	{"DynamicResources", "deletion of ResourceClaim completed", ""},
	{"NodeDeclaredFeatures", "node(s) didn't match Pod's required features", ""},
	{
		"DefaultPreemption", "waiting for the preemption for this pod to be finished",
		"the comparison evicts no victim of kube-scheduler, so its preemption ends at once",
	},
	{"DefaultPreemption", "not eligible due to preemptionPolicy=Never.", ""},
	{"DefaultPreemption", "not eligible due to a terminating pod on the nominated node.", ""},
	{"DefaultPreemption", "No preemption victims found for incoming pod", ""},
}

// Of is how often the tally has the reason.
func (s Spoken) Of(t *Tally) int {
	n := 0
	for reason, count := range t.Row(s.Plugin).Reasons {
		if s.Matches(reason) {
			n += count
		}
	}
	return n
}

// Matches reports whether a counted reason is this one.
func (s Spoken) Matches(counted string) bool {
	parts := strings.Split(s.Reason, "*")
	if !strings.HasPrefix(counted, parts[0]) || !strings.HasSuffix(counted, parts[len(parts)-1]) {
		return false
	}
	rest := counted
	return !slices.ContainsFunc(parts, func(part string) bool {
		_, after, found := strings.Cut(rest, part)
		rest = after
		return !found
	})
}
