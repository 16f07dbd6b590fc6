package panel

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

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
	view.GroupRows

	width     int
	laid      *trace.Group // what columns were made for
	columns   []int
	titles    []widget.Column
	nameWidth int
	glyphs    *themes.Glyphs
}

// leastOutcome is the room that the last column must have before scores get theirs.
const leastOutcome = 30

// layOut decides which columns are shown in a width; false when that is settled already. In a narrow one the scores go.
func (t *groupTable) layOut(width int) bool {
	if width == t.width && t.Group == t.laid {
		return false
	}
	t.width, t.laid = width, t.Group
	name := min(t.nameWidth, max(width/3, 8))
	var scores []int
	if s := t.Group.Scores; s != nil {
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
		return widget.Column{Title: t.Language.Of("tried"), Width: name}
	case columnWhere:
		width := 4
		for _, row := range t.Lines {
			width = max(width, widget.Width(t.Where(row)))
		}
		return widget.Column{Title: t.Language.Of("node"), Width: min(width, max(t.width/5, 7)), Names: true}
	case columnFound:
		return widget.Column{Title: t.Language.Of("found"), Width: len(t.Found(len(t.Group.Members)))}
	case columnOutcome:
		return widget.Column{Title: t.Language.Of("what came of it")}
	}
	title, width := t.Language.Of("total"), 0
	if column >= columnPlugin {
		title = view.Short(t.Group.Scores.Columns[column-columnPlugin].Plugin)
	}
	for i := range t.Group.Placements {
		width = max(width, len(t.scored(i, column)))
	}
	return widget.Column{Title: title, Width: max(widget.Width(title), width), Align: widget.Right}
}

// scored is what a placement has in the column of a plugin, or of the totals.
func (t *groupTable) scored(placement, column int) string {
	if column == columnGroupTotal {
		return t.Total(placement)
	}
	return t.Score(placement, column-columnPlugin)
}

// measure takes the width of the longest name.
func (t *groupTable) measure() {
	t.nameWidth = 8
	for _, row := range t.Every() {
		width := widget.Width(t.Name(row))
		if row.Member >= 0 {
			width += 2 + len(strconv.Itoa(int(row.Member)+1)) + 3
		}
		t.nameWidth = max(t.nameWidth, width)
	}
}

// prepare makes the signs.
func (t *groupTable) prepare(g *themes.Glyphs) { t.glyphs = g }

// Rows is the number of placements and members shown.
func (t *groupTable) Rows() int { return len(t.Lines) }

// Cell is one cell of the table.
func (t *groupTable) Cell(row, column int) widget.Cell {
	at := t.Lines[row]
	sign, paint := t.sign(at)
	isPlacement := at.Member < 0
	switch which := t.columns[column]; which {
	case columnWhether:
		if !isPlacement {
			return widget.Cell{}
		}
		return widget.Cell{Text: string(sign), Paint: paint.Strong()}
	case columnMember:
		if isPlacement {
			return widget.Cell{Text: t.Name(at), Paint: themes.Text.Strong()}
		}
		return widget.Cell{Text: fmt.Sprintf("  %d %c %s", at.Member+1, sign, t.Name(at)), Paint: paint}
	case columnWhere:
		return widget.Cell{Text: t.Where(at), Paint: themes.Text}
	case columnFound:
		if !isPlacement {
			return widget.Cell{}
		}
		return widget.Cell{Text: t.Found(t.Group.Placements[at.Placement].Found()), Paint: paint}
	case columnOutcome:
		return widget.Cell{Text: t.Outcome(at), Paint: t.outcomePaint(at)}
	default:
		if !isPlacement {
			return widget.Cell{}
		}
		return widget.Cell{Text: t.scored(int(at.Placement), which), Paint: themes.Text}
	}
}

func (t *groupTable) outcomePaint(row view.GroupRow) themes.Paint {
	if row.Member < 0 && t.IsChosen(row) {
		return themes.Pass.Strong()
	}
	return themes.Muted
}

// sign is the glyph of a row and its paint.
func (t *groupTable) sign(row view.GroupRow) (rune, themes.Paint) {
	g := t.glyphs
	if row.Member >= 0 {
		switch t.Try(row).State {
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
	switch p := &t.Group.Placements[row.Placement]; {
	case p.Ended == nil:
		return g.Pointer, themes.Accent
	case t.IsChosen(row):
		return g.Pass, themes.Pass
	case p.Takes():
		return g.Bullet, themes.Text
	}
	return g.Fail, themes.Fail
}

func (t *groupTable) nodeAt(row int) (int, string) {
	at := t.Lines[row]
	name := strconv.Itoa(int(at.Placement))
	if at.Member >= 0 {
		name += "/" + t.Member(at).Key()
	}
	return -1, name
}

func (t *groupTable) rowOf(name string) int {
	for row := range t.Lines {
		if _, is := t.nodeAt(row); is == name {
			return row
		}
	}
	return -1
}

func (t *groupTable) pluginAt(int) (int, string) { return -1, "" }

func (t *groupTable) subjects() (whole, plugin view.Subject) {
	return view.OfPlacement, view.OfPlacement
}
