package framework

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Plain is a Check with one verdict for all nodes. It stands for a plugin that has nothing to check for a pod, in a
// release without Skip (see Behaviour.NoPluginSkipped).
type Plain struct{ Verdict trace.Verdict }

// Filter is the verdict.
func (p Plain) Filter(*cluster.Node) trace.Verdict { return p.Verdict }

// Zero scores every node with 0.
type Zero struct{}

// Score is 0.
func (Zero) Score(_ []*cluster.Node, raw []int64) trace.Verdict {
	clear(raw)
	return trace.Verdict{}
}

// Normalize leaves it at that.
func (Zero) Normalize([]*cluster.Node, []int64) trace.Verdict { return trace.Verdict{} }
