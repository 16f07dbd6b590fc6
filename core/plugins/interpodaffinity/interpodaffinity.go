// Package interpodaffinity is the plugin InterPodAffinity: pods that want to be, or not to be, in one topology domain
// with certain other pods. The wishes of pods that run already are heard too, when they repel the pod or would like it
// near. Questions are asked once for each LabelSet and AffinitySet in the cluster, never for each pod.
package interpodaffinity

import (
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
)

// Name of the plugin in a profile.
const Name = "InterPodAffinity"

// Plugin is InterPodAffinity with its arguments.
type Plugin struct {
	hardWeight int64 // points for each pod that requires to be near this one; 0: none
	ownOnly    bool  // a pod without preferences of its own is not scored by those of others
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.ScorePlugin  = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
)

// defaultHardWeight is hardPodAffinityWeight where it is not given.
const defaultHardWeight = 1

// New makes the plugin from valid arguments.
func New(args configv1.InterPodAffinityArgs) *Plugin {
	p := &Plugin{hardWeight: defaultHardWeight, ownOnly: args.IgnorePreferredTermsOfExistingPods}
	if args.HardPodAffinityWeight != nil {
		p.hardWeight = int64(*args.HardPodAffinityWeight)
	}
	return p
}

// Name is InterPodAffinity.
func (p *Plugin) Name() string { return Name }
