package tainttoleration

import (
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// check rejects nodes with taints that the tolerations do not cover.
type check struct {
	tolerated
	named bool        // the first taint is in the reason
	had   bool        // in the words of 1.19
	any   bool        // in those of 1.17
	known []rejection // of the first few taints met, so that nodes tainted alike share their evidence
}

// rejection is the evidence against a node whose only untolerated taint is this one.
type rejection struct {
	taint    corev1.Taint
	evidence []trace.Evidence
}

// maxKnown bounds the search in check.known; clusters have few different taints.
const maxKnown = 8

// Filter looks for untolerated NoSchedule and NoExecute taints. kube-scheduler stops at the first; the evidence
// lists them all, in the node's order, since the pod would need every one of these tolerations.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	taints := node.Taints
	if len(taints) == 0 {
		return trace.Verdict{}
	}
	count, first := 0, 0
	for i := range taints {
		if !c.keepsAway(&taints[i]) {
			continue
		}
		if count == 0 {
			first = i
		}
		count++
	}
	if count == 0 {
		return trace.Verdict{}
	}
	evidence := c.evidence(&taints[first])
	if count > 1 {
		all := make([]trace.Evidence, 0, count)
		for i := first; i < len(taints); i++ {
			if c.keepsAway(&taints[i]) {
				all = append(all, c.evidence(&taints[i])...)
			}
		}
		evidence = all
	}
	because := reasons[:]
	switch {
	case c.any:
		because = anyTaints[:]
	case c.named:
		form := "node(s) had untolerated taint {%s: %s}"
		if c.had {
			form = "node(s) had taint {%s: %s}, that the pod didn't tolerate"
		}
		because = []string{fmt.Sprintf(form, taints[first].Key, taints[first].Value)}
	}
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: because, Evidence: evidence}
}

var (
	reasons   = [...]string{untoleratedReason}
	anyTaints = [...]string{"node(s) had taints that the pod didn't tolerate"}
)

// tolerated is what a pod tolerates.
type tolerated struct {
	tolerations []corev1.Toleration
	compares    bool // Lt and Gt are operators; without it they tolerate nothing
}

// keepsAway reports whether the taint bars the pod from its node.
func (t tolerated) keepsAway(taint *corev1.Taint) bool {
	if taint.Effect != corev1.TaintEffectNoSchedule && taint.Effect != corev1.TaintEffectNoExecute {
		return false
	}
	return !t.has(taint)
}

// has reports whether the pod tolerates a taint.
func (t tolerated) has(taint *corev1.Taint) bool {
	return len(t.tolerations) > 0 &&
		corev1helpers.TolerationsTolerateTaint(logr.Discard(), t.tolerations, taint, t.compares)
}

// evidence against one taint.
func (c *check) evidence(taint *corev1.Taint) []trace.Evidence {
	for i := range c.known {
		k := &c.known[i]
		if k.taint.Key == taint.Key && k.taint.Value == taint.Value && k.taint.Effect == taint.Effect {
			return k.evidence
		}
	}
	evidence := []trace.Evidence{missing(taint)}
	if len(c.known) < maxKnown {
		c.known = append(c.known, rejection{taint: *taint, evidence: evidence})
	}
	return evidence
}

// missing is the comparison behind an untolerated taint.
func missing(taint *corev1.Taint) trace.Evidence {
	return trace.Evidence{
		Topic: trace.OfTaint,
		What:  "taint", Want: trace.Wordsf("a toleration of %s", cluster.TaintText(taint)), Have: trace.Absent("none"),
	}
}

// Changes is the tolerations that the pod lacks, all of which it needs.
func (c *check) Changes(node *cluster.Node, _ trace.Verdict) []trace.Change {
	change := trace.Change{Kind: trace.TolerateTaint}
	for i := range node.Taints {
		if taint := &node.Taints[i]; c.keepsAway(taint) {
			change.Parts = append(change.Parts, trace.ChangePart{What: cluster.TaintText(taint)})
		}
	}
	return []trace.Change{change}
}
