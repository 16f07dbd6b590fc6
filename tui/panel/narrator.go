package panel

import (
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/narrator"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/view"
	"github.com/schedstep/schedstep/tui/widget"
)

// Narrator explains what kube-scheduler does at the cursor, and why.
type Narrator struct {
	textPanel
	words lesson.Words
	key   string // that closes it
	of    session.Position
}

// NewNarrator is a narrator that uses some words, and names the key that closes it.
func NewNarrator(w lesson.Words, key string) Narrator { return Narrator{words: w, key: key} }

// Title is the title of its box.
func (p *Narrator) Title(f *session.Frame) string { return p.words.Say("narrator") }

// Note is the key that opens and closes it.
func (p *Narrator) Note(f *session.Frame) string { return p.words.Say("narrator-closes", p.key) }

// Draw fills the region.
func (p *Narrator) Draw(f *session.Frame, r widget.Region, _ widget.Focus) {
	r.Fill(themes.Text)
	if f.Position != p.of {
		p.of = f.Position
		p.pager.Rewind()
	}
	var text []widget.Paragraph
	for i, line := range lay(narrator.Tell(f, p.words), r.Glyphs()) {
		if i > 0 {
			text = append(text, nil)
		}
		text = append(text, line)
	}
	p.pager.Draw(r.Sub(layout.Rect{X: 1, Width: r.Width() - 2, Height: r.Height()}), text)
}

// Selection is of nothing.
func (p *Narrator) Selection(*session.Frame) view.Selection { return view.Nothing() }
