package nodename

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// check lets one node through, or all when the pod names none.
type check struct {
	node    string
	reasons []string
}

// Filter compares names.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	if c.node == "" || c.node == node.Name {
		return trace.Verdict{}
	}
	return trace.Verdict{
		Code:     trace.UnschedulableAndUnresolvable,
		Reasons:  c.reasons,
		Evidence: []trace.Evidence{{What: "node name", Want: trace.Text(c.node), Have: trace.Text(node.Name)}},
	}
}
