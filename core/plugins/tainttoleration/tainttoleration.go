// Package tainttoleration is kube-scheduler's TaintToleration plugin (1.37): NoSchedule and NoExecute taints keep pods
// away that do not tolerate them, PreferNoSchedule taints make a node less welcome. It evicts no pod.
package tainttoleration

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// Name is kube-scheduler's name of the plugin.
const Name = "TaintToleration"

// untoleratedReason is the plugin's reason for a node with a taint that the pod does not tolerate.
const untoleratedReason = "node(s) had untolerated taint(s)"

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// ReasonNamesTaint has the first taint that is not tolerated in the reason (1.33 and earlier,
	// taint_toleration.go, Filter).
	ReasonNamesTaint bool
	// ReasonInPastTense words the reason of ReasonNamesTaint so: "had taint {key: value}, that the pod didn't
	// tolerate" (1.19 and earlier, taint_toleration.go, Filter).
	ReasonInPastTense bool
	// TolerationsCompare evaluates tolerations with the operators Lt and Gt (TaintTolerationComparisonOperators).
	TolerationsCompare bool
	// ReasonNamesNoTaint returns a reason without a taint: "node(s) had taints that the pod didn't tolerate" (1.17
	// and earlier, taint_toleration.go, ErrReasonNotMatch).
	ReasonNamesNoTaint bool
}

// Plugin holds pods and taints against each other.
type Plugin struct {
	framework.SignTolerations
	ways Ways
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.ScorePlugin  = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
	_ framework.Signer       = (*Plugin)(nil)
)

// New makes the plugin; it has no arguments.
func New(ways Ways) *Plugin { return &Plugin{ways: ways} }

// Name is TaintToleration.
func (p *Plugin) Name() string { return Name }

// PreFilter takes the pod's tolerations. It never skips.
func (p *Plugin) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	return framework.Study{Check: &check{
		tolerated: tolerated{pod.API.Spec.Tolerations, p.ways.TolerationsCompare},
		named:     p.ways.ReasonNamesTaint, had: p.ways.ReasonInPastTense, any: p.ways.ReasonNamesNoTaint,
	}}
}

// PreScore keeps the tolerations that can concern PreferNoSchedule taints. It never skips.
func (p *Plugin) PreScore(pod *cluster.Pod, _ *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	var tolerations []corev1.Toleration
	for _, t := range pod.API.Spec.Tolerations {
		if t.Effect == "" || t.Effect == corev1.TaintEffectPreferNoSchedule {
			tolerations = append(tolerations, t)
		}
	}
	return framework.Scoring{Scorer: &scorer{tolerated{tolerations, p.ways.TolerationsCompare}}}
}
