package panel

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// legend is what the signs mean.
func (p *Filters) legend(lang words.Language, g *themes.Glyphs) []part {
	parts := []part{
		{widget.Plain(themes.Muted, lang.Say(" %c passes", g.Pass)), 2},
		{widget.Plain(themes.Muted, lang.Say("%c fails", g.Fail)), 1},
		{widget.Plain(themes.Muted, lang.Say("%c fails, and preemption cannot help", g.FailUnresolvable)), 3},
		{widget.Plain(themes.Muted, lang.Say("(%c) (%c) not asked, would pass, fail", g.Pass, g.Fail)), 4},
		{widget.Plain(themes.Muted, lang.Say("%c nothing to check", g.NotAsked)), 5},
	}
	if p.table.Sheet.Matrix.Guesses != nil {
		parts = append(parts, part{widget.Plain(themes.Muted, lang.Say("%c rests on a guess", g.Guess)), 0})
	}
	return parts
}
