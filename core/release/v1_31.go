package release

import (
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/admission"
	"github.com/schedstep/schedstep/core/queue"
)

// v1_31 is kube-scheduler 1.31.
var v1_31 = like(v1_32, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.31", "1.31.14", Whole
	r.notYet("DRAAdminAccess", "PodLevelResources", "SchedulerAsyncPreemption")
	r.gates(false, "DRAControlPlaneController", "SchedulerQueueingHints")
	r.gate(Gate{Name: "MinDomainsInPodTopologySpread", On: true, Locked: true})
	r.replace(Plugin{Name: "DefaultPreemption", Points: points(framework.PostFilter)})

	r.Behaviour.Queue.Requeue = queue.ByEvents{}
	r.Behaviour.EventScope, r.Behaviour.Waits = admission.Checks{}, waits1_31
	r.Behaviour.Message = framework.CountedLooks{}
	r.Behaviour.ExtenderReasonsAppended = true
	r.Behaviour.Reading.Requests.SidecarDefaultsUncounted = true
	r.Ways.NodeVolumeLimits.AttachmentsUncounted = true
})
