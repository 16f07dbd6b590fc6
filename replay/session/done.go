package session

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// The scheduler as something that a what-if changes: its plugins, weights, configuration or release.
const schedulerTouched = "scheduler"

// touched is what a deed and the events that come of it are about, each once: kind/name, or kind/namespace/name; the
// scheduler where they are about no object.
func (d *deed) touched(events []cluster.Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, nameOf(e.Object))
	}
	switch {
	case d.Do == followed && d.Course != nil:
		for _, o := range d.Course.Touches() {
			all = append(all, strings.ToLower(string(o.Kind))+"/"+o.Key())
		}
	case d.Do == "wake":
		all = append(all, strings.ToLower(string(cluster.KindPod))+"/"+d.With[0])
	case len(all) == 0:
		all = append(all, schedulerTouched)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nameOf is an object as kind/name, or kind/namespace/name.
func nameOf(o cluster.Object) string {
	kind, _ := cluster.KindOf(o)
	return strings.ToLower(string(kind)) + "/" + cluster.Key(o)
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
			words = []string{d.Do, nameOf(d.Object)}
		}
		lines = append(lines, strings.TrimSpace(strings.Join(words, " ")))
	}
	return lines
}
