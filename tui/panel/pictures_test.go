package panel_test

import (
	"testing"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

func TestFiltersShowEveryPluginOnEveryNode(t *testing.T) {
	s := rollout(t)
	a := album{file: "filters.txt"}
	placed := after(t, s, "web-7")
	a.add("placed, 118x12", shot(t, panel.NewFilters(), placed, 118, 12))
	a.add("placed, 70x12", shot(t, panel.NewFilters(), placed, 70, 12))
	a.add("placed, 44x12", shot(t, panel.NewFilters(), placed, 44, 12))
	a.add("placed, 20x8", shot(t, panel.NewFilters(), placed, 20, 8))
	a.add("placed, ASCII", shotIn(panel.NewFilters(), placed, 118, 12, styles(t, themes.Mono, themes.ASCII())))
	a.add("not placed", shot(t, panel.NewFilters(), after(t, s, "gpu-1"), 118, 12))
	nearest := panel.NewFilters()
	nearest.Sort(view.ByNearestMiss)
	a.add("not placed, nearest miss first", shot(t, nearest, after(t, s, "big-0"), 118, 12))
	filtered := panel.NewFilters()
	filtered.Filter("TAINT")
	a.add("filtered", shot(t, filtered, placed, 118, 12))
	filtered.Filter("nowhere")
	a.add("filtered away", shot(t, filtered, placed, 118, 12))
	a.add("before the first cycle", shot(t, panel.NewFilters(), &session.Frame{}, 118, 5))
	a.compare(t)
}

func TestFiltersShowOnlyWhatWasAskedWhileTheSessionWalksOverCells(t *testing.T) {
	s := rollout(t)
	inside(t, s, "web-7", session.Out, 1)
	a := album{file: "walk.txt"}
	p := panel.NewFilters()
	f := s.Frame()
	for ; f.Cell == nil; f = s.Frame() {
		s.Move(t.Context(), session.Into, session.Forward, nil)
	}
	a.add("first cell", shot(t, p, f, 118, 12))
	for range 4 {
		s.Move(t.Context(), session.Into, session.Forward, nil)
	}
	a.add("after the first node's last cell", shot(t, p, s.Frame(), 118, 12))
	a.add("phases", line(t, 118, func(r widget.Region) { panel.DrawPhases(s.Frame(), r, 0) }))
	a.compare(t)
}

func TestScoresShowWhyTheChosenNodeWon(t *testing.T) {
	s := rollout(t)
	a := album{file: "scores.txt"}
	placed := after(t, s, "web-7")
	p := panel.NewScores()
	a.add("weighted, 118x10", shot(t, p, placed, 118, 10))
	p.Show(view.Normalized)
	a.add("normalised, 60x10", shot(t, p, placed, 60, 10))
	p.Show(view.Raw)
	a.add("raw, 30x10", shot(t, p, placed, 30, 10))
	a.add("nothing fits", shot(t, p, after(t, s, "gpu-1"), 80, 6))
	a.add("one fits", shot(t, p, after(t, s, "big-0"), 80, 6))
	p.Show(view.Weighted)
	lone := after(t, s, "db-0")
	a.add("n2 alone fits: nobody scored it", shot(t, p, lone, 80, 8))
	p.Move(lone, 0, 2)
	why := &panel.Why{}
	why.Explain(p.Selection(lone))
	a.add("why of a score that nobody worked out", shot(t, why, lone, 80, 10))
	if rows := view.ScoreTable(lone, view.ByVerdict, "", view.Weighted, words.English); rows != nil {
		t.Errorf("scores that nobody worked out are saved: %v", rows)
	}
	a.compare(t)
}

func TestQueueShowsWhoWaitsWhereAndWhy(t *testing.T) {
	s := rollout(t)
	a := album{file: "queue.txt"}
	busy := after(t, s, "gpu-1")
	a.add("42x14", shot(t, &panel.Queue{}, busy, 42, 14))
	a.add("80x14", shot(t, &panel.Queue{}, busy, 80, 14))
	a.add("24x14", shot(t, &panel.Queue{}, busy, 24, 14))
	p := &panel.Queue{}
	p.Filter("WEB")
	a.add("filtered", shot(t, p, busy, 42, 14))
	a.add("inside a cycle", shot(t, &panel.Queue{}, inside(t, s, "web-7", session.Over, 2), 42, 14))
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	a.add("at the end", shot(t, &panel.Queue{}, s.Frame(), 42, 14))
	a.compare(t)
}

func TestWhySaysItInWordsAndNumbers(t *testing.T) {
	s := rollout(t)
	a := album{file: "why.txt"}
	explain := func(title string, f *session.Frame, sel view.Selection, width, height int) {
		p := &panel.Why{}
		p.Explain(sel)
		a.add(title, shot(t, p, f, width, height))
	}
	placed := after(t, s, "web-7")
	matrix := panel.NewFilters()
	at := func(f *session.Frame, node, plugin string) view.Selection {
		t.Helper()
		if !matrix.Find(f, node) {
			t.Fatalf("no node %s", node)
		}
		sel := matrix.Selection(f)
		if plugin == "" {
			return sel
		}
		sel.Subject, sel.Plugin = view.OfFilter, plugin
		for i, name := range f.Try().Matrix.Plugins {
			if name == plugin {
				sel.PluginIndex = i
			}
		}
		return sel
	}
	explain("the chosen node", placed, at(placed, "n3", ""), 100, 16)
	explain("a node that fits", placed, at(placed, "n2", ""), 100, 16)
	explain("a node that does not fit", placed, at(placed, "n1", ""), 100, 16)
	explain("a cell that was not asked", placed, at(placed, "n1", "NodeResourcesFit"), 100, 8)
	explain("the same, narrow", placed, at(placed, "n1", "NodeResourcesFit"), 40, 14)
	explain("a cell that was skipped", placed, at(placed, "n1", "NodePorts"), 100, 8)
	explain("a cell that passes", placed, at(placed, "n2", "TaintToleration"), 100, 8)
	missed := after(t, s, "big-0")
	explain("a near miss", missed, at(missed, "n2", "NodeResourcesFit"), 100, 10)
	rejected := after(t, s, "db-0")
	explain("more than the node has", rejected, at(rejected, "n4", "NodeResourcesFit"), 100, 10)
	scores := panel.NewScores()
	scores.Find(placed, "n3")
	for scores.Selection(placed).Plugin != "NodeResourcesFit" {
		scores.Move(placed, 0, 1)
	}
	explain("a score", placed, scores.Selection(placed), 100, 10)
	for _, name := range []string{"web-7", "web-6", "gpu-1", "db-0", "batch-9", "nobody"} {
		explain("pod "+name, rejected, view.Selection{Subject: view.OfPod, Pod: "default/" + name}, 100, 12)
	}
	explain("a pod that was placed", placed, view.Selection{Subject: view.OfPod, Pod: "default/web-7"}, 100, 12)
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	end := s.Frame()
	for _, name := range []string{"gpu-1", "big-0"} {
		explain("pod "+name+" at the end", end, view.Selection{Subject: view.OfPod, Pod: "default/" + name}, 100, 12)
	}
	facts := &panel.Facts{}
	facts.Move(placed, -4, 0)
	explain("a fact", placed, facts.Selection(placed), 100, 6)
	a.compare(t)
}

func TestTimelineShowsTheWholeReplayAndWhatIsAround(t *testing.T) {
	s := rollout(t)
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	a := album{file: "timeline.txt"}
	f := after(t, s, "big-0")
	a.add("160x4", shot(t, &panel.Timeline{}, f, 160, 4))
	a.add("100x3", shot(t, &panel.Timeline{}, f, 100, 3))
	p := &panel.Timeline{}
	p.Move(f, 0, -3)
	a.add("moved", shot(t, p, f, 100, 4))
	a.add("20x4", shot(t, &panel.Timeline{}, f, 20, 4))
	a.add("nothing yet", shot(t, &panel.Timeline{}, &session.Frame{}, 100, 4))
	a.compare(t)
}

func TestFactsAreListedUpToTheCursor(t *testing.T) {
	s := rollout(t)
	a := album{file: "facts.txt"}
	f := after(t, s, "web-7")
	a.add("100x30", shot(t, &panel.Facts{}, f, 100, 30))
	a.add("34x8", shot(t, &panel.Facts{}, f, 34, 8))
	a.add("in the middle", shot(t, &panel.Facts{}, inside(t, s, "web-7", session.Over, 5), 100, 12))
	a.add("nothing yet", shot(t, &panel.Facts{}, &session.Frame{AtStart: true}, 60, 4))
	a.compare(t)
}

func TestHeaderAndPhasesFitAnyWidth(t *testing.T) {
	s := rollout(t)
	a := album{file: "header.txt"}
	placed, rejected := after(t, s, "web-7"), after(t, s, "gpu-1")
	filtering := inside(t, s, "web-7", session.Over, 8)
	header := panel.Header{Hint: "? help  : command"}
	for _, width := range []int{200, 120, 80, 60, 30} {
		a.add("header", line(t, width, func(r widget.Region) { header.Draw(placed, r) }))
		a.add("phases, placed", line(t, width, func(r widget.Region) { panel.DrawPhases(placed, r, 0) }))
		a.add("phases, not placed", line(t, width, func(r widget.Region) { panel.DrawPhases(rejected, r, 0) }))
		a.add("phases, in the middle", line(t, width, func(r widget.Region) { panel.DrawPhases(filtering, r, 0) }))
	}
	header.Run = panel.Run{Moving: true, Steps: 1204}
	a.add("moving", line(t, 120, func(r widget.Region) { header.Draw(placed, r) }))
	header.Run = panel.Run{Running: true}
	a.add("running", line(t, 120, func(r widget.Region) { header.Draw(&session.Frame{Branch: "what-if-1"}, r) }))
	a.add("title", panel.CycleTitle(placed)+"\n")
	a.compare(t)
}

// line is one line as it is drawn in a width.
func line(t testing.TB, width int, draw func(widget.Region)) string {
	t.Helper()
	c := widget.NewCanvas()
	c.Reset(layout.Size{Width: width, Height: 1}, styles(t, themes.Default, themes.Unicode()))
	draw(c.All())
	return c.Text()
}
