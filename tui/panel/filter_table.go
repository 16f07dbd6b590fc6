package panel

import (
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// The columns of a filterTable that are no plugin's.
const (
	nodeColumn    = -1
	verdictColumn = -2
	totalColumn   = -3
)

// filterTable is the matrix as a widget.Table: its nodes in the order shown, its columns as far as there is room.
type filterTable struct {
	view.FilterRows

	width     int // that columns are made for
	laid      view.FilterKey
	columns   []int // indexes of plugins, or one of the constants above
	titles    []widget.Column
	nameWidth int
	terse     bool // the verdict is only a sign

	cells [trace.CellAhead + 1]widget.Cell
	out   widget.Cell // a cell of a filter that did not run
	signs [view.Undecided + 1]string
	final string
	guess string // behind a verdict that rests on something that is assumed
}

// plan is one way to use a width.
type plan struct {
	name, verdict  int  // widths
	total, skipped bool // whether these columns are shown
}

const (
	usualVerdict = 18
	leastVerdict = 12
	mostVerdict  = 40
	onlyASign    = 1
)

// layOut decides which columns are shown in a width: the first plan that fits, or the last; false when that is settled
// already.
func (t *filterTable) layOut(width int) bool {
	key := view.FilterKey{Matrix: t.Sheet.Matrix}
	if t.Totals != nil {
		key.Order = view.ByTotal
	}
	if width == t.width && key == t.laid {
		return false
	}
	t.width, t.laid = width, key
	name := min(t.nameWidth, max(width/4, leastVerdict))
	plans := [...]plan{
		{name, usualVerdict, true, true},
		{name, usualVerdict, true, false},
		{name, leastVerdict, true, false},
		{name, leastVerdict, false, false},
		{min(name, max(width/3, 6)), onlyASign, false, false},
	}
	for _, p := range plans {
		spare := t.place(width, p)
		if spare < 0 {
			continue
		}
		if !t.terse {
			more := min(spare, t.nameWidth-name) // a name that is cut has the room first
			t.titles[0].Width += more
			t.titles[1].Width += min(spare-more, mostVerdict-p.verdict)
		}
		break
	}
	return true
}

// place lays the columns out by a plan and returns the room that is left over.
func (t *filterTable) place(width int, p plan) int {
	t.terse = p.verdict == onlyASign
	t.columns = append(t.columns[:0], nodeColumn, verdictColumn)
	if p.total && t.Totals != nil {
		t.columns = append(t.columns, totalColumn)
	}
	for plugin := range t.Sheet.Matrix.Plugins {
		if p.skipped || !t.Sheet.Matrix.Skipped[plugin] {
			t.columns = append(t.columns, plugin)
		}
	}
	t.titles = t.titles[:0]
	needed := 1
	for _, column := range t.columns {
		title := t.title(column, p.name, p.verdict)
		t.titles = append(t.titles, title)
		needed += title.Width + 1
	}
	return width - needed + 1
}

func (t *filterTable) title(column, name, verdict int) widget.Column {
	switch column {
	case nodeColumn:
		return widget.Column{Title: t.Language.Of("node"), Width: max(name, 4), Names: true}
	case verdictColumn:
		if t.terse {
			return widget.Column{Width: t.onlyASign()}
		}
		return widget.Column{Title: t.Language.Of("verdict"), Width: verdict}
	case totalColumn:
		return widget.Column{Title: t.Language.Of("total"), Width: 5, Align: widget.Right}
	}
	title := view.Short(t.Sheet.Matrix.Plugins[column])
	return widget.Column{Title: title, Width: max(widget.Width(title), 2+t.onlyASign()), Align: widget.Center}
}

// onlyASign is the width of the sign of a verdict, with that of a guess where there is one.
func (t *filterTable) onlyASign() int {
	if t.Sheet.Matrix.Guesses != nil {
		return 2
	}
	return 1
}

// prepare makes the cells that differ only by their sign.
func (t *filterTable) prepare(g *themes.Glyphs) {
	pass, fail, final, broken := string(g.Pass), string(g.Fail), string(g.FailUnresolvable), string(g.Error)
	would := func(sign string) widget.Cell { return widget.Cell{Text: "(" + sign + ")", Paint: themes.NotAsked} }
	t.cells = [...]widget.Cell{
		trace.CellUnknown:           {Text: string(g.NotAsked), Paint: themes.NotAsked},
		trace.CellPass:              {Text: pass, Paint: themes.Pass},
		trace.CellFail:              {Text: fail, Paint: themes.Fail},
		trace.CellUnresolvable:      {Text: final, Paint: themes.FailUnresolvable},
		trace.CellError:             {Text: broken, Paint: themes.Error},
		trace.CellSkipped:           {Text: string(g.NotAsked), Paint: themes.NotAsked},
		trace.CellWouldPass:         would(pass),
		trace.CellWouldFail:         would(fail),
		trace.CellWouldUnresolvable: would(final),
		trace.CellWouldError:        would(broken),
		trace.CellAhead:             {},
	}
	t.out = widget.Cell{Text: string(g.NotSampled), Paint: themes.NotSampled}
	t.signs = [...]string{
		view.Chosen: pass, view.Fits: pass, view.Fails: fail, view.Breaks: broken, view.PassedOver: string(g.NotSampled),
		view.WouldFail: string(g.NotSampled),
		view.Unknown:   string(g.NotSampled), view.Undecided: "",
	}
	t.final, t.guess = final, string(g.Guess)
}

// Rows is the number of nodes shown.
func (t *filterTable) Rows() int { return len(t.Nodes) }

// Cell is one cell of the table.
func (t *filterTable) Cell(row, column int) widget.Cell {
	node := t.Nodes[row]
	switch plugin := t.columns[column]; plugin {
	case nodeColumn:
		return widget.Cell{Text: t.Sheet.Matrix.Nodes[node], Paint: themes.Text}
	case verdictColumn:
		return t.verdict(node)
	case totalColumn:
		if t.Totals[node] == view.NoTotal {
			return widget.Cell{}
		}
		return widget.Cell{Text: strconv.FormatInt(t.Totals[node], 10), Paint: themes.Text}
	default:
		return t.asked(node, plugin)
	}
}

// asked draws the answer of a plugin on a node.
func (t *filterTable) asked(node int32, plugin int) widget.Cell {
	state := t.Sheet.State(node, plugin)
	if state == trace.CellUnknown && t.Sheet.Turns[node] == view.NotVisited {
		return t.out
	}
	cell := t.cells[state]
	if answers(state) && t.Sheet.Matrix.CellRests(int(node), plugin) {
		cell.Text += t.guess
	}
	return cell
}

// answers reports whether a cell has a verdict.
func answers(s trace.CellState) bool {
	return s != trace.CellUnknown && s != trace.CellSkipped && s != trace.CellAhead
}

var standingPaints = [...]themes.Paint{
	view.Chosen: themes.Pass.Strong(), view.Fits: themes.Pass, view.Fails: themes.Fail, view.Breaks: themes.Error,
	view.PassedOver: themes.NotSampled,
	view.WouldFail:  themes.NotSampled, view.Unknown: themes.NotSampled, view.Undecided: themes.Muted,
}

func (t *filterTable) verdict(node int32) widget.Cell {
	at := t.Standing(node)
	cell := widget.Cell{Text: t.signs[at], Paint: standingPaints[at]}
	if at == view.Fails && t.Sheet.Final(node) {
		cell = widget.Cell{Text: t.final, Paint: themes.FailUnresolvable}
	}
	if at != view.Undecided && at != view.Unknown && t.Sheet.Matrix.Rests(int(node)) {
		cell.Text += t.guess
	}
	if !t.terse && at != view.Undecided {
		cell.Text += " " + t.Words(t.Language, node)
	}
	return cell
}

func (t *filterTable) nodeAt(row int) (int, string) {
	node := int(t.Nodes[row])
	return node, t.Sheet.Matrix.Nodes[node]
}

func (t *filterTable) rowOf(name string) int {
	return slices.IndexFunc(t.Nodes, func(node int32) bool { return t.Sheet.Matrix.Nodes[node] == name })
}

func (t *filterTable) pluginAt(column int) (int, string) {
	if plugin := t.columns[column]; plugin >= 0 {
		return plugin, t.Sheet.Matrix.Plugins[plugin]
	}
	return -1, ""
}

func (t *filterTable) subjects() (whole, plugin view.Subject) { return view.OfNode, view.OfFilter }
