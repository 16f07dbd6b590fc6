package panel

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// Run is what the screen is doing; frames do not hold it.
type Run struct {
	Running bool // cycles go on by themselves
	Moving  bool // a long move is under way
	Steps   int  // done by that move

	Following bool // what happens is shown as it happens
}

// Header is the first line of the screen.
type Header struct {
	Run  Run
	Hint string // at the right end, such as which keys help

	Alarm  string // what keeps the screen from following a cluster; "": nothing
	Behind string // how far the screen is from what happens in a cluster, for lines without a hint; "": it is there
}

// part is a piece of a line. When there is little room, the part with the highest drop is left out first; one with drop
// 0 is never left out.
type part struct {
	text widget.Paragraph
	drop int
}

// Draw draws the line on row 0 of the region. When it is narrow, what matters least is left out.
func (h Header) Draw(f *session.Frame, r widget.Region) {
	r.Row(0).Fill(themes.Text)
	branch := ""
	if f.Branch != "" && f.Branch != "main" {
		branch = f.Language.Say("what if: %s", f.Branch)
	}
	version := ""
	if f.Version != "" {
		version = "kube-scheduler " + f.Version
	}
	parts := []part{
		{widget.Plain(themes.Title.Strong(), " schedstep"), 4},
		{widget.Plain(themes.Text, cut(f.Title, longestTitle, r.Glyphs())), 3},
		{widget.Plain(themes.Warn, branch), 1},
		{h.state(f, r.Glyphs()), 0},
		{widget.Plain(themes.Accent, f.Scheduler), 1},
		{widget.Plain(themes.Text, cyclesOf(f)), 1},
		{widget.Plain(themes.Text, view.Clock(f.Language, f.Now)), 2},
		agreement(f),
		{widget.Plain(themes.Muted, version), 5},
		{widget.Plain(themes.Muted, worldOf(f)), 6},
	}
	separator := " " + string(r.Glyphs().Separator) + " "
	room := r.Width()
	if h.Behind != "" && room < hintFrom {
		parts = slices.Insert(parts, stateAt+1, part{widget.Plain(themes.Accent, h.Behind), 1})
	}
	if h.Alarm != "" {
		parts = slices.Insert(parts, stateAt+1, part{widget.Plain(themes.Warn, h.Alarm), 0})
	}
	if h.Hint != "" && room >= hintFrom {
		hint := widget.Width(h.Hint) + 1
		room -= hint + 1
		r.Text(room+1, 0, themes.Muted, h.Hint)
	}
	kept := fit(parts, room, separator)
	if last := len(kept) - 1; h.Alarm != "" && roomFor(kept, separator) > room { // the alarm is the last that is left
		x := r.Text(drawParts(r, 0, kept[:last], separator), 0, themes.Border, separator)
		r.Fit(x, 0, room-x, themes.Warn, h.Alarm, widget.Left)
		return
	}
	drawParts(r, 0, kept, separator)
}

// stateAt is the place of the state among the parts.
const stateAt = 3

const (
	hintFrom     = 100 // the width from which a header has room for a hint
	longestTitle = 40  // columns of what is being replayed, which may be the path of a file
)

// cut shortens a text to a width. It leaves out the beginning and shows an ellipsis there, because the end of a path is
// the most useful part.
func cut(text string, width int, g *themes.Glyphs) string {
	text = widget.Sanitize(text)
	if widget.Width(text) <= width {
		return text
	}
	for widget.Width(text) >= width {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return string(g.Ellipsis) + text
}

// state is what is going on, with its sign.
func (h Header) state(f *session.Frame, g *themes.Glyphs) widget.Paragraph {
	switch {
	case h.Run.Moving:
		return widget.Plain(
			themes.Accent.Strong(), f.Language.Say("%c moving, %s", g.Waiting, f.Language.Count(h.Run.Steps, "step")),
		)
	case h.Run.Following:
		return widget.Plain(themes.Accent.Strong(), f.Language.Say("%s live", string(g.Running)))
	case h.Run.Running:
		return widget.Plain(themes.Accent.Strong(), f.Language.Say("%s running", string(g.Running)))
	}
	where := ""
	switch {
	case f.AtStart:
		where = f.Language.Of(" at the start")
	case f.AtEnd:
		where = f.Language.Of(" at the end")
	case f.Cycle != nil && f.Cycle.Ended != nil:
		where = f.Language.Of(" after the cycle")
	case len(f.Facts) > 0:
		where = f.Language.Say(" at %s", f.NameOf(f.Phase))
	}
	return widget.Plain(themes.Text.Strong(), f.Language.Say("%s paused%s", string(g.Paused), where))
}

// cyclesOf is how many cycles lie behind and, after a walk back, how far the session has run.
func cyclesOf(f *session.Frame) string {
	if f.Cycles > f.Number {
		return f.Language.Say("cycle %d, run to %d", f.Number, f.Cycles)
	}
	return f.Language.Say("cycle %d", f.Number)
}

// agreement is how many decisions of the cluster's own scheduler would have been the same here.
func agreement(f *session.Frame) part {
	all := f.Agreement
	if all.Total() == 0 {
		return part{drop: 2}
	}
	text, paint := f.Language.Say("%s agreed", all.Percent()), themes.Muted
	if all.Different > 0 {
		text, paint = fmt.Sprintf("%s, %s", text, f.Language.CountOf(all.Different, "differs", "differ")), themes.Warn
	}
	return part{widget.Plain(paint, text), 2}
}

func worldOf(f *session.Frame) string {
	switch f.World {
	case "":
		return ""
	case "simulated":
		return f.Language.Of("simulated world")
	case "recorded":
		return f.Language.Of("recorded world")
	}
	return f.Language.Say("%s world", f.World)
}

// fit leaves out parts that are empty, and others until the rest fits into a width.
func fit(parts []part, width int, separator string) []part {
	kept := make([]part, 0, len(parts))
	for _, p := range parts {
		if widthOf(p.text) > 0 {
			kept = append(kept, p)
		}
	}
	for roomFor(kept, separator) > width {
		worst := 0
		for i, p := range kept {
			if p.drop > kept[worst].drop {
				worst = i
			}
		}
		if kept[worst].drop == 0 {
			return kept
		}
		kept = append(kept[:worst], kept[worst+1:]...)
	}
	return kept
}

func roomFor(parts []part, separator string) int {
	width := max(len(parts)-1, 0) * widget.Width(separator)
	for _, p := range parts {
		width += widthOf(p.text)
	}
	return width
}

func widthOf(p widget.Paragraph) int {
	width := 0
	for _, s := range p {
		width += widget.Width(s.Text)
	}
	return width
}

func drawParts(r widget.Region, y int, parts []part, separator string) int {
	x := 0
	for i, p := range parts {
		if i > 0 {
			x = r.Text(x, y, themes.Border, separator)
		}
		x = widget.DrawLine(r, x, y, p.text)
	}
	return x
}

// DrawWants draws on row y the requests of the frame's pod; false: none is known.
func DrawWants(f *session.Frame, r widget.Region, y int) bool {
	asks := prose.Asks(f.Language, f.Wants())
	if asks != "" {
		r.Row(y).Fill(themes.Text)
		r.Fit(0, y, r.Width(), themes.Muted, f.Language.Say("asks for %s", asks), widget.Left)
	}
	return asks != ""
}

// DrawDisplays draws on row y the values that are to be seen at every stop; false: there are none.
func DrawDisplays(f *session.Frame, r widget.Region, y int) bool {
	if len(f.Displays) == 0 {
		return false
	}
	r.Row(y).Fill(themes.Text)
	texts := make([]string, len(f.Displays))
	for i, d := range f.Displays {
		texts[i] = d.Of + " = " + d.Value
	}
	r.Fit(0, y, r.Width(), themes.Accent, strings.Join(texts, "  "), widget.Left)
	return true
}

// CycleTitle is the title of a box about the cycle a frame shows: the pod, the attempt, the priority.
func CycleTitle(f *session.Frame) string {
	c := f.About()
	if c == nil {
		return f.Language.Of("no cycle yet")
	}
	if c.Number == 0 {
		return f.Language.Of("a pod that waited goes on")
	}
	last := ""
	if f.Cycle == nil {
		last = f.Language.Of("last: ")
	}
	return f.Language.Say(
		"%s%s, attempt %d, priority %d", last, prose.Entity(f.Language, c.Entity.Key()), c.Attempt, c.Entity.Priority,
	)
}
