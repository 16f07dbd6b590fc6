package podtopologyspread

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

var _ framework.NeverSigner = (*Plugin)(nil)

// NeverSigns reports whether pods without constraints of their own are given some.
func (p *Plugin) NeverSigns() bool { return len(p.defaults) > 0 }

// Sign refuses pods with constraints, their own or default ones: their answers depend on where other pods are.
func (p *Plugin) Sign(pod *cluster.Pod, _ *cluster.State) ([]framework.Part, trace.Verdict) {
	switch {
	case len(pod.API.Spec.TopologySpreadConstraints) > 0:
		return nil, framework.Unsigned("pods with topology constraints are not signable")
	case p.NeverSigns():
		return nil, framework.Unsigned("pods with default topology constraints are not signable")
	}
	return nil, trace.Verdict{}
}
