package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/widget"
)

// filter explains one plugin's answer about one node.
func (w *telling) filter(node, plugin int) {
	m := w.try.Matrix
	if w.isAhead(node, plugin) {
		w.say(themes.Muted, "kube-scheduler has not come to this cell yet.")
		return
	}
	name := m.Plugins[plugin]
	switch state := m.Cell(node, plugin); state {
	case trace.CellSkipped:
		w.signed(w.signs.NotAsked, themes.NotAsked, name+
			" has nothing to check for this pod: its PreFilter answered Skip, so it is asked about no node.")
	case trace.CellPass:
		w.signed(w.signs.Pass, themes.Pass, fmt.Sprintf(
			"%s has nothing against %s on %s.", name, w.try.Entity.Key(), m.Nodes[node],
		))
	case trace.CellUnknown:
		w.signed(w.signs.NotAsked, themes.NotAsked, name+" was not asked about "+m.Nodes[node]+".")
		w.notAsked(node)
	case trace.CellWouldPass:
		w.signed(w.signs.Pass, themes.NotAsked, fmt.Sprintf("%s would have nothing against %s.", name, m.Nodes[node]))
		w.notAsked(node)
	default:
		verdict, _ := m.Verdict(node, plugin)
		w.rejection(node, plugin, verdict)
		if !state.Reached() {
			w.notAsked(node)
			return
		}
		w.say(themes.Muted, "This is what kube-scheduler reports for "+m.Nodes[node]+"; it asks no further filter there.")
	}
}

// rejection is a failing verdict: the reasons, what was compared with what, and what would change it.
func (w *telling) rejection(node, plugin int, v trace.Verdict) {
	m := w.try.Matrix
	sign, paint := verdictSign(v, w.signs)
	w.line(
		widget.Span{Text: sign + " ", Paint: paint},
		widget.Span{Text: m.Plugins[plugin], Paint: themes.Text.Strong()},
		widget.Span{Text: ": " + v.Message(), Paint: themes.Text},
	)
	advice := adviceOn(m, node, plugin)
	w.evidence(v.Evidence, advice.Users)
	if change, known := prose.Smallest(advice); known {
		w.lines([]prose.Line{change})
	}
	switch v.Code {
	case trace.UnschedulableAndUnresolvable:
		w.say(themes.Muted, "Evicting pods cannot help: preemption passes over this node.")
	case trace.Error:
		w.say(themes.Error, "The filter broke; kube-scheduler gives the whole cycle up.")
	case trace.Success, trace.Unschedulable, trace.Wait, trace.Skip, trace.Pending:
	}
}

// adviceOn is what a plugin that rejects a node can tell beyond its verdict.
func adviceOn(m *trace.Matrix, node, plugin int) trace.Advice {
	advice := m.AdviceOn(node)
	for i, failure := range m.OnNode(node) {
		if int(failure.Plugin) == plugin && i < len(advice) {
			return advice[i]
		}
	}
	return trace.Advice{}
}

// evidence lists comparisons, one on a line.
func (w *telling) evidence(list []trace.Evidence, users []trace.Use) {
	for i := range list {
		w.lines([]prose.Line{{Level: 1, Role: prose.Evidence, Text: prose.Compared(list[i], users)}})
	}
}

// notAsked says why kube-scheduler did not ask a cell.
func (w *telling) notAsked(node int) {
	m := w.try.Matrix
	if first := m.First[node]; first >= 0 {
		w.say(themes.Muted, "kube-scheduler did not ask it here: it had stopped at "+m.Plugins[first]+".")
		return
	}
	w.say(themes.Muted, w.passedOver(node))
}

// passedOver says why kube-scheduler did not look at a node.
func (w *telling) passedOver(node int) string {
	c, name := w.try, w.try.Matrix.Nodes[node]
	if c.Nominated != nil && c.Nominated.Feasible {
		return fmt.Sprintf(
			"kube-scheduler did not look at %s: the nominated node %s was tried first, and fits.", name,
			c.Nominated.Node,
		)
	}
	for _, pre := range c.PreFilters {
		if pre.Nodes != nil && !slices.Contains(pre.Nodes, name) {
			return fmt.Sprintf("kube-scheduler did not look at %s: PreFilter of %s leaves it out.", name, pre.Plugin)
		}
	}
	if c.Matrix.FeasibleCount() == 0 {
		return fmt.Sprintf("kube-scheduler did not look at %s: the search had ended before.", name)
	}
	return fmt.Sprintf("kube-scheduler did not look at %s: it had found enough nodes before, %d that fit among %d of %d.",
		name, c.Matrix.FeasibleCount(), len(c.Matrix.Visited), len(c.Matrix.Nodes))
}

// node explains all that was said about one node.
func (w *telling) node(node int) {
	m := w.try.Matrix
	if w.isAhead(node, 0) {
		w.say(themes.Muted, "Its turn has not come yet.")
		return
	}
	w.standing(node)
	passed, skipped, without := 0, 0, ""
	for plugin := range m.Plugins {
		if w.isAhead(node, plugin) {
			continue
		}
		switch state := m.Cell(node, plugin); state {
		case trace.CellSkipped:
			skipped++
		case trace.CellPass:
			passed++
		case trace.CellUnknown:
		case trace.CellWouldPass:
			without = joined(", ", without, short(m.Plugins[plugin]))
		default:
			verdict, _ := m.Verdict(node, plugin)
			w.rejection(node, plugin, verdict)
			if m.Evaluated(node) && !state.Reached() {
				w.notAsked(node)
			}
		}
	}
	w.scores(node)
	w.rest(passed, skipped, without)
}

// rest counts the filters that have nothing against a node.
func (w *telling) rest(passed, skipped int, without string) {
	var said []string
	if passed > 0 {
		said = append(said, many(passed, "filter")+" passed")
	}
	if without != "" {
		said = append(said, "would pass if asked: "+without)
	}
	if skipped > 0 {
		said = append(said, many(skipped, "filter")+" had nothing to check")
	}
	if len(said) > 0 {
		w.say(themes.Muted, strings.Join(said, "; ")+".")
	}
}

// standing says first what became of a node.
func (w *telling) standing(node int) {
	m, name := w.try.Matrix, w.try.Matrix.Nodes[node]
	first := m.First[node]
	switch {
	case isWalking(w.frame) && w.isAhead(node, len(m.Plugins)-1):
		w.say(themes.Text, "kube-scheduler is asking about "+name+" now.")
	case first == trace.FirstNotVisited:
		w.signed(w.signs.NotSampled, themes.NotSampled, w.passedOver(node))
	case first >= 0:
		w.signed(w.signs.Fail, themes.Fail, fmt.Sprintf(
			"%s does not fit. kube-scheduler stopped at %s.", name, m.Plugins[first],
		))
	case w.try.Selected != nil && w.try.Selected.Node == name:
		w.signed(w.signs.Pass, themes.Pass, name+" fits, and was chosen.")
	case w.try.Selected != nil:
		w.signed(w.signs.Pass, themes.Pass, fmt.Sprintf("%s fits, but %s was chosen.", name, w.try.Selected.Node))
	default:
		w.signed(w.signs.Pass, themes.Pass, name+" fits.")
	}
}

// isAhead says whether the session walks from cell to cell and has not come to this one.
func (w *telling) isAhead(node, plugin int) bool {
	if !isWalking(w.frame) {
		return false
	}
	m, at := w.try.Matrix, w.frame.Cell
	if node == at.Node {
		last := len(m.Plugins) - 1
		if m.First[node] >= 0 {
			last = int(m.First[node])
		}
		return plugin > at.Plugin && at.Plugin < last
	}
	turn := slices.Index(m.Visited, int32(node))
	return turn < 0 || turn > slices.Index(m.Visited, int32(at.Node))
}
