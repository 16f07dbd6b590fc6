package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// NoTotal is the total of a node that was not scored: it sorts behind all others.
const NoTotal = -1 << 62

// Standing is the result for a node: chosen, fits, fails and so on.
func (t *FilterRows) Standing(node int32) Standing {
	if node == t.chosen {
		return Chosen
	}
	return t.Sheet.standing(node)
}

// Words is the standing of a node in words.
func (t *FilterRows) Words(lang words.Language, node int32) string {
	switch t.Standing(node) {
	case Chosen:
		return lang.Of("chosen")
	case Fits:
		return lang.Of("fits")
	case PassedOver:
		return lang.Of("not tried, would fit")
	case WouldFail:
		return lang.Say("not tried, %s", t.Sheet.fails(node))
	case Unknown:
		return lang.Of("not tried")
	case Undecided:
		return ""
	case Fails, Breaks:
	}
	return t.Sheet.fails(node)
}

// textCells are the states of cells in files; a cell of which nothing is known is empty.
var textCells = [...]string{
	trace.CellPass: "pass", trace.CellFail: "fail", trace.CellUnresolvable: "fail, unresolvable",
	trace.CellError: "error", trace.CellSkipped: "skipped",
	trace.CellWouldPass: "would pass", trace.CellWouldFail: "would fail",
	trace.CellWouldUnresolvable: "would fail, unresolvable", trace.CellWouldError: "would be an error",
	trace.CellUnknown: "", trace.CellAhead: "",
}

// verdictInFiles is the standing of a node as text for a file. A file has no signs, so the text itself states that a
// node does not fit: the names of the plugins alone would not show it.
func (t *FilterRows) verdictInFiles(lang words.Language, node int32) string {
	var plugins []string
	for _, failure := range t.Sheet.Matrix.OnNode(int(node)) {
		plugins = append(plugins, t.Sheet.Matrix.Plugins[failure.Plugin])
	}
	by := strings.Join(plugins, ", ")
	switch t.Standing(node) {
	case Fails:
		return lang.Say("does not fit: %s", by)
	case WouldFail:
		return lang.Say("not tried, would not fit: %s", by)
	case Breaks:
		return lang.Say("error: %s", by)
	case Chosen, Fits, PassedOver, Unknown, Undecided:
	}
	return t.Words(lang, node)
}

// FilterKey is all that the rows of the table depend on.
type FilterKey struct {
	Matrix  *trace.Matrix
	scores  *trace.Scores
	chosen  string
	Order   Order
	filter  string
	walking bool
}

// Fitting counts the nodes that fit, of those kube-scheduler looked at.
func Fitting(lang words.Language, m *trace.Matrix) string {
	if len(m.Visited) == len(m.Nodes) {
		return lang.Say("%d of %s fit", m.FeasibleCount(), lang.Count(len(m.Nodes), "node"))
	}
	return lang.Say("%d fit of %d tried, of %s", m.FeasibleCount(), len(m.Visited), lang.Count(len(m.Nodes), "node"))
}

// Choose fills the rows for a key: the nodes of its matrix that its filter of names lets through, in its order.
func (t *FilterRows) Choose(key FilterKey) {
	m := key.Matrix
	if t.Sheet == nil || t.Sheet.Matrix != m {
		t.Sheet = newSheet(m)
	}
	t.chosen = -1
	t.Totals = totalsOf(key.scores)
	t.Nodes = make([]int32, 0, len(m.Nodes))
	if key.chosen != "" {
		t.chosen = int32(slices.Index(m.Nodes, key.chosen))
	}
	for node := range m.Nodes {
		if t.isWanted(int32(node), key) {
			t.Nodes = append(t.Nodes, int32(node))
		}
	}
	if key.walking {
		slices.SortFunc(t.Nodes, func(a, b int32) int {
			return cmp.Or(cmp.Compare(t.Sheet.Turns[a], t.Sheet.Turns[b]), cmp.Compare(m.FromStart(a), m.FromStart(b)))
		})
		return
	}
	switch key.Order {
	case ByVerdict:
		t.sortByVerdict()
	case ByTotal:
		slices.SortFunc(t.Nodes, t.byTotal)
	case ByNearestMiss:
		slices.SortFunc(t.Nodes, func(a, b int32) int {
			return cmp.Or(t.Sheet.miss(a).compare(t.Sheet.miss(b)), cmp.Compare(a, b))
		})
	case ByName:
		slices.SortFunc(t.Nodes, func(a, b int32) int { return strings.Compare(m.Nodes[a], m.Nodes[b]) })
	case BySnapshot:
	}
}

// sortByVerdict groups the rows by standing in one pass. Only within a group it compares: nodes that failed by how much
// they lack, scored nodes by their totals.
func (t *FilterRows) sortByVerdict() {
	var sorted [Undecided + 1][]int32
	for _, node := range t.Nodes {
		at := t.Standing(node)
		sorted[at] = append(sorted[at], node)
	}
	t.Nodes = t.Nodes[:0]
	for at, equal := range sorted {
		if Standing(at) == Fails {
			slices.SortStableFunc(equal, func(a, b int32) int { return t.Sheet.miss(a).compare(t.Sheet.miss(b)) })
			t.Nodes = append(t.Nodes, equal...)
			continue
		}
		if t.Totals != nil && slices.ContainsFunc(equal, func(node int32) bool { return t.Totals[node] != NoTotal }) {
			slices.SortFunc(equal, t.byTotal)
		}
		t.Nodes = append(t.Nodes, equal...)
	}
}

func (t *FilterRows) byTotal(a, b int32) int {
	if t.Totals == nil {
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(t.Totals[b], t.Totals[a]), cmp.Compare(a, b))
}

// isWanted reports whether a node passes the filter. While the user steps from cell to cell, verdicts are not known
// yet: then the filter reads names alone.
func (t *FilterRows) isWanted(node int32, key FilterKey) bool {
	if key.filter == "" || Matches(t.Sheet.Matrix.Nodes[node], key.filter) {
		return true
	}
	return !key.walking && Matches(t.Words(t.Language, node), key.filter)
}

// totalsOf is the total of every node; nil without scores.
func totalsOf(s *trace.Scores) []int64 {
	if s == nil {
		return nil
	}
	totals := make([]int64, len(s.Nodes))
	for i := range totals {
		totals[i] = NoTotal
	}
	for k, node := range s.Index {
		totals[node] = s.Totals[k]
	}
	return totals
}

// FilterRows are the rows of a filter matrix: its nodes in an order, with the result for each.
type FilterRows struct {
	Language words.Language
	Sheet    *Sheet
	Nodes    []int32 // in the order shown
	Totals   []int64 // per node; NoTotal where there is none; nil: nothing was scored yet
	chosen   int32   // the node; -1: none yet
}

// FilterKeyOf is what the rows of a frame depend on, with a filter in lower case; false: the frame has no matrix to
// show.
func FilterKeyOf(f *session.Frame, order Order, filter string) (key FilterKey, is bool) {
	c := f.Try()
	if c == nil || c.Matrix == nil || c.PreFilterRejected() {
		return FilterKey{}, false
	}
	key = FilterKey{Matrix: c.Matrix, scores: c.Scores, Order: order, filter: filter, walking: IsWalking(f)}
	if c.Selected != nil {
		key.chosen = c.Selected.Node
	}
	return key, true
}

// FilterTable is the matrix of a frame as rows of text, in an order and with a filter, but with all columns: titles
// first, then for every node its name, its verdict, its total, and a word for every filter plugin. nil: the frame has
// no matrix. The text is not cleaned: the caller must make it safe. Titles, verdicts and the words of cells are in the
// language lang; data is always in English.
func FilterTable(f *session.Frame, order Order, filter string, lang words.Language) [][]string {
	key, is := FilterKeyOf(f, order, strings.ToLower(filter))
	if !is {
		return nil
	}
	t := FilterRows{Language: f.Language}
	t.Choose(key)
	m := key.Matrix
	rows := [][]string{append(lang.Each("node", "verdict", "total"), m.Plugins...)}
	for _, node := range t.Nodes {
		total := ""
		if t.Totals != nil && t.Totals[node] != NoTotal {
			total = strconv.FormatInt(t.Totals[node], 10)
		}
		verdict := t.verdictInFiles(lang, node)
		if m.Rests(int(node)) {
			verdict = lang.Say("%s (rests on a guess)", verdict)
		}
		row := []string{m.Nodes[node], verdict, total}
		for plugin := range m.Plugins {
			row = append(row, lang.Of(textCells[t.Sheet.State(node, plugin)]))
		}
		rows = append(rows, row)
	}
	return rows
}
