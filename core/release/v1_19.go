package release

import (
	"time"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/admission"
)

// v1_19 is kube-scheduler 1.19. Ten releases lie between it and 1.29, and it has little in common with that: its table
// says everything anew that a table of 1.29 would be asked for.
var v1_19 = before(v1_29, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.19", "1.19.16", Whole
	r.Configurations = []string{
		"kubescheduler.config.k8s.io/v1beta1",
	}
	r.Policy = policy1_19()
	r.Providers = []Provider{
		{Name: "DefaultProvider"},
		{
			Name:    "ClusterAutoscalerProvider",
			Instead: map[string]string{"NodeResourcesLeastAllocated": "NodeResourcesMostAllocated"},
		},
	}
	r.Args = map[string][]string{
		"InterPodAffinity":            {"hardPodAffinityWeight"},
		"NodeLabel":                   {"presentLabels", "absentLabels", "presentLabelsPreference", "absentLabelsPreference"},
		"NodeResourcesFit":            {"ignoredResources", "ignoredResourceGroups"},
		"NodeResourcesLeastAllocated": {"resources"},
		"NodeResourcesMostAllocated":  {"resources"},
		"PodTopologySpread":           {"defaultConstraints"},
		"RequestedToCapacityRatio":    {"shape", "resources"},
		"ServiceAffinity":             {"affinityLabels", "antiAffinityLabelsPreference"},
		"VolumeBinding":               {"bindTimeoutSeconds"},
	}
	r.Gates = nil
	r.gates(true, "LocalStorageCapacityIsolation", "PodDisruptionBudget", "PodOverhead")
	r.gates(
		false, "BalanceAttachedNodeVolumes", "CSIStorageCapacity", "DefaultPodTopologySpread", "GenericEphemeralVolume",
	)

	scores := points(framework.Score)
	r.Plugins = []Plugin{
		{Name: "PrioritySort", Points: points(framework.QueueSort)},
		{Name: "NodeUnschedulable", Points: points(framework.Filter)},
		{Name: "NodeResourcesFit", Points: filters()},
		{Name: "NodeName", Points: points(framework.Filter)},
		{Name: "NodePorts", Points: filters()},
		{Name: "NodeAffinity", Points: points(framework.Filter, framework.Score), Weight: 1},
		{Name: "VolumeRestrictions", Points: points(framework.Filter)},
		{Name: "TaintToleration", Points: points(framework.Filter, framework.PreScore, framework.Score), Weight: 1},
		{Name: "EBSLimits", Points: points(framework.Filter)},
		{Name: "GCEPDLimits", Points: points(framework.Filter)},
		{Name: "NodeVolumeLimits", Points: points(framework.Filter)},
		{Name: "AzureDiskLimits", Points: points(framework.Filter)},
		{Name: "VolumeBinding", Points: filters(framework.Reserve, framework.PreBind)},
		{Name: "VolumeZone", Points: points(framework.Filter)},
		{Name: "PodTopologySpread", Points: filters(framework.PreScore, framework.Score), Weight: 2},
		{Name: "InterPodAffinity", Points: filters(framework.PreScore, framework.Score), Weight: 1},
		{Name: "DefaultPreemption", Points: points(framework.PostFilter)},
		{Name: "NodeResourcesBalancedAllocation", Points: scores, Weight: 1},
		{Name: "ImageLocality", Points: scores, Weight: 1},
		{Name: "NodeResourcesLeastAllocated", Points: scores, Weight: 1},
		{Name: "NodePreferAvoidPods", Points: scores, Weight: 10000},
		{Name: "SelectorSpread", Points: points(framework.PreScore, framework.Score), Weight: 1},
		{Name: "DefaultBinder", Points: points(framework.Bind)},
		{Name: "CinderLimits", Points: points(framework.Filter), In: Never},
		{Name: "NodeResourcesMostAllocated", Points: scores, In: Never},
		{Name: "RequestedToCapacityRatio", Points: scores, In: Never},
		{Name: "NodeLabel", Points: points(framework.Filter, framework.Score), In: Never},
		{Name: "ServiceAffinity", Points: filters(framework.Score), In: Never},
	}
	r.orders = map[framework.Point][]string{
		framework.PreFilter: {
			"NodeResourcesFit", "NodePorts", "PodTopologySpread", "InterPodAffinity", "VolumeBinding",
		},
		framework.PreScore: {"InterPodAffinity", "PodTopologySpread", "TaintToleration", "SelectorSpread"},
		framework.Score: {
			"NodeResourcesBalancedAllocation", "ImageLocality", "InterPodAffinity", "NodeResourcesLeastAllocated",
			"NodeAffinity", "NodePreferAvoidPods", "PodTopologySpread", "TaintToleration", "SelectorSpread",
		},
	}

	r.Behaviour.Message = framework.CountedNodes{}
	r.Behaviour.Forgets, r.Behaviour.Unheard = 30*time.Second, true
	r.Behaviour.Unskipped, r.Behaviour.InTurn, r.Behaviour.ClaimsFirst = true, true, true
	r.Behaviour.Hearing, r.Behaviour.Waits = admission.Checks{TermsOnly: true, AnyNode: true}, waits1_19(r.Plugins)
	r.Behaviour.Queue.Sweep.After = flush1_19
	r.Behaviour.Queue.MovesAll, r.Behaviour.Queue.LastPop, r.Behaviour.Queue.AtOnce = true, true, true

	r.Behaviour.Reading.ImagesOnce, r.Behaviour.Reading.StaysAssumed = true, true
	r.Ways.NodeName.Hostname = true
	r.Ways.TaintToleration.Had = true
	r.Ways.NodeAffinity.NodeByNode = true
	r.Ways.InterPodAffinity.Paired, r.Ways.InterPodAffinity.Zero = true, true
	r.Ways.PodTopologySpread.Cut, r.Ways.PodTopologySpread.NoDefaults = true, true
	r.Ways.PodTopologySpread.Anywhere = true
	r.Ways.NodeResources.Distance, r.Ways.NodeResources.NoneCounts = true, true
	r.Ways.DefaultPreemption.Everywhere, r.Ways.DefaultPreemption.Keeps = true, true
	r.Ways.DefaultPreemption.AnyGoing, r.Ways.DefaultPreemption.Unsorted = true, true
	r.Ways.VolumeRestrictions.DisksOnly = true
	r.Ways.VolumeZone.NodeByNode = true
	r.Ways.NodeVolumeLimits.InTree = true
	r.Ways.VolumeBinding.Uncounted, r.Ways.VolumeBinding.LostCounts = true, true
	r.Changes = []Change{
		{
			Who: "messages", Shown: "releases_1_19_words",
			Does: "a node's label is a node selector, its name a hostname, and a taint one that the pod didn't tolerate",
			Then: "they are node affinity/selector, node name, and untolerated taint",
		},
		{
			Who: "scores", Shown: "releases_1_19_scores",
			Does: "plugins of their own score by how little is in use, how even CPU and memory are, which pods are of the " +
				"same Service or controller, and which pods a node wants to avoid",
			Then: "NodeResourcesFit scores, and PodTopologySpread spreads pods that say nothing about it",
		},
		{
			Who: "DefaultPreemption", Shown: "releases_1_19_preemption_says_nothing",
			Does: "the message says nothing of preemption, which looks at all nodes", Then: "it says why there is none",
		},
	}
	r.Changes = append(r.Changes, Change{
		Who: "assumed pods", Shown: "releases_1_19_assumed_pods_expire",
		Does: "one is forgotten when its binding was made 30 s ago and no event showed it",
		Then: "it is believed in until its event comes",
	}, Change{
		Who: "binding", Shown: "releases_1_19_moved_while_on_its_way",
		Does: "one that is refused is told as `Binding rejected: …`, and the pod waits, unless an event came since the last pop " +
			"(moveRequestCycle)",
		Then: "the error is that of the plugin, and the pod backs off",
	}, Change{
		Who: "ServiceAffinity", Shown: "releases_1_19_service_affinity",
		Does: "a Policy can keep the pods of a Service on nodes with the same value of a label", Then: "nothing does",
	}, Change{
		Who: "Policy", Shown: "releases_1_19_policy",
		Does: "a file of kind Policy (--config) names predicates and priorities, which stand for plugins",
		Then: "it is refused",
	})
	r.Changes = append(r.Changes, Change{
		Who: "queue", Shown: "releases_1_19_changed_pods_go_first",
		Does: "a pod that changes is tried at once, whatever is left of its backoff",
		Then: "it sits out its backoff, and only where the change may help",
	}, Change{
		Who: "nominations", Shown: "releases_1_19_nominations_stay",
		Does: "a pod for which no pods can be evicted stays nominated where it was, unless no node could be helped at all",
		Then: "it is nominated no longer",
	})
	r.Gaps = []Gap{
		{"feature gates", "BalanceAttachedNodeVolumes, DefaultPodTopologySpread and the other alpha gates; those of the " +
			"migration to CSI"},
		{"PodTopologySpread", "defaultConstraints count the pods of every controller that selects the pod there, and of " +
			"the pod's own controller here"},
		{"ServiceAffinity", "of several Services that select a pod, any one counts there, and always the same here"},
		{"search", "which of more than 100 nodes are found first, where 16 are asked at the same time"},
		{"extenders", "those that preempt are not asked in 1.19"},
		{"queue", "a failed update of the status; services do not wake anybody here"},
		conditionEndsBackoff, nominationOutlivesErrors,
	}
})

// Gaps that 1.17 has too.
var (
	conditionEndsBackoff = Gap{
		"queue", "the PodScheduled condition that the scheduler writes comes back as a change and ends a backoff there, and " +
			"changes nothing here",
	}
	nominationOutlivesErrors = Gap{
		"nominations", "a pod whose cycle ends in an error, or in Reserve, Permit, PreBind or Bind, stays nominated there",
	}
)
