package panel_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/tui/view"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

func anyName() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("abn-.1/节👍é\x1b\n")), 0, 12, -1)
}

func anyNames(t *rapid.T, label string, least, most int) []string {
	return rapid.SliceOfN(anyName(), least, most).Draw(t, label)
}

func anyVerdict(t *rapid.T) trace.Verdict {
	code := rapid.SampledFrom(
		[]trace.Code{trace.Unschedulable, trace.UnschedulableAndUnresolvable, trace.Error, trace.Pending},
	).Draw(t, "code")
	v := trace.Verdict{Code: code, Reasons: anyNames(t, "reasons", 0, 2)}
	for range rapid.IntRange(0, 2).Draw(t, "evidence") {
		v.Evidence = append(v.Evidence, trace.Evidence{
			What: phrase.Verbatim(anyName().Draw(t, "what")), Want: anyValue(t), Have: anyValue(t), Used: anyValue(t),
			Capacity: anyValue(t), By: anyNames(t, "by", 0, 2),
		})
	}
	return v
}

func anyValue(t *rapid.T) trace.Value {
	n := rapid.Int64Range(-5, 1<<40).Draw(t, "number")
	switch rapid.IntRange(0, 4).Draw(t, "unit") {
	case 0:
		return trace.Text(anyName().Draw(t, "text"))
	case 1:
		return trace.Count(n)
	case 2:
		return trace.MilliCPU(n)
	case 3:
		return trace.Bytes(n)
	}
	return trace.Value{}
}

// anyMatrix is a matrix as a cycle leaves it: some nodes visited, the first failure of each among its failures.
func anyMatrix(t *rapid.T) *trace.Matrix {
	m := &trace.Matrix{
		Nodes: anyNames(t, "nodes", 0, 40), Plugins: anyNames(t, "plugins", 0, 16),
		Complete: rapid.Bool().Draw(t, "complete"),
	}
	m.Skipped = rapid.SliceOfN(rapid.Bool(), len(m.Plugins), len(m.Plugins)).Draw(t, "skipped")
	for node := range m.Nodes {
		visited := rapid.Bool().Draw(t, "visited")
		first := trace.FirstNone
		for plugin := range m.Plugins {
			if m.Skipped[plugin] || rapid.IntRange(0, 3).Draw(t, "fails") > 0 || !m.Complete && (first >= 0 || !visited) {
				continue
			}
			if first < 0 {
				first = int16(plugin)
			}
			m.Failures = append(m.Failures, trace.Failure{Node: int32(node), Plugin: int16(plugin), Verdict: anyVerdict(t)})
		}
		if !visited {
			first = trace.FirstNotVisited
		} else {
			m.Visited = append(m.Visited, int32(node))
		}
		m.First = append(m.First, first)
	}
	return m
}

func anyScores(t *rapid.T, m *trace.Matrix) *trace.Scores {
	s := &trace.Scores{Nodes: m.Nodes}
	for node := range m.Nodes {
		if m.Feasible(node) {
			s.Index = append(s.Index, int32(node))
			s.Totals = append(s.Totals, 0)
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "columns") {
		c := trace.ScoreColumn{Plugin: anyName().Draw(t, "scorer"), Weight: rapid.Int64Range(1, 20).Draw(t, "weight")}
		if c.Skipped = rapid.Bool().Draw(t, "skipped"); !c.Skipped {
			c.Raw = rapid.SliceOfN(rapid.Int64Range(-1<<40, 1<<40), len(s.Index), len(s.Index)).Draw(t, "raw")
			c.Normalized = rapid.SliceOfN(rapid.Int64Range(0, 100), len(s.Index), len(s.Index)).Draw(t, "normalised")
			for k := range s.Totals {
				s.Totals[k] += c.Weighted(k)
			}
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}

func anyCycle(t *rapid.T) *trace.Cycle {
	c := &trace.Try{
		Opening: trace.Opening{
			Number: rapid.Int64Range(0, 300).Draw(t, "number"), Attempt: 1, Nodes: rapid.IntRange(0, 1).Draw(t, "has nodes"),
			Entity: trace.Entity{Type: "pod", Namespace: "default", Name: anyName().Draw(t, "pod")},
		},
		Phase: trace.Phase(rapid.IntRange(int(trace.PhasePop), int(trace.PhaseEnd)).Draw(t, "phase")),
	}
	if rapid.IntRange(0, 3).Draw(t, "of a group") == 0 {
		return anyGroupCycle(t)
	}
	if rapid.Bool().Draw(t, "before the filters") {
		return c.Alone()
	}
	c.Matrix = anyMatrix(t)
	c.PreFilters = []trace.PreFiltered{{Plugin: anyName().Draw(t, "prefilter"), Nodes: anyNames(t, "set", 0, 3)}}
	if feasible := c.Matrix.FeasibleCount(); feasible > 0 && rapid.Bool().Draw(t, "scored") {
		c.Scores = anyScores(t, c.Matrix)
		if rapid.Bool().Draw(t, "selected") {
			k := rapid.IntRange(0, feasible-1).Draw(t, "best")
			name := c.Matrix.Nodes[c.Scores.Index[k]]
			c.Selected = &trace.Selected{
				Node: name, Total: c.Scores.Totals[k], Scored: true, Tied: anyNames(t, "tied", 1, 9),
				TieBreak: phrase.Verbatim(anyName().Draw(t, "how")),
			}
		}
	}
	if rapid.Bool().Draw(t, "ended") {
		c.Ended = &trace.Ended{Outcome: anyOutcome(t), Message: anyName().Draw(t, "message")}
		c.Ran = []trace.Ran{{Point: trace.PhaseBind, Plugin: "DefaultBinder"}, {
			Point: trace.PhasePermit, Plugin: "Gang", Verdict: anyVerdict(t),
		}}
		c.PostFilter = []trace.PostFiltered{{Plugin: "DefaultPreemption", Verdict: anyVerdict(t)}}
	}
	if rapid.Bool().Draw(t, "preempted") {
		c.Preemption = anyPreemption(t, c.Matrix)
	}
	return c.Alone()
}

// anyGroupCycle is the cycle of a pod group, folded up to any of its facts.
func anyGroupCycle(t *rapid.T) *trace.Cycle {
	members := make([]trace.Entity, rapid.IntRange(0, 5).Draw(t, "members"))
	for i := range members {
		members[i] = trace.Entity{
			Type: "pod", Namespace: "default", Name: fmt.Sprintf("%d%s", i, anyName().Draw(t, "member")),
		}
	}
	gathered := trace.Gathered{
		Policy: "gang", MinCount: rapid.IntRange(0, 6).Draw(t, "minCount"), Members: members,
		Topology: anyName().Draw(t, "label"),
	}
	facts := []trace.Fact{trace.Popped{
		Cycle:  rapid.Int64Range(1, 3).Draw(t, "number"),
		Entity: trace.Entity{Type: "podgroup", Namespace: "default", Name: "g"},
	}, gathered}
	of := rapid.IntRange(0, 3).Draw(t, "placements")
	scored := trace.PlacementsScored{}
	column := trace.ScoreColumn{Plugin: anyName().Draw(t, "scorer"), Weight: 1}
	for i := range of {
		name := fmt.Sprintf("%d%s", i, anyName().Draw(t, "placement"))
		facts = append(facts, trace.PlacementBegan{Name: name, Nodes: 1, Index: i, Of: of})
		for _, m := range members[:rapid.IntRange(0, len(members)).Draw(t, "tried")] {
			facts = append(facts, anyTryOf(t, m)...)
		}
		ended := trace.PlacementEnded{Name: name}
		if rapid.Bool().Draw(t, "takes it") {
			scored.Names, scored.Totals = append(scored.Names, name), append(scored.Totals, rapid.Int64().Draw(t, "total"))
			column.Raw, column.Normalized = append(column.Raw, 1), append(
				column.Normalized, rapid.Int64Range(0, 100).Draw(t, "score"),
			)
		} else {
			ended.Verdict = anyVerdict(t)
			facts = append(facts, trace.Feasible{Plugin: anyName().Draw(t, "judge"), Verdict: ended.Verdict})
		}
		facts = append(facts, ended)
	}
	if len(scored.Names) > 1 {
		scored.Columns = []trace.ScoreColumn{column}
		facts = append(facts, scored)
	}
	if len(scored.Names) > 0 {
		facts = append(facts, trace.PlacementSelected{
			Name: scored.Names[0], Scored: len(scored.Names) > 1, Tied: anyNames(t, "tied", 0, 3),
		})
	} else {
		facts = append(facts, trace.GroupPreempted{
			Victims: anyNames(t, "victims", 0, 6),
			Nodes:   []trace.MemberNode{{Pod: "x", Node: anyName().Draw(t, "nominated")}},
		})
	}
	for _, m := range members {
		facts = append(facts, trace.MemberSettled{Pod: m, Outcome: anyOutcome(t), Message: anyName().Draw(t, "said")})
	}
	facts = append(facts, trace.Ended{Outcome: anyOutcome(t), Message: anyName().Draw(t, "message")})
	c, _ := trace.Fold(facts[:rapid.IntRange(1, len(facts)).Draw(t, "facts")])
	return c
}

// anyTryOf is how one member of a group is tried on one placement.
func anyTryOf(t *rapid.T, member trace.Entity) []trace.Fact {
	end := trace.MemberEnded{Pod: member, Node: anyName().Draw(t, "found")}
	if rapid.Bool().Draw(t, "fails") {
		end = trace.MemberEnded{Pod: member, Code: trace.Unschedulable, Message: anyName().Draw(t, "why")}
	}
	return []trace.Fact{trace.MemberBegan{Pod: member, Attempt: 1}, trace.Filtered{Matrix: anyMatrix(t)}, end}
}

// anyPreemption is a preemption in which every node has one role.
func anyPreemption(t *rapid.T, m *trace.Matrix) *trace.Preemption {
	p := &trace.Preemption{
		Eligible: rapid.Bool().Draw(t, "eligible"), Message: anyName().Draw(t, "says"), Nodes: m.Nodes, Wanted: 3,
	}
	for node := range m.Nodes {
		switch rapid.IntRange(0, 3).Draw(t, "role") {
		case 0:
			c := trace.PreemptionCandidate{
				Node: int32(node), Victims: anyNames(t, "victims", 1, 4), Reprieved: anyNames(t, "reprieved", 0, 3),
				Sum: rapid.Int64().Draw(t, "sum"),
			}
			if len(p.Candidates) > 0 {
				c.Behind = trace.Criterion(rapid.IntRange(1, 6).Draw(t, "behind"))
			}
			for _, pod := range c.Victims {
				c.Leaving = append(c.Leaving, trace.PreemptionVictim{
					Pod: pod, Priority: rapid.Int32().Draw(t, "importance"), Budget: anyName().Draw(t, "budget"),
				})
			}
			p.Candidates = append(p.Candidates, c)
		case 1:
			p.Refused = append(p.Refused, trace.PreemptionRefusal{
				Node: int32(node), Plugin: anyName().Draw(t, "refuser"), Verdict: anyVerdict(t),
			})
		case 2:
			p.Untried = append(p.Untried, int32(node))
		default:
			p.Unhelpful = append(p.Unhelpful, int32(node))
		}
	}
	if p.Found = len(p.Candidates); p.Found > 0 && p.Eligible {
		p.Node, p.Victims = p.Nodes[p.Candidates[0].Node], p.Candidates[0].Victims
	}
	return p
}

func anyOutcome(t *rapid.T) trace.Outcome {
	return rapid.SampledFrom([]trace.Outcome{
		trace.Scheduled, trace.NotSchedulable, trace.Preempting, trace.Waiting, trace.SchedulerError,
		trace.SkippedScheduling, "",
	}).Draw(t, "outcome")
}

func anyRows(t *rapid.T) []session.QueueRow {
	var rows []session.QueueRow
	for range rapid.IntRange(0, 6).Draw(t, "rows") {
		rows = append(rows, session.QueueRow{
			Pod: anyName().Draw(t, "queued"), Priority: rapid.Int32().Draw(t, "priority"),
			Attempts: rapid.IntRange(0, 1000).Draw(t, "attempts"),
			Since:    start.Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "since"))), Until: start,
			Plugins: anyNames(t, "rejectors", 0, 3),
			Gate:    anyName().Draw(t, "gate"), Node: anyName().Draw(t, "node"),
		})
	}
	return rows
}

func anyFrame(t *rapid.T) *session.Frame {
	f := &session.Frame{
		Phases: release.Newest().Behaviour.Phases,
		Title:  anyName().Draw(t, "title"), Version: "1.37", Branch: anyName().Draw(t, "branch"), Now: start,
		Unjudged: anyNames(t, "unjudged", 0, 8),
		Cycles:   rapid.Int64Range(0, 1e6).Draw(t, "cycles"), Whole: rapid.Bool().Draw(t, "whole"),
	}
	for step := range rapid.IntRange(0, 30).Draw(t, "marks") {
		m := session.Mark{Step: step * 3, Event: anyName().Draw(t, "event")}
		if rapid.Bool().Draw(t, "is a cycle") {
			m = session.Mark{Step: step * 3, Cycle: int64(step), Pod: anyName().Draw(t, "tried"), Outcome: anyOutcome(t)}
		}
		f.Timeline = append(f.Timeline, m)
	}
	f.Position.Step = rapid.IntRange(0, 100).Draw(t, "step")
	f.Queue = session.Queue{
		Active: anyRows(t), Backoff: anyRows(t), Unschedulable: anyRows(t), Gated: anyRows(t), InFlight: anyRows(t),
	}
	f.Queue.Counts = trace.QueueCounts{
		Active: len(f.Queue.Active) + rapid.IntRange(0, 3).Draw(t, "more"), Backoff: len(f.Queue.Backoff),
	}
	switch c := anyCycle(t); {
	case rapid.Bool().Draw(t, "outside"):
		f.Last = c
	default:
		f.Cycle = c
		one := c.Latest()
		if m := one.Matrix; m != nil && c.Ended == nil && one.Scores == nil && m.Asked() > 0 &&
			rapid.Bool().Draw(t, "walking") {
			k := rapid.IntRange(0, m.Asked()-1).Draw(t, "cell")
			node, plugin, _ := m.AskedAt(k)
			f.Cell, f.Position.Cell = &session.Cell{Node: node, Plugin: plugin}, k+1
			one.Matrix = m.UpTo(k + 1)
		}
		f.Facts = []trace.Fact{
			trace.Popped{Entity: c.Entity},
			trace.PreFiltered{Plugin: "x", Verdict: anyVerdict(t)},
			trace.ClockMoved{},
			trace.Ended{Message: "x"},
		}
		f.Ahead = []trace.Phase{trace.PhaseBind, trace.PhaseFailure}
	}
	return f
}

// everyPanel is one of each, in some state.
func everyPanel(t *rapid.T) []drawer {
	text := anyName().Draw(t, "filter")
	queue, filters, scores := &panel.Queue{}, panel.NewFilters(), panel.NewScores()
	facts, preemption, group := &panel.Facts{}, panel.NewPreemption(), panel.NewGroup()
	if rapid.Bool().Draw(t, "filtered") {
		queue.Filter(text)
		filters.Filter(text)
		scores.Filter(text)
		preemption.Filter(text)
		group.Filter(text)
		facts.Only(trace.PhaseEnd)
	}
	filters.Sort(view.Order(rapid.IntRange(0, 4).Draw(t, "order")))
	scores.Sort(filters.Sorted())
	scores.Show(view.Numbers(rapid.IntRange(0, 2).Draw(t, "numbers")))
	return []drawer{queue, filters, scores, &panel.Why{}, &panel.Timeline{}, facts, preemption, group}
}

func TestPanelsDrawAnyFrameInAnySizeAndKeepTheirCursor(t *testing.T) {
	looks := []themes.Styles{styles(t, themes.Default, themes.Unicode()), styles(t, themes.Mono, themes.ASCII())}
	c := widget.NewCanvas()
	law.Check(t, func(t *rapid.T) {
		panels := everyPanel(t)
		for range rapid.IntRange(1, 3).Draw(t, "frames") {
			f := anyFrame(t)
			size := layout.Size{Width: rapid.IntRange(1, 200).Draw(t, "width"), Height: rapid.IntRange(1, 60).Draw(t, "height")}
			c.Reset(size, rapid.SampledFrom(looks).Draw(t, "look"))
			for _, p := range panels {
				move(t, p, f)
				p.Draw(f, c.All(), widget.Focused)
				before := c.Text()
				p.Draw(f, c.All(), widget.Focused)
				if again := c.Text(); again != before {
					t.Fatalf("%T drawn again differs\n%s\n%s", p, before, again)
				}
				if strings.ContainsRune(before, '\x1b') {
					t.Fatalf("%T draws an escape", p)
				}
				mustSelectWhatIsThere(t, p.Selection(f), f)
				p.Point(f, rapid.IntRange(-1, size.Width).Draw(t, "x"), rapid.IntRange(-1, size.Height).Draw(t, "y"))
				mustSelectWhatIsThere(t, p.Selection(f), f)
				panels[3].(*panel.Why).Explain(p.Selection(f))
				if p.Title(f) == "" {
					t.Fatalf("%T has no title", p)
				}
				_ = p.Note(f)
			}
			mustSelectWhatIsThere(t, panels[1].Selection(panels[7].(*panel.Group).Frame(f)), panels[7].(*panel.Group).Frame(f))
			_ = panels[7].(*panel.Group).Who(f)
			panel.DrawPhases(f, c.All(), 0)
			panel.Header{Hint: "? help"}.Draw(f, c.All())
			_ = panel.CycleTitle(f)
		}
	})
}

func move(t *rapid.T, p drawer, f *session.Frame) {
	switch rapid.IntRange(0, 4).Draw(t, "motion") {
	case 0:
		p.Move(f, rapid.IntRange(-50, 50).Draw(t, "down"), rapid.IntRange(-20, 20).Draw(t, "right"))
	case 1:
		p.MovePages(f, rapid.IntRange(-2, 2).Draw(t, "pages"))
	case 2:
		p.MoveTo(f, panel.First)
	case 3:
		p.MoveTo(f, panel.Last)
	}
}

// mustSelectWhatIsThere fails when a selection names what the frame does not have.
func mustSelectWhatIsThere(t *rapid.T, s view.Selection, f *session.Frame) {
	c, one := f.About(), f.Try()
	switch s.Subject {
	case view.OfNode, view.OfFilter, view.OfScore:
		if one == nil || one.Matrix == nil || one.Matrix.Nodes[s.NodeIndex] != s.Node {
			t.Fatalf("no such node: %+v", s)
		}
		if s.Subject == view.OfFilter && one.Matrix.Plugins[s.PluginIndex] != s.Plugin ||
			s.Subject == view.OfScore && one.Scores.Columns[s.PluginIndex].Plugin != s.Plugin {
			t.Fatalf("no such plugin: %+v", s)
		}
	case view.OfPreemption:
		if one == nil || one.Preemption == nil || one.Preemption.Nodes[s.NodeIndex] != s.Node {
			t.Fatalf("no such node: %+v", s)
		}
	case view.OfPlacement, view.OfMember:
		if c == nil || c.Group == nil || s.Placement >= len(c.Group.Placements) ||
			s.Placement < 0 && len(c.Group.Placements) > 0 {
			t.Fatalf("no such placement: %+v", s)
		}
	case view.OfFact:
		if s.Fact < 0 || s.Fact >= len(f.Facts) {
			t.Fatalf("no such fact: %+v", s)
		}
	case view.OfNothing, view.OfPod:
	}
}
