// Package interpodaffinity is the plugin InterPodAffinity: pods that want to be, or not to be, in one topology domain
// with certain other pods. The terms of pods that run already count too, when they repel or prefer the pod. A term is
// evaluated once for each LabelSet and AffinitySet in the cluster, never for each pod.
package interpodaffinity

import (
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
)

// Name of the plugin in a profile.
const Name = "InterPodAffinity"

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// ResolvedSelectorKept keeps the namespace selector of a pod's own term after the namespaces that it selects were
	// found, and evaluates it for every other namespace as if that namespace had no labels (1.34 to 1.36, plugin.go,
	// mergeAffinityTermNamespacesIfNotEmpty).
	ResolvedSelectorKept bool
	// HintsJoinAntiAffinity makes hints compare a pod with all anti-affinity terms together, and not with each of
	// them (1.36 and earlier, plugin.go, isSchedulableAfterPodChange).
	HintsJoinAntiAffinity bool
	// HintsReadOwnTermsOnly makes hints ignore the anti-affinity of a deleted pod, nominated pods, and changes of the
	// pod's own labels (1.35 and earlier, plugin.go, isSchedulableAfterPodChange).
	HintsReadOwnTermsOnly bool
	// HintsIgnoreOldValue makes hints return Queue for every node that was added or changed its labels and has the
	// topology key of a term, also where the value of that label did not change (1.32 and earlier, plugin.go,
	// isSchedulableAfterNodeChange).
	HintsIgnoreOldValue bool
	// GeneralReasonAdded returns a second reason, which is the same for all three rules (1.19 and earlier,
	// filtering.go, ErrReasonAffinityNotMatch).
	GeneralReasonAdded bool
	// ScoresStretchFromZero normalises scores between 0 and the highest, or between the lowest and 0, where later
	// releases use the lowest and the highest (1.19 and earlier, scoring.go, NormalizeScore).
	ScoresStretchFromZero bool
	// FiltersAsPredicate is the check of 1.17 and earlier (algorithm/predicates/predicates.go,
	// InterPodAffinityMatches). It first tests whether placed pods repel the pod, and returns one reason. The first
	// of several pods that require each other passes on any node. The pod's own terms do not select pods that are
	// only nominated to a node.
	FiltersAsPredicate bool
	// HostnameIsOneNode evaluates a term with the topology key kubernetes.io/hostname for the pods of the node
	// itself, also where another node has the same value of the label (1.37, InterPodAffinityHostnameFastPath).
	// Affinity terms are evaluated so only if all of them have that key.
	HostnameIsOneNode bool
}

// Plugin is InterPodAffinity with its arguments.
type Plugin struct {
	hardWeight int64 // points for each pod that requires to be near this one; 0: none
	ways       Ways
	ownOnly    bool // a pod without preferences of its own is not scored by those of others
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.ScorePlugin  = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
)

// defaultHardWeight is hardPodAffinityWeight where it is not given.
const defaultHardWeight = 1

// New makes the plugin from valid arguments.
func New(args configv1.InterPodAffinityArgs, ways Ways) *Plugin {
	p := &Plugin{hardWeight: defaultHardWeight, ways: ways, ownOnly: args.IgnorePreferredTermsOfExistingPods}
	if args.HardPodAffinityWeight != nil {
		p.hardWeight = int64(*args.HardPodAffinityWeight)
	}
	return p
}

// Name is InterPodAffinity.
func (p *Plugin) Name() string { return Name }
