package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// GroupKey is what the rows of a group depend on.
type GroupKey struct {
	Cycle  *trace.Cycle
	Filter string
}

// GroupRow is a placement, or a member in it.
type GroupRow struct {
	Placement int32 // in Group.Placements; -1: none was tried
	Member    int32 // in the members of the group; -1: the placement itself
}

// Choose fills rows for a cycle and a filter in lower case.
func (t *GroupRows) Choose(c *trace.Cycle, filter string) {
	t.Cycle, t.Group, t.Lines = c, c.Group, nil
	for _, row := range t.Every() {
		if filter == "" || Matches(t.Name(row), filter) || Matches(t.Where(row), filter) || Matches(t.Outcome(row), filter) {
			t.Lines = append(t.Lines, row)
		}
	}
}

// Every is all rows. The chosen placement comes first, then the others that take the group by their totals, then the
// rest; each as they were tried. While the cycle goes on they come as they are tried.
func (t *GroupRows) Every() []GroupRow {
	g := t.Group
	order := make([]int, len(g.Placements))
	for i := range order {
		order[i] = i
	}
	if g.Selected != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.rank(b), t.rank(a)) })
	}
	var all []GroupRow
	for _, i := range order {
		all = append(all, GroupRow{int32(i), -1})
		for k := range g.Members {
			all = append(all, GroupRow{int32(i), int32(k)})
		}
	}
	if len(order) == 0 {
		for k := range g.Members {
			all = append(all, GroupRow{-1, int32(k)})
		}
	}
	return all
}

// rank is higher for a placement that comes before others.
func (t *GroupRows) rank(placement int) int64 {
	p := &t.Group.Placements[placement]
	switch total, scored := placementTotal(t.Group, p.Name); {
	case p.Name == t.Group.Selected.Name:
		return 1<<62 + 1
	case scored:
		return min(max(total, -1<<61), 1<<61)
	case p.Takes():
		return -1 << 61
	}
	return -1 << 62
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

// First is the row to begin at: while placements are tried the member that is, then the first that found no node in
// the placement that counts, or that placement.
func (t *GroupRows) First() int {
	g := t.Group
	if len(g.Placements) == 0 {
		return 0
	}
	if t.Cycle.Ended == nil && g.Selected == nil {
		last := len(g.Placements) - 1
		return max(t.rowAt(last, slices.Index(g.Placements[last].Members, t.Cycle.Latest())), 0)
	}
	counts := slices.IndexFunc(g.Placements, func(p trace.Placement) bool { return p.Name == g.Chosen().Name })
	failed := slices.IndexFunc(g.Placements[counts].Members, func(m *trace.Try) bool {
		return m.State == trace.FoundNone || m.State == trace.Failed
	})
	return max(t.rowAt(counts, failed), 0)
}

func (t *GroupRows) rowAt(placement, member int) int {
	return slices.Index(t.Lines, GroupRow{int32(placement), int32(member)})
}

// Try is the try of a row that is a member; where no placement was tried, an empty one.
func (t *GroupRows) Try(row GroupRow) *trace.Try {
	if row.Placement < 0 {
		return &trace.Try{}
	}
	return t.Group.Placements[row.Placement].Members[row.Member]
}

// Member is the pod of a row that is not a placement.
func (t *GroupRows) Member(row GroupRow) trace.Entity { return t.Group.Members[row.Member] }

// Name is the name of the pod or the placement of a row.
func (t *GroupRows) Name(row GroupRow) string {
	if row.Member >= 0 {
		return PodName(t.Language, t.Member(row).Key())
	}
	return prose.Domain(t.Language, t.Group, t.Group.Placements[row.Placement].Name)
}

// Found is how many of the members are shown, in words.
func (t *GroupRows) Found(n int) string { return t.Language.Say("%d of %d", n, len(t.Group.Members)) }

// Total is the total score of a placement; "" when it was not scored.
func (t *GroupRows) Total(placement int) string {
	total, scored := placementTotal(t.Group, t.Group.Placements[placement].Name)
	if !scored {
		return ""
	}
	return strconv.FormatInt(total, 10)
}

// Score is the weighted score of a placement by a plugin; "" when it was not scored.
func (t *GroupRows) Score(placement, plugin int) string {
	s := t.Group.Scores
	if s == nil {
		return ""
	}
	at := slices.Index(s.Names, t.Group.Placements[placement].Name)
	if at < 0 {
		return ""
	}
	return strconv.FormatInt(s.Columns[plugin].Weighted(at), 10)
}

// IsChosen reports whether the group got the placement of the row.
func (t *GroupRows) IsChosen(row GroupRow) bool {
	return row.Placement >= 0 && t.Group.Selected != nil &&
		t.Group.Selected.Name == t.Group.Placements[row.Placement].Name ||
		isOnly(t.Group, row.Placement) && t.Group.Placements[0].Takes()
}

// isOnly reports whether a placement is the only one there is to try.
func isOnly(g *trace.Group, placement int32) bool { return placement == 0 && g.Placements[0].Of == 1 }

// Where is the node a member found, or how many nodes a placement has.
func (t *GroupRows) Where(row GroupRow) string {
	if row.Member < 0 {
		return t.Language.Count(t.Group.Placements[row.Placement].Nodes, "node")
	}
	switch m := t.Try(row); m.State {
	case trace.NotTried, trace.Trying:
		return ""
	case trace.FoundNode:
		return m.Found.Node
	case trace.FoundNone, trace.Failed:
	}
	return t.Language.Of("none")
}

// export is a row in full.
func (t *GroupRows) export(at GroupRow) []string {
	placement := ""
	if at.Placement >= 0 {
		placement = t.Group.Placements[at.Placement].Name
	}
	if at.Member >= 0 {
		row := []string{
			placement, strconv.Itoa(int(at.Member) + 1), t.Member(at).Key(), t.Language.Of("not tried"), "", "", "",
			t.Outcome(at),
		}
		switch m := t.Try(at); m.State {
		case trace.NotTried:
		case trace.Trying:
			row[3] = t.Language.Of("being tried")
		default:
			row[3], row[4] = strings.ToLower(m.Found.Code.String()), m.Found.Node
		}
		return t.padded(row)
	}
	p := &t.Group.Placements[at.Placement]
	row := []string{
		placement, "", "", t.Language.Of("does not take the group"), "", t.Found(p.Found()),
		t.Total(int(at.Placement)), "",
	}
	switch {
	case p.Ended == nil:
		row[3] = t.Language.Of("being tried")
	case t.IsChosen(at):
		row[3] = t.Language.Of("chosen")
	case p.Takes():
		row[3] = t.Language.Of("takes the group")
	default:
		row[7] = p.Ended.Verdict.Message()
	}
	if s := t.Group.Scores; s != nil {
		for i := range s.Columns {
			row = append(row, t.Score(int(at.Placement), i))
		}
	}
	return row
}

// padded has an empty cell for every plugin.
func (t *GroupRows) padded(row []string) []string {
	if s := t.Group.Scores; s != nil {
		row = append(row, make([]string, len(s.Columns))...)
	}
	return row
}

// Outcome is the result of a row, in few words.
func (t *GroupRows) Outcome(row GroupRow) string {
	if row.Member < 0 {
		return prose.DomainOutcome(t.Language, t.Group, int(row.Placement))
	}
	return prose.Outcome(t.Language, t.Cycle, int(row.Placement), t.Try(row))
}

// GroupRows are the placements of a pod group, each with its members.
type GroupRows struct {
	Language words.Language
	Cycle    *trace.Cycle
	Group    *trace.Group
	Lines    []GroupRow
}

// groupRowsOf are the rows of a frame with a filter; false: its cycle is not about a pod group.
func groupRowsOf(f *session.Frame, filter string) (t GroupRows, is bool) {
	c := f.About()
	if c == nil || c.Group == nil {
		return GroupRows{}, false
	}
	t.Language = f.Language
	t.Choose(c, strings.ToLower(filter))
	return t, true
}

// Selection is what is in a row.
func (t *GroupRows) Selection(row int) Selection {
	s := Nothing()
	if len(t.Lines) == 0 {
		return s
	}
	at := t.Lines[min(row, len(t.Lines)-1)]
	s.Subject, s.Pod, s.Placement = OfPlacement, t.Cycle.Entity.Key(), int(at.Placement)
	if at.Member >= 0 {
		s.Subject, s.Pod = OfMember, t.Member(at).Key()
		s.Node = t.Try(at).Found.Node
	}
	return s
}

// MemberFrame is the frame that a table of the group would have tables about one pod show when it was just opened, and
// the member that it is about with its placement. The frame itself, and "", when its cycle is not of a pod group, or no
// member was tried.
func MemberFrame(f *session.Frame) (one *session.Frame, who string) {
	t, is := groupRowsOf(f, "")
	if !is {
		return f, ""
	}
	s := t.Selection(t.First())
	one = FrameOfMember(f, s)
	return one, MemberName(f, one, s)
}

// FrameOfMember is the frame of the member that is selected, under a placement that of its first.
func FrameOfMember(f *session.Frame, s Selection) *session.Frame {
	if s.Subject != OfMember && s.Subject != OfPlacement || s.Placement < 0 {
		return f
	}
	return FrameOf(f, s)
}

// MemberName is the member that a frame made of another for a selection is about, and the placement in which it was
// tried; "" when it is about none.
func MemberName(f, one *session.Frame, s Selection) string {
	c := one.About()
	if c == nil || c == f.About() {
		return ""
	}
	g := f.About().Group
	return PodName(f.Language, c.Entity.Key()) + " " + prose.InDomain(f.Language, g, g.Placements[s.Placement].Name)
}

// GroupTable is the pod group of a frame as rows of text, with a filter: titles first. nil: the frame has no pod group.
// The text is not cleaned: the caller must make it safe.
func GroupTable(f *session.Frame, filter string) [][]string {
	t, is := groupRowsOf(f, filter)
	if !is {
		return nil
	}
	titles := []string{
		f.Language.Of("placement"), "turn", f.Language.Of("pod"), f.Language.Of("verdict"), f.Language.Of("node"),
		f.Language.Of("found"), f.Language.Of("total"), "reason",
	}
	if s := t.Group.Scores; s != nil {
		for i := range s.Columns {
			titles = append(titles, s.Columns[i].Plugin)
		}
	}
	rows := [][]string{titles}
	for _, row := range t.Lines {
		rows = append(rows, t.export(row))
	}
	return rows
}
