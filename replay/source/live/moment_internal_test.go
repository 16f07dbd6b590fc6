package live

import (
	"testing"
	"time"
)

func TestAClockThatIsSetBackGoesOnFromWhereItWas(t *testing.T) {
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	var m moments
	for i, step := range []struct{ wall, gone, want time.Duration }{
		{0, 0, 0},
		{time.Second, time.Second, time.Second},
		{-time.Hour, 2 * time.Second, 2 * time.Second},
		{2*time.Second - time.Hour, 4 * time.Second, 4 * time.Second},
		{2*time.Second - time.Hour, 3 * time.Second, 4 * time.Second}, // it was read before another one
		{time.Hour, 5 * time.Second, time.Hour},                       // it is set forward, and is right again
		{time.Hour + time.Second, 6 * time.Second, time.Hour + time.Second},
	} {
		if got := m.at(began.Add(step.wall), step.gone); !got.Equal(began.Add(step.want)) {
			t.Errorf("reading %d: it is %v, want %v", i, got.Sub(began), step.want)
		}
	}
}
