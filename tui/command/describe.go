package command

import (
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// describe is where a session stands, in labelled lines without colour or boxes.
func describe(f *session.Frame) []string {
	lines := []string{
		f.Language.Say("where: %s", whereabouts(f)),
		f.Language.Say("time: %s", f.Now.UTC().Format(time.RFC3339Nano)),
	}
	if f.Branch != f.Branches[0] {
		lines = append(lines, f.Language.Say("branch: %s", f.Branch))
	}
	if c := f.About(); c != nil {
		lines = append(lines, describeCycle(f, c)...)
	}
	if n := len(f.Facts); n > 0 && f.Facts[n-1].Phase() != trace.PhaseEnd {
		last := f.Facts[n-1]
		lines = append(lines, f.Language.Say("last fact: %s", f.Render(last)))
	}
	if f.Scheduler != "" {
		lines = append(lines, f.Language.Say("scheduler: %s (of %s)", f.Scheduler, strings.Join(f.Schedulers, ", ")))
	}
	lines = append(lines, f.Language.Say("queue: %s", counts(f)))
	lines = append(lines, displayLines(f.Language, f.Displays)...)
	if words := view.Unjudged(f); words != "" {
		lines = append(lines, f.Language.Say("note: %s", words))
	}
	return lines
}

// describeSelection is what is under a cursor.
func describeSelection(f *session.Frame, s view.Selection) []string {
	one := view.FrameOf(f, s)
	c, t := one.About(), one.Try()
	switch {
	case s.Subject == view.OfFact && s.Fact >= 0 && s.Fact < len(f.Facts):
		return []string{f.Language.Render(f.Facts[s.Fact])}
	case s.Subject == view.OfPreemption && t != nil && t.Preemption != nil:
		return []string{f.Language.Say("node %s: %s", s.Node, prose.CandidateLine(f.Language, t, s.NodeIndex))}
	case c != nil && c.Group != nil && (s.Subject == view.OfPlacement || s.Subject == view.OfMember):
		return selectedInGroup(f.Language, c, s)
	case s.NodeIndex >= 0 && t != nil && t.Matrix != nil && s.NodeIndex < len(t.Matrix.Nodes):
		return []string{prose.NodeLine(f.Language, t, s.NodeIndex)}
	case s.Subject == view.OfPod:
		return []string{f.Language.Say("pod %s", s.Pod)}
	}
	return nil
}

// whereabouts is the position in a line.
func whereabouts(f *session.Frame) string {
	switch {
	case f.AtStart:
		return f.Language.Say("at the start of %s", f.Title)
	case f.AtEnd:
		return f.Language.Say("at the end, after %s", f.Language.CountOf(int(f.Number), "cycle", "cycles"))
	case f.Cycle != nil && f.Cycle.Ended != nil:
		return f.Language.Say("after %s", cycleCount(f))
	case f.Cycle == nil:
		return f.Language.Say("step %d, %s, after %s", f.Position.Step, kindWord(f.Language, f.Kind), cycleCount(f))
	}
	return f.Language.Say("%s, at %s", cycleCount(f), f.NameOf(f.Phase))
}

// cycleCount is "cycle 3" and, after a walk back, how far the session has run.
func cycleCount(f *session.Frame) string {
	if f.Cycles > f.Number {
		return f.Language.Say("cycle %d (already run to cycle %d)", f.Number, f.Cycles)
	}
	return f.Language.Say("cycle %d", f.Number)
}

func kindWord(lang words.Language, k play.Kind) string {
	switch k {
	case play.Delivered:
		return lang.Of("an event")
	case play.Waited:
		return "waiting"
	}
	return lang.Of("a cycle")
}

func counts(f *session.Frame) string {
	lang, c := f.Language, f.Queue.Counts
	switch {
	case f.Queue.InLine:
		return lang.Say("FIFO %d, backoff %d, in flight %d", c.Active, c.Backoff, c.InFlight)
	case !f.Queue.Gates:
		return lang.Say(
			"active %d, backoff %d, unschedulable %d, in flight %d", c.Active, c.Backoff, c.Unschedulable, c.InFlight,
		)
	}
	return lang.Say(
		"active %d, backoff %d, unschedulable %d, gated %d, in flight %d", c.Active, c.Backoff, c.Unschedulable,
		c.Gated, c.InFlight,
	)
}

func describeCycle(f *session.Frame, c *trace.Cycle) []string {
	label := f.Language.Of("cycle")
	if f.Cycle == nil {
		label = f.Language.Of("last cycle")
	}
	if c.Group != nil {
		lines := []string{f.Language.Say(
			"%s: %d, pod group %s/%s, attempt %d, priority %d", label, c.Number, c.Entity.Namespace, c.Entity.Name,
			c.Attempt, c.Entity.Priority,
		)}
		lines = append(lines, labelled(f.Language.Of("group: "), prose.Plain(prose.Quorum(f.Language, c)))...)
		lines = append(lines, groupLines(f.Language, c)...)
		return append(lines, ending(f, c)...)
	}
	t := c.Latest()
	lines := []string{
		f.Language.Say(
			"%s: %d, pod %s, attempt %d, priority %d", label, c.Number, c.Entity.Key(), c.Attempt, c.Entity.Priority,
		),
	}
	if t.Matrix != nil {
		lines = append(lines, f.Language.Say(
			"%s: %d of %d nodes evaluated, %d feasible", strings.ToLower(f.NameOf(trace.PhaseFilter)),
			len(t.Matrix.Visited), len(t.Matrix.Nodes), t.Matrix.FeasibleCount(),
		))
	}
	if t.Scores != nil {
		lines = append(lines, f.Language.Say(
			"%s: %s", strings.ToLower(f.NameOf(trace.PhaseScore)), prose.Best(f.Language, t.Scores),
		))
	}
	if t.Selected != nil {
		lines = append(lines, f.Language.Say("selected: %s", t.Selected.Phrase()))
	}
	if c.Diverged != nil {
		lines = append(lines, f.Language.Say("divergence: %s", c.Diverged.Phrase()))
	}
	return append(lines, ending(f, c)...)
}

// ending is how a cycle ended, or what may follow.
func ending(f *session.Frame, c *trace.Cycle) []string {
	switch {
	case c.Ended != nil && c.Ended.Message == "":
		return []string{f.Language.Say("outcome: %s", string(c.Ended.Outcome))}
	case c.Ended != nil:
		return []string{f.Language.Say("outcome: %s: %s", string(c.Ended.Outcome), c.Ended.Message)}
	case len(f.Ahead) > 0:
		return []string{f.Language.Say("may follow: %s", phaseNames(f))}
	}
	return nil
}

func phaseNames(f *session.Frame) string {
	var names []string
	for _, p := range f.Ahead {
		names = append(names, f.NameOf(p))
	}
	return strings.Join(names, ", ")
}

// describeQueue lists the waiting pods by place.
func describeQueue(f *session.Frame) []string {
	lines := []string{counts(f)}
	add := func(queue string, rows []session.QueueRow, count int) {
		for _, r := range rows {
			lines = append(lines, queue+": "+prose.RowLine(f.Language, r, f.Now))
			for _, member := range r.Members {
				row := prose.RowLine(f.Language, member, f.Now)
				lines = append(lines, f.Language.Say("%s, in %s: %s", queue, r.Pod, row))
			}
		}
		if more := count - len(rows); more > 0 {
			lines = append(lines, f.Language.Say("%s: and %d more", queue, more))
		}
	}
	q := f.Queue
	add("active", q.Active, q.Counts.Active)
	add("backoff", q.Backoff, q.Counts.Backoff)
	add("unschedulable", q.Unschedulable, q.Counts.Unschedulable)
	add("gated", q.Gated, q.Counts.Gated)
	add(f.Language.Of("in flight"), q.InFlight, q.Counts.InFlight)
	add(f.Language.Of("without group"), q.Incomplete, q.Counts.Incomplete)
	return lines
}

// describeFilter lists the nodes whose line contains a text, with every plugin that objects.
func describeFilter(f *session.Frame, containing string) []string {
	c := f.Try()
	if c == nil || c.Matrix == nil {
		return []string{f.Language.Of("no filter has been asked here")}
	}
	lines := []string{f.Render(c.Matrix)}
	for node := range c.Matrix.Nodes {
		if line := prose.NodeLine(f.Language, c, node); strings.Contains(line, containing) {
			lines = append(lines, line)
		}
	}
	return lines
}

// describeScores lists the scored nodes with what each plugin gave.
func describeScores(f *session.Frame) []string {
	c := f.Try()
	if c == nil || c.Scores == nil {
		if alone := prose.Alone(f.Language, f.At.Supposed(f.Try())); len(alone) > 0 {
			return prose.Plain(alone)
		}
		return []string{f.Language.Of("nothing has been scored here")}
	}
	lines := []string{f.Render(c.Scores)}
	for k := range c.Scores.Index {
		lines = append(lines, prose.ScoreLine(f.Language, c.Scores, k))
	}
	return lines
}

// describeFacts lists the facts of the step that belong to some phases; none named: all.
func describeFacts(f *session.Frame, phases ...trace.Phase) []string {
	facts := f.Facts
	var lines []string
	for _, fact := range facts {
		if len(phases) == 0 || slices.Contains(phases, fact.Phase()) {
			lines = append(lines, f.NameOf(fact.Phase())+": "+f.Render(fact))
		}
	}
	if len(lines) == 0 {
		return []string{f.Language.Of("nothing of that has happened in this step")}
	}
	return lines
}

// describeTimeline lists the cycles and events that are known.
func describeTimeline(f *session.Frame) []string {
	var lines []string
	for _, m := range f.Timeline {
		lines = append(lines, prose.MarkLine(f.Language, m))
	}
	if len(lines) == 0 {
		return []string{f.Language.Of("nothing has happened yet")}
	}
	return lines
}
