package cmd_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/panel"
)

// ascii are the signs in front of the lines; what is compared is behind them.
var ascii = themes.ASCII()

// TestTheScreenTellsWhatExplainTells stops after every cycle of every demo. For each pod of the cycle the pane Why has
// the lines of explain, without the pod's history. For each node it has the lines of explain POD NODE, and the tables
// of filters and scores have the same words and numbers.
func TestTheScreenTellsWhatExplainTells(t *testing.T) {
	for _, d := range demo.All() {
		t.Run(d.Name, func(t *testing.T) {
			s := opened(t, d.Name)
			pods, nodes := 0, 0
			for n := int64(1); s.GotoCycle(t.Context(), n, nil).Reason != session.NotFound; n++ {
				f := s.Frame()
				for _, try := range lastTries(f.About()) {
					pods++
					whyOfPod(t, s, f, try.Entity.Key())
					if try.Matrix == nil || f.About().Group != nil {
						continue
					}
					for i := range try.Matrix.Nodes {
						nodes++
						whyOfNode(t, s, f, try, i)
					}
					tables(t, f, try)
				}
			}
			if pods == 0 || nodes == 0 && d.Name != "gang" {
				t.Errorf("%d pods and %d nodes were asked about", pods, nodes)
			}
		})
	}
}

// opened is a demo at its start.
func opened(t *testing.T, name string) *session.Session {
	t.Helper()
	file, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := input.ReadRecording(name, file)
	if err != nil {
		t.Fatal(err)
	}
	gates, err := config.ParseGates(in.Gates)
	if err != nil {
		t.Fatal(err)
	}
	c := config.DefaultWith(config.Options{Gates: gates})
	return session.New(in.Play(c, 1, trace.Reported), session.About{Title: in.Title})
}

// lastTries are the tries that count for the pods of a cycle.
func lastTries(c *trace.Cycle) []*trace.Try {
	if c.Group == nil {
		return []*trace.Try{c.Latest()}
	}
	return c.Group.Ends
}

// whyOfPod compares the lines about a pod in the pane Why with those of explain.
func whyOfPod(t *testing.T, s *session.Session, f *session.Frame, pod string) {
	t.Helper()
	e, err := s.At().Explain(pod)
	if err != nil {
		t.Fatal(err)
	}
	e.History = nil
	want := prose.Pod(e, prose.Usual)
	why := &panel.Why{}
	why.Explain(view.Selection{Subject: view.OfPod, Pod: pod, NodeIndex: -1, PluginIndex: -1, Placement: -1})
	if e.Asked { // explain also tries the pod; the screen shows only what happened
		e.Cycle = nil
		want = prose.Pod(e, prose.Usual)
	}
	same(t, "of "+pod, why.Text(f, &ascii), want)
}

// whyOfNode compares the lines about a node in the pane Why with those of explain for the pod on that node.
func whyOfNode(t *testing.T, s *session.Session, f *session.Frame, try *trace.Try, node int) {
	t.Helper()
	pod, name := try.Entity.Key(), try.Matrix.Nodes[node]
	e, err := s.At().ExplainPair(pod, name)
	if err != nil {
		t.Fatal(err)
	}
	told := prose.Pair(e)
	of := view.Selection{Subject: view.OfNode, Pod: pod, Node: name, NodeIndex: node, PluginIndex: -1, Placement: -1}
	why := &panel.Why{}
	why.Explain(of)
	text := why.Text(f, &ascii)
	// what the node has left is of the node alone, and stands behind
	left := prose.Stranded(f.Language, f.At.Stranded(name))
	same(t, "what is left on "+name, text[len(text)-len(left):], left)
	text = text[:len(text)-len(left)]
	same(t, "of "+pod+" on "+name, text, told[1:1+len(text)])
	if try.Preemption != nil && try.Preemption.Eligible {
		of.Subject = view.OfPreemption
		why.Explain(of)
		same(t, "of a preemption on "+name, why.Text(f, &ascii), told[2+len(text):])
	}
}

// same compares lines on the screen, which have signs and indents in front, with lines of explain.
func same(t *testing.T, of string, got []string, want []prose.Line) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.HasSuffix(got[i], want[i].Text) {
			t.Errorf("%s the screen tells\n%s\nand explain\n%s", of, strings.Join(got, "\n"),
				strings.Join(prose.Plain(want), "\n"))
			return
		}
	}
}

// tables compares the tables of filters and scores with explain's lines about each node.
func tables(t *testing.T, f *session.Frame, try *trace.Try) {
	t.Helper()
	told := func(node string) string {
		i := slices.Index(try.Matrix.Nodes, node)
		return strings.Join(prose.Plain(prose.OnNode(f.Language, try, i)), "\n") + "\n" + prose.NodeLine(f.Language, try, i)
	}
	filters := view.FilterTable(f, view.ByVerdict, "", f.Language)
	for _, row := range filters[min(1, len(filters)):] {
		page := told(row[0])
		for i, word := range row[3:] {
			plugin := filters[0][i+3]
			if rejects := strings.Contains(page, plugin+": "); rejects != strings.Contains(word, "fail") {
				t.Errorf("the table of filters has %s %q on %s; told is\n%s", plugin, word, row[0], page)
			}
		}
		if row[2] != "" && !strings.Contains(page, "Its score is "+row[2]+":") {
			t.Errorf("the table of filters has the total %s on %s; told is\n%s", row[2], row[0], page)
		}
	}
	scores := view.ScoreTable(f, view.ByVerdict, "", view.Weighted, f.Language)
	for _, row := range scores[min(1, len(scores)):] {
		page := told(row[0])
		for i, number := range row[2:] {
			plugin := scores[0][i+2]
			if _, err := strconv.Atoi(number); err == nil && !strings.Contains(page, plugin+" "+number+" (raw ") {
				t.Errorf("the table of scores has %s %s on %s; told is\n%s", plugin, number, row[0], page)
			}
		}
	}
}
