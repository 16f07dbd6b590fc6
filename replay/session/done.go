package session

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// The scheduler as something that a what-if changes: its plugins, weights, configuration or release.
const schedulerTouched = "scheduler"

// touchedBy is what the events of an edit are about, each once: kind/name, or kind/namespace/name; the scheduler where
// there are none.
func touchedBy(events []cluster.Event) []string {
	var all []string
	for _, e := range events {
		kind, _ := cluster.KindOf(e.Object)
		all = append(all, strings.ToLower(string(kind))+"/"+cluster.Key(e.Object))
	}
	if len(all) == 0 {
		return []string{schedulerTouched}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// done are the what-ifs that hold at the cursor, the oldest first, and what they touched.
func (s *Session) done() (changes, touched []string) {
	for name := s.origin(); name != ""; {
		l := s.branches[name]
		if l.edit != nil {
			changes = append(l.edit.lines(), changes...)
			touched = append(slices.Clone(l.touched), touched...)
		}
		name = l.parent
	}
	slices.Sort(touched)
	return changes, slices.Compact(touched)
}

// lines are the deeds of an edit, a line of words each.
func (e *Edit) lines() []string {
	var lines []string
	for _, d := range e.deeds {
		words := append([]string{d.Do}, d.With...)
		if d.Object != nil {
			words = []string{d.Do, strings.Join(touchedBy([]cluster.Event{{Object: d.Object}}), " ")}
		}
		lines = append(lines, strings.TrimSpace(strings.Join(words, " ")))
	}
	return lines
}
