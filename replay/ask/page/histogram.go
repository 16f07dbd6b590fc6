package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/internal/words"
)

// Bars are the values of one side of a histogram, one for each of its parts.
type Bars struct {
	Name   string
	Kind   Kind
	Values []int
}

// Parts are the names of the parts that nodes are counted in by how full they are: without pods, then by tenths.
func Parts(l words.Language) []string {
	parts := []string{l.Of("no pods")}
	for i := range 10 {
		upper := i*10 + 9
		if i == 9 {
			upper = 100
		}
		parts = append(parts, fmt.Sprintf("%d-%d %%", i*10, upper))
	}
	return parts
}

// Histogram draws how many there are in each part, the sides beside each other: the number above each bar, the name of
// the part below. The highest bar fills the height.
func Histogram(about string, parts []string, sides ...Bars) SVG {
	const each, height, top = 72.0, 120.0, 36.0
	highest := 1
	for _, s := range sides {
		highest = max(highest, slices.Max(s.Values))
	}
	var shapes []Shape
	for k, s := range sides {
		x := float64(k) * 240
		shapes = append(shapes, Shape{X: x, Y: 2, Width: 10, Height: 10, Kind: s.Kind},
			Shape{X: x + 12, Kind: Words, Label: s.Name})
	}
	width := (each - 8) / float64(max(len(sides), 1))
	for i, part := range parts {
		left := float64(i) * each
		for k, s := range sides {
			tall := height * float64(s.Values[i]) / float64(highest)
			x := left + float64(k)*width
			shapes = append(
				shapes, Shape{
					X: x, Y: top + height - tall, Width: width - 2, Height: tall, Kind: s.Kind,
					Says: fmt.Sprintf("%s, %s: %d", s.Name, part, s.Values[i]),
				},
				Shape{X: x, Y: top + height - tall - 14, Kind: Words, Label: strconv.Itoa(s.Values[i])},
			)
		}
		shapes = append(shapes, Shape{X: left, Y: top + height + 2, Kind: Words, Label: part})
	}
	return Draw(about, float64(len(parts))*each, top+height+20, shapes)
}
