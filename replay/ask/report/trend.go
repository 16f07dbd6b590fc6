package report

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/page"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// trendColumns is how many values a line of a page has at most.
const trendColumns = 60

// trendSection is how the figures went: lines below each other, and the same as a table that names what they count.
func trendSection(t trend.Trend, l words.Language) []page.Section {
	curves := t.Curves(trendColumns)
	if len(curves) == 0 {
		return nil
	}
	about := t.About(l, len(curves[0].Values))
	section := page.Section{
		Title: l.Of("The run over virtual time"), Text: []string{about},
		Head: l.Each("figure", "at the end", "lowest", "highest", "over the run", "is"),
	}
	sparks := make([]page.Spark, len(curves))
	for i := range curves {
		c := &curves[i]
		sparks[i] = page.Spark{Name: c.Name(l), Says: c.Says(l)}
		for _, v := range c.Values {
			sparks[i].Parts = append(sparks[i].Parts, v/c.Top)
			sparks[i].Values = append(sparks[i].Values, c.Text(v))
		}
		section.Rows = append(section.Rows, page.Plain(
			c.Name(l), c.Text(c.Now), c.Text(c.Lowest()), c.Text(c.Highest()), blocks(c), c.Meaning(l),
		))
	}
	section.Picture = page.Sparks(about, sparks)
	return []page.Section{section}
}

// mostBlocks is how many signs the line of a table has at most.
const mostBlocks = 20

// blocks is a curve as text, for tables; of more values than there are signs the highest of each stretch.
func blocks(c *trend.Curve) string {
	signs := []rune("▁▂▃▄▅▆▇██") // the lowest is 0 alone
	var b strings.Builder
	for of := range slices.Chunk(c.Values, (len(c.Values)+mostBlocks-1)/mostBlocks) {
		b.WriteRune(signs[c.Level(slices.Max(of))])
	}
	return b.String()
}
