package panel

import (
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// The columns of a preemptionTable; those between columnViolations and columnStart are criteria.
const (
	columnRank = iota
	columnNode
	columnViolations
	columnHighest
	columnSum
	columnVictims
	columnStart
	columnWho
)

// columnCriteria is the criterion that looks at a column.
var columnCriteria = map[int]trace.Criterion{
	columnViolations: trace.ByViolations, columnHighest: trace.ByHighestPriority, columnSum: trace.ByPrioritySum,
	columnVictims: trace.ByVictims, columnStart: trace.ByEarliestStart,
}

// preemptionTable is a preemption as a widget.Table.
type preemptionTable struct {
	view.PreemptionRows

	width     int
	laid      *trace.Preemption // what columns were made for
	columns   []int
	titles    []widget.Column
	nameWidth int
	signs     [view.Unhelpful + 1]string
	tick      string
}

// leastWho is the room that the last column must have before others get theirs.
const leastWho = 24

// layOut decides which columns are shown in a width; false when that is settled already. In a narrow one the numbers
// go.
func (t *preemptionTable) layOut(width int) bool {
	if width == t.width && t.Preemption == t.laid {
		return false
	}
	t.width, t.laid = width, t.Preemption
	name := min(t.nameWidth, max(width/4, 8))
	numbers := []int{columnViolations, columnHighest, columnSum, columnVictims, columnStart}
	if len(t.Preemption.Candidates) == 0 {
		numbers = nil
	}
	if t.place(width, name, numbers) < leastWho {
		t.place(width, min(name, max(width/4, 6)), nil)
	}
	return true
}

// place lays the columns out and returns the width of the last one.
func (t *preemptionTable) place(width, name int, numbers []int) int {
	t.columns = slices.Concat([]int{columnRank, columnNode}, numbers, []int{columnWho})
	t.titles = spread(t.titles[:0], width, t.columns, columnWho, func(column int) widget.Column {
		return t.title(column, name)
	})
	return t.titles[len(t.titles)-1].Width
}

func (t *preemptionTable) title(column, name int) widget.Column {
	number := func(title string) widget.Column {
		width := widget.Width(title)
		for i := range t.Preemption.Candidates {
			width = max(width, len(t.number(&t.Preemption.Candidates[i], column))+1)
		}
		return widget.Column{Title: title, Width: width, Align: widget.Right}
	}
	switch column {
	case columnRank:
		return widget.Column{Width: 2 + max(1, len(strconv.Itoa(len(t.Preemption.Candidates))))}
	case columnNode:
		return widget.Column{Title: t.Language.Of("node"), Width: max(name, 4), Names: true}
	case columnViolations:
		return number("PDB")
	case columnHighest:
		return number(t.Language.Of("highest"))
	case columnSum:
		return number(t.Language.Of("sum"))
	case columnVictims:
		return number("pods")
	case columnStart:
		return number(t.Language.Of("age"))
	}
	return widget.Column{Title: t.Language.Of("who leaves, or why not")}
}

// number is what is shown of a candidate in the column of a criterion.
func (t *preemptionTable) number(c *trace.PreemptionCandidate, column int) string {
	if column == columnStart {
		return prose.Span(max(t.Try.Time.Sub(c.Earliest), 0))
	}
	return prose.Criterion(c, columnCriteria[column])
}

// prepare makes the signs.
func (t *preemptionTable) prepare(g *themes.Glyphs) {
	t.tick = string(g.Pass)
	t.signs = [...]string{
		view.Candidate: " ", view.Refused: string(g.Fail), view.Untried: string(g.NotSampled),
		view.Unhelpful: string(g.FailUnresolvable),
	}
}

var rolePaints = [...]themes.Paint{
	view.Candidate: themes.Text, view.Refused: themes.Fail, view.Untried: themes.NotSampled,
	view.Unhelpful: themes.FailUnresolvable,
}

// Rows is the number of nodes shown.
func (t *preemptionTable) Rows() int { return len(t.Lines) }

// Cell is one cell of the table.
func (t *preemptionTable) Cell(row, column int) widget.Cell {
	at := t.Lines[row]
	switch which := t.columns[column]; which {
	case columnRank:
		return t.rank(at)
	case columnNode:
		paint := themes.Text
		if t.IsChosen(at) {
			paint = themes.Pass.Strong()
		}
		return widget.Cell{Text: t.Preemption.Nodes[at.Node], Paint: paint}
	case columnWho:
		paint := themes.Text
		if at.Role != view.Candidate {
			paint = themes.Muted
		}
		return widget.Cell{Text: t.Who(at), Paint: paint}
	default:
		return t.criterion(at, which)
	}
}

func (t *preemptionTable) rank(at view.PreemptionRow) widget.Cell {
	switch {
	case t.IsChosen(at):
		return widget.Cell{Text: t.tick + " 1", Paint: themes.Pass.Strong()}
	case at.Role == view.Candidate:
		return widget.Cell{Text: "  " + strconv.Itoa(int(at.At)+1), Paint: themes.Text}
	}
	return widget.Cell{Text: t.signs[at.Role], Paint: rolePaints[at.Role]}
}

// criterion is a number of a candidate; a star marks what puts it behind the one above.
func (t *preemptionTable) criterion(at view.PreemptionRow, column int) widget.Cell {
	if at.Role != view.Candidate {
		return widget.Cell{}
	}
	c := &t.Preemption.Candidates[at.At]
	cell := widget.Cell{Text: t.number(c, column), Paint: themes.Text}
	switch by := columnCriteria[column]; by {
	case c.Behind:
		cell.Text, cell.Paint = "*"+cell.Text, themes.Warn
	case t.Preemption.Decided:
		if at.At == 0 {
			cell.Paint = themes.Pass.Strong()
		}
	}
	return cell
}

func (t *preemptionTable) nodeAt(row int) (int, string) {
	node := int(t.Lines[row].Node)
	return node, t.Preemption.Nodes[node]
}

func (t *preemptionTable) rowOf(name string) int {
	return slices.IndexFunc(t.Lines, func(r view.PreemptionRow) bool { return t.Preemption.Nodes[r.Node] == name })
}

func (t *preemptionTable) pluginAt(int) (int, string) { return -1, "" }

func (t *preemptionTable) subjects() (whole, plugin view.Subject) {
	return view.OfPreemption, view.OfPreemption
}
