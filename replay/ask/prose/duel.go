package prose

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Duel is why a node was not chosen for a pod: plugin by plugin, what decided, and which weight would have had it
// chosen.
func Duel(lang words.Language, d session.Duel) []Line {
	t := told{language: lang}
	c := d.Cycle
	if len(d.Broken) > 0 {
		t.signed(Rejects, lang.Say(textOtherRejected, d.Other))
		for _, b := range d.Broken {
			t.add(1, Evidence, textAnswer, b.Plugin, b.Verdict.Message())
		}
		t.supposed(d)
		if c.Matrix != nil && c.Ended != nil && c.Matrix.FeasibleCount() == 0 {
			t.note(lang.Say(textNoCompany, c.Entity.Key()))
		}
		return t.lines
	}
	ours := chosenAt(c)
	if ours < 0 {
		t.lines = append(t.lines, NoScores(lang, c)...)
		t.supposed(d)
		return t.lines
	}
	other, scored := c.Scores.Of(d.Index)
	switch {
	case !scored:
		t.note(lang.Say(textOtherNotTried, d.Other))
		t.supposed(d)
		return t.lines
	case other == ours:
		t.signed(Passes, lang.Say(textOtherChosen, d.Other))
		return append(t.lines, Won(lang, c)...)
	}
	both := contest{c.Scores, ours, other}
	t.waterfall(c, both)
	if all := both.differences(); len(all) > 0 && all[0].weighted > 0 {
		t.add(1, Verdict, "%s", lang.Say(textDecides, all[0].column.Plugin, all[0].weighted))
	}
	if both.lead() == 0 {
		t.decided(1, c, both)
	}
	for _, f := range d.Flips {
		t.add(1, Change, "%s", lang.Say(textFlips, d.Other, f.Plugin, f.Weight, f.Now, f.Not))
	}
	if len(d.Flips) == 0 {
		t.add(1, Note, textNoFlip, d.Other)
	}
	return t.lines
}
