package panel

import (
	"slices"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// drawLegend says what the signs mean, where rows are left over for it: in two lines where one is too narrow.
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
	first := fit(parts, r.Width(), "  ")
	y := r.Height() - 1
	if len(first) < len(parts) && r.Height() > len(p.table.rows)+4 {
		rest := slices.DeleteFunc(slices.Clone(parts), func(of part) bool {
			return slices.ContainsFunc(first, func(drawn part) bool { return drawn.drop == of.drop })
		})
		rest[0].text = widget.Plain(themes.Muted, " "+rest[0].text.String())
		drawParts(r, y, fit(rest, r.Width(), "  "), "  ")
		y--
	}
	drawParts(r, y, first, "  ")
}
