package panel

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/room"
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
	by string // the label by which nodes are grouped; "": their zone
	of string // the resource that fills the tiles; "": cpu and memory

	node string // under the cursor; "": the first

	tiles []session.Tile  // of the frame it was made for, by zone, then name
	marks []mark          // of the tiles
	score scored          // of the tiles
	goes  map[string]bool // pods that have to leave
	short Shortener       // of the names of the nodes
	most  int             // pods on one node
	made  *session.Frame
	at    []layout.Rect // where each tile was drawn last; empty: not shown
	first int           // the first row of tiles that is shown
	wide  int           // tiles in a row

	closer int // how many forms larger the tiles are than where all are seen at once
	fitted int // the form in which all are seen at once, else the smallest
}

// Title is the title of its box.
func (p *Cluster) Title(f *session.Frame) string {
	return listed(f.Language, f.Language.Of("Cluster"), which(f))
}

// Note counts nodes and pods.
func (p *Cluster) Note(f *session.Frame) string {
	p.sync(f)
	pods := 0
	for i := range p.tiles {
		pods += p.tiles[i].Pods
	}
	return listed(
		f.Language, f.Language.Count(len(p.tiles), "node"), f.Language.Say("%s on them", f.Language.Count(pods, "pod")),
	)
}

// sync takes the nodes of a frame.
func (p *Cluster) sync(f *session.Frame) {
	if p.made == f {
		return
	}
	p.made, p.tiles = f, tilesOf(f, p.by)
	p.marks, p.score, p.goes = marksOf(f, p.tiles), scoresOf(f), map[string]bool{}
	p.most = 0
	for i := range p.tiles {
		p.most = max(p.most, p.tiles[i].Pods)
	}
	p.short = ShortenerOf(len(p.tiles), func(i int) string { return p.tiles[i].Node })
	if t := f.Try(); t != nil && t.Preemption != nil {
		for _, pod := range t.Preemption.Victims {
			p.goes[pod] = true
		}
	}
}

// Group groups the nodes by a label; "" or the label of zones: by zone.
func (p *Cluster) Group(label string) {
	if label == corev1.LabelTopologyZone {
		label = ""
	}
	p.by, p.made = label, nil
}

// Grouped is the label by which nodes are grouped.
func (p *Cluster) Grouped() string { return cmp.Or(p.by, corev1.LabelTopologyZone) }

// Fill fills the tiles with what is requested of a resource; "": of cpu and memory.
func (p *Cluster) Fill(resource string) { p.of = resource }

// Filled is the resource that fills the tiles; "": cpu and memory.
func (p *Cluster) Filled() string { return p.of }

// scored are the total scores of the nodes of a cycle, and the range they are in.
type scored struct {
	totals      map[string]int64
	least, most int64
}

func scoresOf(f *session.Frame) scored {
	t := f.Try()
	if t == nil || t.Scores == nil || len(t.Scores.Totals) < len(t.Scores.Index) || len(t.Scores.Index) == 0 {
		return scored{}
	}
	s := scored{totals: map[string]int64{}, least: slices.Min(t.Scores.Totals), most: slices.Max(t.Scores.Totals)}
	for k, i := range t.Scores.Index {
		s.totals[t.Scores.Nodes[i]] = t.Scores.Totals[k]
	}
	return s
}

// tilesOf are the nodes of a frame, group by group: by a label, or "" by zone.
func tilesOf(f *session.Frame, by string) []session.Tile {
	tiles := slices.Clone(f.Tiles())
	if by != "" {
		for i := range tiles {
			tiles[i].Zone = tiles[i].Label(by)
		}
	}
	slices.SortStableFunc(tiles, func(a, b session.Tile) int {
		return cmp.Or(strings.Compare(a.Zone, b.Zone), strings.Compare(a.Node, b.Node))
	})
	return tiles
}

// Selection is the node under the cursor.
func (p *Cluster) Selection(f *session.Frame) Selection {
	p.sync(f)
	s := nothing()
	if len(p.tiles) == 0 {
		return s
	}
	s.Node = p.tiles[p.cursor()].Node
	t := f.Try()
	if t == nil || t.Matrix == nil {
		return s
	}
	if s.NodeIndex = slices.Index(t.Matrix.Nodes, s.Node); s.NodeIndex >= 0 {
		s.Subject, s.Pod = OfNode, f.About().Entity.Key()
	}
	return s
}

// cursor is the tile under the cursor.
func (p *Cluster) cursor() int {
	return max(slices.IndexFunc(p.tiles, func(t session.Tile) bool { return t.Node == p.node }), 0)
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
	p.moveTo(len(p.tiles) - 1)
}

func (p *Cluster) moveTo(tile int) {
	if len(p.tiles) > 0 {
		p.node = p.tiles[min(max(tile, 0), len(p.tiles)-1)].Node
	}
}

// Point puts the cursor on the node that was drawn at a place of the region.
func (p *Cluster) Point(f *session.Frame, x, y int) bool {
	p.sync(f)
	for i, at := range p.at {
		if i < len(p.tiles) && at.Contains(x, y) {
			p.node = p.tiles[i].Node
			return true
		}
	}
	return false
}

// Find puts the cursor on a node; false if there is none of that name.
func (p *Cluster) Find(f *session.Frame, node string) bool {
	p.sync(f)
	is := slices.ContainsFunc(p.tiles, func(t session.Tile) bool { return t.Node == node })
	if is {
		p.node = node
	}
	return is
}

// ZoneName is a zone in words; "" is that of nodes without one.
func ZoneName(lang words.Language, zone string) string {
	if zone == "" {
		return lang.Of("no zone")
	}
	return lang.Say("zone %s", zone)
}

// groupTitle is the line above the tiles of a group.
func (p *Cluster) groupTitle(lang words.Language, tiles []session.Tile) string {
	var used session.Share
	pods, of := 0, cmp.Or(p.of, "cpu")
	for i := range tiles {
		share := tiles[i].Share(of)
		used = session.Share{Used: used.Used + share.Used, All: used.All + share.All}
		pods += tiles[i].Pods
	}
	name := ZoneName(lang, tiles[0].Zone)
	switch {
	case p.by != "" && tiles[0].Zone == "":
		name = lang.Say("no label %s", p.by)
	case p.by != "":
		name = p.by + "=" + tiles[0].Zone
	}
	return lang.Say("%s: %s, %s, %s %.0f%% requested", name, lang.Count(len(tiles), "node"), lang.Count(pods, "pod"), of,
		100*used.Part())
}

// inWords is a node in one line, with what is requested of a resource; "": of cpu and memory.
func inWords(lang words.Language, t *session.Tile, m mark, of string) string {
	said := lang.Say("%s: cpu %.0f%%, memory %.0f%% requested, %s", t.Node, 100*t.CPU.Part(), 100*t.Memory.Part(),
		lang.Count(t.Pods, "pod"))
	if share := t.Share(of); of != "" && share.All == 0 {
		said = lang.Say("%s: has no %s, %s", t.Node, of, lang.Count(t.Pods, "pod"))
	} else if of != "" {
		said = lang.Say("%s: %s %.0f%% requested (%s of %s), %s", t.Node, of, 100*share.Part(),
			room.Written(of, share.Used), room.Written(of, share.All), lang.Count(t.Pods, "pod"))
	}
	if t.Cordoned {
		said += lang.Of(", cordoned")
	}
	return listed(lang, said, m.words(lang))
}

// Draw fills the region.
func (p *Cluster) Draw(f *session.Frame, r widget.Region, focus widget.Focus) {
	r.Fill(themes.Text)
	p.sync(f)
	p.at = slices.Grow(p.at[:0], len(p.tiles))[:len(p.tiles)]
	clear(p.at)
	if len(p.tiles) == 0 {
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
	for zone := range p.zones() {
		n := (len(zone) + wide - 1) / wide
		tiles += n
		cells += 1 + n*form.Height
	}
	return tiles, cells
}

// gap is the space between tiles: none between single signs.
func gap(form layout.Size) int { return min(form.Width-1, 1) }

// zones are the tiles, zone by zone.
func (p *Cluster) zones() func(func([]session.Tile) bool) {
	return func(yield func([]session.Tile) bool) {
		for from := 0; from < len(p.tiles); {
			to := from
			for to < len(p.tiles) && p.tiles[to].Zone == p.tiles[from].Zone {
				to++
			}
			if !yield(p.tiles[from:to]) {
				return
			}
			from = to
		}
	}
}

// ClusterLines are the nodes in words, a line for each that contains a text; grouped by a label ("": by zone), with
// what is requested of a resource ("": of cpu and memory).
func ClusterLines(f *session.Frame, containing, by, of string) []string {
	var p Cluster
	p.Group(by)
	p.Fill(of)
	p.sync(f)
	var lines []string
	i := 0
	for group := range p.zones() {
		lines = append(lines, p.groupTitle(f.Language, group))
		for range group {
			line := listed(f.Language, inWords(f.Language, &p.tiles[i], p.marks[i], of), p.scoreInWords(f.Language, &p.tiles[i]))
			if strings.Contains(line, containing) {
				on := strings.Join(p.podNames(f.Language, &p.tiles[i]), " ")
				lines = append(lines, joined(f.Language.Of("; "), f.Language.Say("node %s", line), on))
			}
			i++
		}
	}
	return lines
}

// scoreInWords is the total score of a node; "" where it was not scored.
func (p *Cluster) scoreInWords(lang words.Language, t *session.Tile) string {
	total, is := p.score.totals[t.Node]
	if !is {
		return ""
	}
	return lang.Say("score %d", total)
}

// podNames are the pods of a node that request most; victims are marked.
func (p *Cluster) podNames(lang words.Language, t *session.Tile) []string {
	var names []string
	for _, b := range t.Biggest(cmp.Or(p.of, "cpu")) {
		if p.goes[b.Pod] {
			b.Name = lang.Say("%s (has to leave)", b.Name)
		}
		names = append(names, b.Name)
	}
	return names
}
