package panel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// LessonKey is a key of a lesson, as the last lines of the panel show it.
type LessonKey struct {
	Key, Does string
	Blocked   bool // it can do nothing now
	Now       bool // it is what the task waits for, or what comes after it
}

// Lesson is a page of a lesson: the text above, and below it the task with its missing parts, hints, and the text at
// the end. The two scroll on their own; the last lines are the keys.
type Lesson struct {
	textPanel // what there is to read
	page      lesson.Page
	words     lesson.Words
	keys      []LessonKey
	task      widget.Pager
	news      bool // a hint is new, and to be seen
	focusKey  string
	open      time.Duration // the lesson, by now
}

// Show sets what is shown. Another page is shown from its top, and so is the text at the end of a task; a new hint is
// scrolled into view. FocusKey is the key that brings the arrow keys here; open, how long the lesson is open.
func (p *Lesson) Show(page lesson.Page, words lesson.Words, keys []LessonKey, focusKey string, open time.Duration) {
	if page.Number != p.page.Number || page.Lesson != p.page.Lesson {
		p.pager.Rewind()
		p.task.Rewind()
	}
	if page.Done && !p.page.Done {
		p.task.Rewind()
	}
	p.news = len(page.Hints) > len(p.page.Hints)
	p.page, p.words, p.keys, p.focusKey, p.open = page, words, keys, focusKey, open
}

// Title is the title of its box.
func (p *Lesson) Title(f *session.Frame) string {
	return p.page.Lesson
}

// Note is the number of the page.
func (p *Lesson) Note(f *session.Frame) string {
	if p.page.Of == 0 {
		return ""
	}
	note := p.words.Say("page", p.page.Number, p.page.Of)
	if first, end, total := p.pager.Seen(); end < total || first > 0 {
		note = fmt.Sprintf("%d-%d/%d, ", first+1, end, total) + note
	}
	return note
}

// Draw fills the region.
func (p *Lesson) Draw(_ *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	r = r.Sub(layout.Rect{X: 1, Width: r.Width() - 2, Height: r.Height()})
	whole := r
	r = p.drawKeys(r)
	body := append([]widget.Paragraph{widget.Plain(themes.Title.Strong(), p.page.Title), nil}, laid(p.page.Body)...)
	task := p.below(r.Glyphs())
	most := r.Height() * 3 / 5
	if p.page.Done || len(p.page.Hints) > 0 { // the page is read by then
		most = r.Height() - leastBody
	}
	rows := min(heightOf(task, r.Width()), max(r.Height()-heightOf(body, r.Width())-1, most))
	if rows > 0 {
		below := r.Sub(layout.Rect{Y: r.Height() - rows, Width: r.Width(), Height: rows})
		p.task.Draw(below, task)
		if p.news {
			p.news = false
			p.task.Scroll(heightOf(task, r.Width()))
			p.task.Draw(below, task)
		}
		r.Repeat(0, r.Height()-rows-1, r.Width(), themes.Border, r.Glyphs().Box.Horizontal)
		if _, end, total := p.task.Seen(); end < total {
			p.drawMore(whole, min(r.Height(), whole.Height()-1), focus)
		}
		rows++
	} else if heightOf(body, r.Width()) > r.Height() {
		rows = 1
		r.Repeat(0, r.Height()-rows, r.Width(), themes.Border, r.Glyphs().Box.Horizontal)
	}
	p.pager.Draw(r.Sub(layout.Rect{Width: r.Width(), Height: r.Height() - rows}), body)
	if _, end, total := p.pager.Seen(); end < total && rows > 0 {
		p.drawMore(r, r.Height()-rows, focus)
	}
}

// drawMore draws in a row that there is more below it, and the key that shows it.
func (p *Lesson) drawMore(r widget.Region, y int, focus widget.Focus) {
	more := widget.Paragraph{
		{Text: noBreak + "down", Paint: themes.Accent}, {Text: noBreak + p.words.Say("key-more") + noBreak},
	}
	if focus != widget.Focused && p.focusKey != "" {
		more = append(widget.Paragraph{{Text: noBreak + p.focusKey, Paint: themes.Accent}}, more...)
	}
	widget.DrawParagraph(r.Sub(layout.Rect{X: 2, Y: y, Width: r.Width() - 2, Height: 1}), 0, more)
}

// leastBody is how many rows of the page are seen above a long task.
const leastBody = 6

// heightOf is how many lines paragraphs take.
func heightOf(text []widget.Paragraph, width int) int {
	lines := 0
	for _, paragraph := range text {
		lines += len(widget.Wrap(paragraph, width))
	}
	return lines
}

// below is the task, and how far it is done.
func (p *Lesson) below(g *themes.Glyphs) []widget.Paragraph {
	if len(p.page.Task) == 0 {
		return nil
	}
	worth := p.words.Say("worth", p.page.Points, lesson.MostPoints)
	if p.page.Points == lesson.MostPoints && p.page.More > 0 {
		worth = p.words.Say("worth-all", p.page.Points)
	}
	if p.page.Before {
		worth = p.words.Say("done-before", p.page.Kept)
	}
	head := append(
		widget.Plain(themes.Title.Strong(), p.words.Say("task")), widget.Span{Text: "  " + worth, Paint: themes.Muted},
	)
	if p.page.Minutes > 0 {
		seconds := int(p.open.Seconds())
		spent := p.words.Say("open-for", fmt.Sprintf("%d:%02d", seconds/60, seconds%60), p.page.Minutes)
		head = append(head, widget.Span{Text: "  " + spent, Paint: themes.Muted})
	}
	if p.page.Done {
		head = widget.Plain(themes.Pass.Strong(), string(g.Pass)+" "+p.words.Say("done"))
		head = append(head, widget.Span{
			Text: "  " + p.words.Say("points", p.page.Points, lesson.MostPoints), Paint: themes.Muted,
		})
		if p.page.Took > 0 {
			took := p.words.Say("took", p.page.Took, p.page.Minutes)
			head = append(head, widget.Span{Text: "  " + took, Paint: themes.Muted})
		}
		return append([]widget.Paragraph{head}, laid(p.page.After)...)
	}
	text := append([]widget.Paragraph{head}, laid(p.page.Task)...)
	wants := slices.Clone(p.page.Wants)
	slices.SortStableFunc(wants, func(a, b lesson.Want) int { return len(b.Reason) - len(a.Reason) })
	for _, w := range wants {
		sign, paint := g.NotAsked, themes.Muted
		if w.Met {
			sign, paint = g.Pass, themes.Pass
		}
		text = append(text, append(widget.Paragraph{{Text: string(sign) + " ", Paint: paint}}, inline(w.Text)...))
		for _, reason := range laid(w.Reason) {
			text = append(text, append(widget.Paragraph{{Text: "  " + string(g.Fail) + " ", Paint: themes.Fail}}, reason...))
		}
	}
	if p.page.Answer != "" {
		text = append(text, widget.Plain(themes.Warn, p.words.Say("answered", p.page.Answer)))
		text = append(text, laid(p.page.Reason)...)
	}
	for _, h := range p.page.Hints {
		text = append(text, nil, widget.Plain(themes.Warn, p.words.Say("hint")))
		text = append(text, laid(h)...)
	}
	return text
}

// drawKeys draws the keys on the last lines and returns what is above. The words of one key stay on one line.
func (p *Lesson) drawKeys(r widget.Region) widget.Region {
	var rows []widget.Paragraph
	used := 0
	for _, k := range p.keys {
		key, does := themes.Accent, themes.Text
		if k.Blocked {
			key, does = themes.Muted, themes.Muted
		}
		both := widget.Paragraph{{Text: k.Key, Paint: key}, {Text: " " + k.Does, Paint: does}}
		width := widget.Width(both.String())
		if len(rows) == 0 || used+2+width > r.Width() {
			rows, used = append(rows, both), width
			continue
		}
		last := len(rows) - 1
		rows[last] = append(append(rows[last], widget.Span{Text: "  ", Paint: themes.Text}), both...)
		used += 2 + width
	}
	if len(rows)+4 > r.Height() {
		return r
	}
	for i, row := range rows {
		widget.DrawLine(r, 0, r.Height()-len(rows)+i, row)
	}
	return r.Sub(layout.Rect{Width: r.Width(), Height: r.Height() - len(rows) - 1})
}

const noBreak = "\u00a0"

// DrawTask draws the task in a few lines, for where the page is not shown, and the keys for it.
func (p *Lesson) DrawTask(r widget.Region) {
	r.Fill(themes.Text)
	text := widget.Paragraph{
		{Text: p.focusKey, Paint: themes.Accent}, {Text: " " + p.words.Say("key-lesson") + "  ", Paint: themes.Text},
	}
	for _, k := range p.keys {
		if k.Now && !k.Blocked {
			text = append(text, widget.Span{Text: k.Key, Paint: themes.Accent}, widget.Span{Text: " " + k.Does + "  "})
		}
	}
	switch missing := p.page.Missing(); {
	case p.page.Done:
		text = append(text, widget.Span{Text: string(r.Glyphs().Pass) + " " + p.words.Say("done"), Paint: themes.Pass})
	case missing != "":
		text = append(text, widget.Span{Text: p.words.Say("missing", missing), Paint: themes.Warn})
	default:
		text = append(text, widget.Span{Text: p.page.Title, Paint: themes.Title})
	}
	widget.DrawParagraph(r, 0, text)
}

// laid are paragraphs of a lesson, with an empty line between those of prose.
func laid(paragraphs []lesson.Paragraph) []widget.Paragraph {
	var text []widget.Paragraph
	for i, p := range paragraphs {
		if i > 0 && (p.Shape == lesson.Prose || p.Shape != paragraphs[i-1].Shape) {
			text = append(text, nil)
		}
		switch p.Shape {
		case lesson.Item:
			text = append(text, append(widget.Paragraph{{Text: "- ", Paint: themes.Muted}}, inline(p.Text)...))
		case lesson.Quote:
			text = append(text, widget.Plain(themes.Warn, "“"+p.Text+"”"))
		case lesson.Code:
			text = append(text, widget.Plain(themes.Accent, p.Text))
		case lesson.Prose:
			text = append(text, inline(p.Text))
		}
	}
	return text
}

// inline is a text whose words between back quotes and double asterisks stand out.
func inline(text string) widget.Paragraph {
	var out widget.Paragraph
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			out = append(out, widget.Span{Text: part, Paint: themes.Accent})
			continue
		}
		for j, piece := range strings.Split(part, "**") {
			paint := themes.Text
			if j%2 == 1 {
				paint = themes.Text.Strong()
			}
			out = append(out, widget.Span{Text: piece, Paint: paint})
		}
	}
	return out
}

// Move scrolls the page, and when its end is seen the task.
func (p *Lesson) Move(_ *session.Frame, rows, _ int) {
	first, end, total := p.pager.Seen()
	if rows > 0 && end >= total || rows < 0 && first == 0 {
		p.task.Scroll(rows)
		return
	}
	p.pager.Scroll(rows)
}

// Selection is of nothing.
func (p *Lesson) Selection(*session.Frame) view.Selection { return view.Nothing() }
