package prose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// contest is two scored nodes side by side.
type contest struct {
	scores      *trace.Scores
	ours, other int // positions among the scored nodes
}

// difference is by how much one plugin puts the first node ahead; less than zero is behind.
type difference struct {
	column     *trace.ScoreColumn
	weighted   int64
	normalized int64
}

// lead is by how much the first node is ahead in all.
func (c contest) lead() int64 { return c.scores.Totals[c.ours] - c.scores.Totals[c.other] }

func (c contest) name(k int) string { return c.scores.Nodes[c.scores.Index[k]] }

// differences are the plugins that give the two nodes different scores, the most decisive first.
func (c contest) differences() []difference {
	var all []difference
	for i := range c.scores.Columns {
		column := &c.scores.Columns[i]
		if column.Raw == nil {
			continue
		}
		if d := column.Weighted(c.ours) - column.Weighted(c.other); d != 0 {
			all = append(all, difference{column, d, column.Normalized[c.ours] - column.Normalized[c.other]})
		}
	}
	slices.SortStableFunc(all, func(a, b difference) int {
		return cmp.Compare(magnitude(b.weighted), magnitude(a.weighted))
	})
	return all
}

func magnitude(n int64) int64 { return max(n, -n) }

// why lists the differences: "NodeResourcesFit +19, ImageLocality -2".
func (c contest) why(lang words.Language) string {
	var said []string
	for _, d := range c.differences() {
		said = append(said, fmt.Sprintf(textDifference, d.column.Plugin, d.weighted))
	}
	if len(said) == 0 {
		return lang.Of(textNoDifference)
	}
	return strings.Join(said, ", ")
}

// overtake is the smallest change of one weight that would put the other node ahead; "" when no weight does.
func (c contest) overtake(lang words.Language) string {
	best, said := int64(0), ""
	for _, d := range c.differences() {
		// The lead becomes lead + (weight - d.column.Weight) * normalized; it must fall below zero.
		by := c.lead()/magnitude(d.normalized) + 1
		weight := d.column.Weight + by
		if d.normalized > 0 {
			weight = d.column.Weight - by
		}
		if weight < 1 || said != "" && by >= best {
			continue
		}
		best = by
		said = lang.Say(textOvertake, c.name(c.other), d.column.Plugin, weight, d.column.Weight)
	}
	return said
}

// chosenAt is the position of the chosen node among the scored ones; less than 0: it was not scored.
func chosenAt(c *trace.Try) int {
	if c.Selected == nil || c.Scores == nil {
		return -1
	}
	return slices.IndexFunc(c.Scores.Index, func(i int32) bool { return c.Scores.Nodes[i] == c.Selected.Node })
}

// contest is the chosen node against the runner-up, plugin by plugin.
func (t *told) contest(c *trace.Try) {
	if c.Selected == nil {
		return
	}
	if !c.Selected.Scored || c.Scores == nil {
		t.add(0, Heading, textOnlyNode, c.Selected.Node)
		return
	}
	second, chosen := c.RunnerUp(), chosenAt(c)
	if second < 0 || chosen < 0 {
		return
	}
	both := contest{c.Scores, chosen, second}
	t.waterfall(c, both)
	t.decided(1, c, both)
}

// mostScored is how many nodes are listed with their scores.
const mostScored = 8

// standings are the nodes that were scored, the best first, with what each plugin gave them; nothing where the
// waterfall has shown them all.
func (t *told) standings(c *trace.Try) {
	s := c.Scores
	if c.Selected == nil || s == nil || len(s.Index) < 3 {
		return
	}
	order := make([]int, len(s.Index))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Totals[b], s.Totals[a]) })
	t.add(0, Heading, textStandings)
	for _, k := range order[:min(len(order), mostScored)] {
		var parts []string
		for i := range s.Columns {
			if column := &s.Columns[i]; !column.Skipped && column.Weighted(k) != 0 {
				parts = append(parts, fmt.Sprintf(textStandingPart, column.Plugin, column.Weighted(k)))
			}
		}
		t.add(1, Evidence, "%s", fmt.Sprintf(textStanding, s.Nodes[s.Index[k]], s.Totals[k], strings.Join(parts, ", ")))
	}
	if more := len(order) - mostScored; more > 0 {
		t.add(1, Note, "%s", t.language.Sentence(more, textMorePod, textMorePods))
	}
}

// waterfall is two nodes side by side: what every plugin gives them, and the totals.
func (t *told) waterfall(c *trace.Try, both contest) {
	t.add(0, Heading, textWhy, both.name(both.ours), both.name(both.other))
	for i := range c.Scores.Columns {
		if column := &c.Scores.Columns[i]; !column.Skipped {
			mine, theirs := column.Weighted(both.ours), column.Weighted(both.other)
			t.add(1, Evidence, "%s", t.language.Say(textScores, column.Plugin, mine, theirs, mine-theirs,
				column.Raw[both.ours], column.Normalized[both.ours], column.Weight))
		}
	}
	ours, others := c.Scores.Totals[both.ours], c.Scores.Totals[both.other]
	t.add(1, Verdict, "%s", t.language.Say(textTotal, ours, others, ours-others))
}

// decided returns how a tie was broken or, where there was none, which weight would have made another node win.
func (t *told) decided(level int, c *trace.Try, both contest) {
	if n := len(c.Selected.Tied); n > 1 {
		if c.Selected.TieBreak == "heap order" {
			t.add(level, Note, textTiedInHeap, strconv.Itoa(n), strconv.FormatInt(c.Selected.Total, 10),
				names(t.language, c.Selected.Tied))
			return
		}
		t.add(level, Note, textTied, strconv.Itoa(n), strconv.FormatInt(c.Selected.Total, 10),
			names(t.language, c.Selected.Tied),
			orElse(t.language.Render(c.Selected.TieBreak), t.language.Of(textNobodySays)))
		return
	}
	if said := both.overtake(t.language); said != "" && both.lead() > 0 {
		t.add(level, Change, "%s", said)
	}
}

func orElse(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}

// lead compares a scored node with the chosen one, or the chosen one with the runner-up, in few lines; none where the
// node was not scored, or no choice was made yet.
func lead(lang words.Language, c *trace.Try, node int) []Line {
	t := told{language: lang}
	ours := chosenAt(c)
	if ours < 0 {
		return nil
	}
	k, scored := c.Scores.Of(node)
	if !scored {
		return nil
	}
	if k == ours {
		if k = c.RunnerUp(); k < 0 {
			return nil
		}
	}
	both := contest{c.Scores, ours, k}
	t.add(0, Verdict, "%s", lang.Say(textAgainst, both.name(ours), c.Scores.Totals[ours], both.name(k),
		c.Scores.Totals[k], both.why(lang)))
	t.decided(0, c, both)
	return t.lines
}

// Won explains why the chosen node won, in few lines.
func Won(lang words.Language, c *trace.Try) []Line {
	if c.Selected == nil {
		return []Line{{Role: Note, Text: lang.Of(textNotChosenYet)}}
	}
	at := chosenAt(c)
	if at < 0 {
		return nil
	}
	return lead(lang, c, int(c.Scores.Index[at]))
}

// scores adds how the total of a node came about, and how far it is from the chosen one's.
func (t *told) scores(c *trace.Try, node int) {
	if c.Scores == nil {
		return
	}
	k, scored := c.Scores.Of(node)
	if !scored {
		return
	}
	t.lines = append(t.lines, lead(t.language, c, node)...)
	t.add(0, Verdict, "%s", t.language.Say(textScoreIs, c.Scores.Totals[k]))
	for i := range c.Scores.Columns {
		if column := &c.Scores.Columns[i]; column.Raw != nil {
			t.add(1, Evidence, "%s", partOf(t.language, column, k))
		}
	}
}

// partOf is what a plugin adds to a total, and how that comes about.
func partOf(lang words.Language, column *trace.ScoreColumn, k int) string {
	return lang.Say(textPart, column.Plugin, column.Weighted(k), column.Raw[k], column.Normalized[k], column.Weight)
}

// Score is one plugin's score of one node, and where that stands among the others.
func Score(lang words.Language, s *trace.Scores, node, plugin int) []Line {
	t := told{language: lang}
	column := &s.Columns[plugin]
	k, scored := s.Of(node)
	switch {
	case !scored:
		t.note(lang.Say(textNotScored, s.Nodes[node]))
		return t.lines
	case column.Raw == nil:
		t.signed(NotAsked, lang.Say(textNothingToScore, column.Plugin))
		return t.lines
	}
	t.add(0, Verdict, "%s", lang.Say(textScoreOn, s.Nodes[node], partOf(lang, column, k), s.Totals[k]))
	if column.Why != nil && k < len(column.Why) {
		for _, e := range column.Why[k] {
			t.add(1, Evidence, "%s", compared(lang, e, nil))
		}
	}
	t.rank(column, k)
	if column.Raw[k] != column.Normalized[k] {
		t.note(lang.Say(textNormalizes, slices.Min(column.Raw), slices.Max(column.Raw)))
	}
	return t.lines
}

// rank returns where a node stands in a column.
func (t *told) rank(column *trace.ScoreColumn, k int) {
	better, same := 0, 0
	for i := range column.Normalized {
		switch {
		case column.Normalized[i] > column.Normalized[k]:
			better++
		case column.Normalized[i] == column.Normalized[k] && i != k:
			same++
		}
	}
	all := len(column.Normalized)
	said := t.language.Say(textBetter, better, all)
	switch {
	case same == all-1:
		said = t.language.Of(textAllTheSame)
	case better == 0 && same == 0:
		said = t.language.Say(textHighest, all)
	case better == 0:
		said = t.language.Say(textHighestShared, all, t.language.Sentence(same, textNode, textNodes))
	}
	t.add(0, Verdict, "%s", said)
}

// NoScores explains why a try has no scores to show; c is nil before the first cycle.
func NoScores(lang words.Language, c *trace.Try) []Line {
	t := told{language: lang}
	switch {
	case c == nil:
		t.note(lang.Of(textNobodyTried))
	case c.Selected != nil:
		t.add(0, Verdict, textOnlyNodeFits, c.Selected.Node)
	case c.Ended != nil:
		t.add(0, Verdict, textNothingScored)
	default:
		t.note(lang.Of(textScoreAhead))
	}
	return t.lines
}
