package inside

import "github.com/schedstep/schedstep/core/cluster"

// caches are the caches, the newest first.
var caches = []since[Cache]{
	{32, listed("pkg/scheduler/backend/cache/", "cacheImpl", "UpdateSnapshot", "list")},
	{20, listed("pkg/scheduler/internal/cache/", "cacheImpl", "UpdateSnapshot", "list")},
	{18, listed("pkg/scheduler/internal/cache/", "schedulerCache", "UpdateSnapshot", "next")},
	{11, anew(listed("pkg/scheduler/internal/cache/", "schedulerCache", "UpdateNodeInfoSnapshot", "next"))},
	{7, mapped("pkg/scheduler/schedulercache/cache.go")},
	{0, mapped("plugin/pkg/scheduler/schedulercache/cache.go")},
}

func listed(folder, name, update, tree string) Cache {
	return Cache{
		Type: Place{folder + "cache.go", name}, Listed: true, Update: Place{folder + "cache.go", name + "." + update},
		Into: "nodeInfoSnapshot", Tree: Place{folder + "node_tree.go", "nodeTree." + tree}, Images: true,
	}
}

func anew(c Cache) Cache {
	c.Anew = true
	return c
}

func mapped(file string) Cache {
	return Cache{
		Type: Place{file, "schedulerCache"}, Update: Place{file, "schedulerCache.UpdateNodeNameToInfoMap"},
		Into: "cachedNodeInfoMap",
	}
}

// latest is after every release.
const latest = 1 << 16

// spreaders are the plugins that look up the workloads of a pod.
var spreaders = []string{"PodTopologySpread", "SelectorSpread", "DefaultPodTopologySpread", "ServiceAffinity"}

// users of volumes.
var users = []string{
	"VolumeBinding", "VolumeZone", "VolumeRestrictions", "NodeVolumeLimits", "EBSLimits", "GCEPDLimits", "AzureDiskLimits",
}

// watches are the informers, with the first and the last release that has each.
var watches = []struct {
	from, to int
	Watch
}{
	{0, latest, Watch{cluster.KindPod, nil, Sorts}},
	{0, latest, Watch{cluster.KindNode, nil, Caches}},
	{0, 6, Watch{cluster.KindVolume, nil, Reads}},
	{0, 6, Watch{cluster.KindVolumeClaim, nil, Reads}},
	{0, 6, Watch{cluster.KindService, nil, Reads}},
	{7, 19, Watch{cluster.KindVolume, nil, Wakes}},
	{7, 19, Watch{cluster.KindVolumeClaim, nil, Wakes}},
	{7, 19, Watch{cluster.KindService, nil, Wakes}},
	{0, 10, Watch{cluster.KindReplicationController, nil, Reads}},
	{0, 10, Watch{cluster.KindReplicaSet, nil, Reads}},
	{0, 10, Watch{cluster.KindStatefulSet, nil, Reads}},
	{7, 10, Watch{cluster.KindDisruptionBudget, nil, Caches}},
	{7, 10, Watch{cluster.KindStorageClass, nil, Reads}},
	{11, 19, Watch{cluster.KindStorageClass, nil, Wakes}},
	{11, 19, Watch{cluster.KindCSINode, nil, Wakes}},
	{20, latest, Watch{cluster.KindVolume, users, Wakes}},
	{20, latest, Watch{cluster.KindVolumeClaim, users, Wakes}},
	{20, latest, Watch{cluster.KindStorageClass, users, Wakes}},
	{20, latest, Watch{cluster.KindCSINode, users, Wakes}},
	{20, latest, Watch{cluster.KindCSIDriver, []string{"VolumeBinding"}, Wakes}},
	{20, latest, Watch{cluster.KindCSIStorageCapacity, []string{"VolumeBinding"}, Wakes}},
	{32, latest, Watch{cluster.KindVolumeAttachment, []string{"NodeVolumeLimits"}, Wakes}},
	{11, 17, Watch{cluster.KindDisruptionBudget, nil, Reads}},
	{18, latest, Watch{cluster.KindDisruptionBudget, []string{"DefaultPreemption"}, Reads}},
	{20, latest, Watch{cluster.KindNamespace, []string{"InterPodAffinity"}, Reads}},
	{20, latest, Watch{cluster.KindService, spreaders, Reads}},
	{11, latest, Watch{cluster.KindReplicationController, spreaders, Reads}},
	{11, latest, Watch{cluster.KindReplicaSet, spreaders, Reads}},
	{11, latest, Watch{cluster.KindStatefulSet, spreaders, Reads}},
	{20, latest, Watch{cluster.KindResourceClaim, []string{"DynamicResources"}, Wakes}},
	{30, 31, Watch{cluster.KindResourceSlice, []string{"DynamicResources"}, Reads}},
	{32, latest, Watch{cluster.KindResourceSlice, []string{"DynamicResources"}, Wakes}},
	{31, latest, Watch{cluster.KindDeviceClass, []string{"DynamicResources"}, Wakes}},
	{33, latest, Watch{cluster.KindDeviceTaintRule, []string{"DynamicResources"}, Reads}},
	{37, latest, Watch{cluster.KindPodGroup, []string{"GangScheduling"}, Groups}},
}
