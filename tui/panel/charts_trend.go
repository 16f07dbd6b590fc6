package panel

import (
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/trend"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// trendColumns is how many values a line of the run has at most.
const trendColumns = 60

// trendChart is how the figures of the run went until the cursor: packing, spread, waiting times and the like.
func trendChart(f *session.Frame) []chartLine {
	lang := f.Language
	lines := []chartLine{heading(lang.Of("The run over virtual time"))}
	t := f.Trend()
	curves := t.Curves(trendColumns)
	if len(curves) == 0 {
		return append(lines, aside(lang.Of("No cycle has run yet.")))
	}
	lines = append(lines, aside(t.About(lang, len(curves[0].Values))))
	names, says := 0, 0
	for i := range curves {
		names = max(names, widget.Width(curves[i].Name(lang)))
		says = max(says, widget.Width(curves[i].Says(lang)))
	}
	for i := range curves {
		lines = append(lines, curveLine{&curves[i], min(names, mostCurveName), says})
	}
	return lines
}

// mostCurveName is how wide the name of a curve is at most.
const mostCurveName = 30

// curveLine is one figure of the run, as a line of columns.
type curveLine struct {
	curve      *trend.Curve
	name, says int // columns of the names and of the figures
}

func (l curveLine) draw(lang words.Language, r widget.Region) {
	c := l.curve
	r.Fit(0, 0, l.name, themes.Text, cutMiddle(c.Name(lang), l.name), widget.Left)
	at := l.name + 1
	room := r.Width() - at - l.says - 2
	if room < 4 {
		r.Fit(at, 0, r.Width()-at, themes.Text, c.Says(lang), widget.Left)
		return
	}
	values, _ := thinned(c.Values, room)
	column := min(max(room/len(values), 1), widestColumn)
	for i, v := range values {
		if level := c.Level(v); level > 0 {
			r.Repeat(at+i*column, 0, column, themes.Accent, r.Glyphs().Rise[level-1])
		}
	}
	at += len(values)*column + 2
	r.Fit(at, 0, r.Width()-at, themes.Text, c.Says(lang), widget.Left)
}

func (l curveLine) words(lang words.Language) string {
	c := l.curve
	values, stretch := thinned(c.Values, mostSaidValues)
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = c.Text(v)
	}
	text := strings.Join(texts, lang.Of(", "))
	if stretch > 1 {
		return lang.Say("%s: %s; the highest of every %d columns: %s", c.Name(lang), c.Says(lang), stretch, text)
	}
	return lang.Say("%s: %s; column by column: %s", c.Name(lang), c.Says(lang), text)
}
