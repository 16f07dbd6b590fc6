package command

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/page"
	"github.com/schedstep/schedstep/replay/session"
)

// The size of a tile of the cluster, and how many stand in a row.
const (
	tileWidth, tileHeight = 120.0, 62.0
	tilesInRow            = 8
	mostNamedTiles        = 400 // more nodes are small squares
	dotSize               = 9.0
	dotsInRow             = 100
	mostOfAName           = 17 // letters in a tile
)

// clusterPicture is nodes with what is requested of each, by zone. A node's colour is what the cycle of the frame made
// of it; the text names that too.
func clusterPicture(lang words.Language, nodes []view.MarkedNode) page.SVG {
	var shapes []page.Shape
	y, at := 0.0, 0
	width, height, row := tileWidth, tileHeight, tilesInRow
	short := view.ShortenerOf(len(nodes), func(i int) string { return nodes[i].Node })
	draw := func(n *view.MarkedNode, x, y float64) []page.Shape {
		return tileShapes(lang, n, short.Cut(n.Node, mostOfAName), x, y)
	}
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
			shapes = append(shapes, page.Shape{Y: y, Kind: page.Words, Label: view.ZoneName(lang, n.Zone)})
			y, at = y+16, 0
		}
		if at == row {
			y, at = y+height, 0
		}
		shapes = append(shapes, draw(n, float64(at)*width, y)...)
		at++
	}
	about := lang.Say("%s by zone, with the cpu and memory that is requested of each", lang.Count(len(nodes), "node"))
	return page.Draw(about, float64(row)*width, y+height+2, shapes)
}

// kindOf is the page's colour for what the cycle made of a node.
func kindOf(n *view.MarkedNode) page.Kind {
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

func dotShapes(n *view.MarkedNode, x, y float64) []page.Shape {
	return []page.Shape{{X: x, Y: y, Width: dotSize - 1, Height: dotSize - 1, Kind: kindOf(n), Says: n.Line}}
}

func tileShapes(lang words.Language, n *view.MarkedNode, name string, x, y float64) []page.Shape {
	const begin, bar = 64.0, 46.0 // of a bar; before it stands what it is of
	made, _, _ := strings.Cut(n.Made, ",")
	shapes := []page.Shape{
		{X: x, Y: y, Width: tileWidth - 4, Height: tileHeight - 4, Kind: page.Ground, Says: n.Line},
		{X: x, Y: y, Width: 4, Height: tileHeight - 4, Kind: kindOf(n), Says: n.Line},
		{X: x + 4, Y: y + 1, Kind: page.Words, Label: name},
		{X: x + 4, Y: y + 14, Kind: page.Words, Label: made},
	}
	for i, s := range []session.Share{n.CPU, n.Memory} {
		at := y + 31 + float64(i)*12
		says := lang.Say("%s %.0f%% requested", []string{"cpu", "memory"}[i], 100*s.Part())
		shapes = append(shapes,
			page.Shape{X: x +
				4, Y: at - 1, Kind: page.Words, Label: []string{"cpu", "mem"}[i] + fmt.Sprintf(" %.0f%%", 100*s.Part())},
			page.Shape{X: x + begin, Y: at + 3, Width: bar, Height: 7, Kind: page.Ground, Says: says},
			page.Shape{X: x + begin, Y: at + 3, Width: bar * min(s.Part(), 1), Height: 7, Kind: page.Filled, Says: says})
	}
	return shapes
}

// The sizes of bars below each other.
const (
	rowHeight  = 18.0
	namesWidth = 190.0
	barsWidth  = 420.0
	saysWidth  = 190.0
)

// skewPicture is a bar for each domain of a rule, between marks for the fewest and the most pods it may have.
func skewPicture(lang words.Language, s *trace.Spread) page.SVG {
	top := max(s.Most(), 1)
	for _, d := range s.Domains {
		top = max(top, d.Pods)
	}
	at := func(pods int64) float64 { return namesWidth + barsWidth*float64(pods)/float64(top) }
	var shapes []page.Shape
	y := 0.0
	for _, d := range s.Domains {
		says, kind := view.DomainInWords(lang, s, d), page.Good
		if !s.Takes(d) {
			kind = page.Bad
		}
		shapes = append(shapes,
			page.Shape{Y: y, Kind: page.Words, Label: d.Name},
			page.Shape{X: namesWidth, Y: y + 2, Width: barsWidth, Height: rowHeight - 6, Kind: page.Ground, Says: says},
			page.Shape{X: namesWidth, Y: y + 2, Width: at(d.Pods) - namesWidth, Height: rowHeight - 6, Kind: kind, Says: says},
			page.Shape{X: namesWidth + barsWidth + 6, Y: y, Kind: page.Words, Label: says})
		y += rowHeight
	}
	fewest, most := lang.Say("fewest %d", s.Fewest), lang.Say("at most %d", s.Most())
	for i, mark := range []struct {
		pods int64
		says string
	}{{s.Fewest, fewest}, {s.Most(), most}} {
		shapes = append(shapes,
			page.Shape{X: at(mark.pods) - 1, Width: 2, Height: y, Kind: page.Line, Says: mark.says},
			page.Shape{X: at(mark.pods) - 3, Y: y + float64(i)*12, Kind: page.Words, Label: mark.says})
	}
	return page.Draw(lang.Say("pods by %s", s.Topology), namesWidth+barsWidth+saysWidth, y+30, shapes)
}

// mostUsageRows is how many bars of nodes a picture has.
const mostUsageRows = 60

// usagePicture is a bar for each resource of each node: what was requested before, and below it what is now.
func usagePicture(lang words.Language, nodes [][]view.ChangedUsage) page.SVG {
	var shapes []page.Shape
	short := view.ShortenerOf(len(nodes), func(i int) string { return nodes[i][0].Node })
	y, rows := 0.0, 0
	for _, of := range nodes {
		if rows += len(of); rows > mostUsageRows {
			break
		}
		for i := range of {
			u := &of[i]
			says := u.Node + ": " + u.InWords(lang)
			shapes = append(shapes,
				page.Shape{Y: y, Kind: page.Words, Label: short.Cut(u.Node, mostOfAName) + " " + u.Resource},
				page.Shape{X: namesWidth, Y: y + 2, Width: barsWidth, Height: rowHeight - 4, Kind: page.Ground, Says: says},
				page.Shape{
					X: namesWidth, Y: y + 2, Width: barsWidth * min(u.Before.Part(), 1), Height: rowHeight/2 - 2,
					Kind: page.Filled, Says: says,
				},
				page.Shape{
					X: namesWidth, Y: y + rowHeight/2, Width: barsWidth * min(u.Now.Part(), 1), Height: rowHeight/2 - 2,
					Kind: page.Chosen, Says: says,
				},
				page.Shape{X: namesWidth + barsWidth + 6, Y: y, Kind: page.Words, Label: u.InWords(lang)})
			y += rowHeight
		}
		y += 4
	}
	return page.Draw(lang.Of("what is requested of each node: before above, now below"),
		namesWidth+barsWidth+saysWidth+80, y+2, shapes)
}
