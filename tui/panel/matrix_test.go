package panel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

// lacksCPU is a verdict of NodeResourcesFit in millicores.
func lacksCPU(want, have int64) trace.Verdict {
	return trace.Verdict{
		Code: trace.Unschedulable, Reasons: []string{"Insufficient cpu"},
		Evidence: []trace.Evidence{{
			What: "cpu", Want: trace.MilliCPU(want), Have: trace.MilliCPU(have), Used: trace.MilliCPU(4000 - have),
			Capacity: trace.MilliCPU(4000), By: []string{"default/db-2", "default/cache-0"},
		}},
	}
}

// tainting is a verdict that preemption cannot help.
func tainting() trace.Verdict {
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"node(s) had untolerated taint(s)"}}
}

// sampled is a cycle of six nodes of which kube-scheduler tries n2, n3, n4 and n5, in this order, and stops when two
// fit. It does not look at n0 and n1.
func sampled(detail trace.Detail) *session.Frame {
	m := &trace.Matrix{
		Nodes:   []string{"n0", "n1", "n2", "n3", "n4", "n5"},
		Plugins: []string{"TaintToleration", "NodePorts", "NodeResourcesFit"}, Skipped: []bool{false, true, false},
		Start: 2, Visited: []int32{2, 3, 4, 5},
		First: []int16{trace.FirstNotVisited, trace.FirstNotVisited, trace.FirstNone, 0, 2, trace.FirstNone},
		Failures: []trace.Failure{
			{Node: 3, Plugin: 0, Verdict: tainting()}, {Node: 4, Plugin: 2, Verdict: lacksCPU(2000, 500)},
		},
	}
	if detail >= trace.Full {
		m.Complete = true
		m.Failures = []trace.Failure{
			{Node: 1, Plugin: 2, Verdict: lacksCPU(2000, 1900)},
			{Node: 3, Plugin: 0, Verdict: tainting()},
			{Node: 3, Plugin: 2, Verdict: lacksCPU(2000, 100)},
			{Node: 4, Plugin: 2, Verdict: lacksCPU(2000, 500)},
		}
	}
	s := &trace.Scores{
		Nodes: m.Nodes, Index: []int32{2, 5}, Totals: []int64{250, 250},
		Columns: []trace.ScoreColumn{
			{Plugin: "TaintToleration", Weight: 3, Raw: []int64{0, 0}, Normalized: []int64{50, 50}},
			{Plugin: "NodeResourcesFit", Weight: 1, Raw: []int64{60, 40}, Normalized: []int64{60, 40}},
			{Plugin: "ImageLocality", Weight: 1, Raw: []int64{40, 60}, Normalized: []int64{40, 60}},
			{Plugin: "NodeAffinity", Weight: 2, Skipped: true},
		},
	}
	c := &trace.Try{
		Opening: trace.Opening{
			Number: 7, Entity: trace.Entity{Type: "pod", Namespace: "default", Name: "web-7"}, Attempt: 1, Nodes: 6,
			From: "activeQ",
		},
		Matrix: m, Scores: s,
		Selected: &trace.Selected{Node: "n5", Total: 250, Scored: true, Tied: []string{"n2", "n5"}, TieBreak: "heap order"},
		Phase:    trace.PhaseSelect,
	}
	return &session.Frame{Cycle: c.Alone(), Number: 7, Cycles: 7, Phase: trace.PhaseSelect}
}

func TestNodesThatWereNotTriedAreToldApart(t *testing.T) {
	a := album{file: "sampled.txt"}
	f := sampled(trace.Full)
	a.add("everything known", shot(t, panel.NewFilters(), f, 80, 9))
	a.add("only what was asked", shot(t, panel.NewFilters(), sampled(trace.Reported), 80, 9))
	a.add("scores that tie", shot(t, panel.NewScores(), f, 80, 10))
	p := &panel.Why{}
	for _, at := range []string{"n0", "n1", "n3"} {
		filters := panel.NewFilters()
		filters.Find(f, at)
		p.Explain(filters.Selection(f))
		a.add(at, shot(t, p, f, 80, 12))
	}
	a.compare(t)
}

func TestWholeNodeSetsAndNominationsExplainWhoWasNotTried(t *testing.T) {
	f := sampled(trace.Full)
	filters, why := panel.NewFilters(), &panel.Why{}
	filters.Find(f, "n0")
	why.Explain(filters.Selection(f))
	f.Try().PreFilters = []trace.PreFiltered{{Plugin: "NodeAffinity", Nodes: []string{"n2", "n3", "n4", "n5"}}}
	if got := shot(t, why, f, 100, 6); !strings.Contains(got, "PreFilter of NodeAffinity leaves it out") {
		t.Errorf("with a node set:\n%s", got)
	}
	f.Try().Nominated = &trace.NominatedTried{Node: "n2", Feasible: true}
	if got := shot(t, why, f, 100, 6); !strings.Contains(got, "the nominated node n2 was tried first, and fits") {
		t.Errorf("with a nominated node that fits:\n%s", got)
	}
}

func TestOrdersPutNodesWhereTheySay(t *testing.T) {
	tests := []struct {
		order view.Order
		want  string
	}{
		{view.ByVerdict, "n5 n2 n4 n3 n0 n1"},
		{view.ByTotal, "n2 n5 n0 n1 n3 n4"},
		{view.ByNearestMiss, "n0 n2 n5 n1 n4 n3"},
		{view.ByName, "n0 n1 n2 n3 n4 n5"},
		{view.BySnapshot, "n0 n1 n2 n3 n4 n5"},
	}
	for _, test := range tests {
		var nodes []string
		for _, row := range view.FilterTable(sampled(trace.Full), test.order, "", words.English)[1:] {
			nodes = append(nodes, row[0])
		}
		if got := strings.Join(nodes, " "); got != test.want {
			t.Errorf("by %s: %s, want %s", test.order, got, test.want)
		}
	}
}

// TestTheOrderIsCalledAsItsColumn reads the foot of the tables and the heads of their columns in both languages.
func TestTheOrderIsCalledAsItsColumn(t *testing.T) {
	s := rollout(t)
	for _, test := range []struct {
		language              words.Language
		verdict, total, title string
	}{
		{words.English, "verdict", "total", "Score: weighted"},
		{"zh", "判定", "总分", "Score：加权"},
	} {
		s.Speak(test.language)
		f := after(t, s, "web-6")
		filters, scores := panel.NewFilters(), panel.NewScores()
		by := words.Language.Say
		if got := shot(t, filters, f, 120, 12); !strings.Contains(got, test.verdict) {
			t.Errorf("no column %q:\n%s", test.verdict, got)
		}
		if got := filters.Note(f); !strings.Contains(got, by(test.language, "by %s", test.verdict)) {
			t.Errorf("filters: %q without %q", got, test.verdict)
		}
		if got := shot(t, scores, f, 120, 12); !strings.Contains(got, test.total) {
			t.Errorf("no column %q:\n%s", test.total, got)
		}
		if got := scores.Note(f); !strings.Contains(got, by(test.language, "by %s", test.total)) {
			t.Errorf("scores: %q without %q", got, test.total)
		}
		if got := scores.Title(f); !strings.HasPrefix(got, test.title) {
			t.Errorf("the title is %q, want %q", got, test.title)
		}
	}
}

func TestExportHasEveryCellInWords(t *testing.T) {
	got := view.FilterTable(sampled(trace.Full), view.ByVerdict, "", words.English)
	want := [][]string{
		{"node", "verdict", "total", "TaintToleration", "NodePorts", "NodeResourcesFit"},
		{"n5", "chosen", "250", "pass", "skipped", "pass"},
		{"n2", "fits", "250", "pass", "skipped", "pass"},
		{"n4", "does not fit: NodeResourcesFit", "", "pass", "skipped", "fail"},
		{"n3", "does not fit: TaintToleration, NodeResourcesFit", "", "fail, unresolvable", "skipped", "would fail"},
		{"n0", "not tried, would fit", "", "would pass", "skipped", "would pass"},
		{"n1", "not tried, would not fit: NodeResourcesFit", "", "would pass", "skipped", "would fail"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := view.FilterTable(&session.Frame{}, view.ByVerdict, "", words.English); got != nil {
		t.Errorf("without a cycle: %v", got)
	}
}

func TestCursorStaysOnItsNodeAndPluginWhenTheTableChanges(t *testing.T) {
	f := sampled(trace.Full)
	p := panel.NewFilters()
	shot(t, p, f, 100, 12)
	if !p.Find(f, "n4") {
		t.Fatal("n4 is not shown")
	}
	for p.Selection(f).Plugin != "NodeResourcesFit" {
		p.Move(f, 0, 1)
	}
	want := p.Selection(f)
	p.Sort(view.ByName)
	shot(t, p, f, 30, 5)
	if got := p.Selection(f); got != want {
		t.Errorf("sorted and narrow: %+v, want %+v", got, want)
	}
	next := sampled(trace.Full)
	next.Try().Matrix.Nodes = []string{"n4", "m1", "m2", "m3", "m4", "m5"}
	if got := p.Selection(next); got.Node != "n4" || got.NodeIndex != 0 || got.Plugin != "NodeResourcesFit" {
		t.Errorf("in another cycle: %+v", got)
	}
	p.Filter("m3")
	if got := p.Selection(next); got.Node != "m3" {
		t.Errorf("filtered away, the cursor is on %+v", got)
	}
}

func TestCursorFollowsTheSessionFromCellToCell(t *testing.T) {
	f := sampled(trace.Full)
	f.Try().Scores, f.Try().Selected = nil, nil
	p := panel.NewFilters()
	whole := f.Try().Matrix
	for k := range whole.Asked() {
		node, plugin, _ := whole.AskedAt(k)
		f.Try().Matrix = whole.UpTo(k + 1)
		f := *f
		f.Cell, f.Position.Cell = &session.Cell{Node: node, Plugin: plugin}, k+1
		got := p.Selection(&f)
		if got.NodeIndex != node || got.PluginIndex != plugin || got.Subject != view.OfFilter {
			t.Errorf("at cell %d the cursor is on %+v, want node %d plugin %d", k, got, node, plugin)
		}
		p.Move(&f, 1, 0)
		if moved := p.Selection(&f); moved.NodeIndex == node && node != 1 {
			t.Errorf("at cell %d the cursor cannot be moved", k)
		}
	}
}

func TestPointingAtTheMatrixSelectsTheCell(t *testing.T) {
	f := sampled(trace.Full)
	p := panel.NewFilters()
	lines := strings.Split(shot(t, p, f, 100, 12), "\n")
	x := strings.Index(lines[1], "Fit") - len("┃") // within the box
	if !p.Point(f, x, 3) {
		t.Fatalf("nothing at %d:\n%s", x, strings.Join(lines, "\n"))
	}
	if got := p.Selection(f); got.Node != "n4" || got.Plugin != "NodeResourcesFit" {
		t.Errorf("selected %+v", got)
	}
	if p.Point(f, x, 9) {
		t.Error("something is below the last node")
	}
	if !p.Point(f, 2, 0) {
		t.Error("the titles cannot be pointed at")
	}
	if got := p.Selection(f); got.Node != "n4" || got.Subject != view.OfNode {
		t.Errorf("pointing at the first title selected %+v", got)
	}
}

func TestPreFilterThatRejectsThePodIsSaidInPlaceOfTheMatrix(t *testing.T) {
	f := sampled(trace.Reported)
	m := f.Try().Matrix
	m.Visited, m.Failures = nil, nil
	for i := range m.First {
		m.First[i] = trace.FirstNotVisited
	}
	f.Try().Scores, f.Try().Selected = nil, nil
	f.Try().PreFilters = []trace.PreFiltered{{
		Plugin:  "NodeAffinity",
		Verdict: trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"no such node"}},
	}}
	got := shot(t, panel.NewFilters(), f, 100, 5)
	if !strings.Contains(got, "PreFilter rejected the pod") || !strings.Contains(got, "no such node") {
		t.Errorf("drawn:\n%s", got)
	}
	if s := panel.NewFilters().Selection(f); s.Subject != view.OfNothing {
		t.Errorf("selected %+v", s)
	}
}

func TestRunnerUpWouldWinWithTheWeightThatIsNamed(t *testing.T) {
	f := sampled(trace.Full)
	s := f.Try().Scores
	f.Try().Selected = &trace.Selected{Node: "n2", Total: 260, Scored: true, Tied: []string{"n2"}}
	s.Columns[1].Normalized[0] = 90
	s.Totals = []int64{280, 250}
	got := shot(t, panel.NewScores(), f, 100, 12)
	for _, want := range []string{
		"n2 280 against n5 250: NodeResourcesFit +50, ImageLocality -20",
		"n5 would be ahead if ImageLocality had weight 3 instead of 1.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

func TestUntrustedNamesAreDrawnSafely(t *testing.T) {
	f := sampled(trace.Full)
	f.Title = "\x1b[31mred\x07"
	f.Try().Matrix.Nodes[2] = "evil\x1b]0;title\x07\nnode"
	f.Queue.Active = []session.QueueRow{{Pod: "default/\x1b[2Jweb"}}
	f.Timeline = []session.Mark{{Step: 1, Event: "Node \x1b[A Add\r"}}
	f.Unjudged = []string{"\x1b[1mBold"}
	for _, p := range []drawer{panel.NewFilters(), &panel.Queue{}, &panel.Timeline{}, panel.NewScores()} {
		for _, char := range shot(t, p, f, 90, 12) {
			if char < ' ' && char != '\n' {
				t.Errorf("%T draws %q", p, char)
			}
		}
	}
	for drawn := range strings.Lines(line(t, 100, func(r widget.Region) { panel.Header{}.Draw(f, r) })) {
		if strings.ContainsRune(drawn, '\x1b') {
			t.Errorf("header: %q", drawn)
		}
	}
}

func TestFiveThousandNodesCostNothingMoreThanTheScreen(t *testing.T) {
	f := crowd(5000)
	p := panel.NewFilters()
	c := screen(t, 200, 60)
	p.Draw(f, c.All(), widget.Focused)
	allocs := testing.AllocsPerRun(20, func() {
		p.Move(f, 7, 1)
		p.Draw(f, c.All(), widget.Focused)
	})
	if allocs > 500 {
		t.Errorf("%.0f allocations for a frame", allocs)
	}
}

// crowd is a cycle over many nodes, most of which are not tried.
func crowd(n int) *session.Frame {
	m := &trace.Matrix{Complete: true, First: make([]int16, n)}
	for i := range 14 {
		m.Plugins = append(m.Plugins, fmt.Sprintf("Plugin%02d", i))
		m.Skipped = append(m.Skipped, i%4 == 3)
	}
	for i := range n {
		m.Nodes = append(m.Nodes, fmt.Sprintf("ip-10-0-%d-%d.eu-central-1.compute.internal", i/250, i%250))
		m.First[i] = trace.FirstNotVisited
		switch {
		case i%3 == 0:
			m.Failures = append(m.Failures, trace.Failure{Node: int32(i), Plugin: 2, Verdict: tainting()}, trace.Failure{
				Node: int32(i), Plugin: 5, Verdict: lacksCPU(2000, int64(i%2000)),
			})
			if i < n/2 {
				m.First[i] = 2
			}
		case i < n/2:
			m.First[i] = trace.FirstNone
		}
		if i < n/2 {
			m.Visited = append(m.Visited, int32(i))
		}
	}
	one := &trace.Try{Opening: trace.Opening{Number: 1, Nodes: n}, Matrix: m}
	return &session.Frame{Cycle: one.Alone()}
}

// A verdict that reads an object of which something is assumed has a sign, in the cell and in its row, and its page
// names the object. The one of a plugin that reads nothing of it has none.
func TestVerdictsThatRestOnAGuessHaveASign(t *testing.T) {
	guesses := func(pod trace.Guess) *session.Frame {
		f := sampled(trace.Full)
		m := f.Try().Matrix
		own := trace.Guessed{Kind: "Pod", Key: f.Try().Entity.Key(), Why: pod}
		m.Guesses = trace.NewGuesses(own, []trace.GuessedNode{
			{Node: 3, Why: trace.FirstMention},
			{Node: 5, Pods: 3, First: trace.Guessed{Kind: "Pod", Key: "shop/a", Why: trace.RolledBack}},
		}, []trace.GuessedRead{{}, {OnNode: true}, {OnNode: true}})
		return f
	}
	a := album{file: "guesses.txt"}
	f := guesses("")
	a.add("filters", shot(t, panel.NewFilters(), f, 80, 14))
	a.add("scores", shot(t, panel.NewScores(), f, 80, 10))
	p := &panel.Why{}
	for _, at := range []string{"n2", "n3", "n5"} {
		filters := panel.NewFilters()
		filters.Find(f, at)
		p.Explain(filters.Selection(f))
		a.add(at, shot(t, p, f, 80, 14))
	}
	a.add("the pod itself", shot(t, panel.NewFilters(), guesses(trace.AsSent), 80, 11))
	f.Language = "zh"
	a.add("Chinese", shot(t, panel.NewFilters(), f, 80, 14)+shot(t, p, f, 80, 14))
	a.compare(t)
	rows := view.FilterTable(f, view.BySnapshot, "", words.English)
	if got := rows[6][1]; got != "chosen (rests on a guess)" {
		t.Errorf("in a file: %q", got)
	}
}
