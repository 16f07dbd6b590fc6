package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/trace"
)

// Victim is a pod that had to leave a node for another one.
type Victim struct {
	Pod   string // namespace/name
	Node  string // that it had to leave
	Cycle int64  // that decided so
	At    time.Time
}

// victims are the pods that had to leave for a pod, in the order of the cycles that decided so.
func (k *known) victims(key string) []Victim {
	var all []Victim
	line := k.session.line
	for _, m := range line.marks {
		if m.Step > k.steps || m.Outcome != trace.Preempting || m.Pod != key && !slices.Contains(m.Members, key) {
			continue
		}
		c, _ := trace.Fold(line.stepAgain(m.Step).Facts)
		t, tried := c.Try(key)
		if !tried || t.Preemption == nil {
			continue
		}
		for _, victim := range t.Preemption.Victims {
			all = append(all, Victim{victim, t.Preemption.Node, m.Cycle, m.At})
		}
	}
	return all
}
