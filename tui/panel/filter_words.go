package panel

import (
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// drawLegend says what the signs mean, where rows are left over for it.
func (p *Filters) drawLegend(r widget.Region) {
	if r.Height() < len(p.table.rows)+4 {
		return
	}
	g := r.Glyphs()
	parts := []part{
		{widget.Plain(themes.Muted, fmt.Sprintf(" %c passes", g.Pass)), 2},
		{widget.Plain(themes.Muted, fmt.Sprintf("%c fails", g.Fail)), 1},
		{widget.Plain(themes.Muted, fmt.Sprintf("%c fails, and preemption cannot help", g.FailUnresolvable)), 3},
		{widget.Plain(themes.Muted, fmt.Sprintf("(%c) not asked, would fail", g.Fail)), 4},
		{widget.Plain(themes.Muted, fmt.Sprintf("%c nothing to check", g.NotAsked)), 5},
	}
	drawParts(r, r.Height()-1, fit(parts, r.Width(), "  "), "  ")
}

// instead is what is said where there is no matrix to show.
func (p *Filters) instead(f *session.Frame) widget.Paragraph {
	c := f.Try()
	switch {
	case c == nil:
		return widget.Plain(themes.Muted, "No pod was tried yet.")
	case c.Matrix != nil && c.PreFilterRejected():
		text := "PreFilter rejected the pod, so no filter was asked on any node."
		for _, pre := range c.PreFilters {
			if pre.Verdict.Code.Rejects() {
				text += fmt.Sprintf(" %s: %s.", pre.Plugin, pre.Verdict.Message())
			}
		}
		return widget.Plain(themes.Text, text)
	case c.State == trace.NotTried && c.Ended != nil && c.Ended.Outcome != trace.SkippedScheduling:
		return widget.Plain(themes.Text, joined(": ", podName(c.Entity.Key())+" was not tried", c.Ended.Message)+".")
	case c.Ended != nil:
		return widget.Plain(themes.Text, "The cycle ended before the Filter phase. "+c.Ended.Message)
	case c.Nodes == 0 && c.Number > 0:
		return widget.Plain(themes.Text, "The cluster has no nodes.")
	}
	return widget.Plain(themes.Muted, "The Filter phase is still ahead.")
}
