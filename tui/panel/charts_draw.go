package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// mostChartName is how wide the name before a bar is at most.
const mostChartName = 18

// waveLine is one row of the line of a series: the highest row of it is that of the last band.
type waveLine struct {
	name        string // "" above the lowest row
	values      []int
	top         int // what fills all rows
	band, bands int
}

// widestColumn is how many columns one value takes at most.
const widestColumn = 4

func (l waveLine) draw(lang words.Language, r widget.Region) {
	const name = 14
	r.Fit(0, 0, name-1, themes.Text, l.name, widget.Left)
	said := l.figures(lang)
	width := r.Width() - name - 2 - widget.Width(lang.Say("most %d, now %d", l.top, l.top))
	if width < 4 {
		r.Fit(name, 0, r.Width()-name, themes.Text, said, widget.Left)
		return
	}
	shown, _ := thinned(l.values, width)
	column := min(max(width/len(shown), 1), widestColumn)
	for i, v := range shown {
		if sign := l.sign(r.Glyphs(), v); sign != 0 {
			r.Repeat(name+i*column, 0, column, themes.Accent, sign)
		}
	}
	if l.band == 0 {
		x := name + len(shown)*column + 2
		r.Fit(x, 0, r.Width()-x, themes.Text, said, widget.Left)
	}
}

// sign is what a value fills of the row, in eighths; 0 for nothing. A value above 0 is always seen.
func (l waveLine) sign(g *themes.Glyphs, v int) rune {
	eighths := v*l.bands*8/l.top - l.band*8
	if v > 0 && l.band == 0 {
		eighths = max(eighths, 1)
	}
	if eighths <= 0 {
		return 0
	}
	return g.Rise[min(eighths, 8)-1]
}

func (l waveLine) figures(lang words.Language) string {
	return lang.Say("most %d, now %d", slices.Max(l.values), l.values[len(l.values)-1])
}

// mostSaidValues is how many numbers of a series are written in words.
const mostSaidValues = 20

func (l waveLine) words(lang words.Language) string {
	if l.name == "" {
		return ""
	}
	text, stretch := series(l.values, mostSaidValues)
	if stretch > 1 {
		return lang.Say("%s: %s; the highest of every %d cycles: %s", l.name, l.figures(lang), stretch, text)
	}
	return lang.Say("%s: %s; after each cycle: %s", l.name, l.figures(lang), text)
}

// domainLine is a bar for the pods of a domain, with the most that it may have.
type domainLine struct {
	spread *trace.Spread
	domain trace.Domain
	name   int   // columns of the names
	top    int64 // what fills the bar
}

// domainBar is where the bars of domains are in a row.
func domainBar(lang words.Language, s *trace.Spread, top int64, name int, r widget.Region) layout.Rect {
	says := widget.Width(DomainInWords(lang, s, trace.Domain{Pods: top + s.Most()}))
	return layout.Rect{X: name + 3, Width: min(r.Width()-name-3-says-2, 60), Height: 1}
}

// column is where in a bar a number of pods ends.
func (l domainLine) column(pods int64, width int) int { return int(pods * int64(width-1) / l.top) }

func (l domainLine) draw(lang words.Language, r widget.Region) {
	sign, paint := r.Glyphs().Pass, themes.Pass
	if !l.spread.Takes(l.domain) {
		sign, paint = r.Glyphs().Fail, themes.Fail
	}
	r.Glyph(0, 0, paint, sign)
	r.Fit(2, 0, l.name, themes.Text, cutMiddle(l.domain.Name, l.name), widget.Left)
	at := domainBar(lang, l.spread, l.top, l.name, r)
	if at.Width < 6 {
		r.Fit(at.X, 0, r.Width()-at.X, themes.Text, DomainInWords(lang, l.spread, l.domain), widget.Left)
		return
	}
	bar := r.Sub(at)
	bar.Repeat(0, 0, l.column(l.domain.Pods, at.Width), paint, bar.Glyphs().Parts[7])
	bar.Glyph(l.column(l.spread.Fewest, at.Width), 0, themes.Text, bar.Glyphs().Separator)
	bar.Glyph(l.column(l.spread.Most(), at.Width), 0, themes.Text.Strong(), bar.Glyphs().Separator)
	r.Fit(at.X+at.Width+2, 0, r.Width()-at.X-at.Width-2, themes.Text, DomainInWords(lang, l.spread, l.domain), widget.Left)
}

func (l domainLine) words(lang words.Language) string {
	return lang.Say("domain %s: %s", l.domain.Name, DomainInWords(lang, l.spread, l.domain))
}

// axisLine explains below the bars of domains their two marks.
type axisLine struct {
	spread *trace.Spread
	name   int
	top    int64
}

func (l axisLine) draw(lang words.Language, r widget.Region) {
	at := domainBar(lang, l.spread, l.top, l.name, r)
	if at.Width < 6 || len(l.spread.Domains) == 0 {
		return
	}
	of := domainLine{top: l.top}
	fewest := lang.Say("fewest %d", l.spread.Fewest)
	most := lang.Say("at most %d", l.spread.Most())
	from := at.X + of.column(l.spread.Fewest, at.Width)
	end := r.Text(from, 0, themes.Muted, fewest)
	to := at.X + of.column(l.spread.Most(), at.Width)
	r.Text(max(to, end+2), 0, themes.Muted, most)
}

func (l axisLine) words(words.Language) string { return "" }

// usageLine is two bars for one resource of a node: before, and now.
type usageLine struct {
	node           string
	short          Shortener
	of             []ChangedUsage
	at             int // in of
	name, resource int // columns
}

func (l usageLine) draw(lang words.Language, r widget.Region) {
	u := &l.of[l.at]
	if l.at == 0 {
		r.Fit(0, 0, l.name, themes.Text, l.short.Cut(l.node, l.name), widget.Left)
	}
	x := l.name + 1
	r.Fit(x, 0, l.resource, themes.Muted, cutMiddle(u.Resource, l.resource), widget.Left)
	x += l.resource + 1
	const percent, arrow, change = 5, 3, 6
	width := min((r.Width()-x-2*percent-arrow-change)/2, 40)
	if width < 3 {
		r.Fit(x, 0, r.Width()-x, themes.Text, u.InWords(lang), widget.Left)
		return
	}
	before, now := fmt.Sprintf("%3.0f%%", 100*u.Before.Part()), fmt.Sprintf("%3.0f%%", 100*u.Now.Part())
	var says string
	switch points := u.Points(); {
	case u.New:
		before, says = "   -", lang.Of("new")
	case u.Gone:
		now, says = "   -", lang.Of("gone")
	case points >= 0.5 || points <= -0.5:
		says = fmt.Sprintf("%+.0f", points)
	}
	drawPart := func(text string, part float64, paint themes.Paint) {
		r.Text(x, 0, themes.Text, text)
		if part > 1 {
			paint = themes.Error
		}
		widget.DrawBar(r, x+percent, 0, width, part, paint)
		x += percent + width
	}
	drawPart(before, u.Before.Part(), themes.Muted)
	r.Glyph(x+1, 0, themes.Muted, r.Glyphs().Arrow)
	x += arrow
	drawPart(now, u.Now.Part(), themes.Accent)
	r.Fit(x+1, 0, change-1, themes.Text, says, widget.Right)
}

func (l usageLine) words(lang words.Language) string {
	if l.at > 0 {
		return ""
	}
	said := make([]string, len(l.of))
	for i := range l.of {
		said[i] = l.of[i].InWords(lang)
	}
	return lang.Say("node %s: %s", l.node, strings.Join(said, lang.Of("; ")))
}
