package host

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// comparison is one comparison behind an answer of a plugin. It has no name of its own, so that a plugin can return it
// without importing anything of schedstep. An amount is an integer, a resource.Quantity or a string; nil: it means
// nothing here.
type comparison = struct {
	What                       string   // that was compared: "cpu", "licenses"
	Want, Have, Used, Capacity any      // what the pod needs, what is left for it, what others hold, what there is in all
	By                         []string // the pods in the way, as namespace/name
}

// filterExplainer is what a plugin may implement to return what its Filter compared. It is called right after a Filter
// that rejected the node.
type filterExplainer interface {
	FilterEvidence(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo) []comparison
}

// scoreExplainer is the same for Score. It is called right after the Score of a node.
type scoreExplainer interface {
	ScoreEvidence(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo) []comparison
}

// evidenceOf is what a plugin compared, as evidence.
func evidenceOf(all []comparison) []trace.Evidence {
	var out []trace.Evidence
	for _, c := range all {
		e := trace.Evidence{
			What: phrase.Verbatim(c.What), Want: valueOf(c.What, c.Want), Have: valueOf(c.What, c.Have),
			Used: valueOf(c.What, c.Used), Capacity: valueOf(c.What, c.Capacity), By: slices.Clone(c.By),
		}
		out = append(out, e)
	}
	return out
}

// valueOf is an amount with its unit: quantities of CPU are millicores, those that are written in powers of two bytes.
func valueOf(what string, amount any) trace.Value {
	switch v := amount.(type) {
	case nil:
		return trace.Value{}
	case int:
		return trace.Count(int64(v))
	case int32:
		return trace.Count(int64(v))
	case int64:
		return trace.Count(v)
	case *quantity.Quantity:
		if v == nil {
			return trace.Value{}
		}
		return valueOf(what, *v)
	case quantity.Quantity:
		switch {
		case what == string(corev1.ResourceCPU):
			return trace.MilliCPU(v.MilliValue())
		case v.Format == quantity.BinarySI:
			return trace.Bytes(v.Value())
		case v.MilliValue()%1000 == 0:
			return trace.Count(v.Value())
		}
		return trace.Text(v.String())
	case string:
		return trace.Text(v)
	}
	return trace.Text(fmt.Sprint(amount))
}

// rejected is the verdict of a Filter, with what the plugin compared where it returns that.
func (i *instance) rejected(
	g *guest, status *fwk.Status, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo,
) trace.Verdict {
	v := verdictOf(status)
	if e, is := i.plugins[g].Plugin.(filterExplainer); is && v.Code.Rejects() {
		v.Evidence = evidenceOf(e.FilterEvidence(i.ctx, state, pod, node))
	}
	return v
}

// reasoner is the scorer of a plugin that returns what its scores rest on.
type reasoner struct{ *scorer }

var _ framework.Reasoner = reasoner{}

// Why is what the plugin compared when it scored the node.
func (r reasoner) Why(node *cluster.Node) []trace.Evidence { return r.why[node.Name] }
