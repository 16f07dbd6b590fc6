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
	// SelectorsLinger keeps the namespace selector of a pod's own term after the namespaces it selects were found, and
	// evaluates it for every other namespace as if that namespace had no labels (1.34 to 1.36).
	SelectorsLinger bool
	// AllTermsWake has hints compare a pod with all anti-affinity terms together, and not with each (1.36 and earlier).
	AllTermsWake bool
	// OwnTermsWake has hints heed neither the anti-affinity of a pod that goes, nor nominated pods, nor a change of the
	// pod's own labels (1.35 and earlier).
	OwnTermsWake bool
	// AnyNodeWakes has hints heed every node that comes or changes its labels and has the topology key of a term, whether
	// or not its value is another now (1.32 and earlier).
	AnyNodeWakes bool
	// Paired has a second reason that is the same for all three rules, and Zero has scores stretched between 0 and the
	// highest, or the lowest and 0 (1.19 and earlier).
	Paired, Zero bool
	// Predicate makes the check of 1.17 and earlier. It tests first whether placed pods repel the pod, and has one reason.
	// The first of a group of pods that want to be together goes to any node. The pod's own terms do not select pods that
	// are only nominated to a node.
	Predicate bool
	// OwnNode has terms with the topology key kubernetes.io/hostname be about the pods of the node itself, also where
	// another node has the same value of the label (InterPodAffinityHostnameFastPath). The affinity terms of a pod are so
	// only if all of them have that key.
	OwnNode bool
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
