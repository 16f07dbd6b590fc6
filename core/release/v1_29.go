package release

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// v1_29 is kube-scheduler 1.29.
var v1_29 = before(v1_30, func(r *Release) {
	r.Version, r.Patch, r.Compared = "1.29", "1.29.15", Whole
	r.gates(true, "MinDomainsInPodTopologySpread", "PodSchedulingReadiness")

	gates := r.Plugins[r.plugin("SchedulingGates")]
	r.without("SchedulingGates")
	r.Plugins = slices.Insert(r.Plugins, r.plugin("DefaultBinder")+1, gates)

	r.replace(Plugin{
		Name: "VolumeBinding", Points: filters(framework.Score, framework.Reserve, framework.PreBind),
	})

	r.Behaviour.Search = framework.AlwaysSampling{}
	r.Behaviour.Studies = framework.Studies{First: true, Disjoint: trace.Unschedulable}
	r.Behaviour.Waits = waits1_29
	r.Behaviour.Reading.OneNodeEvent = true
	r.Behaviour.Reading.Unseen |= cluster.UpdateNodeAnnotation
	r.Ways.ImageLocality.NoInits = true
	r.Ways.NodeAffinity.AlwaysScored = true
	r.Ways.NodeVolumeLimits.MissingBreaks = true
	r.Ways.VolumeBinding.Zero = true

	r.Changes = []Change{
		{
			Who: "ImageLocality", Shown: "releases_1_29_images_of_init_containers",
			Does: "images of init containers count for nothing", Then: "they count",
		},
		{
			Who: "queue", Shown: "releases_1_29_one_change_of_a_node",
			Does: "an update of a node is told as the first of its changes", Then: "every change is told",
		},
		{
			Who: "search", Shown: "releases_1_29_as_many_nodes_as_ever",
			Does: "a profile that scores nothing looks for as many nodes as others", Then: "the first that fits is enough",
		},
	}
	r.Gaps = []Gap{
		{"extenders", "one that cannot bind is passed over where it may fail, as in 1.30"},
		{"PodTopologySpread", "errors of constraints are introduced as in 1.30"},
		{"failures", "a node that the API server does not know stays in the cache"},
		{"SchedulingGates", "PodSchedulingReadiness=false"},
	}
})
