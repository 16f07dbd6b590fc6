package screen

import (
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/view"
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
	Selection(f *session.Frame) view.Selection
}

// bounded is a panel that knows how many rows it can fill.
type bounded interface{ Rows(f *session.Frame) int }

// rowsOf is how many rows a panel can fill; 0: as many as there are.
func rowsOf(d drawing, f *session.Frame) int {
	if b, is := d.(bounded); is {
		return b.Rows(f)
	}
	return 0
}

// tab is what the main pane shows.
type tab uint8

const (
	tabFilter tab = iota
	tabScore
	tabPreemption
	tabGroup // of the cycles of pod groups only
	tabBinding
	tabFacts
	tabCluster
	tabCharts
	tabCache // shown among the others only while it is open
	tabStart // likewise
)

// panes are the panels, and which of them the main pane shows.
type panes struct {
	queue          panel.Queue
	filters        *panel.Filters
	scores         *panel.Scores
	preemption     *panel.Preemption
	group          *panel.Group
	binding, facts panel.Facts
	cluster        panel.Cluster
	charts         panel.Charts
	cache, start   *panel.Inside
	why            panel.Why
	timeline       panel.Timeline
	lesson         panel.Lesson
	narrator       panel.Narrator
	narrating      bool // the narrator is shown where the lesson is
	tab            tab
	alone          tab  // what was shown before the group's tab
	led            bool // Preemption is shown because a cycle ended so, and not because it was opened
}

func newPanes() *panes {
	p := &panes{
		filters: panel.NewFilters(), scores: panel.NewScores(), preemption: panel.NewPreemption(), group: panel.NewGroup(),
		cache: panel.NewCache(), start: panel.NewStart(),
	}
	p.binding.Only(command.BindingPhases()...)
	return p
}

// forget begins anew with another session: what was under the cursors is not there.
func (p *panes) forget() {
	fresh := newPanes()
	fresh.tab, fresh.lesson, fresh.narrator, fresh.narrating = p.tab, p.lesson, p.narrator, p.narrating
	*p = *fresh
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
	case layout.Lesson:
		if p.narrating {
			return &p.narrator
		}
		return &p.lesson
	}
	switch p.tab {
	case tabScore:
		return ofMember{p.scores, p.group}
	case tabPreemption:
		return p.preemption
	case tabGroup:
		return p.group
	case tabBinding:
		return &p.binding
	case tabFacts:
		return &p.facts
	case tabCluster:
		return &p.cluster
	case tabCharts:
		return &p.charts
	case tabCache:
		return p.cache
	case tabStart:
		return p.start
	}
	return ofMember{p.filters, p.group}
}

// place is where the screen shows a part: a pane, and for the main pane a tab.
type place struct {
	part  command.Part
	title string
	pane  layout.Pane
	tab   tab
	about string // what it shows and which keys work there, for help
}

// places are those of all parts, in the order of their number keys; those of the main pane are in the order of the
// tabs.
func places() []place {
	all := []place{
		{
			command.PartQueue, "Queue", layout.Queue, 0,
			"Pods that wait, queue by queue, in the order they will be tried. enter: the history of the pod, " +
				"x why, a what would give it a node, f only some.",
		},
		{
			command.PartFilter, "Filter", layout.Main, tabFilter,
			"One row for each node, one column for each filter of the cycle. Arrows go to a cell, which Why " +
				"explains; r another order, f only some.",
		},
		{
			command.PartScore, "Score", layout.Main, tabScore,
			"What each plugin gives the nodes that fit. v weighted, normalized or raw; r another order; the " +
				"highest total is chosen.",
		},
		{
			command.PartFacts, "Facts", layout.Main, tabFacts,
			"Everything that happened in this step, in order. f shows only some; S goes one fact forward, p one back.",
		},
		{
			command.PartWhy, "Why", layout.Why, 0,
			"The cell, node or pod under the cursor of the pane before, in words and numbers. Arrows scroll, " +
				"y copies all of it, esc goes back.",
		},
		{
			command.PartTimeline, "Timeline", layout.Timeline, 0,
			"Cycles and events in order. Arrows go along it; enter goes to what is under the cursor.",
		},
		{
			command.PartCluster, "Cluster", layout.Main, tabCluster,
			"Nodes as tiles by zone, with what is requested and what the cycle made of them. Arrows go from " +
				"node to node; enter says more.",
		},
		{
			command.PartCharts, "Charts", layout.Main, tabCharts,
			"Who waited after each cycle; how evenly pods are spread over domains, and how many a domain may have; " +
				"packing, spread, fragmentation, waiting times, attempts and preemptions of the run over virtual time; " +
				"what was and is requested of each node. Arrows scroll, f only some.",
		},
	}
	return append(all, deeperPlaces()...)
}

// deeperPlaces are those of the parts that few cycles have, or few look for.
func deeperPlaces() []place {
	return []place{
		{
			command.PartCache, "Cache", layout.Main, tabCache,
			"What the scheduler's cache holds, as its release keeps it: NodeInfos by last change, " +
				"the snapshot, nodes by zone, " +
				"assumed pods, images. Arrows scroll, f only some.",
		},
		{
			command.PartStart, "Start", layout.Main, tabStart,
			"How the scheduler comes to its first cycle, stage by stage, and what each has here. o walks from event to " +
				"event, arrows scroll.",
		},
		{
			command.PartPreemption, "Preemption", layout.Main, tabPreemption,
			"The nodes on which the evicting of pods was tried: who would leave, and by what the best was chosen. " +
				"The command cascade tells where they go then, and whom they evict in turn.",
		},
		{
			command.PartBinding, "Binding", layout.Main, tabBinding,
			"What follows the choice of a node: Reserve, Permit, PreBind, Bind, and what undoes them.",
		},
		{
			command.PartGroup, "Group", layout.Main, tabGroup,
			"The placements of a pod group that were tried, and its pods in each.",
		},
	}
}

// here is the place that has the keys.
func (a *app) here() place {
	if a.mode.Focus == layout.Lesson && a.mode.Lesson {
		return lessonPlace(a.panes.narrating)
	}
	for _, p := range places() {
		if p.pane == a.mode.Focus && (p.pane != layout.Main || p.tab == a.panes.tab) {
			return p
		}
	}
	return places()[0]
}

// lessonPlace is where a lesson is read, or the narrator.
func lessonPlace(narrating bool) place {
	if narrating {
		return place{
			title: "Narrator", pane: layout.Lesson,
			about: "What kube-scheduler does at the cursor, and why. Arrows scroll, T closes it.",
		}
	}
	return place{
		title: "Lesson", pane: layout.Lesson,
		about: "The page and its task. The keys of the lesson are in its last lines; those of the other panes work here, " +
			"too, and tab goes to them.",
	}
}

// tabTitles are the titles of the main pane's tabs.
func tabTitles() map[tab]string {
	return map[tab]string{
		tabFilter: "Filter", tabScore: "Score", tabPreemption: "Preemption", tabGroup: "Group", tabBinding: "Binding",
		tabFacts: "Facts", tabCluster: "Cluster", tabCharts: "Charts", tabCache: "Cache", tabStart: "Start",
	}
}

// tabsOf are the tabs of the main pane, in order: that of pod groups is there, and first, in their cycles; those about
// what no pod feels, which few look for, while one of them is open.
func tabsOf(f *session.Frame, open tab) []tab {
	tabs := []tab{tabFilter, tabScore, tabPreemption, tabBinding, tabFacts, tabCluster, tabCharts}
	if open == tabCache || open == tabStart {
		tabs = append(tabs, tabCache, tabStart)
	}
	if isOfGroup(f) {
		return append([]tab{tabGroup}, tabs...)
	}
	return tabs
}
