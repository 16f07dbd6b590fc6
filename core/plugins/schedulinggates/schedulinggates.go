// Package schedulinggates is kube-scheduler's SchedulingGates plugin (1.37): a pod stays out of the queue while its
// spec lists scheduling gates. It removes no gate and looks at no node.
package schedulinggates

import (
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Name is kube-scheduler's name of the plugin.
const Name = "SchedulingGates"

// Plugin holds back gated pods.
type Plugin struct{}

var (
	_ framework.PreEnqueuePlugin = (*Plugin)(nil)
	_ framework.Waker            = (*Plugin)(nil)
)

// New makes the plugin; it has no arguments.
func New() *Plugin { return &Plugin{} }

// Name is SchedulingGates.
func (p *Plugin) Name() string { return Name }

// PreEnqueue answers UnschedulableAndUnresolvable while the pod has a gate, with one piece of evidence for each.
func (p *Plugin) PreEnqueue(pod *cluster.Pod, _ *cluster.State) trace.Verdict {
	gates := pod.API.Spec.SchedulingGates
	if len(gates) == 0 {
		return trace.Verdict{}
	}
	names := make([]string, len(gates))
	evidence := make([]trace.Evidence, len(gates))
	for i := range gates {
		names[i] = gates[i].Name
		evidence[i] = trace.Evidence{
			Topic: trace.OfGate, What: phrase.Text(gates[i].Name), Want: trace.Words("removed"), Have: trace.Words("present"),
		}
	}
	return trace.Verdict{
		Code:     trace.UnschedulableAndUnresolvable,
		Reasons:  []string{"waiting for scheduling gates: [" + strings.Join(names, " ") + "]"},
		Evidence: evidence,
	}
}

// Hints wait for the pod's own last gate to go.
func (p *Plugin) Hints() []queue.Hint {
	return []queue.Hint{
		{Event: cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodSchedulingGatesEliminated}},
	}
}
