package panel

import (
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
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
	language words.Language
	sheet    *sheet
	rows     []int32 // nodes
	totals   []int64 // per node; noTotal where there is none; nil: nothing was scored yet
	chosen   int32   // the node; -1: none yet

	width     int // that columns are made for
	laid      filterKey
	columns   []int // indexes of plugins, or one of the constants above
	titles    []widget.Column
	nameWidth int
	terse     bool // the verdict is only a sign

	cells [trace.CellAhead + 1]widget.Cell
	out   widget.Cell // a cell of a filter that did not run
	signs [undecided + 1]string
	final string
}

const noTotal = -1 << 62

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
	key := filterKey{matrix: t.sheet.matrix}
	if t.totals != nil {
		key.order = ByTotal
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
			more := min(spare, mostVerdict-p.verdict)
			t.titles[1].Width += more
			t.titles[0].Width += min(spare-more, t.nameWidth-name)
		}
		break
	}
	return true
}

// place lays the columns out by a plan and returns the room that is left over.
func (t *filterTable) place(width int, p plan) int {
	t.terse = p.verdict == onlyASign
	t.columns = append(t.columns[:0], nodeColumn, verdictColumn)
	if p.total && t.totals != nil {
		t.columns = append(t.columns, totalColumn)
	}
	for plugin := range t.sheet.matrix.Plugins {
		if p.skipped || !t.sheet.matrix.Skipped[plugin] {
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
		return widget.Column{Title: t.language.Of("node"), Width: max(name, 4)}
	case verdictColumn:
		if t.terse {
			return widget.Column{Width: 1}
		}
		return widget.Column{Title: t.language.Of("verdict"), Width: verdict}
	case totalColumn:
		return widget.Column{Title: t.language.Of("total"), Width: 5, Align: widget.Right}
	}
	title := short(t.sheet.matrix.Plugins[column])
	return widget.Column{Title: title, Width: max(widget.Width(title), 3), Align: widget.Center}
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
		chosen: pass, fits: pass, fails: fail, breaks: broken, passedOver: string(g.NotSampled),
		wouldFail: string(g.NotSampled),
		unknown:   string(g.NotSampled), undecided: "",
	}
	t.final = final
}

// Rows is the number of nodes shown.
func (t *filterTable) Rows() int { return len(t.rows) }

// Cell is one cell of the table.
func (t *filterTable) Cell(row, column int) widget.Cell {
	node := t.rows[row]
	switch plugin := t.columns[column]; plugin {
	case nodeColumn:
		return widget.Cell{Text: t.sheet.matrix.Nodes[node], Paint: themes.Text}
	case verdictColumn:
		return t.verdict(node)
	case totalColumn:
		if t.totals[node] == noTotal {
			return widget.Cell{}
		}
		return widget.Cell{Text: strconv.FormatInt(t.totals[node], 10), Paint: themes.Text}
	default:
		return t.asked(node, plugin)
	}
}

// asked is the cell of a plugin on a node.
func (t *filterTable) asked(node int32, plugin int) widget.Cell {
	state := t.sheet.state(node, plugin)
	if state == trace.CellUnknown && t.sheet.turns[node] == notVisited {
		return t.out
	}
	return t.cells[state]
}

// standing is what became of a node.
func (t *filterTable) standing(node int32) standing {
	if node == t.chosen {
		return chosen
	}
	return t.sheet.standing(node)
}

// words describe what became of a node.
func (t *filterTable) words(lang words.Language, node int32) string {
	switch t.standing(node) {
	case chosen:
		return lang.Of("chosen")
	case fits:
		return lang.Of("fits")
	case passedOver:
		return lang.Of("not tried, would fit")
	case wouldFail:
		return lang.Say("not tried, %s", t.sheet.fails(node))
	case unknown:
		return lang.Of("not tried")
	case undecided:
		return ""
	case fails, breaks:
	}
	return t.sheet.fails(node)
}

var standingPaints = [...]themes.Paint{
	chosen: themes.Pass.Strong(), fits: themes.Pass, fails: themes.Fail, breaks: themes.Error,
	passedOver: themes.NotSampled,
	wouldFail:  themes.NotSampled, unknown: themes.NotSampled, undecided: themes.Muted,
}

func (t *filterTable) verdict(node int32) widget.Cell {
	at := t.standing(node)
	cell := widget.Cell{Text: t.signs[at], Paint: standingPaints[at]}
	if at == fails && t.sheet.final(node) {
		cell = widget.Cell{Text: t.final, Paint: themes.FailUnresolvable}
	}
	if !t.terse && at != undecided {
		cell.Text += " " + t.words(t.language, node)
	}
	return cell
}

func (t *filterTable) nodeAt(row int) (int, string) {
	node := int(t.rows[row])
	return node, t.sheet.matrix.Nodes[node]
}

func (t *filterTable) rowOf(name string) int {
	return slices.IndexFunc(t.rows, func(node int32) bool { return t.sheet.matrix.Nodes[node] == name })
}

func (t *filterTable) pluginAt(column int) (int, string) {
	if plugin := t.columns[column]; plugin >= 0 {
		return plugin, t.sheet.matrix.Plugins[plugin]
	}
	return -1, ""
}

func (t *filterTable) subjects() (whole, plugin Subject) { return OfNode, OfFilter }
