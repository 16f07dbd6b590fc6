package panel

import (
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// scoreTable is the scores as a widget.Table. Its rows are positions among the scored nodes.
type scoreTable struct {
	view.ScoreRows

	numbers  view.Numbers
	width    int
	columns  []int // indexes of Scores.Columns, or nodeColumn, totalColumn
	titles   []widget.Column
	ranges   []scoreRange // per column of Scores, of the numbers shown
	totals   scoreRange
	names    int // width of the longest name of a scored node
	heaviest int64
	sign     string // of the chosen node
	guess    string // behind the name of a node whose scores rest on something that is assumed
	matrix   *trace.Matrix
}

// scoreRange is the lowest and the highest number of a column.
type scoreRange struct{ low, high int64 }

// part is where a number lies in the range, 0 to 1; in a range of one number all are highest.
func (s scoreRange) part(n int64) float64 {
	if s.high <= s.low {
		return 1
	}
	return float64(n-s.low) / float64(s.high-s.low)
}

func rangeOf(numbers []int64) scoreRange {
	if len(numbers) == 0 {
		return scoreRange{}
	}
	return scoreRange{low: slices.Min(numbers), high: slices.Max(numbers)}
}

// measure takes the widths and ranges of scores that were not shown before.
func (t *scoreTable) measure(s *trace.Scores) {
	t.columns, t.names, t.totals, t.heaviest = nil, 4, rangeOf(s.Totals), 1
	for _, node := range s.Index {
		t.names = max(t.names, widget.Width(s.Nodes[node]))
	}
	for i := range s.Columns {
		t.heaviest = max(t.heaviest, s.Columns[i].Weight)
	}
}

// layOut decides which columns are shown in a width; false when that is settled already. Plugins without a score go
// first; then names are cut.
func (t *scoreTable) layOut(width int, n view.Numbers) bool {
	if t.columns != nil && width == t.width && n == t.numbers {
		return false
	}
	t.width, t.numbers = width, n
	t.ranges = make([]scoreRange, len(t.Scores.Columns))
	for i := range t.Scores.Columns {
		switch c := &t.Scores.Columns[i]; n {
		case view.Raw:
			t.ranges[i] = rangeOf(c.Raw)
		case view.Normalized:
			t.ranges[i] = scoreRange{high: 100}
		case view.Weighted:
			t.ranges[i] = scoreRange{high: 100 * t.heaviest}
		}
	}
	name := min(t.names, max(width/3, 8))
	if spare := t.plan(width, name, true); spare < 0 {
		spare = t.plan(width, name, false)
		if spare < 0 {
			t.plan(width, min(name, max(width/4, 6)), false)
		}
	}
	return true
}

// plan lays the columns out and returns the room that is left over.
func (t *scoreTable) plan(width, name int, skipped bool) int {
	t.columns, t.titles = []int{nodeColumn, totalColumn}, nil
	for i := range t.Scores.Columns {
		if skipped || t.Scores.Columns[i].Raw != nil {
			t.columns = append(t.columns, i)
		}
	}
	needed := 1
	for _, column := range t.columns {
		title := t.title(column, name)
		t.titles = append(t.titles, title)
		needed += title.Width + 1
	}
	return width - needed + 1
}

func (t *scoreTable) title(column, name int) widget.Column {
	switch column {
	case nodeColumn:
		if t.matrix != nil && t.matrix.Guesses != nil {
			name++
		}
		return widget.Column{Title: t.Language.Of("  node"), Width: name + 2, Names: true}
	case totalColumn:
		return widget.Column{Title: t.Language.Of("total"), Width: 6, Align: widget.Right}
	}
	c := &t.Scores.Columns[column]
	title := view.Short(c.Plugin)
	if t.numbers == view.Weighted {
		title += " x" + strconv.FormatInt(c.Weight, 10)
	}
	width := max(widget.Width(title), 4)
	for _, n := range []int64{t.ranges[column].low, t.ranges[column].high} {
		width = max(width, len(t.text(n))+1)
	}
	return widget.Column{Title: title, Width: width, Align: widget.Right}
}

// Rows is the number of nodes shown.
func (t *scoreTable) Rows() int { return len(t.Places) }

// Cell is one cell of the table.
func (t *scoreTable) Cell(row, column int) widget.Cell {
	k := t.Places[row]
	switch at := t.columns[column]; at {
	case nodeColumn:
		name := t.Name(row)
		if t.matrix != nil && t.matrix.Rests(int(t.Scores.Index[k])) {
			name += t.guess
		}
		if t.IsChosen(k) {
			return widget.Cell{Text: t.sign + name, Paint: themes.Pass.Strong()}
		}
		return widget.Cell{Text: "  " + name, Paint: themes.Text}
	case totalColumn:
		total := t.Scores.Totals[k]
		return widget.Cell{Text: t.text(total), Paint: t.paint(t.totals.part(total))}
	default:
		n, scored := t.Number(at, k, t.numbers)
		if !scored {
			return widget.Cell{Text: "-", Paint: themes.NotAsked}
		}
		return widget.Cell{Text: t.text(n), Paint: t.paint(t.ranges[at].part(n))}
	}
}

// text is a number of the table.
func (t *scoreTable) text(n int64) string {
	text := strconv.FormatInt(n, 10)
	if t.Alone {
		return "(" + text + ")"
	}
	return text
}

// paint is the ground of a number that is at a part of the range.
func (t *scoreTable) paint(part float64) themes.Paint {
	if t.Alone {
		return themes.NotAsked
	}
	return themes.Score(part)
}

func (t *scoreTable) nodeAt(row int) (int, string) {
	return int(t.Scores.Index[t.Places[row]]), t.Name(row)
}

func (t *scoreTable) rowOf(name string) int {
	return slices.IndexFunc(t.Places, func(k int32) bool { return t.Scores.Nodes[t.Scores.Index[k]] == name })
}

func (t *scoreTable) pluginAt(column int) (int, string) {
	if plugin := t.columns[column]; plugin >= 0 {
		return plugin, t.Scores.Columns[plugin].Plugin
	}
	return -1, ""
}

func (t *scoreTable) subjects() (whole, plugin view.Subject) { return view.OfNode, view.OfScore }
