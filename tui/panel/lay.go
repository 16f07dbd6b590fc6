package panel

import (
	"strings"

	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// lay lays lines out: a paint for each role, two columns for each level, and in front the glyph of their sign or, of
// evidence, a bullet.
func lay(lines []prose.Line, g *themes.Glyphs) []widget.Paragraph {
	var text []widget.Paragraph
	for _, l := range lines {
		indent := strings.Repeat("  ", l.Level)
		paragraph := widget.Paragraph{{Text: indent + l.Text, Paint: linePaints[l.Role]}}
		if glyph, paint := lineSign(l.Sign, g); glyph != 0 {
			paragraph = widget.Paragraph{
				{Text: indent + string(glyph) + " ", Paint: paint}, {Text: l.Text, Paint: linePaints[l.Role]},
			}
		} else if l.Role == prose.Evidence {
			paragraph[0].Text = indent + string(g.Bullet) + " " + l.Text
		}
		text = append(text, paragraph)
	}
	return text
}

// linePaints are how lines of prose look, by their role.
var linePaints = [...]themes.Paint{
	prose.Verdict: themes.Text, prose.Heading: themes.Title.Strong(), prose.Evidence: themes.Text,
	prose.Change: themes.Accent, prose.Note: themes.Muted,
}

// lineSign is the glyph of a sign and its paint; no glyph for none.
func lineSign(s prose.Sign, g *themes.Glyphs) (rune, themes.Paint) {
	sign := [...]struct {
		glyph rune
		paint themes.Paint
	}{
		prose.NoSign:   {0, themes.Text},
		prose.Passes:   {g.Pass, themes.Pass},
		prose.Rejects:  {g.Fail, themes.Fail},
		prose.Final:    {g.FailUnresolvable, themes.FailUnresolvable},
		prose.Broken:   {g.Error, themes.Error},
		prose.NotAsked: {g.NotAsked, themes.NotAsked},
		prose.NotTried: {g.NotSampled, themes.NotSampled},
		prose.Waits:    {g.Waiting, themes.Warn},
		prose.Diverges: {g.Divergence, themes.Warn},
		prose.Running:  {g.Pointer, themes.Accent},
		prose.Guesses:  {g.Guess, themes.Warn},
	}[s]
	return sign.glyph, sign.paint
}
