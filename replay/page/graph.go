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
