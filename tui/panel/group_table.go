package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// groupRow is a placement, or a member in it.
type groupRow struct {
	placement int32 // in Group.Placements; -1: none was tried
	member    int32 // in the members of the group; -1: the placement itself
}

// The columns of a groupTable; from columnPlugin on, one for each plugin that scores placements.
const (
	columnWhether = iota
	columnMember
	columnWhere
	columnFound
	columnGroupTotal
	columnOutcome
	columnPlugin
)

// groupTable is the placements of a pod group with their members as a widget.Table.
type groupTable struct {
	language words.Language
	cycle    *trace.Cycle
	group    *trace.Group
	rows     []groupRow

	width     int
	laid      *trace.Group // what columns were made for
	columns   []int
	titles    []widget.Column
	nameWidth int
	glyphs    *themes.Glyphs
}

// choose fills rows for a cycle and a filter. The chosen placement comes first, then the others that take the group by
// their totals, then the rest; each as they were tried. While the cycle goes on they come as they are tried.
func (t *groupTable) choose(c *trace.Cycle, filter string) {
	g := c.Group
	t.cycle, t.group, t.rows, t.nameWidth = c, g, nil, 8
	order := make([]int, len(g.Placements))
	for i := range order {
		order[i] = i
	}
	if g.Selected != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.rank(b), t.rank(a)) })
	}
	for _, i := range order {
		t.add(groupRow{int32(i), -1}, filter)
		for k := range g.Members {
			t.add(groupRow{int32(i), int32(k)}, filter)
		}
	}
	if len(order) == 0 {
		for k := range g.Members {
			t.add(groupRow{-1, int32(k)}, filter)
		}
	}
}

// rank is higher for a placement that comes before others.
func (t *groupTable) rank(placement int) int64 {
	p := &t.group.Placements[placement]
	switch total, scored := placementTotal(t.group, p.Name); {
	case p.Name == t.group.Selected.Name:
		return 1<<62 + 1
	case scored:
		return min(max(total, -1<<61), 1<<61)
	case p.Takes():
		return -1 << 61
	}
	return -1 << 62
}

func (t *groupTable) add(row groupRow, filter string) {
	name := t.name(row)
	width := widget.Width(name)
	if row.member >= 0 {
		width += 2 + len(strconv.Itoa(int(row.member)+1)) + 3
	}
	t.nameWidth = max(t.nameWidth, width)
	if filter == "" || matches(name, filter) || matches(t.where(row), filter) || matches(t.outcome(row), filter) {
		t.rows = append(t.rows, row)
	}
}

// placementTotal is the total of a placement; false: it was not scored.
func placementTotal(g *trace.Group, name string) (int64, bool) {
	if g.Scores == nil {
		return 0, false
	}
	at := slices.Index(g.Scores.Names, name)
	if at < 0 {
		return 0, false
	}
	return g.Scores.Totals[at], true
}

// first is the row to begin at: while placements are tried the member that is, then the first that found no node in
// the placement that counts, or that placement.
func (t *groupTable) first() int {
	g := t.group
	if len(g.Placements) == 0 {
		return 0
	}
	if t.cycle.Ended == nil && g.Selected == nil {
		last := len(g.Placements) - 1
		return max(t.rowAt(last, slices.Index(g.Placements[last].Members, t.cycle.Latest())), 0)
	}
	counts := slices.IndexFunc(g.Placements, func(p trace.Placement) bool { return p.Name == g.Chosen().Name })
	failed := slices.IndexFunc(g.Placements[counts].Members, func(m *trace.Try) bool {
		return m.State == trace.FoundNone || m.State == trace.Failed
	})
	return max(t.rowAt(counts, failed), 0)
}

func (t *groupTable) rowAt(placement, member int) int {
	return slices.Index(t.rows, groupRow{int32(placement), int32(member)})
}

// try is the try of a row that is a member; where no placement was tried, an empty one.
func (t *groupTable) try(row groupRow) *trace.Try {
	if row.placement < 0 {
		return &trace.Try{}
	}
	return t.group.Placements[row.placement].Members[row.member]
}

// member is the pod of a row that is not a placement.
func (t *groupTable) member(row groupRow) trace.Entity { return t.group.Members[row.member] }

func (t *groupTable) name(row groupRow) string {
	if row.member >= 0 {
		return podName(t.language, t.member(row).Key())
	}
	return prose.Domain(t.language, t.group, t.group.Placements[row.placement].Name)
}

// leastOutcome is the room that the last column must have before scores get theirs.
const leastOutcome = 30

// layOut decides which columns are shown in a width; false when that is settled already. In a narrow one the scores go.
func (t *groupTable) layOut(width int) bool {
	if width == t.width && t.group == t.laid {
		return false
	}
	t.width, t.laid = width, t.group
	name := min(t.nameWidth, max(width/3, 8))
	var scores []int
	if s := t.group.Scores; s != nil {
		for i := range s.Columns {
			scores = append(scores, columnPlugin+i)
		}
		scores = append(scores, columnGroupTotal)
	}
	if t.place(width, name, scores) < leastOutcome && len(scores) > 0 &&
		t.place(width, name, scores[len(scores)-1:]) < leastOutcome {
		t.place(width, name, nil)
	}
	return true
}

// place lays the columns out and returns the width of the last one.
func (t *groupTable) place(width, name int, scores []int) int {
	t.columns = slices.Concat([]int{columnWhether, columnMember, columnWhere, columnFound}, scores, []int{columnOutcome})
	t.titles = spread(t.titles[:0], width, t.columns, columnOutcome, func(column int) widget.Column {
		return t.title(column, name)
	})
	return t.titles[len(t.titles)-1].Width
}

func (t *groupTable) title(column, name int) widget.Column {
	switch column {
	case columnWhether:
		return widget.Column{Width: 1}
	case columnMember:
		return widget.Column{Title: t.language.Of("tried"), Width: name}
	case columnWhere:
		width := 4
		for _, row := range t.rows {
			width = max(width, widget.Width(t.where(row)))
		}
		return widget.Column{Title: t.language.Of("node"), Width: min(width, max(t.width/5, 7))}
	case columnFound:
		return widget.Column{Title: t.language.Of("found"), Width: len(t.found(len(t.group.Members)))}
	case columnOutcome:
		return widget.Column{Title: t.language.Of("what came of it")}
	}
	title, width := t.language.Of("total"), 0
	if column >= columnPlugin {
		title = short(t.group.Scores.Columns[column-columnPlugin].Plugin)
	}
	for i := range t.group.Placements {
		width = max(width, len(t.score(i, column)))
	}
	return widget.Column{Title: title, Width: max(widget.Width(title), width), Align: widget.Right}
}

// prepare makes the signs.
func (t *groupTable) prepare(g *themes.Glyphs) { t.glyphs = g }

// Rows is the number of placements and members shown.
func (t *groupTable) Rows() int { return len(t.rows) }

// Cell is one cell of the table.
func (t *groupTable) Cell(row, column int) widget.Cell {
	at := t.rows[row]
	sign, paint := t.sign(at)
	isPlacement := at.member < 0
	switch which := t.columns[column]; which {
	case columnWhether:
		if !isPlacement {
			return widget.Cell{}
		}
		return widget.Cell{Text: string(sign), Paint: paint.Strong()}
	case columnMember:
		if isPlacement {
			return widget.Cell{Text: t.name(at), Paint: themes.Text.Strong()}
		}
		return widget.Cell{Text: fmt.Sprintf("  %d %c %s", at.member+1, sign, t.name(at)), Paint: paint}
	case columnWhere:
		return widget.Cell{Text: t.where(at), Paint: themes.Text}
	case columnFound:
		if !isPlacement {
			return widget.Cell{}
		}
		return widget.Cell{Text: t.found(t.group.Placements[at.placement].Found()), Paint: paint}
	case columnOutcome:
		return widget.Cell{Text: t.outcome(at), Paint: t.outcomePaint(at)}
	default:
		if !isPlacement {
			return widget.Cell{}
		}
		return widget.Cell{Text: t.score(int(at.placement), which), Paint: themes.Text}
	}
}

func (t *groupTable) outcomePaint(row groupRow) themes.Paint {
	if row.member < 0 && t.isChosen(row) {
		return themes.Pass.Strong()
	}
	return themes.Muted
}

func (t *groupTable) found(n int) string { return t.language.Say("%d of %d", n, len(t.group.Members)) }

// score is the weighted score of a placement by a plugin, or its total; "" when it was not scored.
func (t *groupTable) score(placement, column int) string {
	s := t.group.Scores
	if s == nil {
		return ""
	}
	at := slices.Index(s.Names, t.group.Placements[placement].Name)
	switch {
	case at < 0:
		return ""
	case column == columnGroupTotal:
		return strconv.FormatInt(s.Totals[at], 10)
	}
	return strconv.FormatInt(s.Columns[column-columnPlugin].Weighted(at), 10)
}

func (t *groupTable) isChosen(row groupRow) bool {
	return row.placement >= 0 && t.group.Selected != nil &&
		t.group.Selected.Name == t.group.Placements[row.placement].Name ||
		isOnly(t.group, row.placement) && t.group.Placements[0].Takes()
}

// isOnly reports whether a placement is the only one there is to try.
func isOnly(g *trace.Group, placement int32) bool { return placement == 0 && g.Placements[0].Of == 1 }

// sign is the glyph of a row and its paint.
func (t *groupTable) sign(row groupRow) (rune, themes.Paint) {
	g := t.glyphs
	if row.member >= 0 {
		switch t.try(row).State {
		case trace.NotTried:
			return g.NotSampled, themes.NotSampled
		case trace.Trying:
			return g.Pointer, themes.Accent
		case trace.FoundNode:
			return g.Pass, themes.Text
		case trace.Failed:
			return g.Error, themes.Error
		case trace.FoundNone:
		}
		return g.Fail, themes.Fail
	}
	switch p := &t.group.Placements[row.placement]; {
	case p.Ended == nil:
		return g.Pointer, themes.Accent
	case t.isChosen(row):
		return g.Pass, themes.Pass
	case p.Takes():
		return g.Bullet, themes.Text
	}
	return g.Fail, themes.Fail
}

// where is the node a member found, or how many nodes a placement has.
func (t *groupTable) where(row groupRow) string {
	if row.member < 0 {
		return t.language.Count(t.group.Placements[row.placement].Nodes, "node")
	}
	switch m := t.try(row); m.State {
	case trace.NotTried, trace.Trying:
		return ""
	case trace.FoundNode:
		return m.Found.Node
	case trace.FoundNone, trace.Failed:
	}
	return t.language.Of("none")
}

func (t *groupTable) nodeAt(row int) (int, string) {
	at := t.rows[row]
	name := strconv.Itoa(int(at.placement))
	if at.member >= 0 {
		name += "/" + t.member(at).Key()
	}
	return -1, name
}

func (t *groupTable) rowOf(name string) int {
	for row := range t.rows {
		if _, is := t.nodeAt(row); is == name {
			return row
		}
	}
	return -1
}

func (t *groupTable) pluginAt(int) (int, string) { return -1, "" }

func (t *groupTable) subjects() (whole, plugin Subject) { return OfPlacement, OfPlacement }

// export is a row in full.
func (t *groupTable) export(at groupRow) []string {
	placement := ""
	if at.placement >= 0 {
		placement = t.group.Placements[at.placement].Name
	}
	if at.member >= 0 {
		row := []string{
			placement, strconv.Itoa(int(at.member) + 1), t.member(at).Key(), t.language.Of("not tried"), "", "", "",
			t.outcome(at),
		}
		switch m := t.try(at); m.State {
		case trace.NotTried:
		case trace.Trying:
			row[3] = t.language.Of("being tried")
		default:
			row[3], row[4] = strings.ToLower(m.Found.Code.String()), m.Found.Node
		}
		return t.padded(row)
	}
	p := &t.group.Placements[at.placement]
	row := []string{
		placement, "", "", t.language.Of("does not take the group"), "", t.found(p.Found()),
		t.score(int(at.placement), columnGroupTotal), "",
	}
	switch {
	case p.Ended == nil:
		row[3] = t.language.Of("being tried")
	case t.isChosen(at):
		row[3] = t.language.Of("chosen")
	case p.Takes():
		row[3] = t.language.Of("takes the group")
	default:
		row[7] = p.Ended.Verdict.Message()
	}
	if s := t.group.Scores; s != nil {
		for i := range s.Columns {
			row = append(row, t.score(int(at.placement), columnPlugin+i))
		}
	}
	return row
}

// padded has an empty cell for every plugin.
func (t *groupTable) padded(row []string) []string {
	if s := t.group.Scores; s != nil {
		row = append(row, make([]string, len(s.Columns))...)
	}
	return row
}

// outcome is what came of a row, in few words.
func (t *groupTable) outcome(row groupRow) string {
	if row.member < 0 {
		return prose.DomainOutcome(t.language, t.group, int(row.placement))
	}
	return prose.Outcome(t.language, t.cycle, int(row.placement), t.try(row))
}
