package prose

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// guessed is a number in brackets: kube-scheduler did not work it out.
func guessed(n int64) string { return fmt.Sprintf("(%d)", n) }

// supposed puts a node that kube-scheduler did not score beside the chosen one, or shows the scores of a chosen one
// that was not scored.
func (t *told) supposed(d session.Duel) {
	s := d.Supposed
	switch {
	case s == nil:
		return
	case s.Scores == nil:
		t.add(0, Note, "%s", t.language.Say(textNotSupposed, s.Failure))
		return
	case d.Other == d.Cycle.Selected.Node:
		t.alone(s)
		return
	}
	if len(d.Broken) > 0 {
		t.add(0, Heading, "%s", t.language.Say(textHadPassed, d.Other))
	} else {
		t.add(0, Heading, "%s", t.language.Say(textHadLooked, d.Other))
	}
	ours := slices.IndexFunc(s.Scores.Index, func(i int32) bool { return s.Scores.Nodes[i] == d.Cycle.Selected.Node })
	other, scored := s.Scores.Of(d.Index)
	if ours < 0 || !scored {
		return
	}
	beside := contest{s.Scores, ours, other}
	t.supposedWaterfall(d.Cycle, beside)
	t.unasked(s)
}

// supposedWaterfall is a waterfall whose numbers stand in brackets, except for those of the chosen node that
// kube-scheduler worked out too.
func (t *told) supposedWaterfall(c *trace.Try, both contest) {
	for i := range both.scores.Columns {
		column := &both.scores.Columns[i]
		if column.Raw == nil {
			continue
		}
		known := workedOut(c, column.Plugin)
		mine, theirs := column.Weighted(both.ours), column.Weighted(both.other)
		t.add(1, Evidence, "%s", t.language.Say(textSupposed, column.Plugin,
			bracket(mine, known.weighted), guessed(theirs), mine-theirs,
			bracket(column.Raw[both.ours], known.raw), guessed(column.Raw[both.other]),
			bracket(column.Normalized[both.ours], known.normalized), guessed(column.Normalized[both.other]),
			column.Weight))
	}
	ours, others := both.scores.Totals[both.ours], both.scores.Totals[both.other]
	var total *int64
	if at := chosenAt(c); at >= 0 {
		total = &c.Scores.Totals[at]
	}
	t.add(1, Verdict, "%s", t.language.Say(textSupposedTotal, bracket(ours, total), guessed(others),
		ours-others))
	switch lead := both.lead(); {
	case lead > 0:
		t.add(1, Verdict, "%s", t.language.Say(textStillAhead, both.name(both.ours)))
	case lead < 0:
		t.add(1, Verdict, "%s", t.language.Say(textWouldBeAhead, both.name(both.other)))
	default:
		t.add(1, Verdict, "%s", t.language.Of(textWouldTie))
	}
}

// bracket is a number, in brackets unless it is the one that kube-scheduler worked out.
func bracket(n int64, known *int64) string {
	if known != nil && *known == n {
		return fmt.Sprint(n)
	}
	return guessed(n)
}

// numbers are those of one column; nil where kube-scheduler worked none out.
type numbers struct{ raw, normalized, weighted *int64 }

// workedOut are a plugin's numbers of the chosen node.
func workedOut(c *trace.Try, plugin string) numbers {
	at := chosenAt(c)
	if at < 0 {
		return numbers{}
	}
	i := slices.IndexFunc(c.Scores.Columns, func(s trace.ScoreColumn) bool { return s.Plugin == plugin })
	if i < 0 || c.Scores.Columns[i].Raw == nil {
		return numbers{}
	}
	column := &c.Scores.Columns[i]
	weighted := column.Weighted(at)
	return numbers{&column.Raw[at], &column.Normalized[at], &weighted}
}

// alone shows the scores that the plugins would give the one feasible node.
func (t *told) alone(s *session.Supposed) {
	t.note(t.language.Say(textAlone, s.Scores.Nodes[s.Scores.Index[0]]))
	for i := range s.Scores.Columns {
		if column := &s.Scores.Columns[i]; column.Raw != nil {
			t.add(1, Evidence, "%s", t.language.Say(textAlonePart, column.Plugin, guessed(column.Weighted(0)),
				guessed(column.Raw[0]), guessed(column.Normalized[0]), column.Weight))
		}
	}
	t.add(1, Verdict, "%s", t.language.Say(textAloneTotal, guessed(s.Scores.Totals[0])))
	t.unasked(s)
}

// AloneNote is why the one feasible node has its scores in brackets.
func AloneNote(lang words.Language, s *session.Supposed) []Line {
	t := told{language: lang}
	t.note(lang.Say(textAlone, s.Scores.Nodes[s.Scores.Index[0]]))
	t.unasked(s)
	return t.lines
}

func (t *told) unasked(s *session.Supposed) {
	if len(s.Unasked) > 0 {
		t.add(1, Note, "%s", t.language.Say(textExtenderUnasked, names(t.language, s.Unasked)))
	}
}

// Alone shows the scores that the plugins would give the one feasible node, which kube-scheduler does not score;
// nothing where there is no such node.
func Alone(lang words.Language, s *session.Supposed) []Line {
	t := told{language: lang}
	switch {
	case s == nil:
	case s.Scores == nil:
		t.add(0, Note, "%s", lang.Say(textNotSupposed, s.Failure))
	default:
		t.alone(s)
	}
	return t.lines
}
