package panel

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// drawLegend says what the signs mean, where rows are left over for it.
func (p *Filters) drawLegend(lang words.Language, r widget.Region) {
	if r.Height() < len(p.table.rows)+4 {
		return
	}
	g := r.Glyphs()
	parts := []part{
		{widget.Plain(themes.Muted, lang.Say(" %c passes", g.Pass)), 2},
		{widget.Plain(themes.Muted, lang.Say("%c fails", g.Fail)), 1},
		{widget.Plain(themes.Muted, lang.Say("%c fails, and preemption cannot help", g.FailUnresolvable)), 3},
		{widget.Plain(themes.Muted, lang.Say("(%c) (%c) not asked, would pass, fail", g.Pass, g.Fail)), 4},
		{widget.Plain(themes.Muted, lang.Say("%c nothing to check", g.NotAsked)), 5},
	}
	drawParts(r, r.Height()-1, fit(parts, r.Width(), "  "), "  ")
}
