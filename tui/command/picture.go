package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/page"
	"github.com/schedstep/schedstep/replay/session"
)

// The size of a tile of the cluster, and how many stand in a row.
const (
	tileWidth, tileHeight = 120.0, 58.0
	tilesInRow            = 8
	mostNamedTiles        = 400 // more nodes are small squares
	dotSize               = 9.0
	dotsInRow             = 100
)

// clusterPicture is nodes with what is requested of each, by zone; what a cycle made of a node is its colour, and is
// said in words too.
func clusterPicture(tiles []session.Tile, verdicts map[string]nodeVerdict) page.SVG {
	tiles = slices.Clone(tiles)
	slices.SortStableFunc(tiles, func(a, b session.Tile) int { return strings.Compare(a.Zone, b.Zone) })
	var shapes []page.Shape
	y, at := 0.0, 0
	width, height, row := tileWidth, tileHeight, tilesInRow
	small := len(tiles) > mostNamedTiles
	if small {
		width, height, row = dotSize, dotSize, dotsInRow
	}
	for i, t := range tiles {
		if i == 0 || t.Zone != tiles[i-1].Zone {
			if i > 0 {
				y += height
			}
			shapes = append(shapes, page.Shape{Y: y, Kind: page.Words, Label: zoneLabel(t.Zone)})
			y, at = y+16, 0
		}
		if at == row {
			y, at = y+height, 0
		}
		shapes = append(shapes, tileShapes(t, float64(at)*width, y, small, verdicts[t.Node])...)
		at++
	}
	return page.Draw(fmt.Sprintf("%d nodes by zone, with the cpu and memory that is requested of each", len(tiles)),
		float64(row)*width, y+height+2, shapes)
}

func zoneLabel(zone string) string {
	if zone == "" {
		return "no zone"
	}
	return "zone " + zone
}

// nodeVerdict is what a cycle made of a node.
type nodeVerdict struct {
	kind page.Kind
	says string
}

func verdictsOf(f *session.Frame) map[string]nodeVerdict {
	verdicts := map[string]nodeVerdict{}
	t := f.Try()
	if t == nil || t.Matrix == nil {
		return verdicts
	}
	for i, node := range t.Matrix.Nodes {
		switch {
		case t.Selected != nil && t.Selected.Node == node:
			verdicts[node] = nodeVerdict{page.Chosen, "chosen"}
		case t.Matrix.Feasible(i):
			verdicts[node] = nodeVerdict{page.Good, "fits"}
		case t.Matrix.First[i] == trace.FirstAhead:
		default:
			verdicts[node] = nodeVerdict{page.Bad, "does not fit"}
		}
	}
	return verdicts
}

func tileShapes(t session.Tile, x, y float64, small bool, v nodeVerdict) []page.Shape {
	kind, says := v.kind, v.says
	if kind == "" {
		kind, says = page.Filled, "no verdict"
	}
	says = fmt.Sprintf("%s: %s; cpu %.0f %%, memory %.0f %%, %d pods", t.Node, says, 100*t.CPU.Part(),
		100*t.Memory.Part(), t.Pods)
	if t.Cordoned {
		says += ", cordoned"
	}
	if small {
		return []page.Shape{{X: x, Y: y, Width: dotSize - 1, Height: dotSize - 1, Kind: kind, Says: says}}
	}
	const bar = tileWidth - 12
	shapes := []page.Shape{
		{X: x, Y: y, Width: tileWidth - 4, Height: tileHeight - 4, Kind: page.Ground, Says: says},
		{X: x, Y: y, Width: 4, Height: tileHeight - 4, Kind: kind, Says: says},
		{X: x + 4, Y: y + 1, Kind: page.Words, Label: shortened(t.Node, 17)},
		{X: x + 4, Y: y + 14, Kind: page.Words, Label: v.says},
	}
	for i, s := range []session.Share{t.CPU, t.Memory} {
		top := y + 32 + float64(i)*10
		shapes = append(shapes, page.Shape{
			X: x + 8, Y: top, Width: max(bar-8, 0) * min(s.Part(), 1), Height: 7, Kind: page.Filled,
			Says: []string{"cpu", "memory"}[i] + fmt.Sprintf(" %.0f %% requested", 100*s.Part()),
		})
	}
	return shapes
}

// shortened is a name with its middle left out.
func shortened(name string, most int) string {
	letters := []rune(name)
	if len(letters) <= most {
		return name
	}
	head := (most - 1) / 2
	return string(letters[:head]) + "…" + string(letters[len(letters)-(most-1-head):])
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
