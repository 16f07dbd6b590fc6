package panel

import (
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/view"
)

// markGlyph is how a mark is drawn.
func markGlyph(m view.Mark, g *themes.Glyphs) (rune, themes.Paint) {
	switch m {
	case view.IsChosen:
		return g.Pointer, themes.Pass.Strong()
	case view.IsFeasible:
		return g.Pass, themes.Pass
	case view.IsRejected:
		return g.Fail, themes.Fail
	case view.IsHopeless:
		return g.FailUnresolvable, themes.FailUnresolvable
	case view.IsUntried:
		return g.NotSampled, themes.NotSampled
	case view.LosesPods:
		return g.Event, themes.Warn
	case view.Unmarked:
	}
	return ' ', themes.Text
}
