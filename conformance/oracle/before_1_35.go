//go:build before_1_35

package oracle

import (
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// tiesByChance: kube-scheduler draws one of the best nodes at random.
const tiesByChance = true

// signature is of no use: no scores are reused.
type signature struct{}

func (o *Oracle) countCycles() {}

// run runs the cycle proper.
func (q question) run(
	state fwk.CycleState, _ *framework.PodInfo, _ bool,
) (scheduler.ScheduleResult, Batch, error) {
	result, err := q.scheduler.SchedulePod(q.ctx, q.profile.framework, state, q.pod)
	return result, Batch{}, err
}

// Groups reports whether kube-scheduler knows pod groups under its gates, which it can since 1.35.
func Groups() bool { return false }
