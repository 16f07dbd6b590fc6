package panel

import (
	"cmp"
	"slices"

	"github.com/schedstep/schedstep/tui/view"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// Cluster is the nodes as a picture: tiles, grouped by zone or another label. A tile has a sign for what the cycle made
// of the node, its total score, bars of what is requested there, and its pods as blocks, with the victims of a
// preemption crossed. With many nodes a node is one sign, and the one under the cursor is described in words.
//
//	zone a, 2 nodes
//	✔ a-1       434  ✘ a-2
//	cpu ████▌   55%  cpu ███████ 99%
//	mem ██      25%  mem █       12%
//	web-0   │cache-1 db-0
//
// Where there is more room the pods stand below each other, each beside a block as wide as its part of the node.
type Cluster struct {
	view.ClusterNodes // of the frame it was made for

	node string // under the cursor; "": the first

	short view.Shortener // of the names of the nodes
	most  int            // pods on one node
	made  *session.Frame
	at    []layout.Rect // where each tile was drawn last; empty: not shown
	first int           // the first row of tiles that is shown
	wide  int           // tiles in a row

	closer int // how many forms larger the tiles are than where all are seen at once
	fitted int // the form in which all are seen at once, else the smallest
}

// Title is the title of its box.
func (p *Cluster) Title(f *session.Frame) string {
	return view.Listed(f.Language, f.Language.Of("Cluster"), which(f))
}

// Note counts nodes and pods.
func (p *Cluster) Note(f *session.Frame) string {
	p.sync(f)
	pods := 0
	for i := range p.Tiles {
		pods += p.Tiles[i].Pods
	}
	return view.Listed(
		f.Language, f.Language.Count(len(p.Tiles), "node"), f.Language.Say("%s on them", f.Language.Count(pods, "pod")),
	)
}

// sync takes the nodes of a frame.
func (p *Cluster) sync(f *session.Frame) {
	if p.made == f {
		return
	}
	p.made = f
	p.Take(f)
	p.most = 0
	for i := range p.Tiles {
		p.most = max(p.most, p.Tiles[i].Pods)
	}
	p.short = view.ShortenerOf(len(p.Tiles), func(i int) string { return p.Tiles[i].Node })
}

// Group groups the nodes by a label; "" or the label of zones: by zone.
func (p *Cluster) Group(label string) {
	p.By, p.made = view.ClusterLabel(label), nil
}

// Grouped is the label by which nodes are grouped.
func (p *Cluster) Grouped() string { return cmp.Or(p.By, corev1.LabelTopologyZone) }

// Fill fills the tiles with what is requested of a resource; "": of cpu and memory.
func (p *Cluster) Fill(resource string) { p.Of = resource }

// Filled is the resource that fills the tiles; "": cpu and memory.
func (p *Cluster) Filled() string { return p.Of }

// Selection is the node under the cursor.
func (p *Cluster) Selection(f *session.Frame) view.Selection {
	p.sync(f)
	s := view.Nothing()
	if len(p.Tiles) == 0 {
		return s
	}
	s.Node = p.Tiles[p.cursor()].Node
	t := f.Try()
	if t == nil || t.Matrix == nil {
		return s
	}
	if s.NodeIndex = slices.Index(t.Matrix.Nodes, s.Node); s.NodeIndex >= 0 {
		s.Subject, s.Pod = view.OfNode, f.About().Entity.Key()
	}
	return s
}

// cursor is the tile under the cursor.
func (p *Cluster) cursor() int {
	return max(slices.IndexFunc(p.Tiles, func(t session.Tile) bool { return t.Node == p.node }), 0)
}

// Move takes the cursor some rows down and some tiles to the right.
func (p *Cluster) Move(f *session.Frame, rows, columns int) {
	p.sync(f)
	p.moveTo(p.cursor() + rows*max(p.wide, 1) + columns)
}

// MovePages takes the cursor whole windows down; less than zero is up.
func (p *Cluster) MovePages(f *session.Frame, pages int) {
	shown := 0
	for _, at := range p.at {
		if !at.IsEmpty() {
			shown++
		}
	}
	p.sync(f)
	p.moveTo(p.cursor() + pages*max(shown, 1))
}

// MoveTo takes the cursor to the first or the last node.
func (p *Cluster) MoveTo(f *session.Frame, end End) {
	p.sync(f)
	if end == First {
		p.moveTo(0)
		return
	}
	p.moveTo(len(p.Tiles) - 1)
}

func (p *Cluster) moveTo(tile int) {
	if len(p.Tiles) > 0 {
		p.node = p.Tiles[min(max(tile, 0), len(p.Tiles)-1)].Node
	}
}

// Point puts the cursor on the node that was drawn at a place of the region.
func (p *Cluster) Point(f *session.Frame, x, y int) bool {
	p.sync(f)
	for i, at := range p.at {
		if i < len(p.Tiles) && at.Contains(x, y) {
			p.node = p.Tiles[i].Node
			return true
		}
	}
	return false
}

// Find puts the cursor on a node; false if there is none of that name.
func (p *Cluster) Find(f *session.Frame, node string) bool {
	p.sync(f)
	is := slices.ContainsFunc(p.Tiles, func(t session.Tile) bool { return t.Node == node })
	if is {
		p.node = node
	}
	return is
}

// Draw fills the region.
func (p *Cluster) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	p.sync(f)
	p.at = slices.Grow(p.at[:0], len(p.Tiles))[:len(p.Tiles)]
	clear(p.at)
	if len(p.Tiles) == 0 {
		r.Text(0, 0, themes.Muted, f.Language.Of("The cluster has no nodes."))
		return
	}
	p.fit(r.Width(), r.Height()-2)
	form := p.form(p.fitted - p.closer)
	p.wide = max((r.Width()+1)/(form.Width+1), 1)
	p.place(form, r.Width(), r.Height()-2)
	p.drawTiles(f.Language, r, form, focus)
	p.drawLegend(f.Language, r)
}

// The forms of a tile, from the one that shows most: how wide and high it is.
var forms = [...]layout.Size{
	{Width: 40, Height: 12},
	{Width: 32, Height: 9},
	{Width: 24, Height: 7},
	{Width: 24, Height: 5},
	{Width: 18, Height: 4},
	{Width: 18, Height: 3},
	{Width: 10, Height: 1},
	signs,
	{Width: 1, Height: 1},
}

// form is one of the forms, no higher than the pods of the node with the most need.
func (p *Cluster) form(i int) layout.Size {
	form := forms[i]
	if form.Height > lowest {
		form.Height = min(form.Height, max(lowest, 4+p.most))
	}
	return form
}

// lowest is the height of the form with the pods of a node side by side, and a row below them.
const lowest = 5

// signs is a form without a name: what the cycle made of a node, and how full it is of cpu and of memory.
var signs = layout.Size{Width: 3, Height: 1}

// fit finds the largest form in which all nodes are seen at once; else the smallest.
func (p *Cluster) fit(width, height int) {
	p.fitted = len(forms) - 1
	for i := range forms {
		if _, rows := p.rows(p.form(i), width); rows <= height {
			p.fitted = i
			break
		}
	}
	p.closer = min(p.closer, p.fitted)
}

// Closer draws the tiles in a larger form than the one in which all are seen at once, or with less than zero in a
// smaller one again; false when there is none.
func (p *Cluster) Closer(forms int) bool {
	to := min(max(p.closer+forms, 0), p.fitted)
	changed := to != p.closer
	p.closer = to
	return changed
}

// rows is how many rows of tiles and of cells all zones take in a form.
func (p *Cluster) rows(form layout.Size, width int) (tiles, cells int) {
	wide := max((width+gap(form))/(form.Width+gap(form)), 1)
	for zone := range p.Zones() {
		n := (len(zone) + wide - 1) / wide
		tiles += n
		cells += 1 + n*form.Height
	}
	return tiles, cells
}

// gap is the space between tiles: none between single signs.
func gap(form layout.Size) int { return min(form.Width-1, 1) }
