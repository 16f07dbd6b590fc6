package noderesources

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// fitName is kube-scheduler's name of Fit.
const fitName = "NodeResourcesFit"

// Fit rejects nodes without room for the pod, and scores the others by how full they would be.
type Fit struct {
	ignored       []string // resources that extenders manage, or the user excepts from filtering
	ignoredGroups []string // the same by the part before the slash
	resources     []resource
	rate          rating
	compiler      compiler
	ways          Ways
	packed        rating // of placements: MostAllocated, whatever rate is
}

var (
	_ framework.FilterPlugin         = (*Fit)(nil)
	_ framework.ScorePlugin          = (*Fit)(nil)
	_ framework.PlacementScorePlugin = (*Fit)(nil)
	_ framework.Waker                = (*Fit)(nil)
)

// NewFit takes arguments that were defaulted and validated; a scoring strategy that is missing or unknown panics.
func NewFit(args configv1.NodeResourcesFitArgs, ways Ways) *Fit {
	return &Fit{
		ignored: slices.Clone(args.IgnoredResources), ignoredGroups: slices.Clone(args.IgnoredResourceGroups),
		resources: resourcesOf(args.ScoringStrategy.Resources), rate: ratingOf(args.ScoringStrategy),
		compiler: newCompiler(), ways: ways,
		packed: rating{strategy: configv1.MostAllocated},
	}
}

// Name is NodeResourcesFit.
func (f *Fit) Name() string { return fitName }

// PreFilter adds up what the pod requests, pod-level requests included. It never skips: a pod without requests still
// needs one of the node's pods.
func (f *Fit) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	c := newCheck(pod, snapshot.Objects())
	c.resolvable, c.oneReason = f.ways.TooSmallNodeIsResolvable, f.ways.OnlyFirstShortage
	requestsAny := c.milliCPU != 0 || c.memory != 0 || c.ephemeralStorage != 0 || len(c.scalars) > 0
	if f.ways.UnrequestedShortageRejects && requestsAny {
		c.exempt = -1
	}
	c.scalars = slices.DeleteFunc(c.scalars, func(d demand) bool { return f.ignores(d.name) })
	return framework.Study{Check: c}
}

// ignores reports whether filtering leaves the resource out; only extended resources can be.
func (f *Fit) ignores(name corev1.ResourceName) bool {
	if len(f.ignored) == 0 && len(f.ignoredGroups) == 0 || !cluster.IsExtended(name) {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(f.ignored, string(name)) || slices.Contains(f.ignoredGroups, group)
}

// PreScore adds up what the pod counts for. Unlike filtering it leaves pod-level requests out, and counts
// cluster.DefaultMilliCPU and cluster.DefaultMemoryBytes for each container without a request: kube-scheduler's plugin
// never passes pod-level resources to its scorer. It never returns Skip.
func (f *Fit) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	requests := scoredRequests(pod)
	return framework.Scoring{Scorer: &fitScorer{
		rate: f.rate, columns: columnsOf(f.resources, &requests, snapshot.Objects(), f.compiler),
		configured: len(f.resources) > 0,
	}}
}

// scoredRequests is what the pod counts for in scores.
func scoredRequests(pod *cluster.Pod) cluster.Resources {
	return cluster.ResourcesOf(resourcehelper.PodRequests(pod.API, resourcehelper.PodResourcesOptions{
		SkipPodLevelResources: true,
		NonMissingContainerRequests: corev1.ResourceList{
			corev1.ResourceCPU:    *quantity.NewMilliQuantity(cluster.DefaultMilliCPU, quantity.DecimalSI),
			corev1.ResourceMemory: *quantity.NewQuantity(cluster.DefaultMemoryBytes, quantity.BinarySI),
		},
	}))
}
