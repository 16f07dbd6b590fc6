package panel

import (
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// Inside shows the parts of the scheduler that do not change where a pod goes.
type Inside struct {
	textPanel
	name   func(words.Language) string
	tells  func(*session.Frame) []prose.Line
	filter string // in lower case; "": none

	made  *session.Frame
	lines []prose.Line
}

// NewCache shows the content of the scheduler's cache.
func NewCache() *Inside {
	return &Inside{
		name:  func(l words.Language) string { return l.Of("Cache") },
		tells: func(f *session.Frame) []prose.Line { return prose.Cache(f.Language, f.At.Cache()) },
	}
}

// NewStart shows how the scheduler comes to its first cycle.
func NewStart() *Inside {
	return &Inside{
		name:  func(l words.Language) string { return l.Of("Start") },
		tells: func(f *session.Frame) []prose.Line { return prose.Beginning(f.Language, f.At.Beginning()) },
	}
}

// Title is the title of its box.
func (p *Inside) Title(f *session.Frame) string { return p.name(f.Language) }

// Note is empty.
func (p *Inside) Note(*session.Frame) string { return "" }

// Filter shows only lines that contain the text, whatever the case; "" shows all.
func (p *Inside) Filter(text string) { p.filter, p.made = strings.ToLower(text), nil }

// Draw fills the region.
func (p *Inside) Draw(f *session.Frame, r widget.Region, _ widget.Focus) {
	if p.made != f {
		p.made, p.lines = f, p.lines[:0]
		for _, l := range p.tells(f) {
			if p.filter == "" || strings.Contains(strings.ToLower(l.Text), p.filter) {
				p.lines = append(p.lines, l)
			}
		}
	}
	if len(p.lines) == 0 {
		widget.DrawParagraph(r, 0, widget.Plain(themes.Muted, nothingWith(f.Language, p.filter)))
		return
	}
	p.pager.Draw(r.Sub(layout.Rect{Width: r.Width() - 1, Height: r.Height()}), lay(p.lines, r.Glyphs()))
}

// nothingWith reports that no line contains a text.
func nothingWith(lang words.Language, text string) string {
	return lang.Say("No line contains %q.", text)
}

// Selection is of nothing.
func (p *Inside) Selection(*session.Frame) view.Selection { return view.Nothing() }
