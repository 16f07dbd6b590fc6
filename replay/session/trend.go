package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/trend"
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

// trend is how the figures went until the cursor. It is made when somebody looks, of what does not change any more.
func (k *known) trend(here trend.Here) func() trend.Trend {
	line := k.session.line
	series := line.trendUntil(k.steps)
	n, _ := slices.BinarySearchFunc(line.notes, k.steps+1, func(n noted, step int) int { return n.step - step })
	notes := line.notes[:n:n]
	return func() trend.Trend {
		began := here.Now
		if first, some := series.First(); some {
			began = first.Time
		}
		return series.Of(here, began, waitsIn(notes))
	}
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

// Trend is how the figures of the run went until the cursor. It is made when somebody looks.
func (f *Frame) Trend() trend.Trend {
	if f.trend == nil {
		return trend.Trend{}
	}
	return f.trend()
}
