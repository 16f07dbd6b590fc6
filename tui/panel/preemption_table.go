package panel

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// role is what a node is in a preemption. The order is that of the rows.
type role uint8

const (
	candidate role = iota
	refused        // tried: evicting did not help
	untried        // enough candidates were found before its turn
	unhelpful      // no eviction resolves its rejection
)

var roleWords = [...]string{
	candidate: "candidate", refused: "evicting did not help", untried: "not tried", unhelpful: "not helpful",
}

// preemptionRow is a node with its role.
type preemptionRow struct {
	node int32
	role role
	at   int32 // in the list of the role
}

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
	language   words.Language
	preemption *trace.Preemption
	try        *trace.Try
	rows       []preemptionRow

	width     int
	laid      *trace.Preemption // what columns were made for
	columns   []int
	titles    []widget.Column
	nameWidth int
	signs     [unhelpful + 1]string
	tick      string
}

// choose fills rows for a key.
func (t *preemptionTable) choose(c *trace.Try, key preemptionKey) {
	p := key.preemption
	if p != t.preemption {
		t.nameWidth = widest(p.Nodes)
	}
	t.preemption, t.try = p, c
	t.rows = make([]preemptionRow, 0, len(p.Nodes))
	for i := range p.Candidates {
		t.add(preemptionRow{p.Candidates[i].Node, candidate, int32(i)}, key.filter)
	}
	for i := range p.Refused {
		t.add(preemptionRow{p.Refused[i].Node, refused, int32(i)}, key.filter)
	}
	for i, node := range p.Untried {
		t.add(preemptionRow{node, untried, int32(i)}, key.filter)
	}
	for i, node := range p.Unhelpful {
		t.add(preemptionRow{node, unhelpful, int32(i)}, key.filter)
	}
}

func (t *preemptionTable) add(row preemptionRow, filter string) {
	if filter == "" || matches(t.preemption.Nodes[row.node], filter) || matches(t.who(row), filter) {
		t.rows = append(t.rows, row)
	}
}

// leastWho is the room that the last column must have before others get theirs.
const leastWho = 24

// layOut decides which columns are shown in a width; false when that is settled already. In a narrow one the numbers
// go.
func (t *preemptionTable) layOut(width int) bool {
	if width == t.width && t.preemption == t.laid {
		return false
	}
	t.width, t.laid = width, t.preemption
	name := min(t.nameWidth, max(width/4, 8))
	numbers := []int{columnViolations, columnHighest, columnSum, columnVictims, columnStart}
	if len(t.preemption.Candidates) == 0 {
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
		for i := range t.preemption.Candidates {
			width = max(width, len(t.number(&t.preemption.Candidates[i], column))+1)
		}
		return widget.Column{Title: title, Width: width, Align: widget.Right}
	}
	switch column {
	case columnRank:
		return widget.Column{Width: 2 + max(1, len(strconv.Itoa(len(t.preemption.Candidates))))}
	case columnNode:
		return widget.Column{Title: t.language.Of("node"), Width: max(name, 4)}
	case columnViolations:
		return number("PDB")
	case columnHighest:
		return number(t.language.Of("highest"))
	case columnSum:
		return number(t.language.Of("sum"))
	case columnVictims:
		return number("pods")
	case columnStart:
		return number(t.language.Of("age"))
	}
	return widget.Column{Title: t.language.Of("who leaves, or why not")}
}

// number is what is shown of a candidate in the column of a criterion.
func (t *preemptionTable) number(c *trace.PreemptionCandidate, column int) string {
	if column == columnStart {
		return prose.Span(max(t.try.Time.Sub(c.Earliest), 0))
	}
	return prose.Criterion(c, columnCriteria[column])
}

// prepare makes the signs.
func (t *preemptionTable) prepare(g *themes.Glyphs) {
	t.tick = string(g.Pass)
	t.signs = [...]string{
		candidate: " ", refused: string(g.Fail), untried: string(g.NotSampled), unhelpful: string(g.FailUnresolvable),
	}
}

var rolePaints = [...]themes.Paint{
	candidate: themes.Text, refused: themes.Fail, untried: themes.NotSampled, unhelpful: themes.FailUnresolvable,
}

// Rows is the number of nodes shown.
func (t *preemptionTable) Rows() int { return len(t.rows) }

// Cell is one cell of the table.
func (t *preemptionTable) Cell(row, column int) widget.Cell {
	at := t.rows[row]
	switch which := t.columns[column]; which {
	case columnRank:
		return t.rank(at)
	case columnNode:
		paint := themes.Text
		if t.isChosen(at) {
			paint = themes.Pass.Strong()
		}
		return widget.Cell{Text: t.preemption.Nodes[at.node], Paint: paint}
	case columnWho:
		paint := themes.Text
		if at.role != candidate {
			paint = themes.Muted
		}
		return widget.Cell{Text: t.who(at), Paint: paint}
	default:
		return t.criterion(at, which)
	}
}

func (t *preemptionTable) isChosen(at preemptionRow) bool {
	return at.role == candidate && at.at == 0 && t.preemption.Node != ""
}

func (t *preemptionTable) rank(at preemptionRow) widget.Cell {
	switch {
	case t.isChosen(at):
		return widget.Cell{Text: t.tick + " 1", Paint: themes.Pass.Strong()}
	case at.role == candidate:
		return widget.Cell{Text: "  " + strconv.Itoa(int(at.at)+1), Paint: themes.Text}
	}
	return widget.Cell{Text: t.signs[at.role], Paint: rolePaints[at.role]}
}

// criterion is a number of a candidate; a star marks what puts it behind the one above.
func (t *preemptionTable) criterion(at preemptionRow, column int) widget.Cell {
	if at.role != candidate {
		return widget.Cell{}
	}
	c := &t.preemption.Candidates[at.at]
	cell := widget.Cell{Text: t.number(c, column), Paint: themes.Text}
	switch by := columnCriteria[column]; by {
	case c.Behind:
		cell.Text, cell.Paint = "*"+cell.Text, themes.Warn
	case t.preemption.Decided:
		if at.at == 0 {
			cell.Paint = themes.Pass.Strong()
		}
	}
	return cell
}

// who lists the victims of a candidate, or why the node is none.
func (t *preemptionTable) who(at preemptionRow) string {
	p := t.preemption
	switch at.role {
	case candidate:
		return leaving(t.language, &p.Candidates[at.at])
	case refused:
		return refusal(t.language, &p.Refused[at.at])
	case untried:
		return prose.CandidateNotTried(t.language, p)
	}
	if plugin, v, ok := rejectedFor(t.try, int(at.node)); ok {
		return t.language.Say("not helpful: %s: %s", short(plugin), v.Message())
	}
	return t.language.Of("not helpful: PreFilter rejected it")
}

// leaving are the victims of a candidate, with the budgets they are under, and the pods that may stay.
func leaving(lang words.Language, c *trace.PreemptionCandidate) string {
	var said []string
	for i, key := range c.Victims {
		name := podName(lang, key)
		if i < len(c.Leaving) && c.Leaving[i].Budget != "" {
			name += lang.Say(" (PDB %s)", c.Leaving[i].Budget)
		}
		said = append(said, name)
	}
	text := strings.Join(said, ", ")
	if len(c.Reprieved) > 0 {
		text += lang.Say("; may stay: %s", podNames(lang, c.Reprieved))
	}
	return text
}

func refusal(lang words.Language, r *trace.PreemptionRefusal) string {
	if r.Plugin == "" {
		return r.Verdict.Message()
	}
	return lang.Say("%s: %s, even if all less important pods left", short(r.Plugin), r.Verdict.Message())
}

// rejectedFor is the filter that kube-scheduler stopped at on a node.
func rejectedFor(c *trace.Try, node int) (plugin string, v trace.Verdict, ok bool) {
	m := c.Matrix
	if m == nil || node >= len(m.First) || m.First[node] < 0 {
		return "", trace.Verdict{}, false
	}
	v, ok = m.Verdict(node, int(m.First[node]))
	return m.Plugins[m.First[node]], v, ok
}

func (t *preemptionTable) nodeAt(row int) (int, string) {
	node := int(t.rows[row].node)
	return node, t.preemption.Nodes[node]
}

func (t *preemptionTable) rowOf(name string) int {
	return slices.IndexFunc(t.rows, func(r preemptionRow) bool { return t.preemption.Nodes[r.node] == name })
}

func (t *preemptionTable) pluginAt(int) (int, string) { return -1, "" }

func (t *preemptionTable) subjects() (whole, plugin Subject) { return OfPreemption, OfPreemption }

// export is a row in full.
func (t *preemptionTable) export(at preemptionRow) []string {
	row := []string{t.preemption.Nodes[at.node], roleWords[at.role], "", "", "", "", "", "", "", "", "", ""}
	if t.isChosen(at) {
		row[1] = t.language.Of("nominated")
	}
	if at.role != candidate {
		row[11] = t.who(at)
		return row
	}
	c := &t.preemption.Candidates[at.at]
	copy(row[2:], []string{
		strconv.Itoa(int(at.at) + 1), prose.Criterion(c, trace.ByViolations), prose.Criterion(c, trace.ByHighestPriority),
		prose.Criterion(c, trace.ByPrioritySum),
		prose.Criterion(c, trace.ByVictims), c.Earliest.UTC().Format(time.RFC3339), c.Behind.String(),
		strings.Join(c.Victims, " "), strings.Join(c.Reprieved, " "),
	})
	return row
}
