//go:build !before_1_33

package real

import (
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/utils/clock"
)

// clocked is the option that has the queue go by a clock.
func clocked(c clock.WithTicker) []scheduler.Option {
	return []scheduler.Option{scheduler.WithClock(c)}
}

// before does nothing: it is about older releases.
func (p *process) before() {}
