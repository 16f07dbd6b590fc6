package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/former/predicates"
	"github.com/schedstep/schedstep/core/former/priorities"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// v1_6 is kube-scheduler 1.6. It leaves nodes out that are not healthy, runs every predicate on each of the others also
// after one rejected the node, and scores even a single node.
var v1_6 = like(v1_10, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.6", "1.6.13", Tables
	r.Policy = policy1_6()
	r.Gates, r.Ranked, r.Equivalence = nil, nil, nil
	r.offer(false, "AffinityInAnnotations")
	r.Plugins = plugins1_6()
	r.Behaviour.Preselection = predicates.Healthy{}
	r.Behaviour.Rejection = framework.EveryFailure{}
	r.Behaviour.SingleNodeScored, r.Behaviour.MissingClaimEndsCycle = true, false
	r.Behaviour.Message = framework.NamedPredicates{}
	r.Behaviour.Waits = waits1_19(r.Plugins)
	r.Behaviour.Phases = slices.DeleteFunc(slices.Clone(r.Behaviour.Phases), func(p trace.Phase) bool {
		return p == trace.PhasePostFilter || p == trace.PhasePreBind // no pod is evicted, no volume is bound
	})
	r.Behaviour.Reading.Requests.ExtendedUncounted = true
	r.Ways.Predicates = predicates.Ways{
		ReasonIsPredicateName: true, PortsByNumberOnly: true, AffinitySearchesAllNodes: true, MissingVolumeCounts: true,
		UnboundClaimIsError: true,
	}
	r.Ways.Priorities = priorities.Ways{
		SharesAsFractions: true, EmptyZonesDivideByZero: true, AntiAffinityScoresShifted: true,
	}
})

// plugins1_6 are the predicates, of which all run, then the priorities.
func plugins1_6() []Plugin {
	list := []Plugin{{Name: "FIFO", Points: points(framework.QueueSort)}}
	list = append(list, predicatesOf(
		Always, "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount",
		"MaxAzureDiskVolumeCount", "NoVolumeZoneConflict", "CheckNodeMemoryPressure", "CheckNodeDiskPressure",
		"MatchInterPodAffinity",
	)...)
	list = append(list, predicatesOf(
		Never, "HostName", "MatchNodeSelector", "PodFitsHostPorts", "PodFitsPorts", "PodFitsResources",
	)...)
	list = append(list, prioritiesBefore1_11()...)
	return append(list, Plugin{Name: "DefaultBinder", Points: points(framework.Bind)})
}

// policy1_6 is what a Policy is to 1.6.
func policy1_6() *Policy { return &Policy{NamesArePlugins: true, APIVersions: []string{"v1"}} }
