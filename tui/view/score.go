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

// ScoreKey is what the rows of scores depend on.
type ScoreKey struct {
	Scores *trace.Scores
	alone  bool // kube-scheduler did not work them out
	chosen string
	order  Order
	filter string
}

// shownScores are the scores that a frame has to show, and whether kube-scheduler did not work them out; nil: none.
func shownScores(f *session.Frame) (s *trace.Scores, alone bool) {
	c := f.Try()
	if c == nil {
		return nil, false
	}
	if c.Scores != nil {
		return c.Scores, false
	}
	if supposed := f.At.Supposed(f.Try()); supposed != nil && supposed.Scores != nil {
		return supposed.Scores, true
	}
	return nil, false
}

// ScoreOrder is the order that an Order means for scores.
func ScoreOrder(o Order) Order {
	if o == ByName || o == BySnapshot {
		return o
	}
	return ByTotal
}

// Choose fills rows for a key.
func (t *ScoreRows) Choose(key ScoreKey) {
	s := key.Scores
	t.Scores, t.chosen, t.Alone = s, key.chosen, key.alone
	t.Places = make([]int32, 0, len(s.Index))
	for k, node := range s.Index {
		if Matches(s.Nodes[node], key.filter) {
			t.Places = append(t.Places, int32(k))
		}
	}
	bySnapshot := func(a, b int32) int { return cmp.Compare(s.Index[a], s.Index[b]) }
	slices.SortFunc(t.Places, func(a, b int32) int {
		switch ScoreOrder(key.order) {
		case ByName:
			return strings.Compare(s.Nodes[s.Index[a]], s.Nodes[s.Index[b]])
		case BySnapshot:
			return bySnapshot(a, b)
		}
		return cmp.Or(cmp.Compare(s.Totals[b], s.Totals[a]), -compareBool(t.IsChosen(a), t.IsChosen(b)), bySnapshot(a, b))
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

// IsChosen reports whether the pod goes to the node with an index among those that were scored.
func (t *ScoreRows) IsChosen(k int32) bool {
	return t.chosen != "" && t.Scores.Nodes[t.Scores.Index[k]] == t.chosen
}

// Number is what is shown of a column for a scored node; false when the plugin gave none.
func (t *ScoreRows) Number(column int, k int32, n Numbers) (int64, bool) {
	c := &t.Scores.Columns[column]
	if c.Raw == nil {
		return 0, false
	}
	switch n {
	case Raw:
		return c.Raw[k], true
	case Normalized:
		return c.Normalized[k], true
	}
	return c.Weighted(int(k)), true
}

// Name is the node of a row.
func (t *ScoreRows) Name(row int) string {
	return t.Scores.Nodes[t.Scores.Index[t.Places[row]]]
}

// ScoreRows are the rows of a table of scores. A row is a place among the scored nodes.
type ScoreRows struct {
	Language words.Language
	Scores   *trace.Scores
	Places   []int32
	chosen   string
	Alone    bool // kube-scheduler did not work the scores out: all stand in brackets
}

// ScoreKeyOf is what the rows of a frame depend on, with a filter in lower case; false: the frame has no scores to
// show.
func ScoreKeyOf(f *session.Frame, order Order, filter string) (key ScoreKey, is bool) {
	scores, alone := shownScores(f)
	if scores == nil {
		return ScoreKey{}, false
	}
	key = ScoreKey{Scores: scores, alone: alone, order: order, filter: filter}
	if c := f.Try(); c.Selected != nil {
		key.chosen = c.Selected.Node
	}
	return key, true
}

// ScoreTable is the scores of a frame as rows of text, in an order and with a filter: titles first, then for every
// scored node its name, its total, and a number for every score plugin that ran. nil: nothing was scored. The text is
// not cleaned: the caller must make it safe. Titles are in a language, which for data is English.
func ScoreTable(f *session.Frame, order Order, filter string, n Numbers, lang words.Language) [][]string {
	key, is := ScoreKeyOf(f, order, strings.ToLower(filter))
	if !is || key.alone {
		return nil
	}
	t := ScoreRows{Language: f.Language}
	t.Choose(key)
	titles := lang.Each("node", "total")
	for i := range t.Scores.Columns {
		titles = append(titles, t.Scores.Columns[i].Plugin)
	}
	rows := [][]string{titles}
	for row, k := range t.Places {
		cells := []string{t.Name(row), strconv.FormatInt(t.Scores.Totals[k], 10)}
		for i := range t.Scores.Columns {
			text := ""
			if number, scored := t.Number(i, k, n); scored {
				text = strconv.FormatInt(number, 10)
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	return rows
}
