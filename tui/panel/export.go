package panel

import (
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// textCells are the states of cells in files; a cell of which nothing is known is empty.
var textCells = [...]string{
	trace.CellPass: "pass", trace.CellFail: "fail", trace.CellUnresolvable: "fail, unresolvable",
	trace.CellError: "error", trace.CellSkipped: "skipped",
	trace.CellWouldPass: "would pass", trace.CellWouldFail: "would fail",
	trace.CellWouldUnresolvable: "would fail, unresolvable", trace.CellWouldError: "would be an error",
	trace.CellUnknown: "", trace.CellAhead: "",
}

// Export is the matrix as rows of text, in the order and with the filter of the screen but with all columns: titles
// first, then for every node its name, its verdict, its total, and a word for every filter plugin. Nil: the frame has
// no matrix. The text is not cleaned: the caller must make it safe. Titles, verdicts and the words of cells are in a
// language, which for data is English.
func (p *Filters) Export(f *session.Frame, lang words.Language) [][]string {
	if !p.sync(f) {
		return nil
	}
	t := &p.table
	m := t.sheet.matrix
	rows := [][]string{append(lang.Each("node", "verdict", "total"), m.Plugins...)}
	for _, node := range t.rows {
		total := ""
		if t.totals != nil && t.totals[node] != noTotal {
			total = strconv.FormatInt(t.totals[node], 10)
		}
		row := []string{m.Nodes[node], t.verdictInFiles(lang, node), total}
		for plugin := range m.Plugins {
			row = append(row, lang.Of(textCells[t.sheet.state(node, plugin)]))
		}
		rows = append(rows, row)
	}
	return rows
}

// verdictInFiles is what became of a node. A file has no signs, so the text states that a node does not fit: the names
// of the plugins alone would read as what the node has.
func (t *filterTable) verdictInFiles(lang words.Language, node int32) string {
	var plugins []string
	for _, failure := range t.sheet.matrix.OnNode(int(node)) {
		plugins = append(plugins, t.sheet.matrix.Plugins[failure.Plugin])
	}
	by := strings.Join(plugins, ", ")
	switch t.standing(node) {
	case fails:
		return lang.Say("does not fit: %s", by)
	case wouldFail:
		return lang.Say("not tried, would not fit: %s", by)
	case breaks:
		return lang.Say("error: %s", by)
	case chosen, fits, passedOver, unknown, undecided:
	}
	return t.words(lang, node)
}

// Export is the scores as rows of text, in the order and with the filter and the numbers of the screen: titles first,
// then for every scored node its name, its total, and a number for every score plugin that ran. Nil: nothing was
// scored. The text is not cleaned: the caller must make it safe. Titles are in a language, which for data is English.
func (p *Scores) Export(f *session.Frame, lang words.Language) [][]string {
	if !p.sync(f) || p.table.alone {
		return nil
	}
	t := &p.table
	t.layOut(t.width, p.numbers)
	titles := lang.Each("node", "total")
	for i := range t.scores.Columns {
		titles = append(titles, t.scores.Columns[i].Plugin)
	}
	rows := [][]string{titles}
	for row, k := range t.rows {
		cells := []string{t.name(row), strconv.FormatInt(t.scores.Totals[k], 10)}
		for i := range t.scores.Columns {
			text := ""
			if n, scored := t.number(i, k); scored {
				text = strconv.FormatInt(n, 10)
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	return rows
}
