package release

import (
	"time"

	"github.com/schedstep/schedstep/core/plugins/volumebinding"
	"github.com/schedstep/schedstep/core/queue"
)

// v1_32 is kube-scheduler 1.32.
var v1_32 = like(v1_33, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.32", "1.32.13", Whole
	r.notYet(
		"DRADeviceTaints", "DRAPartitionableDevices", "DRAPrioritizedList", "SchedulerPopFromBackoffQ",
		"StorageCapacityScoring",
	)
	r.gates(false, "InPlacePodVerticalScaling", "SchedulerAsyncPreemption", "VolumeCapacityPriority")
	r.gates(true, "CSIMigrationPortworx", "NodeInclusionPolicyInPodTopologySpread", "SidecarContainers")

	r.Behaviour.Queue.Backoff = queue.ExactBackoff{Every: time.Second, Count: queue.EveryAttempt}
	r.Behaviour.Queue.GatesRunAfterBackoff = true
	r.Behaviour.Reading.SidecarPortsUncounted = true
	r.Behaviour.NominationRemovalWakesNoPod = true
	r.Ways.InterPodAffinity.HintsIgnoreOldValue = true
	r.Ways.NodeResources.BalanceWithoutRequests = true
	r.Ways.NodeVolumeLimits.HintsTakeAnyDetachment = true
	r.Ways.VolumeBinding.Affinity = volumebinding.AffinityConflict
})
