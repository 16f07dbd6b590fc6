package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// Timeline is the whole replay on one line, one position for each cycle and each event of note, and below it, where
// there is room, what lies around the cursor, in words.
//
//	1 ✔─✔✔◆✘─▶·································· 128+
//	 … 39 ✔ web-4   40 ✘ gpu-1  [41 ✔ web-7]  ◆ Node Add n5   42 ✔ web-8
type Timeline struct {
	moved  bool
	cursor int // the mark under the cursor, once it was moved

	marks  []widget.Mark // of the strip: the heaviest of each column
	made   markKey
	drawn  layout.Rect // where the strip was in the region last drawn in
	chips  []chip      // likewise the marks in words
	chipsY int
}

// markKey reports whether marks must be made again: a timeline only grows, or is another one.
type markKey struct {
	first   *session.Mark
	step    int // of the last mark
	cycle   int64
	outcome trace.Outcome
	length  int
	width   int
	glyph   rune
}

// chip is where one mark was drawn in words.
type chip struct{ mark, x, width int }

// Home puts the cursor back on the present, where it stays until it is moved again.
func (p *Timeline) Home() { p.moved = false }

// Title is the title of its box: since when the timeline is whole, when it does not go back to the start.
func (p *Timeline) Title(f *session.Frame) string {
	if f.Dropped > 0 {
		return f.Language.Say(
			"Timeline since %s, %s before dropped", view.Clock(f.Language, f.Since), f.Language.Count(f.Dropped, "event"),
		)
	}
	return f.Language.Of("Timeline")
}

// Note describes the cycle under the cursor.
func (p *Timeline) Note(f *session.Frame) string {
	at := p.at(f)
	if at < 0 || !p.moved {
		return f.Language.Tell(f.Stop.Text)
	}
	return f.Language.Say("go to %s", markWords(f.Language, &f.Timeline[at]))
}

// Draw fills the region.
func (p *Timeline) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	p.drawn, p.chips = layout.Rect{}, p.chips[:0]
	if len(f.Timeline) == 0 {
		text := f.Language.Of("Nothing has happened yet")
		if f.Dropped > 0 {
			text = f.Language.Of("Nothing before the cursor is kept")
		}
		r.Fit(0, 0, r.Width(), themes.Muted, text, widget.Left)
		return
	}
	p.drawStrip(f, r, focus)
	if r.Height() >= 2 {
		p.drawChips(f, r, focus)
	}
}

// drawStrip draws the first line: how it began, the strip up to the cursor and, after a walk back, how far the session
// has run.
func (p *Timeline) drawStrip(f *session.Frame, r widget.Region, focus widget.Focus) {
	end := fmt.Sprintf(" %d", f.Number)
	if f.Cycles > f.Number {
		end += f.Language.Say(", run to %d", f.Cycles)
	}
	strip := layout.Rect{X: 2, Width: r.Width() - 2 - len(end), Height: 1}
	if strip.Width < 12 {
		strip = layout.Rect{Width: r.Width(), Height: 1}
	} else {
		if f.Dropped == 0 {
			r.Text(0, 0, themes.Muted, "1")
		}
		r.Text(r.Width()-len(end), 0, themes.Muted, end)
	}
	p.drawn = strip
	s := widget.Strip{Length: len(f.Timeline), Current: max(present(f), 0)}
	p.sync(f, s, strip.Width, r.Glyphs())
	s.Marks = p.marks
	s.Draw(r.Sub(strip), 0)
	if at := p.at(f); p.moved && at >= 0 && focus == widget.Focused {
		r.Sub(layout.Rect{X: strip.X + s.ColumnOf(at, strip.Width), Width: 1, Height: 1}).Select()
	}
}

// drawChips draws the marks around the cursor in words, the cursor's in the middle.
func (p *Timeline) drawChips(f *session.Frame, r widget.Region, focus widget.Focus) {
	at := max(p.at(f), 0)
	p.chipsY = 1
	width := func(mark int) int { return widget.Width(chipText(f.Language, &f.Timeline[mark], r.Glyphs())) + 3 }
	first, taken := at, width(at)
	for first > 0 && taken+width(first-1) <= r.Width()/2 {
		first--
		taken += width(first)
	}
	here := present(f)
	for mark, x := first, 0; mark < len(f.Timeline) && x < r.Width(); mark++ {
		text := chipText(f.Language, &f.Timeline[mark], r.Glyphs())
		_, paint := markSign(&f.Timeline[mark], r.Glyphs())
		shown := layout.Rect{X: x, Y: p.chipsY, Width: min(widget.Width(text)+2, r.Width()-x), Height: 1}
		cell := r.Sub(shown)
		cell.Fit(1, 0, shown.Width-1, paint, text, widget.Left)
		if mark == here {
			cell.Glyph(0, 0, themes.Accent.Strong(), r.Glyphs().Pointer)
			cell.Light()
		}
		if mark == at && p.moved && focus == widget.Focused {
			cell.Select()
		}
		p.chips = append(p.chips, chip{mark, x, shown.Width})
		x += shown.Width + 1
	}
}

// Move takes the cursor along the timeline; rows count as columns do.
func (p *Timeline) Move(f *session.Frame, rows, columns int) { p.put(f, p.at(f)+rows+columns) }

// MovePages takes the cursor a tenth of the timeline at a time.
func (p *Timeline) MovePages(f *session.Frame, pages int) {
	p.put(f, p.at(f)+pages*max(len(f.Timeline)/10, 1))
}

// MoveTo takes the cursor to the first or the last mark.
func (p *Timeline) MoveTo(f *session.Frame, end End) {
	if end == Last {
		p.put(f, len(f.Timeline)-1)
		return
	}
	p.put(f, 0)
}

// Point puts the cursor on what was drawn at a place of the region; false: nothing is there.
func (p *Timeline) Point(f *session.Frame, x, y int) bool {
	for _, c := range p.chips {
		if y == p.chipsY && x >= c.x && x < c.x+c.width {
			p.put(f, c.mark)
			return true
		}
	}
	if !p.drawn.Contains(x, y) || len(f.Timeline) == 0 {
		return false
	}
	s := widget.Strip{Length: len(f.Timeline)}
	p.put(f, s.PositionAt(x-p.drawn.X, p.drawn.Width))
	return true
}

// Selection is the pod of the cycle under the cursor.
func (p *Timeline) Selection(f *session.Frame) view.Selection {
	s := view.Nothing()
	if at := p.at(f); at >= 0 && f.Timeline[at].Pod != "" {
		s.Subject, s.Pod = view.OfPod, f.Timeline[at].Pod
	}
	return s
}

// Target is the step to go to for what is under the cursor: that of its cycle or event. False: there is none.
func (p *Timeline) Target(f *session.Frame) (step int, ok bool) {
	at := p.at(f)
	if at < 0 {
		return 0, false
	}
	return f.Timeline[at].Step, true
}

// put moves the cursor to a mark, or the nearest there is.
func (p *Timeline) put(f *session.Frame, mark int) {
	p.cursor, p.moved = mark, len(f.Timeline) > 0
}

// at is the mark under the cursor; -1 when there is none.
func (p *Timeline) at(f *session.Frame) int {
	if !p.moved {
		return present(f)
	}
	p.cursor = min(max(p.cursor, 0), len(f.Timeline)-1)
	return p.cursor
}

// present is the mark of the step the session is in, or the last before it; the first before all; -1 without marks.
func present(f *session.Frame) int {
	after, exact := slices.BinarySearchFunc(f.Timeline, f.Position.Step, func(m session.Mark, step int) int {
		return m.Step - step
	})
	if exact {
		return after
	}
	return min(max(after-1, 0), len(f.Timeline)-1)
}

// sync makes the marks of the strip, when the timeline has grown or is another one, or the strip is.
func (p *Timeline) sync(f *session.Frame, s widget.Strip, width int, g *themes.Glyphs) {
	all := f.Timeline
	last := &all[len(all)-1]
	key := markKey{&all[0], last.Step, last.Cycle, last.Outcome, len(all), width, g.Pass}
	if key == p.made {
		return
	}
	p.made, p.marks = key, p.marks[:0]
	column := -1
	for i := range all {
		weight := markWeight(&all[i])
		at := s.ColumnOf(i, width)
		if at == column && weight <= p.marks[len(p.marks)-1].Weight {
			continue
		}
		if at == column {
			p.marks = p.marks[:len(p.marks)-1]
		}
		column = at
		sign, paint := markSign(&all[i], g)
		p.marks = append(p.marks, widget.Mark{Position: i, Weight: weight, Glyph: sign, Paint: paint})
	}
}

// markSign is the glyph of a mark and its paint.
func markSign(m *session.Mark, g *themes.Glyphs) (rune, themes.Paint) {
	if m.Cycle == 0 {
		return g.Event, themes.Accent
	}
	if m.Outcome == "" { // the cursor is in the middle of it
		return g.Ellipsis, themes.Muted
	}
	sign, paint := outcomeSign(m.Outcome, g)
	return []rune(sign)[0], paint
}

// markWeight decides which of several marks in one column is seen: trouble first, then what changed the cluster.
func markWeight(m *session.Mark) int {
	switch m.Outcome {
	case trace.SchedulerError:
		return 5
	case trace.Preempting:
		return 4
	case trace.NotSchedulable:
		return 3
	case trace.Scheduled, trace.Waiting, trace.SkippedScheduling:
		return 1
	}
	return 2
}

// chipText is a mark in a few words.
func chipText(lang words.Language, m *session.Mark, g *themes.Glyphs) string {
	sign, _ := markSign(m, g)
	if m.Cycle == 0 {
		return fmt.Sprintf("%c %s", sign, eventText(lang, m))
	}
	differs := ""
	if m.Differs {
		differs = string(g.Divergence)
	}
	return fmt.Sprintf("%d %c%s %s", m.Cycle, sign, differs, view.PodName(lang, m.Pod))
}

// eventText is a mark of an event in a few words.
func eventText(lang words.Language, m *session.Mark) string {
	if m.Planned > 0 {
		return lang.Say("step %d: %s", m.Planned, m.Command)
	}
	return m.Event
}

// markWords is a mark in a sentence.
func markWords(lang words.Language, m *session.Mark) string {
	if m.Cycle == 0 {
		return lang.Say("%s at %s", eventText(lang, m), view.Clock(lang, m.At))
	}
	if m.Outcome == "" {
		return lang.Say("cycle %d, %s", m.Cycle, prose.Entity(lang, m.Pod))
	}
	said := lang.Say("cycle %d, %s: %s", m.Cycle, prose.Entity(lang, m.Pod), strings.ToLower(string(m.Outcome)))
	if m.Differs {
		said += lang.Of("; recorded otherwise")
	}
	return said
}
