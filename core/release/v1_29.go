package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// v1_29 is kube-scheduler 1.29.
var v1_29 = like(v1_30, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.29", "1.29.15", Whole
	r.gates(true, "MinDomainsInPodTopologySpread", "PodSchedulingReadiness")

	gates := r.Plugins[r.plugin("SchedulingGates")]
	r.without("SchedulingGates")
	r.Plugins = slices.Insert(r.Plugins, r.plugin("DefaultBinder")+1, gates)

	r.replace(Plugin{
		Name: "VolumeBinding", Points: filters(framework.Score, framework.Reserve, framework.PreBind),
	})

	r.Behaviour.Search = framework.AlwaysSampling{}
	r.Behaviour.Studies = framework.Studies{FirstRejectionEnds: true, Disjoint: trace.Unschedulable}
	r.Behaviour.Waits = waits1_29
	r.Behaviour.Reading.NodeUpdateIsOneEvent = true
	r.Behaviour.Reading.Unseen |= cluster.UpdateNodeAnnotation
	r.Ways.ImageLocality.InitContainersUncounted = true
	r.Ways.NodeAffinity.ScoredWithoutPreferences = true
	r.Ways.NodeVolumeLimits.MissingClaimIsError = true
	r.Ways.VolumeBinding.UnscoredGetsZero = true
})
