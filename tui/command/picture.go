package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/replay/page"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
)

// The size of a tile of the cluster, and how many stand in a row.
const (
	tileWidth, tileHeight = 120.0, 58.0
	tilesInRow            = 8
	mostNamedTiles        = 400 // more nodes are small squares
	dotSize               = 9.0
	dotsInRow             = 100
	mostOfAName           = 17 // letters in a tile
)

// clusterPicture is nodes with what is requested of each, by zone; what the cycle of the frame made of a node is its
// colour, and is said in words too.
func clusterPicture(nodes []panel.MarkedNode) page.SVG {
	var shapes []page.Shape
	y, at := 0.0, 0
	width, height, row := tileWidth, tileHeight, tilesInRow
	draw := tileShapes
	if len(nodes) > mostNamedTiles {
		width, height, row = dotSize, dotSize, dotsInRow
		draw = dotShapes
	}
	for i := range nodes {
		n := &nodes[i]
		if i == 0 || n.Zone != nodes[i-1].Zone {
			if i > 0 {
				y += height
			}
			shapes = append(shapes, page.Shape{Y: y, Kind: page.Words, Label: panel.ZoneName(n.Zone)})
			y, at = y+16, 0
		}
		if at == row {
			y, at = y+height, 0
		}
		shapes = append(shapes, draw(n, float64(at)*width, y)...)
		at++
	}
	return page.Draw(fmt.Sprintf("%d nodes by zone, with the cpu and memory that is requested of each", len(nodes)),
		float64(row)*width, y+height+2, shapes)
}

// kindOf is the page's colour for what the cycle made of a node.
func kindOf(n *panel.MarkedNode) page.Kind {
	switch {
	case n.Chosen:
		return page.Chosen
	case n.Fits:
		return page.Good
	case n.Rejected:
		return page.Bad
	}
	return page.Filled
}

func dotShapes(n *panel.MarkedNode, x, y float64) []page.Shape {
	return []page.Shape{{X: x, Y: y, Width: dotSize - 1, Height: dotSize - 1, Kind: kindOf(n), Says: n.Line}}
}

func tileShapes(n *panel.MarkedNode, x, y float64) []page.Shape {
	const bar = tileWidth - 20
	made, _, _ := strings.Cut(n.Made, ",")
	shapes := []page.Shape{
		{X: x, Y: y, Width: tileWidth - 4, Height: tileHeight - 4, Kind: page.Ground, Says: n.Line},
		{X: x, Y: y, Width: 4, Height: tileHeight - 4, Kind: kindOf(n), Says: n.Line},
		{X: x + 4, Y: y + 1, Kind: page.Words, Label: panel.CutMiddle(n.Node, mostOfAName)},
		{X: x + 4, Y: y + 14, Kind: page.Words, Label: made},
	}
	for i, s := range []session.Share{n.CPU, n.Memory} {
		shapes = append(shapes, page.Shape{
			X: x + 8, Y: y + 32 + float64(i)*10, Width: bar * min(s.Part(), 1), Height: 7, Kind: page.Filled,
			Says: []string{"cpu", "memory"}[i] + fmt.Sprintf(" %.0f%% requested", 100*s.Part()),
		})
	}
	return shapes
}

// graph is a line of values as bars that stand close together; the highest fills the height.
func graph(about string, values []float64) page.SVG {
	const width, height, most = 800.0, 80.0, 400
	if len(values) > most { // the highest of each stretch is shown
		step := (len(values) + most - 1) / most
		var thinned []float64
		for stretch := range slices.Chunk(values, step) {
			thinned = append(thinned, slices.Max(stretch))
		}
		values = thinned
	}
	top := max(slices.Max(values), 1)
	var shapes []page.Shape
	each := width / float64(len(values))
	for i, v := range values {
		tall := height * v / top
		shapes = append(shapes, page.Shape{
			X: float64(i) * each, Y: height - tall + 14, Width: max(each-0.2, 0.5), Height: tall, Kind: page.Line,
			Says: fmt.Sprintf("%g", v),
		})
	}
	label := page.Shape{Kind: page.Words, Label: fmt.Sprintf("%s; at most %g", about, top)}
	return page.Draw(about, width, height+16, append(shapes, label))
}
