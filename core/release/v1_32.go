package release

import (
	"time"

	"github.com/schedstep/schedstep/core/plugins/volumebinding"
	"github.com/schedstep/schedstep/core/queue"
)

// v1_32 is kube-scheduler 1.32.
var v1_32 = before(v1_33, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.32", "1.32.13", Whole
	r.notYet(
		"DRADeviceTaints", "DRAPartitionableDevices", "DRAPrioritizedList", "SchedulerPopFromBackoffQ",
		"StorageCapacityScoring",
	)
	r.gates(false, "InPlacePodVerticalScaling", "SchedulerAsyncPreemption", "VolumeCapacityPriority")
	r.gates(true, "CSIMigrationPortworx", "NodeInclusionPolicyInPodTopologySpread", "SidecarContainers")

	r.Behaviour.Queue.Backoff, r.Behaviour.Queue.LateGates = queue.ExactBackoff{Every: time.Second}, true
	r.Behaviour.Reading.MainPorts = true
	r.Behaviour.Unmissed = true
	r.Ways.InterPodAffinity.AnyNodeWakes = true
	r.Ways.NodeResources.NothingCounts = true
	r.Ways.NodeVolumeLimits.AllDetachedWake = true
	r.Ways.VolumeBinding.Affinity = volumebinding.AffinityConflict

	r.Changes = []Change{
		{
			Who: "VolumeBinding", Shown: "releases_1_32_volume_out_of_reach",
			Does: "the reason of a node that does not reach a bound volume is `node(s) had volume node affinity conflict`",
			Then: "`node(s) didn't match PersistentVolume's node affinity`",
		},
		{
			Who: "NodeResourcesBalancedAllocation", Shown: "releases_1_32_who_asks_nothing_is_balanced_too",
			Does: "pods that request nothing go to nodes that are evenly used", Then: "they are not scored",
		},
		{
			Who: "NodePorts", Shown: "releases_1_32_ports_of_sidecars",
			Does: "host ports of restartable init containers do not count", Then: "they count",
		},
		{
			Who: "requests of pods", Shown: "releases_1_32_spec_of_resized_pods",
			Does: "of a pod that is resized in place the spec counts",
			Then: "the largest of what each container asks for, was promised and has (InPlacePodVerticalScaling)",
		},
		{
			Who: "DefaultPreemption", Shown: "releases_1_32_victims_are_told_at_once",
			Does: "evictions are part of the cycle",
			Then: "they go on beside it, and hold the pod back meanwhile (SchedulerAsyncPreemption)",
		},
		{
			Who: "backoff", Shown: "releases_1_32_backoff_is_sat_out",
			Does: "every backoff is sat out, to the moment",
			Then: "backoffs end in windows of a second, and before that where nobody else waits (SchedulerPopFromBackoffQ)",
		},
	}
	r.Changes = append(
		r.Changes,
		Change{
			Who: "nomination", Shown: "releases_1_32_gone_nomination_wakes_nobody",
			Does: "nobody is woken when a pod goes that a node was kept for, or loses that node",
			Then: "pods that are no more important are woken",
		},
		Change{
			Who: "InterPodAffinity", Shown: "releases_1_32_relabelled_nodes_wake",
			Does: "any change of a node's labels wakes pods whose terms name one of them",
			Then: "a change of a label that the terms name wakes them",
		},
	)
	r.Gaps = []Gap{
		{"VolumeBinding", "VolumeCapacityPriority=true, which scores nodes by the volumes found on them"},
		{"requests of pods", "InPlacePodVerticalScaling=true of this release"},
		{"PreBind", "a rejection there is an error, as in 1.33, and not a message about one node"},
		{"queue", "an update that is two events moves a pod once; it may have been in backoffQ and unschedulable at once"},
		{"events", "an update of tolerations is called UpdatePodToleration, and not UpdatePodTolerations"},
		{"configuration", "the sentence about a shape that nobody reads names the gate of 1.33"},
	}
})
