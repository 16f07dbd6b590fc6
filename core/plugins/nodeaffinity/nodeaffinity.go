// Package nodeaffinity is kube-scheduler's NodeAffinity plugin (1.37): the pod's nodeSelector and node affinity, and
// the affinity that the configuration adds to every pod. It knows nothing of affinity between pods.
package nodeaffinity

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Name is kube-scheduler's name of the plugin.
const Name = "NodeAffinity"

// Reasons of the plugin for a node, or for a pod that fits none.
const (
	reasonPod      = "node(s) didn't match Pod's node affinity/selector"
	reasonEnforced = "node(s) didn't match scheduler-enforced node affinity"
	reasonConflict = "pod affinity terms conflict"
	reasonSelector = "node(s) didn't match node selector" // 1.19 and earlier
)

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// ScoredWithoutPreferences also scores pods that prefer no node (1.29 and earlier, node_affinity.go, where
	// PreScore returns no Skip).
	ScoredWithoutPreferences bool
	// NoPreFilter makes Filter evaluate every node whatever names the terms have, with a reason of its own; Score
	// reads the labels of preferred terms alone, not their fields (1.19 and earlier, node_affinity.go, which has no
	// PreFilter).
	NoPreFilter bool
}

// Plugin matches nodes with what the pod and the configuration require of them.
type Plugin struct {
	ways      Ways
	enforced  *required // addedAffinity's required part; nil when there is none
	preferred []preference
	prefers   bool // addedAffinity has a preferred part, be every weight in it 0
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.ScorePlugin  = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
)

// New takes the affinity that is added to every pod. It fails when a term of it cannot be parsed.
func New(args configv1.NodeAffinityArgs, ways Ways) (*Plugin, error) {
	p := &Plugin{ways: ways}
	added := args.AddedAffinity
	if added == nil {
		return p, nil
	}
	if selector := added.RequiredDuringSchedulingIgnoredDuringExecution; selector != nil {
		if _, err := nodeaffinity.NewNodeSelector(selector); err != nil {
			return nil, fmt.Errorf("addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: %w", err)
		}
		p.enforced = &required{terms: parseTerms(selector), hasTerms: true}
	}
	if terms := added.PreferredDuringSchedulingIgnoredDuringExecution; len(terms) > 0 {
		if _, err := nodeaffinity.NewPreferredSchedulingTerms(terms); err != nil {
			return nil, fmt.Errorf("addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: %w", err)
		}
		p.preferred, p.prefers = parsePreferences(terms), true
	}
	return p, nil
}

// Name is NodeAffinity.
func (p *Plugin) Name() string { return Name }

// PreFilter returns Skip for pods that require nothing of a node. When every required term of the pod names nodes, only
// these are considered.
func (p *Plugin) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	selector := requiredSelector(pod.API)
	study := framework.Study{Check: &check{
		enforced: p.enforced, pod: parseRequired(pod.API.Spec.NodeSelector, selector), reasons: reasonsPod[:],
	}}
	if selector == nil && p.enforced == nil && pod.API.Spec.NodeSelector == nil {
		study.Verdict = trace.Verdict{Code: trace.Skip}
		return study
	}
	if p.ways.NoPreFilter {
		study.Check.(*check).reasons = reasonsSelector[:]
		return study
	}
	names, named := namedNodes(selector)
	switch {
	case named && len(names) == 0:
		return framework.Study{Verdict: trace.Verdict{
			Code:    trace.UnschedulableAndUnresolvable,
			Reasons: []string{reasonConflict},
			Evidence: []trace.Evidence{{
				What: "nodes named by required node affinity", Want: trace.Words("one that a whole term agrees on"),
				Have: trace.Words("none"),
			}},
		}}
	case named:
		study.Nodes = names
	}
	return study
}

// PreScore skips when neither the pod nor the configuration prefers nodes. A preferred term of the pod that cannot be
// parsed is an error.
func (p *Plugin) PreScore(pod *cluster.Pod, _ *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	if err := pod.PreferredNodesErr; err != nil {
		return framework.Scoring{Verdict: trace.Verdict{Code: trace.Error, Reasons: []string{err.Error()}}}
	}
	terms := preferredTerms(pod.API)
	if terms == nil && !p.prefers && !p.ways.ScoredWithoutPreferences {
		return framework.Scoring{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	return framework.Scoring{Scorer: &scorer{added: p.preferred, pod: parsePreferences(terms)}}
}

func requiredSelector(pod *corev1.Pod) *corev1.NodeSelector {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func preferredTerms(pod *corev1.Pod) []corev1.PreferredSchedulingTerm {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}
