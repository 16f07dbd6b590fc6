package release

import (
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/admission"
	"github.com/schedstep/schedstep/core/queue"
)

// v1_31 is kube-scheduler 1.31.
var v1_31 = before(v1_32, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.31", "1.31.14", Whole
	r.notYet("DRAAdminAccess", "PodLevelResources", "SchedulerAsyncPreemption")
	r.gates(false, "DRAControlPlaneController", "SchedulerQueueingHints")
	r.gate(Gate{Name: "MinDomainsInPodTopologySpread", On: true, Locked: true})
	r.replace(Plugin{Name: "DefaultPreemption", Points: points(framework.PostFilter)})

	r.Behaviour.Queue.Requeue = queue.ByEvents{}
	r.Behaviour.Hearing, r.Behaviour.Waits = admission.Checks{}, waits1_31
	r.Behaviour.Message = framework.CountedLooks{}
	r.Behaviour.Joined = true
	r.Behaviour.Reading.Requests.Apart = true
	r.Ways.NodeVolumeLimits.PodsAlone = true

	r.Changes = []Change{
		{
			Who: "queue", Shown: "releases_1_31_any_event_wakes",
			Does: "an event has every pod tried again that a plugin rejected which waits for such events",
			Then: "the plugin is asked whether this one helps (SchedulerQueueingHints)",
		},
		{
			Who: "queue", Shown: "releases_1_31_tainted_nodes_wake_nobody",
			Does: "a node that comes or changes is told to pods that could go there as it is", Then: "it is told to all",
		},
		{
			Who: "queue", Shown: "releases_1_31_own_update_is_tried",
			Does: "any update of a pod that is not one of its status alone has it tried again",
			Then: "plugins that rejected it are asked",
		},
		{
			Who: "messages", Shown: "releases_1_31_nodes_nobody_looked_at",
			Does: "nodes that PreFilter left out are not counted",
			Then: "they are, as `node(s) didn't satisfy plugin(s) [NodeAffinity]`",
		},
		{
			Who: "NodeVolumeLimits", Shown: "releases_1_31_attached_volumes",
			Does: "volumes of pods count, and limits may be among the node's resources",
			Then: "volumes that are attached count too, and limits are those of the CSINode",
		},
		{
			Who: "requests of pods", Shown: "releases_1_31_sidecars_count_apart",
			Does: "what a sidecar counts for in scores is not added to its pod's containers", Then: "it is added",
		},
	}
	r.Gaps = []Gap{
		{"queue", "SchedulerQueueingHints=true of this release"},
		{"events", "changes of nodes have names such as NodeUpdateNodeLabel, and not NodeLabelChange"},
		{"preemption", "a victim that is gone already is passed over, and does not end the preemption"},
		{"DynamicResources", "DynamicResourceAllocation=true of this release, with objects of v1alpha3"},
	}
})
