// Package podtopologyspread is the plugin PodTopologySpread: it keeps pods that a selector matches evenly spread over
// the domains of a topology, as a rule (DoNotSchedule) or as a preference (ScheduleAnyway). It counts pods by LabelSet
// and never reads one pod after the other; With and Without pass it the changes that a preemption would make.
package podtopologyspread

import (
	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// Name of the plugin in a profile.
const Name = "PodTopologySpread"

// Plugin is PodTopologySpread with its arguments.
type Plugin struct {
	defaults []corev1.TopologySpreadConstraint // for pods that have no constraints
	system   bool                              // defaults are Kubernetes' own
	ways     Ways
}

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// LabelKeysIgnored ignores matchLabelKeys: they do not narrow the selector of a constraint (without
	// MatchLabelKeysInPodTopologySpread; common.go, filterTopologySpreadConstraints).
	LabelKeysIgnored bool
	// TolerationsCompare evaluates tolerations with the operators Lt and Gt where constraints honour taints
	// (TaintTolerationComparisonOperators).
	TolerationsCompare bool
	// HintsReadPlacedPodsOnly makes hints ignore pods that are only nominated to a node (1.35 and earlier, plugin.go,
	// isSchedulableAfterPodChange).
	HintsReadPlacedPodsOnly bool
	// ScoreFractionsCut truncates sums of fractions where later releases round them, and gives pods without
	// constraints 100 on every node (1.19 and earlier, scoring.go, Score and NormalizeScore).
	ScoreFractionsCut bool
	// NoSystemDefaults gives pods without constraints none where the configuration sets no default constraints (1.19
	// and earlier, plugin.go).
	NoSystemDefaults bool
	// ExcludedNodesCounted counts the pods on every node of a domain, if the pod could go to some node of that domain
	// (1.19 and earlier, filtering.go, calPreFilterState).
	ExcludedNodesCounted bool
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.ScorePlugin  = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
)

// systemDefaults are the constraints of defaultingType System, unchanged since 1.24.
var systemDefaults = []corev1.TopologySpreadConstraint{
	{TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, MaxSkew: 3},
	{TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway, MaxSkew: 5},
}

// New makes the plugin from arguments that are defaulted and valid; an error is a selector that cannot be parsed in a
// default constraint.
func New(args configv1.PodTopologySpreadArgs, ways Ways) (*Plugin, error) {
	p := &Plugin{defaults: args.DefaultConstraints, ways: ways}
	if args.DefaultingType == configv1.SystemDefaulting {
		p.defaults, p.system = systemDefaults, true
	}
	none := &cluster.LabelSet{}
	for _, action := range []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway} {
		if _, err := p.ways.parse(p.defaults, none, action); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Name is PodTopologySpread.
func (p *Plugin) Name() string { return Name }
