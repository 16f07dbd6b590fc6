//go:build before_1_33

package real

import (
	"reflect"

	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/utils/clock"
)

// clocked is empty: no option has the queue go by a clock.
func clocked(clock.WithTicker) []scheduler.Option { return nil }

// setClock has the queue go by the clock of the process.
func (p *process) setClock() {
	open(p.queue.Elem(), "clock").Set(reflect.ValueOf(p.clock))
}
