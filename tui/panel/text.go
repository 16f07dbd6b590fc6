package panel

import (
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/widget"
)

// textPanel is what the panels of text have in common: it scrolls, and has no cursor.
type textPanel struct{ pager widget.Pager }

// Move scrolls some lines down.
func (p *textPanel) Move(_ *session.Frame, rows, _ int) { p.pager.Scroll(rows) }

// MovePages scrolls by whole windows; less than zero is up.
func (p *textPanel) MovePages(_ *session.Frame, pages int) { p.pager.ScrollPages(pages) }

// MoveTo scrolls to the first or the last line.
func (p *textPanel) MoveTo(_ *session.Frame, end End) {
	p.pager.Rewind()
	if end == Last {
		_, _, total := p.pager.Seen()
		p.pager.Scroll(total)
	}
}

// Point does nothing: text has no cursor.
func (p *textPanel) Point(*session.Frame, int, int) bool { return false }
