// Package narrator explains what kube-scheduler does at the cursor, and why: with the numbers of this very cycle, the
// extension point, and where it is in kube-scheduler's source. It judges nothing, and every word of it is in the files
// of package lesson.
package narrator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
)

// Tell explains a frame.
func Tell(f *session.Frame, w lesson.Words) []prose.Line {
	phase := f.Phase
	if len(f.Facts) == 0 && f.Cycle == nil {
		return []prose.Line{{Role: prose.Heading, Text: w.Say("tell-start")}, {Text: w.Say("why-start")}}
	}
	lines := []prose.Line{{Role: prose.Heading, Text: f.NameOf(phase)}}
	does := happened(f, w)
	if f.Cycle != nil {
		does = inCycle(f.Cycle, phase, w)
	}
	for _, text := range append(does, w.Say("why-"+key(phase))) {
		if text != "" {
			lines = append(lines, prose.Line{Text: text})
		}
	}
	if s, known := sourceOf(f.Version, phase); known {
		lines = append(
			lines, prose.Line{Role: prose.Heading, Text: w.Say("told-source", f.Version)},
			prose.Line{Role: prose.Note, Text: s.File}, prose.Line{Role: prose.Note, Text: s.Function},
			prose.Line{Text: w.Say("told-elsewhere", phase)},
		)
	}
	return lines
}

// key is a phase as the keys of words have it.
func key(p trace.Phase) string { return strings.ToLower(p.String()) }

// happened is the last fact of an event, or of time that passed.
func happened(f *session.Frame, w lesson.Words) []string {
	if len(f.Facts) == 0 {
		return nil
	}
	last := f.Render(f.Facts[len(f.Facts)-1])
	for _, fact := range f.Facts {
		if event, is := fact.(trace.Observed); is && f.Phase == trace.PhaseQueue {
			return []string{w.Say("tell-event", f.Render(event)), last}
		}
	}
	return []string{last}
}

// inCycle is what a cycle does in a phase, with its numbers.
func inCycle(c *trace.Cycle, phase trace.Phase, w lesson.Words) []string {
	t := c.Latest()
	pod := t.Entity.Key()
	switch phase {
	case trace.PhasePop:
		return []string{w.Say("tell-pop", c.Number, c.Entity.Key(), c.From, c.Attempt, c.Entity.Priority, c.Nodes)}
	case trace.PhasePreFilter:
		return preFilter(t, w)
	case trace.PhaseFilter:
		return filter(t, w)
	case trace.PhasePostFilter:
		return postFilter(t, w)
	case trace.PhasePreScore:
		return []string{w.Say("tell-prescore", len(t.PreScores))}
	case trace.PhaseScore:
		return score(t, w)
	case trace.PhaseSelect:
		return selected(t, w)
	case trace.PhaseReserve:
		if t.Selected != nil {
			return []string{w.Say("tell-reserve", pod, t.Selected.Node)}
		}
	case trace.PhasePermit, trace.PhasePreBind, trace.PhaseBind, trace.PhasePostBind:
		return ran(t, phase, w)
	case trace.PhaseFailure:
		return []string{w.Say("tell-failure", pod)}
	case trace.PhaseEnd:
		if c.Ended != nil {
			return []string{w.Say("tell-end", pod, string(c.Ended.Outcome)), c.Ended.Message}
		}
	}
	return nil
}

func preFilter(t *trace.Try, w lesson.Words) []string {
	skipped := 0
	var only []string
	for _, p := range t.PreFilters {
		switch {
		case p.Verdict.Code == trace.Skip:
			skipped++
		case p.Verdict.Code.Rejects():
			return []string{w.Say("tell-prefilter-rejects", p.Plugin, p.Verdict.Message())}
		case p.Nodes != nil:
			only = append(only, w.Say("tell-prefilter-only", p.Plugin, len(p.Nodes), t.Nodes))
		}
	}
	return append([]string{w.Say("tell-prefilter", len(t.PreFilters), skipped)}, only...)
}

func filter(t *trace.Try, w lesson.Words) []string {
	m := t.Matrix
	if m == nil {
		return nil
	}
	asked, fit := 0, 0
	rejected := map[string]int{}
	for _, node := range m.Visited {
		switch first := m.First[node]; {
		case first == trace.FirstNone:
			fit++
			asked++
		case first >= 0:
			rejected[m.Plugins[first]]++
			asked++
		}
	}
	lines := []string{w.Say("tell-filter", asked, len(m.Nodes), fit)}
	for _, plugin := range m.Plugins {
		if n := rejected[plugin]; n > 0 {
			lines = append(lines, w.Say("tell-filter-rejects", plugin, n))
		}
	}
	if asked < len(m.Nodes) && fit > 0 {
		lines = append(lines, w.Say("tell-filter-rest", len(m.Nodes)-asked))
	}
	return lines
}

func postFilter(t *trace.Try, w lesson.Words) []string {
	p := t.Preemption
	switch {
	case p == nil:
		return []string{w.Say("tell-postfilter-none")}
	case p.Node == "":
		return []string{w.Say("tell-postfilter-no", p.Potential, len(p.Unhelpful)), p.Message}
	}
	return []string{w.Say("tell-postfilter", p.Found, p.Node, strings.Join(p.Victims, ", "))}
}

func score(t *trace.Try, w lesson.Words) []string {
	s := t.Scores
	if s == nil || len(s.Totals) == 0 {
		return nil
	}
	best := s.Best()
	lines := []string{w.Say("tell-score", len(s.Totals), s.Nodes[s.Index[best]], s.Totals[best])}
	var parts []string
	for i := range s.Columns {
		if c := &s.Columns[i]; !c.Skipped && c.Normalized != nil && c.Weighted(best) != 0 {
			parts = append(parts, c.Plugin+" "+strconv.FormatInt(c.Weighted(best), 10))
		}
	}
	if len(parts) > 0 {
		lines = append(lines, w.Say("tell-score-parts", strings.Join(parts, " + ")))
	}
	return lines
}

func selected(t *trace.Try, w lesson.Words) []string {
	s := t.Selected
	switch {
	case s == nil:
		return nil
	case !s.Scored:
		return []string{w.Say("tell-select-only", s.Node)}
	case len(s.Tied) > 1:
		return []string{w.Say("tell-select-tied", len(s.Tied), s.Total, s.TieBreak, s.Node)}
	}
	return []string{w.Say("tell-select", s.Node, s.Total)}
}

// ran is the answers of plugins at a point after the choice.
func ran(t *trace.Try, phase trace.Phase, w lesson.Words) []string {
	var said []string
	for _, r := range t.Ran {
		if r.Point == phase {
			said = append(said, w.Say("tell-ran", r.Plugin, r.Verdict.String()))
		}
	}
	return slices.Compact(said)
}
