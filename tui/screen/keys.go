package screen

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/tui/panel"
)

// binding is one row of the table of keys. Help, footer, finder and docs/keys.md are made from the rows.
type binding struct {
	keys   []string // as Bubble Tea names them; any of them does it
	group  string
	does   string
	hint   string // in the footer; "": not there
	line   string // the command that does it; carried out where act is nil
	act    func(a *app) tea.Cmd
	unable func(a *app) string // why it can do nothing now; "": it can
}

// The groups, in the order of help.
const (
	textMove = "Move through the replay"
	textTry  = "Stop, and try out"
	textLook = "Look"
	textGo   = "Go through a pane"
	textAsk  = "Ask"

	textLearn = "In a lesson"
	textGame  = "In a game"
)

// bindings is the table.
func bindings() []binding {
	return slices.Concat(moveKeys(), tryKeys(), askKeys(), lookKeys(), paneKeys(), lessonKeys(), gameKeys())
}

func moveKeys() []binding {
	rows := []binding{
		{
			keys: []string{"space"}, does: "let cycles run, or pause", hint: "run", line: "run", act: (*app).toggleRun,
			unable: (*app).cannotRun,
		},
		{keys: []string{"n"}, does: "next cycle", hint: "next", line: "next", unable: (*app).cannotGoOn},
		{keys: []string{"N"}, does: "the cycle before", line: "previous", unable: (*app).cannotGoBack},
		{keys: []string{"s"}, does: "step: one extension point", hint: "step", line: "step", unable: (*app).cannotGoOn},
		{keys: []string{"b"}, does: "back one extension point", hint: "back", line: "back", unable: (*app).cannotGoBack},
		{
			keys: []string{"S"}, does: "into: one fact, in Filter one plugin on one node", line: "into",
			unable: (*app).cannotGoOn,
		},
		{keys: []string{"p"}, does: "the fact before", line: "back-fact", unable: (*app).cannotGoBack},
		{keys: []string{"o"}, does: "out: to the end of this cycle or event", line: "out", unable: (*app).cannotGoOn},
		{
			keys: []string{"c"}, does: "continue to the next breakpoint", hint: "continue", line: "continue",
			unable: (*app).cannotGoOn,
		},
		{keys: []string{"C"}, does: "back to the last breakpoint", line: "reverse-continue", unable: (*app).cannotGoBack},
		{
			keys: []string{"g"}, does: "go to a cycle, a pod, the start or the end", line: "goto ...",
			act: prompting("goto "), unable: (*app).busy,
		},
		{
			keys: []string{nowKey}, does: "to the end; on a live cluster, follow it", line: toEnd,
			unable: (*app).cannotGoOn,
		},
		{keys: []string{"+", "="}, does: "run faster", line: "speed ...", act: (*app).faster, unable: (*app).cannotSpeedUp},
		{keys: []string{"-"}, does: "run slower", line: "speed ...", act: (*app).slower, unable: (*app).cannotSlowDown},
	}
	return grouped(textMove, rows)
}

func tryKeys() []binding {
	return grouped(textTry, []binding{
		{
			keys: []string{"B"}, does: "breakpoints: set, turn off or on, remove", hint: "breakpoint", line: "break ...",
			act: (*app).openBreaks, unable: (*app).busy,
		},
		{
			keys: []string{"m"}, does: "bind a pod to a node by hand, on a branch", hint: "bind", line: "bind ...",
			act: (*app).openBind, unable: (*app).cannotBind,
		},
		{
			keys: []string{"w"}, does: "what if: branches, and edits of what is under the cursor", hint: "what if",
			line: "branches", act: (*app).openBranches, unable: (*app).busy,
		},
		{
			keys: []string{"a"}, does: "answers: the smallest changes that give the pod under the cursor a node",
			hint: "changes",
			line: "changes", act: aboutPod("changes "), unable: (*app).cannotTellOfPod,
		},
		{
			keys: []string{"e"}, does: "edit the pod or the node under the cursor in your editor, on a branch", line: "edit ...",
			act: aboutObject("edit "), unable: (*app).noObject,
		},
		{
			keys: []string{")"}, does: "the next step of the plan that is carried out on this branch", line: "plan next",
			unable: (*app).noPlan,
		},
		{keys: []string{"("}, does: "the step of the plan before", line: "plan back", unable: (*app).noPlan},
		{keys: []string{"u"}, does: "undo: remove this branch", line: "undo", unable: (*app).cannotUndo},
		{
			keys: []string{"ctrl+s"}, does: "save the session in a file: where you are, and what you set and tried",
			line: "save-session ...", act: prompting("save-session "), unable: (*app).busy,
		},
	})
}

func askKeys() []binding {
	return grouped(textAsk, []binding{
		{
			keys: []string{"/", "ctrl+p"}, does: "find a pod, a node or a command", hint: "find", line: "find ...",
			act: func(a *app) tea.Cmd { return a.openFinder("") }, unable: (*app).busy,
		},
		{keys: []string{":"}, does: "the command line", hint: "command", act: prompting(""), unable: (*app).busy},
		{
			keys: []string{"x"}, does: "explain the pod under the cursor", hint: "why", line: "explain",
			act: aboutPod("explain "), unable: (*app).cannotTellOfPod,
		},
		{
			keys: []string{"d"}, does: "describe: the pod or the node under the cursor as YAML", line: "describe ...",
			act: aboutObject("describe "), unable: (*app).noObject,
		},
		{keys: []string{"!"}, does: "notes about the input", line: "notes", unable: (*app).noNotes},
		{
			keys: []string{"y"},
			does: "copy as text: in Why all of it, else what is under the cursor and where the replay is",
			act:  (*app).copy,
		},
		{keys: []string{"?", "f1"}, does: "this help", hint: "help", line: "help"},
		{
			keys: []string{"esc"}, does: "stop what is running, or close what is open", act: (*app).escape,
			unable: (*app).nothingToClose,
		},
		{
			keys: []string{"ctrl+z"}, does: "stop schedstep until the shell's fg, and give the terminal back",
			act: func(*app) tea.Cmd { return suspend }, unable: (*app).cannotSuspend,
		},
		{keys: []string{"q", "ctrl+c"}, does: "quit", hint: "quit", line: "quit", act: (*app).leave},
	})
}

// textGoTo is what the keys of panes do, in the order of places.
var textGoTo = []string{
	"go to Queue", "go to Filter", "go to Score", "go to Facts", "go to Why", "go to Timeline", "go to Cluster",
	"go to Charts", "go to Cache", "go to Start",
}

func lookKeys() []binding {
	rows := []binding{
		{keys: []string{"tab"}, does: "the next pane", hint: "pane", act: func(a *app) tea.Cmd { return a.cyclePane(1) }},
		{keys: []string{"shift+tab"}, does: "the pane before", act: func(a *app) tea.Cmd { return a.cyclePane(-1) }},
	}
	for i, p := range places()[:numbered] {
		rows = append(rows, binding{
			keys: []string{strconv.Itoa((i + 1) % 10)}, does: textGoTo[i], line: "show " + p.part.String(),
		})
	}
	return grouped(textLook, append(rows,
		binding{keys: []string{"]"}, does: "the next tab of the main pane", act: func(a *app) tea.Cmd {
			return a.cycleTab(1)
		}},
		binding{keys: []string{"["}, does: "the tab before", act: func(a *app) tea.Cmd { return a.cycleTab(-1) }},
		binding{keys: []string{"z"}, does: "zoom the pane, or show all again", act: (*app).zoom, unable: (*app).cannotZoom},
		binding{
			keys: []string{keyNarrator}, does: "tell what kube-scheduler does here and why, beside everything, or no more",
			line: "narrate",
		},
		binding{
			keys: []string{"}"}, does: "in Cluster: closer, with fewer and larger nodes; the wheel does it too",
			act: closer(1), unable: (*app).noCluster,
		},
		binding{
			keys: []string{"{"}, does: "in Cluster: farther away, until all nodes are seen", act: closer(-1),
			unable: (*app).noCluster,
		},
		binding{
			keys: []string{"v"}, does: "scores weighted, normalized or raw; in Cluster another resource", line: "columns ...",
			act: (*app).nextNumbers, unable: (*app).noScores,
		},
		binding{
			keys: []string{"r"}, does: "another order of the nodes; in Cluster groups by another label",
			line: "sort ...", act: (*app).nextOrder, unable: (*app).noTable,
		},
		binding{
			keys: []string{"f"}, does: "show only rows that contain a text", line: "filter ...", act: (*app).openFilter,
			unable: (*app).noRows,
		},
		binding{
			keys: []string{"i"}, does: "another language (English, Chinese)", line: "language ...",
			act: (*app).nextLanguage, unable: (*app).busy,
		},
		binding{
			keys: []string{"t"}, does: "themes", hint: "theme", line: "theme ...",
			act: func(a *app) tea.Cmd { a.openThemes(); return nil }, unable: (*app).cannotPaint,
		},
	))
}

// numbered is how many of the parts have a number key.
const numbered = 10

func paneKeys() []binding {
	move := func(rows, columns int) func(*app) tea.Cmd {
		return func(a *app) tea.Cmd { a.focused().Move(a.frame, rows, columns); return nil }
	}
	page := func(pages int) func(*app) tea.Cmd {
		return func(a *app) tea.Cmd { a.focused().MovePages(a.frame, pages); return nil }
	}
	to := func(end panel.End) func(*app) tea.Cmd {
		return func(a *app) tea.Cmd { a.focused().MoveTo(a.frame, end); return nil }
	}
	return grouped(textGo, []binding{
		{keys: []string{"up", "k"}, does: "up", act: move(-1, 0)},
		{keys: []string{"down", "j"}, does: "down", act: move(1, 0)},
		{keys: []string{"left", "h"}, does: "left", act: move(0, -1)},
		{keys: []string{"right", "l"}, does: "right", act: move(0, 1)},
		{keys: []string{"pgup", "ctrl+u"}, does: "a page up", act: page(-1)},
		{keys: []string{"pgdown", "ctrl+d"}, does: "a page down", act: page(1)},
		{keys: []string{"home"}, does: "the first row", act: to(panel.First)},
		{keys: []string{"end", "G"}, does: "the last row", act: to(panel.Last)},
		{
			keys: []string{"enter"},
			does: "on a pod its history and what would wake it; on a cell why; on the timeline go there",
			act:  (*app).enter, unable: (*app).nothingToEnter,
		},
	})
}

func grouped(group string, rows []binding) []binding {
	for i := range rows {
		rows[i].group = group
	}
	return rows
}

// name is how the footer names the key when it explains why the key does nothing.
func (b binding) name() string { return b.keys[0] }

// blocked is why the key can do nothing now; "" when it can.
func (b binding) blocked(a *app) string {
	if b.unable == nil {
		return ""
	}
	return b.unable(a)
}

// bindingOf finds the row of a key.
func (a *app) bindingOf(pressed string) (binding, bool) {
	for _, b := range a.keys {
		if slices.Contains(b.keys, pressed) {
			return b, true
		}
	}
	return binding{}, false
}
