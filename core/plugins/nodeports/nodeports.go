// Package nodeports is kube-scheduler's NodePorts plugin (1.37): two pods on a node cannot hold the same host port.
// It knows host ports only; what a Service's nodePort does is not the scheduler's affair.
package nodeports

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Name is kube-scheduler's name of the plugin.
const Name = "NodePorts"

// reason is the plugin's reason for a node where a port is taken.
const reason = "node(s) didn't have free ports for the requested pod ports"

// Plugin keeps host ports apart.
type Plugin struct{}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
)

// New makes the plugin; it has no arguments.
func New() *Plugin { return &Plugin{} }

// Name is NodePorts.
func (p *Plugin) Name() string { return Name }

// PreFilter skips pods without host ports.
func (p *Plugin) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) framework.Study {
	study := framework.Study{Check: &check{ports: pod.Ports}}
	if len(pod.Ports) == 0 {
		study.Verdict = trace.Verdict{Code: trace.Skip}
	}
	return study
}
