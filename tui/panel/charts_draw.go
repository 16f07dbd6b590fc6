package panel

import (
	"fmt"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// widestColumn is how many columns one value takes at most.
const widestColumn = 4

func drawWave(l *view.WaveLine, lang words.Language, r widget.Region) {
	const name = 14
	r.Fit(0, 0, name-1, themes.Text, l.Name, widget.Left)
	said := l.Figures(lang)
	width := r.Width() - name - 2 - widget.Width(lang.Say("most %d, now %d", l.Top, l.Top))
	if width < 4 {
		r.Fit(name, 0, r.Width()-name, themes.Text, said, widget.Left)
		return
	}
	shown, _ := view.Thinned(l.Values, width)
	column := min(max(width/len(shown), 1), widestColumn)
	for i, v := range shown {
		if sign := waveSign(l, r.Glyphs(), v); sign != 0 {
			r.Repeat(name+i*column, 0, column, themes.Accent, sign)
		}
	}
	if l.Band == 0 {
		x := name + len(shown)*column + 2
		r.Fit(x, 0, r.Width()-x, themes.Text, said, widget.Left)
	}
}

// waveSign is what a value fills of the row, in eighths; 0 for nothing. A value above 0 is always seen.
func waveSign(l *view.WaveLine, g *themes.Glyphs, v int) rune {
	eighths := v*l.Bands*8/l.Top - l.Band*8
	if v > 0 && l.Band == 0 {
		eighths = max(eighths, 1)
	}
	if eighths <= 0 {
		return 0
	}
	return g.Rise[min(eighths, 8)-1]
}

// domainBar is where the bars of domains are in a row.
func domainBar(lang words.Language, s *trace.Spread, top int64, name int, r widget.Region) layout.Rect {
	says := widget.Width(view.DomainInWords(lang, s, trace.Domain{Pods: top + s.Most()}))
	return layout.Rect{X: name + 3, Width: min(r.Width()-name-3-says-2, 60), Height: 1}
}

// domainColumn is where in a bar a number of pods ends.
func domainColumn(top, pods int64, width int) int { return int(pods * int64(width-1) / top) }

func drawDomain(l *view.DomainLine, lang words.Language, r widget.Region) {
	sign, paint := r.Glyphs().Pass, themes.Pass
	if !l.Spread.Takes(l.Domain) {
		sign, paint = r.Glyphs().Fail, themes.Fail
	}
	r.Glyph(0, 0, paint, sign)
	r.FitName(2, 0, l.Name, themes.Text, l.Domain.Name, widget.Left)
	at := domainBar(lang, l.Spread, l.Top, l.Name, r)
	if at.Width < 6 {
		r.Fit(at.X, 0, r.Width()-at.X, themes.Text, view.DomainInWords(lang, l.Spread, l.Domain), widget.Left)
		return
	}
	bar := r.Sub(at)
	bar.Repeat(0, 0, domainColumn(l.Top, l.Domain.Pods, at.Width), paint, bar.Glyphs().Parts[7])
	bar.Glyph(domainColumn(l.Top, l.Spread.Fewest, at.Width), 0, themes.Text, bar.Glyphs().Separator)
	bar.Glyph(domainColumn(l.Top, l.Spread.Most(), at.Width), 0, themes.Text.Strong(), bar.Glyphs().Separator)
	says := view.DomainInWords(lang, l.Spread, l.Domain)
	r.Fit(at.X+at.Width+2, 0, r.Width()-at.X-at.Width-2, themes.Text, says, widget.Left)
}

func drawAxis(l *view.AxisLine, lang words.Language, r widget.Region) {
	at := domainBar(lang, l.Spread, l.Top, l.Name, r)
	if at.Width < 6 || len(l.Spread.Domains) == 0 {
		return
	}
	fewest := lang.Say("fewest %d", l.Spread.Fewest)
	most := lang.Say("at most %d", l.Spread.Most())
	from := at.X + domainColumn(l.Top, l.Spread.Fewest, at.Width)
	end := r.Text(from, 0, themes.Muted, fewest)
	to := at.X + domainColumn(l.Top, l.Spread.Most(), at.Width)
	r.Text(max(to, end+2), 0, themes.Muted, most)
}

func drawUsage(l *view.UsageLine, lang words.Language, r widget.Region) {
	u := &l.Of[l.At]
	if l.At == 0 {
		r.FitName(0, 0, l.Name, themes.Text, l.Short.Short(l.Node, l.Name), widget.Left)
	}
	x := l.Name + 1
	r.FitName(x, 0, l.Resource, themes.Muted, u.Resource, widget.Left)
	x += l.Resource + 1
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

func drawCurve(l *view.CurveLine, lang words.Language, r widget.Region) {
	c := l.Curve
	r.FitName(0, 0, l.Name, themes.Text, c.Name(lang), widget.Left)
	at := l.Name + 1
	room := r.Width() - at - l.Says - 2
	if room < 4 {
		r.Fit(at, 0, r.Width()-at, themes.Text, c.Says(lang), widget.Left)
		return
	}
	values, _ := view.Thinned(c.Values, room)
	column := min(max(room/len(values), 1), widestColumn)
	for i, v := range values {
		if level := c.Level(v); level > 0 {
			r.Repeat(at+i*column, 0, column, themes.Accent, r.Glyphs().Rise[level-1])
		}
	}
	at += len(values)*column + 2
	r.Fit(at, 0, r.Width()-at, themes.Text, c.Says(lang), widget.Left)
}

// drawChart draws a row of a chart.
func drawChart(line view.ChartLine, lang words.Language, r widget.Region) {
	switch l := line.(type) {
	case view.TextLine:
		paint := themes.Muted
		if l.Heading {
			paint = themes.Title.Strong()
		}
		r.Fit(0, 0, r.Width(), paint, l.Text, widget.Left)
	case view.WaveLine:
		drawWave(&l, lang, r)
	case view.DomainLine:
		drawDomain(&l, lang, r)
	case view.AxisLine:
		drawAxis(&l, lang, r)
	case view.UsageLine:
		drawUsage(&l, lang, r)
	case view.CurveLine:
		drawCurve(&l, lang, r)
	}
}
