package release

import (
	"time"

	"github.com/schedstep/schedstep/core/plugins/volumerestrictions"
	"github.com/schedstep/schedstep/core/queue"
)

// v1_33 is kube-scheduler 1.33.
var v1_33 = before(v1_34, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.33", "1.33.13", Whole
	r.notYet(
		"DRAConsumableCapacity", "DRADeviceBindingConditions", "DRAExtendedResource", "DRAResourceClaimDeviceStatus",
		"DRASchedulerFilterTimeout", "NominatedNodeNameForExpectation", "SchedulerAsyncAPICalls",
	)
	r.gates(false, "DRAAdminAccess", "DRAPrioritizedList", "DynamicResourceAllocation")
	r.offer(false, "PodLevelResources", "VolumeAttributesClass")
	r.gates(true, "SchedulerQueueingHints")
	r.gate(Gate{Name: "PodDisruptionConditions", On: true, Locked: true})

	devices := r.Plugins[r.plugin("DynamicResources")]
	devices.In, devices.Gate = ByGate, "DynamicResourceAllocation"
	r.replace(devices)

	r.Behaviour.Queue.Backoff = queue.WindowedBackoff{Window: time.Second, Count: queue.EveryAttempt}
	r.Ways.DynamicResources.NoShares = false // its claims have no capacity
	r.Ways.InterPodAffinity.SelectorsLinger = false
	r.Ways.NodeResources.AlwaysResolvable = true
	r.Ways.TaintToleration.Named = true
	r.Ways.VolumeRestrictions.Claim = volumerestrictions.InUse

	r.Changes = []Change{
		{
			Who: "TaintToleration", Shown: "releases_1_33_words",
			Does: "the reason has the first taint that is not tolerated: `node(s) had untolerated taint {gpu: true}`",
			Then: "`node(s) had untolerated taint(s)`",
		},
		{
			Who: "VolumeRestrictions", Shown: "releases_1_33_words",
			Does: "`node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode`",
			Then: "`node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use …`",
		},
		{
			Who: "NodeResourcesFit", Shown: "releases_1_33_too_large_for_any_node",
			Does: "preemption is tried also where the pod is larger than the node",
			Then: "it is not: `Preemption is not helpful for scheduling`",
		},
		{
			Who: "DynamicResources", Shown: "releases_1_33_rejected_before_it_was_looked_at",
			Does: "it is not in the default set: preemption is asked after every rejection, and claims are looked at by nobody",
			Then: "after a rejection by PreFilter it ends the message with `not found`, and preemption is not asked",
		},
		{
			Who: "requests of pods", Shown: "releases_1_33_pod_level_requests",
			Does: "requests of the whole pod do not count", Then: "they count",
		},
		{
			Who: "backoff", Shown: "releases_1_33_backoff_counts_every_attempt",
			Does: "it doubles with every attempt", Then: "it doubles with every failure of the same kind in a row",
		},
	}
	r.Gaps = []Gap{
		{"InterPodAffinity", "matchLabelKeys of affinity are merged by the API server, as in later releases"},
		{"DynamicResources", "DynamicResourceAllocation=true of this release, with objects of v1beta1"},
		{"PreEnqueue", "plugins are asked in the order of the profile in any case; the gating one first, as in 1.34"},
		{"configuration", "sentences about queueSort and utilization are those of 1.34"},
	}
})
