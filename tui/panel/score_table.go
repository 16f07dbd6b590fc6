package panel

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// scoreTable is the scores as a widget.Table. Its rows are positions among the scored nodes.
type scoreTable struct {
	language words.Language
	scores   *trace.Scores
	rows     []int32
	chosen   string
	alone    bool // kube-scheduler did not work the scores out: all stand in brackets

	numbers  Numbers
	width    int
	columns  []int // indexes of Scores.Columns, or nodeColumn, totalColumn
	titles   []widget.Column
	ranges   []scoreRange // per column of Scores, of the numbers shown
	totals   scoreRange
	names    int // width of the longest name of a scored node
	heaviest int64
	sign     string // of the chosen node
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

// scoreOrder is the order that an Order means for scores.
func scoreOrder(o Order) Order {
	if o == ByName || o == BySnapshot {
		return o
	}
	return ByTotal
}

// choose fills rows for a key.
func (t *scoreTable) choose(key scoreKey) {
	s := key.scores
	if s != t.scores {
		t.scores, t.columns = s, nil
		t.names, t.totals, t.heaviest = 4, rangeOf(s.Totals), 1
		for _, node := range s.Index {
			t.names = max(t.names, widget.Width(s.Nodes[node]))
		}
		for i := range s.Columns {
			t.heaviest = max(t.heaviest, s.Columns[i].Weight)
		}
	}
	t.chosen, t.alone = key.chosen, key.alone
	t.rows = make([]int32, 0, len(s.Index))
	for k, node := range s.Index {
		if matches(s.Nodes[node], key.filter) {
			t.rows = append(t.rows, int32(k))
		}
	}
	bySnapshot := func(a, b int32) int { return cmp.Compare(s.Index[a], s.Index[b]) }
	slices.SortFunc(t.rows, func(a, b int32) int {
		switch scoreOrder(key.order) {
		case ByName:
			return strings.Compare(s.Nodes[s.Index[a]], s.Nodes[s.Index[b]])
		case BySnapshot:
			return bySnapshot(a, b)
		}
		return cmp.Or(cmp.Compare(s.Totals[b], s.Totals[a]), -compareBool(t.isChosen(a), t.isChosen(b)), bySnapshot(a, b))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (t *scoreTable) isChosen(k int32) bool {
	return t.chosen != "" && t.scores.Nodes[t.scores.Index[k]] == t.chosen
}

// layOut decides which columns are shown in a width; false when that is settled already. Plugins without a score go
// first; then names are cut.
func (t *scoreTable) layOut(width int, n Numbers) bool {
	if t.columns != nil && width == t.width && n == t.numbers {
		return false
	}
	t.width, t.numbers = width, n
	t.ranges = make([]scoreRange, len(t.scores.Columns))
	for i := range t.scores.Columns {
		switch c := &t.scores.Columns[i]; n {
		case Raw:
			t.ranges[i] = rangeOf(c.Raw)
		case Normalized:
			t.ranges[i] = scoreRange{high: 100}
		case Weighted:
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
	for i := range t.scores.Columns {
		if skipped || t.scores.Columns[i].Raw != nil {
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
		return widget.Column{Title: t.language.Of("  node"), Width: name + 2}
	case totalColumn:
		return widget.Column{Title: t.language.Of("total"), Width: 6, Align: widget.Right}
	}
	c := &t.scores.Columns[column]
	title := short(c.Plugin)
	if t.numbers == Weighted {
		title += " x" + strconv.FormatInt(c.Weight, 10)
	}
	width := max(widget.Width(title), 4)
	for _, n := range []int64{t.ranges[column].low, t.ranges[column].high} {
		width = max(width, len(t.text(n))+1)
	}
	return widget.Column{Title: title, Width: width, Align: widget.Right}
}

// number is what is shown of a column for a scored node; false when the plugin gave none.
func (t *scoreTable) number(column int, k int32) (int64, bool) {
	c := &t.scores.Columns[column]
	if c.Raw == nil {
		return 0, false
	}
	switch t.numbers {
	case Raw:
		return c.Raw[k], true
	case Normalized:
		return c.Normalized[k], true
	}
	return c.Weighted(int(k)), true
}

// Rows is the number of nodes shown.
func (t *scoreTable) Rows() int { return len(t.rows) }

// Cell is one cell of the table.
func (t *scoreTable) Cell(row, column int) widget.Cell {
	k := t.rows[row]
	switch at := t.columns[column]; at {
	case nodeColumn:
		if t.isChosen(k) {
			return widget.Cell{Text: t.sign + t.name(row), Paint: themes.Pass.Strong()}
		}
		return widget.Cell{Text: "  " + t.name(row), Paint: themes.Text}
	case totalColumn:
		total := t.scores.Totals[k]
		return widget.Cell{Text: t.text(total), Paint: t.paint(t.totals.part(total))}
	default:
		n, scored := t.number(at, k)
		if !scored {
			return widget.Cell{Text: "-", Paint: themes.NotAsked}
		}
		return widget.Cell{Text: t.text(n), Paint: t.paint(t.ranges[at].part(n))}
	}
}

// text is a number of the table.
func (t *scoreTable) text(n int64) string {
	text := strconv.FormatInt(n, 10)
	if t.alone {
		return "(" + text + ")"
	}
	return text
}

// paint is the ground of a number that is at a part of the range.
func (t *scoreTable) paint(part float64) themes.Paint {
	if t.alone {
		return themes.NotAsked
	}
	return themes.Score(part)
}

// name is the node of a row.
func (t *scoreTable) name(row int) string {
	return t.scores.Nodes[t.scores.Index[t.rows[row]]]
}

func (t *scoreTable) nodeAt(row int) (int, string) {
	return int(t.scores.Index[t.rows[row]]), t.name(row)
}

func (t *scoreTable) rowOf(name string) int {
	return slices.IndexFunc(t.rows, func(k int32) bool { return t.scores.Nodes[t.scores.Index[k]] == name })
}

func (t *scoreTable) pluginAt(column int) (int, string) {
	if plugin := t.columns[column]; plugin >= 0 {
		return plugin, t.scores.Columns[plugin].Plugin
	}
	return -1, ""
}

func (t *scoreTable) subjects() (whole, plugin Subject) { return OfNode, OfScore }
