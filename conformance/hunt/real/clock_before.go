//go:build before_1_33

package real

import (
	"reflect"

	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/utils/clock"
)

// clocked is empty: no option has the queue go by a clock.
func clocked(clock.WithTicker) []scheduler.Option { return nil }

// before has the queue go by the clock of the process. Until 1.33 preemption evicts within the attempt, and the node is
// nominated when that has failed.
func (p *process) before() {
	open(p.queue.Elem(), "clock").Set(reflect.ValueOf(p.clock))
	p.api.EvictsAtOnce()
}
