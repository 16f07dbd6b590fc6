package page

import (
	"fmt"
	"slices"
)

// Graph is a line of values, at least one, as bars that stand close together below what they are about; the highest
// fills the height. Where there is room, the value stands above each bar and its number below. Of many values
// that stand side by side the highest stands for all.
func Graph(about string, values []float64) SVG {
	const width, height, most, room = 800.0, 80.0, 400, 28.0
	if together := (len(values) + most - 1) / most; together > 1 {
		var highest []float64
		for of := range slices.Chunk(values, together) {
			highest = append(highest, slices.Max(of))
		}
		values = highest
	}
	top := max(slices.Max(values), 1)
	var shapes []Shape
	each := width / float64(len(values))
	for i, v := range values {
		tall := height * v / top
		x, said := float64(i)*each, fmt.Sprintf("%g", v)
		shapes = append(shapes, Shape{
			X: x, Y: room + height - tall, Width: max(each-0.2, 0.5), Height: tall, Kind: Line, Says: said,
		})
		if each >= room {
			shapes = append(shapes, Shape{X: x, Y: room + height - tall - 13, Kind: Words, Label: said},
				Shape{X: x, Y: room + height + 1, Kind: Words, Label: fmt.Sprint(i + 1)})
		}
	}
	label := Shape{Kind: Words, Label: about}
	return Draw(about, width, room+height+16, append(shapes, label))
}

// Spark is one of several lines of values below each other.
type Spark struct {
	Name   string
	Says   string    // stands behind it
	Parts  []float64 // of each value, what it fills of the height, from 0 to 1
	Values []string  // the same values as text
}

// Sparks are lines of values below each other, with a name before and figures behind each.
func Sparks(about string, lines []Spark) SVG {
	const names, width, says, high, gap = 220.0, 420.0, 240.0, 24.0, 6.0
	var shapes []Shape
	for i, l := range lines {
		y := float64(i) * (high + gap)
		shapes = append(shapes,
			Shape{Y: y + high - 14, Kind: Words, Label: l.Name},
			Shape{X: names, Y: y + high - 1, Width: width, Height: 1, Kind: Ground},
			Shape{X: names + width + 4, Y: y + high - 14, Kind: Words, Label: l.Says},
		)
		each := width / float64(max(len(l.Parts), 1))
		for k, part := range l.Parts {
			tall := high * min(max(part, 0), 1)
			shapes = append(shapes, Shape{
				X: names + float64(k)*each, Y: y + high - tall, Width: max(each-0.4, 0.6), Height: tall, Kind: Line,
				Says: l.Values[k],
			})
		}
	}
	return Draw(about, names+width+says, float64(len(lines))*(high+gap), shapes)
}
