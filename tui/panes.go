package tui

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

// drawing is what all panels can do.
type drawing interface {
	Title(f *session.Frame) string
	Note(f *session.Frame) string
	Draw(f *session.Frame, r widget.Region, focus widget.Focus)
	Move(f *session.Frame, rows, columns int)
	MovePages(f *session.Frame, pages int)
	MoveTo(f *session.Frame, end panel.End)
	Point(f *session.Frame, x, y int) bool
	Selection(f *session.Frame) panel.Selection
}

// tab is what the main pane shows.
type tab uint8

const (
	tabFilter tab = iota
	tabScore
	tabPreemption
	tabBinding
	tabFacts
	tabCount
)

// panes are the panels, and which of them the main pane shows.
type panes struct {
	queue          panel.Queue
	filters        panel.Filters
	scores         panel.Scores
	preemption     panel.Preemption
	binding, facts panel.Facts
	why            panel.Why
	timeline       panel.Timeline
	tab            tab
}

func newPanes() *panes {
	p := &panes{}
	p.binding.Only(bindingPhases()...)
	return p
}

func bindingPhases() []trace.Phase {
	return []trace.Phase{
		trace.PhaseSelect, trace.PhaseReserve, trace.PhasePermit, trace.PhasePreBind, trace.PhaseBind, trace.PhasePostBind,
		trace.PhaseFailure, trace.PhaseEnd,
	}
}

// at is the panel that a pane shows.
func (p *panes) at(pane layout.Pane) drawing {
	switch pane {
	case layout.Queue:
		return &p.queue
	case layout.Why:
		return &p.why
	case layout.Timeline:
		return &p.timeline
	}
	switch p.tab {
	case tabScore:
		return &p.scores
	case tabPreemption:
		return &p.preemption
	case tabBinding:
		return &p.binding
	case tabFacts:
		return &p.facts
	}
	return &p.filters
}

// part is a part of the screen with a name: a pane, and for the main pane a tab.
type part struct {
	name  string // as the verb show takes it
	title string
	pane  layout.Pane
	tab   tab
}

// parts are all of them, in the order of their number keys; those of the main pane are in the order of the tabs.
func parts() []part {
	return []part{
		{"queue", "Queue", layout.Queue, 0},
		{"filter", "Filter", layout.Main, tabFilter},
		{"score", "Score", layout.Main, tabScore},
		{"facts", "Facts", layout.Main, tabFacts},
		{"why", "Why", layout.Why, 0},
		{"timeline", "Timeline", layout.Timeline, 0},
		{"preemption", "Preemption", layout.Main, tabPreemption},
		{"binding", "Binding", layout.Main, tabBinding},
	}
}

// tabTitles are the titles of the main pane's tabs, in order.
func tabTitles() []string { return []string{"Filter", "Score", "Preemption", "Binding", "Facts"} }

func partNames() []string {
	names := []string{"state"}
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}
