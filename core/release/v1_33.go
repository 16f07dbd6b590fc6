package release

import (
	"time"

	"github.com/schedstep/schedstep/core/plugins/volumerestrictions"
	"github.com/schedstep/schedstep/core/queue"
)

// v1_33 is kube-scheduler 1.33.
var v1_33 = like(v1_34, func(r *Release) {
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
	r.Ways.DynamicResources.PartOfDeviceIsError = false // its claims have no capacity
	r.Ways.InterPodAffinity.ResolvedSelectorKept = false
	r.Ways.NodeResources.TooSmallNodeIsResolvable = true
	r.Ways.TaintToleration.ReasonNamesTaint = true
	r.Ways.VolumeRestrictions.Claim = volumerestrictions.InUse
})
