package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/room"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// place works out where every tile is. The tile under the cursor is always seen; what lies above is left out.
func (p *Cluster) place(form layout.Size, width, height int) {
	step := form.Width + gap(form)
	p.wide = max((width+gap(form))/step, 1)
	y, i, cursor, cursorAt := 0, 0, p.cursor(), 0
	for zone := range p.Zones() {
		y++
		for k := range zone {
			p.at[i] = layout.Rect{
				X: k % p.wide * step, Y: y + k/p.wide*form.Height, Width: min(form.Width, width), Height: form.Height,
			}
			if i == cursor {
				cursorAt = p.at[i].Y
			}
			i++
		}
		y += (len(zone) + p.wide - 1) / p.wide * form.Height
	}
	p.first = min(p.first, max(y-height, 0))
	if cursorAt < p.first+1 {
		p.first = max(cursorAt-1, 0)
	}
	if cursorAt+form.Height > p.first+height {
		p.first = cursorAt + form.Height - height
	}
	for i := range p.at {
		p.at[i].Y -= p.first
		if p.at[i].Y < 0 || p.at[i].Y+form.Height > height {
			p.at[i] = layout.Rect{}
		}
	}
}

// drawTiles draws what can be seen.
func (p *Cluster) drawTiles(lang words.Language, r widget.Region, form layout.Size, focus widget.Focus) {
	cursor, i := p.cursor(), 0
	for zone := range p.Zones() {
		titled := false
		for k := range zone {
			at := p.at[i]
			if !at.IsEmpty() {
				if title := at.Y - 1 - k/p.wide*form.Height; !titled && title >= 0 && title < r.Height() {
					r.Fit(0, title, r.Width(), themes.Muted, p.GroupTitle(lang, zone), widget.Left)
					titled = true
				}
				p.drawTile(lang, r.Sub(at), &zone[k], p.Marks[i], form)
				if i == cursor && focus == widget.Focused {
					r.Sub(at).Row(0).Select()
				} else if i == cursor {
					r.Sub(at).Row(0).Light()
				}
			}
			i++
		}
	}
}

// drawTile draws one node in a form.
func (p *Cluster) drawTile(lang words.Language, r widget.Region, t *session.Tile, m view.Mark, form layout.Size) {
	sign, paint := markGlyph(m, r.Glyphs())
	first, second := t.CPU, t.Memory
	if p.Of != "" {
		first, second = t.Share(p.Of), t.Share(p.Of)
	}
	if m == view.IsFeasible && p.Score.Most > p.Score.Least {
		if total, is := p.Score.Totals[t.Node]; is {
			paint = themes.Score(float64(total-p.Score.Least) / float64(p.Score.Most-p.Score.Least))
		}
	}
	if form.Width == 1 {
		if m == view.Unmarked {
			sign = heat(r.Glyphs(), first.Part())
		}
		r.Glyph(0, 0, paint, sign)
		return
	}
	r.Glyph(0, 0, paint, sign)
	if form == signs {
		r.Glyph(1, 0, themes.Accent, heat(r.Glyphs(), first.Part()))
		r.Glyph(2, 0, themes.Accent, heat(r.Glyphs(), second.Part()))
		return
	}
	if form.Height == 1 {
		r.FitName(2, 0, r.Width()-2, themes.Text, p.short.Short(t.Node, r.Width()-2), widget.Left)
		return
	}
	p.drawTileHead(lang, r, t, paint)
	switch {
	case p.Of == "":
		drawShare(r, 1, "cpu", first)
		drawShare(r, 2, "mem", second)
	case first.All == 0:
		r.Fit(0, 1, r.Width(), themes.Muted, lang.Say("no %s", shortResource(p.Of)), widget.Left)
	default:
		drawShare(r, 1, shortResource(p.Of), first)
		r.Fit(0, 2, r.Width(), themes.Muted, lang.Say("%s of %s", room.Written(p.Of, first.Used),
			room.Written(p.Of, first.All)), widget.Right)
	}
	if form.Height < 4 {
		return
	}
	if rows := form.Height - 4; rows > 1 {
		p.drawPods(r.Sub(layout.Rect{Y: 3, Width: r.Width(), Height: rows}), t)
		return
	}
	p.drawBlocks(r.Row(3), t)
}

// leastBar is how many columns the block beside the name of a pod has at least.
const leastBar = 6

// drawPods draws the pods of a node below each other, each with a block as wide as its part of the node. Victims,
// and pods that are being deleted, are crossed. Pods for which there is no room are counted.
func (p *Cluster) drawPods(r widget.Region, t *session.Tile) {
	of := cmp.Or(p.Of, "cpu")
	pods, all := t.Biggest(of), t.Share(of).All
	pods = pods[:min(len(pods), r.Height())]
	longest := 0
	for _, b := range pods {
		longest = max(longest, widget.Width(p.podName(b, r.Glyphs())))
	}
	bar := max(min(r.Width()/3, r.Width()-longest-1), leastBar)
	for i, b := range pods {
		paint := themes.Muted
		if b.Going || p.Goes[b.Pod] {
			paint = themes.Fail
		}
		names := r.Width() - bar - 1
		r.FitName(0, i, names, paint, p.podName(b, r.Glyphs()), widget.Left)
		if more := t.Pods - len(pods); i == len(pods)-1 && more > 0 {
			r.Fit(names+1, i, bar, themes.Muted, fmt.Sprintf("+%d", more), widget.Right)
		} else if all > 0 {
			widget.DrawBar(r, names+1, i, bar, float64(b.Amount)/float64(all), paint)
		}
	}
}

// podName is the name of a pod, with a cross before it if it leaves.
func (p *Cluster) podName(b session.Block, g *themes.Glyphs) string {
	if b.Going || p.Goes[b.Pod] {
		return string(g.Times) + b.Name
	}
	return b.Name
}

// drawTileHead draws the name of a node and its total score, or that it is cordoned.
func (p *Cluster) drawTileHead(lang words.Language, r widget.Region, t *session.Tile, paint themes.Paint) {
	beside, width := "", r.Width()-2
	if total, is := p.Score.Totals[t.Node]; is {
		beside = strconv.FormatInt(total, 10)
		width -= len(beside) + 1
	}
	end := r.Text(2, 0, themes.Text, p.short.Cut(t.Node, width))
	switch {
	case beside != "":
		r.Text(r.Width()-len(beside), 0, paint, beside)
	case t.Cordoned && end+1 < r.Width():
		r.Fit(end+1, 0, r.Width()-end-1, themes.Muted, lang.Of("cordoned"), widget.Left)
	}
}

// shortResource is a resource in at most four letters: the beginning of its name without the domain.
func shortResource(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "memory" {
		return "mem"
	}
	return name[:min(len(name), 4)]
}

// leastBlock is how many columns the block of a pod has at least, with the line before it.
const leastBlock = 4

// drawBlocks draws the pods of a node side by side, each as wide as its part of what they all request. Victims,
// and pods that are being deleted, are crossed. Pods for which there is no room are counted.
func (p *Cluster) drawBlocks(r widget.Region, t *session.Tile) {
	pods := t.Biggest(cmp.Or(p.Of, "cpu"))
	width := r.Width()
	shown := min(len(pods), max(width/leastBlock, 1))
	if shown < t.Pods && shown > 0 { // " +12"
		width -= leastBlock
		shown = min(len(pods), max(width/leastBlock, 1))
	}
	var all int64
	for _, b := range pods[:shown] {
		all += b.Amount
	}
	x, rest := 0, width-shown*leastBlock
	for i, b := range pods[:shown] {
		wide := leastBlock
		switch {
		case i == shown-1:
			wide = width - x
		case all > 0:
			wide += int(int64(rest) * b.Amount / all)
		default:
			wide += rest / shown
		}
		block := r.Sub(layout.Rect{X: x, Width: wide, Height: 1})
		if i > 0 {
			block.Glyph(0, 0, themes.Muted, r.Glyphs().Separator)
			block = r.Sub(layout.Rect{X: x + 1, Width: wide - 1, Height: 1})
		}
		paint := themes.Muted
		if b.Going || p.Goes[b.Pod] {
			paint = themes.Fail
		}
		block.FitName(0, 0, block.Width(), paint, p.podName(b, r.Glyphs()), widget.Left)
		x += wide
	}
	if more := t.Pods - shown; more > 0 && shown > 0 {
		r.Fit(width, 0, r.Width()-width, themes.Muted, fmt.Sprintf("+%d", more), widget.Right)
	}
}

// drawShare draws how much of something is requested: a bar, and the percentage.
func drawShare(r widget.Region, y int, name string, s session.Share) {
	percent := fmt.Sprintf("%3.0f%%", 100*s.Part())
	r.Text(0, y, themes.Muted, name)
	r.Text(r.Width()-len(percent), y, themes.Text, percent)
	width := r.Width() - len(name) - len(percent) - 2
	paint := themes.Accent
	if s.Part() > 1 {
		paint = themes.Error
	}
	widget.DrawBar(r, len(name)+1, y, width, s.Part(), paint)
}

// heat is a sign that is the heavier the fuller a node is.
func heat(g *themes.Glyphs, part float64) rune {
	if part <= 0 {
		return g.NotAsked
	}
	return g.Parts[min(int(part*float64(len(g.Parts))), len(g.Parts)-1)]
}

// drawLegend explains the signs, and describes the node under the cursor.
func (p *Cluster) drawLegend(lang words.Language, r widget.Region) {
	if r.Height() < 3 {
		return
	}
	g := r.Glyphs()
	r.Fit(0, r.Height()-2, r.Width(), themes.Text,
		view.Listed(lang, view.InWords(lang, &p.Tiles[p.cursor()], p.Marks[p.cursor()], p.Of),
			p.ScoreInWords(lang, &p.Tiles[p.cursor()])), widget.Left)
	var parts []part
	for m := view.IsChosen; m <= view.LosesPods; m++ {
		if !slices.Contains(p.Marks, m) {
			continue
		}
		sign, _ := markGlyph(m, g)
		parts = append(parts, part{widget.Plain(themes.Muted, fmt.Sprintf("%c %s", sign, m.Words(lang))), int(m)})
	}
	if len(p.Goes) > 0 {
		says := lang.Say("%c has to leave", g.Times)
		parts = append(parts, part{widget.Plain(themes.Muted, says), int(view.LosesPods) + 1})
	}
	drawParts(r, r.Height()-1, fit(parts, r.Width(), "  "), "  ")
}
