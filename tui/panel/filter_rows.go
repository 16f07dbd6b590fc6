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
			return cmp.Or(cmp.Compare(t.sheet.turns[a], t.sheet.turns[b]), cmp.Compare(a, b))
		})
		return
	}
	switch key.order {
	case ByVerdict:
		slices.SortFunc(t.rows, t.byVerdict)
	case ByTotal:
		slices.SortFunc(t.rows, t.byTotal)
	case ByNearestMiss:
		slices.SortFunc(t.rows, func(a, b int32) int { return cmp.Or(t.sheet.miss(a).compare(t.sheet.miss(b)), cmp.Compare(a, b)) })
	case ByName:
		slices.SortFunc(t.rows, func(a, b int32) int { return strings.Compare(m.Nodes[a], m.Nodes[b]) })
	case BySnapshot:
	}
}

func (t *filterTable) byVerdict(a, b int32) int {
	return cmp.Or(cmp.Compare(t.standing(a), t.standing(b)), t.byTotal(a, b))
}

func (t *filterTable) byTotal(a, b int32) int {
	if t.totals == nil {
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(t.totals[b], t.totals[a]), cmp.Compare(a, b))
}

// isWanted says whether a node passes the filter. While cells are walked over, verdicts are not known yet.
func (t *filterTable) isWanted(node int32, key filterKey) bool {
	if key.filter == "" || matches(t.sheet.matrix.Nodes[node], key.filter) {
		return true
	}
	return !key.walking && matches(t.words(node), key.filter)
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
