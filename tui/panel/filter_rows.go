package panel

import (
	"cmp"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
)

// choose fills rows for a key.
func (t *filterTable) choose(key filterKey) {
	m := key.matrix
	t.chosen = -1
	t.totals = totalsOf(key.scores)
	t.rows = make([]int32, 0, len(m.Nodes))
	if key.chosen != "" {
		t.chosen = int32(slices.Index(m.Nodes, key.chosen))
	}
	for node := range m.Nodes {
		if t.isWanted(int32(node), key) {
			t.rows = append(t.rows, int32(node))
		}
	}
	if key.walking {
		slices.SortFunc(t.rows, func(a, b int32) int {
			return cmp.Or(cmp.Compare(t.sheet.turns[a], t.sheet.turns[b]), cmp.Compare(m.FromStart(a), m.FromStart(b)))
		})
		return
	}
	switch key.order {
	case ByVerdict:
		t.sortByVerdict()
	case ByTotal:
		slices.SortFunc(t.rows, t.byTotal)
	case ByNearestMiss:
		slices.SortFunc(t.rows, func(a, b int32) int {
			return cmp.Or(t.sheet.miss(a).compare(t.sheet.miss(b)), cmp.Compare(a, b))
		})
	case ByName:
		slices.SortFunc(t.rows, func(a, b int32) int { return strings.Compare(m.Nodes[a], m.Nodes[b]) })
	case BySnapshot:
	}
}

// sortByVerdict puts rows that stand equal together, in one pass over them; only those with totals and those that
// failed are compared.
func (t *filterTable) sortByVerdict() {
	var sorted [undecided + 1][]int32
	for _, node := range t.rows {
		at := t.standing(node)
		sorted[at] = append(sorted[at], node)
	}
	t.rows = t.rows[:0]
	for at, equal := range sorted {
		if standing(at) == fails {
			slices.SortStableFunc(equal, func(a, b int32) int { return t.sheet.miss(a).compare(t.sheet.miss(b)) })
			t.rows = append(t.rows, equal...)
			continue
		}
		if t.totals != nil && slices.ContainsFunc(equal, func(node int32) bool { return t.totals[node] != noTotal }) {
			slices.SortFunc(equal, t.byTotal)
		}
		t.rows = append(t.rows, equal...)
	}
}

func (t *filterTable) byTotal(a, b int32) int {
	if t.totals == nil {
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(t.totals[b], t.totals[a]), cmp.Compare(a, b))
}

// isWanted reports whether a node passes the filter. While cells are walked over, verdicts are not known yet.
func (t *filterTable) isWanted(node int32, key filterKey) bool {
	if key.filter == "" || matches(t.sheet.matrix.Nodes[node], key.filter) {
		return true
	}
	return !key.walking && matches(t.words(t.language, node), key.filter)
}

// totalsOf is the total of every node; nil without scores.
func totalsOf(s *trace.Scores) []int64 {
	if s == nil {
		return nil
	}
	totals := make([]int64, len(s.Nodes))
	for i := range totals {
		totals[i] = noTotal
	}
	for k, node := range s.Index {
		totals[node] = s.Totals[k]
	}
	return totals
}
