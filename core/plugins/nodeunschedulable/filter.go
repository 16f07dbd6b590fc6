package nodeunschedulable

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// check rejects cordoned nodes unless the pod tolerates them.
type check struct{ tolerates bool }

// Filter looks at spec.unschedulable.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	if c.tolerates || !node.Unschedulable {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: reasons[:], Evidence: evidence[:]}
}

// Reason and evidence for every cordoned node, shared by all verdicts.
var (
	reasons  = [...]string{reason}
	evidence = [...]trace.Evidence{{
		What: "spec.unschedulable",
		Want: trace.Wordsf(
			"false, or a toleration of %s", corev1.TaintNodeUnschedulable+":"+string(corev1.TaintEffectNoSchedule),
		),
		Have: trace.Text("true"),
	}}
)

// Changes are to let the node take pods again, or the pod tolerate that it takes none.
func (c *check) Changes(*cluster.Node, trace.Verdict) []trace.Change {
	taint := corev1.TaintNodeUnschedulable + ":" + string(corev1.TaintEffectNoSchedule)
	return []trace.Change{
		{Kind: trace.TolerateTaint, Parts: []trace.ChangePart{{What: taint}}},
		{Kind: trace.UncordonNode},
	}
}
