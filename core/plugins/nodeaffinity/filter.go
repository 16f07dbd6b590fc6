package nodeaffinity

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// check rejects nodes that lack what the configuration or the pod requires, in this order.
type check struct {
	enforced *required
	pod      required
	room     trace.Room
	reasons  []string // of a node that does not match the pod
}

// Filter reads the node's labels and name.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	if c.enforced != nil && !c.enforced.matches(node) {
		return trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: reasonsEnforced[:],
			Evidence: c.enforced.why(node, &c.room),
		}
	}
	if !c.pod.matches(node) {
		return trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: c.reasons, Evidence: c.pod.why(node, &c.room),
		}
	}
	return trace.Verdict{}
}

var (
	reasonsPod      = [...]string{reasonPod}
	reasonsEnforced = [...]string{reasonEnforced}
	reasonsSelector = [...]string{reasonSelector}
)
