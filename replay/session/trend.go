package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// trendUntil is how the figures went until a known step.
func (l *line) trendUntil(step int) trend.Series {
	first, _ := slices.BinarySearchFunc(l.marks, l.trend.LastStep(step)+1, func(m Mark, step int) int {
		return m.Step - step
	})
	var since trend.Counts
	for i := range l.marks[first:] {
		m := &l.marks[first+i]
		if m.Step > step {
			break
		}
		if m.Cycle == 0 {
			continue
		}
		since.Attempts += max(len(m.Members), 1)
		if m.Outcome == trace.Preempting {
			since.Preemptions++
		}
	}
	return l.trend.Cut(step, since)
}

// waitsIn is how long pods waited that came into the queue and were bound.
func waitsIn(notes []noted) []trend.Wait {
	came := map[string]time.Time{}
	var waits []trend.Wait
	for i := range notes {
		switch f := notes[i].fact.(type) {
		case trace.Moved:
			if key := f.Entity.Key(); f.From == "" && f.Entity.Type == trace.KindPod {
				if _, known := came[key]; !known {
					came[key] = notes[i].at
				}
			}
		case trace.Recorded:
			if since, known := came[f.Pod]; known && f.Reason == "Scheduled" {
				waits = append(waits, trend.Wait{Step: notes[i].step, Took: notes[i].at.Sub(since)})
			}
		}
	}
	return waits
}
