package panel

import (
	"slices"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// stage is an extension point on the line of phases.
type stage struct {
	phase trace.Phase
	drop  int  // as of a part: the highest goes first
	rare  bool // shown only in cycles that have it
}

// stages are the extension points that are shown; the frame has their order.
var stages = []stage{
	{phase: trace.PhasePop, drop: 9, rare: true},
	{phase: trace.PhasePreFilter, drop: 4},
	{phase: trace.PhaseFilter, drop: 1},
	{phase: trace.PhasePostFilter, drop: 1, rare: true},
	{phase: trace.PhasePreScore, drop: 8},
	{phase: trace.PhaseScore, drop: 2},
	{phase: trace.PhaseSelect, drop: 7},
	{phase: trace.PhaseReserve, drop: 6},
	{phase: trace.PhasePermit, drop: 6},
	{phase: trace.PhasePreBind, drop: 9},
	{phase: trace.PhaseBind, drop: 2},
	{phase: trace.PhasePostBind, drop: 10, rare: true},
	{phase: trace.PhaseFailure, drop: 5, rare: true},
}

// DrawPhases draws on row y where in its cycle the cursor is: the extension points, those behind with how they ended,
// and the outcome. When it is narrow, the least useful ones are left out.
func DrawPhases(f *session.Frame, r widget.Region, y int) {
	r.Row(y).Fill(themes.Text)
	c := f.About()
	if c == nil {
		r.Text(0, y, themes.Muted, f.Language.Of("No pod was tried yet"))
		return
	}
	g := r.Glyphs()
	separator := " " + string(g.Pointer) + " "
	if c.Group != nil {
		drawParts(r, y, fit(groupStages(f, c, g), r.Width(), separator), separator)
		return
	}
	var parts []part
	for _, phase := range f.Phases {
		i := slices.IndexFunc(stages, func(s stage) bool { return s.phase == phase })
		if i < 0 {
			continue
		}
		if shown, ok := stagePart(f, c.Latest(), stages[i], g); ok {
			parts = append(parts, shown)
		}
	}
	if c.Ended != nil {
		parts = append(parts, part{text: outcomeText(f.Language, c, g), drop: 0})
	}
	drawParts(r, y, fit(parts, r.Width(), separator), separator)
}

// groupStages is the way of a pod group: its pods, the placement and the member that are tried, the choice, the end.
func groupStages(f *session.Frame, c *trace.Cycle, g *themes.Glyphs) []part {
	parts := []part{{text: widget.Plain(themes.Text, f.Language.Count(len(c.Group.Members), "pod")), drop: 2}}
	current := func(text string, drop int) {
		parts = append(parts, part{text: widget.Plain(themes.Accent.Strong(), "["+text+"]"), drop: drop})
	}
	takes := 0
	for i := range c.Group.Placements {
		if c.Group.Placements[i].Takes() {
			takes++
		}
	}
	tried := len(c.Group.Placements)
	if tried > 0 && c.Group.Placements[tried-1].Ended == nil {
		p := &c.Group.Placements[tried-1]
		current(f.Language.Say("%s, %d of %d", prose.Domain(f.Language, c.Group, p.Name), p.Index+1, max(p.Of, 1)), 1)
		if t := c.Latest(); t.State == trace.Trying {
			current(view.PodName(f.Language, t.Entity.Key()), 0)
			if view.IsWalking(f) {
				current(f.Language.Say("Filter cell %d", f.Position.Cell), 0)
				return parts
			}
			current(c.Phase.String(), 0)
		}
		return parts
	}
	if tried > 0 {
		paint := themes.Pass
		if takes == 0 {
			paint = themes.Fail
		}
		parts = append(
			parts,
			part{text: widget.Plain(paint, f.Language.Say("%d of %s", takes, f.Language.Count(tried, "placement"))), drop: 1},
		)
	}
	if s := c.Group.Selected; s != nil && s.Name != "" {
		parts = append(parts, part{text: widget.Plain(themes.Pass, prose.Domain(f.Language, c.Group, s.Name)), drop: 1})
	}
	if n := len(c.Group.PostFilter); n > 0 {
		result, paint := verdictSign(c.Group.PostFilter[n-1].Verdict, g)
		parts = append(parts, part{text: append(widget.Plain(themes.Text, "PostFilter"), after(result, paint)...), drop: 1})
	}
	if c.Ended != nil {
		return append(parts, part{text: outcomeText(f.Language, c, g), drop: 0})
	}
	if f.Cycle != nil {
		current(c.Phase.String(), 0)
	}
	return parts
}

// stagePart is what is shown of an extension point; false: nothing.
func stagePart(f *session.Frame, c *trace.Try, s stage, g *themes.Glyphs) (part, bool) {
	result, paint := stageResult(f.Language, c, s.phase, g)
	behind := result != "" || c.Ended == nil && isBefore(f, s.phase, c.Phase) && !s.rare
	current := c.Ended == nil && f.Cycle != nil && s.phase == c.Phase
	if s.rare && !behind && !current {
		return part{}, false
	}
	if current && s.phase == trace.PhaseFilter && view.IsWalking(f) {
		result, paint = f.Language.Say("cell %d", f.Position.Cell), themes.Text
	}
	name := f.NameOf(s.phase)
	switch {
	case current:
		text := widget.Paragraph{{Text: "[" + name + "]", Paint: themes.Accent.Strong()}}
		return part{text: append(text, after(result, paint)...)}, true
	case result != "":
		return part{text: append(widget.Plain(themes.Text, name), after(result, paint)...), drop: s.drop}, true
	case behind || c.Ended != nil:
		if c.Ended != nil {
			return part{}, false
		}
		return part{text: widget.Plain(themes.Muted, name+" "+string(g.NotAsked)), drop: s.drop + 10}, true
	}
	return part{text: widget.Plain(themes.Muted, name), drop: s.drop + 1}, true
}

// isBefore reports whether a cycle goes through one phase before another.
func isBefore(f *session.Frame, one, other trace.Phase) bool {
	return slices.Index(f.Phases, one) < slices.Index(f.Phases, other)
}

func after(result string, paint themes.Paint) widget.Paragraph {
	if result == "" {
		return nil
	}
	return widget.Plain(paint, " "+result)
}

// stageResult is how an extension point ended; "" when it was not reached, or had nothing to do.
func stageResult(lang words.Language, c *trace.Try, phase trace.Phase, g *themes.Glyphs) (string, themes.Paint) {
	switch phase {
	case trace.PhasePreFilter:
		if len(c.PreFilters) == 0 {
			return "", themes.Text
		}
		return verdictSign(preFilterVerdict(c), g)
	case trace.PhaseFilter:
		return filterResult(lang, c)
	case trace.PhasePostFilter:
		if len(c.PostFilter) == 0 {
			return "", themes.Text
		}
		return verdictSign(c.PostFilter[len(c.PostFilter)-1].Verdict, g)
	case trace.PhasePreScore:
		if len(c.PreScores) == 0 {
			return "", themes.Text
		}
		return string(g.Pass), themes.Pass
	case trace.PhaseScore:
		if c.Scores == nil {
			return "", themes.Text
		}
		return string(g.Pass), themes.Pass
	case trace.PhaseSelect:
		if c.Selected == nil {
			return "", themes.Text
		}
		return c.Selected.Node, themes.Pass
	}
	return ranResult(c, phase, g)
}

// filterResult is how many of the nodes that were looked at fit.
func filterResult(lang words.Language, c *trace.Try) (string, themes.Paint) {
	if c.Matrix == nil || c.PreFilterRejected() {
		return "", themes.Text
	}
	feasible := c.Matrix.FeasibleCount()
	paint := themes.Pass
	if feasible == 0 {
		paint = themes.Fail
	}
	return lang.Say("%d of %d", feasible, len(c.Matrix.Visited)), paint
}

func preFilterVerdict(c *trace.Try) trace.Verdict {
	for _, pre := range c.PreFilters {
		if !pre.Verdict.OK() && pre.Verdict.Code != trace.Skip {
			return pre.Verdict
		}
	}
	return trace.Verdict{}
}

// ranResult is how one of the extension points after the choice ended.
func ranResult(c *trace.Try, phase trace.Phase, g *themes.Glyphs) (string, themes.Paint) {
	asked := false
	for _, ran := range c.Ran {
		if ran.Point != phase || ran.Undo {
			continue
		}
		asked = true
		if !ran.Verdict.OK() && ran.Verdict.Code != trace.Skip {
			return verdictSign(ran.Verdict, g)
		}
	}
	switch {
	case !asked:
		return "", themes.Text
	case phase == trace.PhaseBind && c.Selected != nil:
		return c.Selected.Node, themes.Pass
	}
	return string(g.Pass), themes.Pass
}

// verdictSign is the glyph of a verdict and its paint.
func verdictSign(v trace.Verdict, g *themes.Glyphs) (string, themes.Paint) {
	switch v.Code {
	case trace.Success:
		return string(g.Pass), themes.Pass
	case trace.Skip:
		return string(g.NotAsked), themes.NotAsked
	case trace.Wait, trace.Pending:
		return string(g.Waiting), themes.Warn
	case trace.Error:
		return string(g.Error), themes.Error
	case trace.UnschedulableAndUnresolvable:
		return string(g.FailUnresolvable), themes.FailUnresolvable
	}
	return string(g.Fail), themes.Fail
}

// outcomeText is how a cycle ended.
func outcomeText(lang words.Language, c *trace.Cycle, g *themes.Glyphs) widget.Paragraph {
	sign, paint := outcomeSign(c.Ended.Outcome, g)
	text := sign + " " + string(c.Ended.Outcome)
	switch {
	case c.Ended.NominatedNode != "":
		text += lang.Say(" on %s", c.Ended.NominatedNode)
	case !c.Ended.BackoffUntil.IsZero():
		text += lang.Say(", tried again from %s", view.Clock(lang, c.Ended.BackoffUntil))
	}
	return widget.Plain(paint.Strong(), text)
}

// outcomeSign is the glyph of an outcome and its paint.
func outcomeSign(o trace.Outcome, g *themes.Glyphs) (string, themes.Paint) {
	switch o {
	case trace.Scheduled:
		return string(g.Pass), themes.Pass
	case trace.Waiting:
		return string(g.Waiting), themes.Warn
	case trace.Preempting:
		return string(g.FailUnresolvable), themes.Warn
	case trace.SchedulerError:
		return string(g.Error), themes.Error
	case trace.SkippedScheduling:
		return string(g.NotAsked), themes.Muted
	case trace.NotSchedulable:
	}
	return string(g.Fail), themes.Fail
}
