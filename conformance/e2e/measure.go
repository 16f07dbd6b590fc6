package e2e

import "time"

// Stopwatch measures from when it was made. What it shows is reported; no claim depends on it.
type Stopwatch struct{ began time.Time }

// NewStopwatch is a stopwatch that runs.
func NewStopwatch() Stopwatch { return Stopwatch{time.Now()} }

// Seconds is how long it has run.
func (s Stopwatch) Seconds() float64 { return time.Since(s.began).Seconds() }

// Moment is now by the wall clock, for a label that records when an object was sent.
func Moment() time.Time { return time.Now() }

// AtRate calls f with 0 to n-1, so many times in a second; rate 0 is without a pause.
func AtRate(n, rate int, f func(i int)) {
	if rate <= 0 {
		for i := range n {
			f(i)
		}
		return
	}
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	for i := range n {
		<-ticker.C
		f(i)
	}
}
