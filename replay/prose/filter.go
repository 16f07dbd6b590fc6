package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Cell is what one filter answers about one node, and whether kube-scheduler asked it.
func Cell(c *trace.Try, node, plugin int) []Line {
	var t told
	m := c.Matrix
	name := m.Plugins[plugin]
	switch state := m.Cell(node, plugin); state {
	case trace.CellAhead:
		t.note(textNotYet)
	case trace.CellSkipped:
		t.signed(NotAsked, fmt.Sprintf(textNothingToCheck, name))
	case trace.CellPass:
		t.signed(Passes, fmt.Sprintf(textAccepts, name, c.Entity.Key(), m.Nodes[node]))
	case trace.CellUnknown:
		t.signed(NotAsked, fmt.Sprintf(textNotAsked, name, m.Nodes[node]))
		t.whyNotAsked(c, node)
	case trace.CellWouldPass:
		t.signed(Passes, fmt.Sprintf(textWouldAccept, name, c.Entity.Key(), m.Nodes[node]))
		t.whyNotAsked(c, node)
	default:
		t.rejection(m, node, plugin)
		if !state.Reached() {
			t.whyNotAsked(c, node)
			break
		}
		t.note(fmt.Sprintf(textReported, m.Nodes[node]))
	}
	return t
}

// OnNode is all that one try made of one node: what became of it, every plugin that rejects it, and its score. While
// the cursor walks from cell to cell, it is what has been answered so far.
func OnNode(c *trace.Try, node int) []Line {
	var t told
	m := c.Matrix
	switch {
	case m.Asking(node):
		t.signed(Running, fmt.Sprintf(textAskingNow, m.Nodes[node]))
	case m.Ahead(node):
		t.note(textNotYet)
	default:
		t.standing(c, node)
	}
	var passed, skipped int
	var without []string
	for plugin, name := range m.Plugins {
		switch state := m.Cell(node, plugin); state {
		case trace.CellSkipped:
			skipped++
		case trace.CellPass:
			passed++
		case trace.CellUnknown, trace.CellAhead:
		case trace.CellWouldPass:
			without = append(without, name)
		default:
			t.rejection(m, node, plugin)
			if m.Evaluated(node) && !state.Reached() {
				t.whyNotAsked(c, node)
			}
		}
	}
	t.scores(c, node)
	t.rest(passed, skipped, without)
	return t
}

// standing says what became of a node.
func (t *told) standing(c *trace.Try, node int) {
	m, name := c.Matrix, c.Matrix.Nodes[node]
	switch first := m.First[node]; {
	case first == trace.FirstNotVisited:
		t.signed(NotTried, passedOver(c, node))
	case first >= 0:
		t.signed(Rejects, fmt.Sprintf(textDoesNotFit, name, m.Plugins[first]))
	case c.Selected != nil && c.Selected.Node == name:
		t.signed(Passes, fmt.Sprintf(textChosen, name))
	case c.Selected != nil:
		t.signed(Passes, fmt.Sprintf(textFitsNotChosen, name, c.Selected.Node))
	default:
		t.signed(Passes, fmt.Sprintf(textFits, name))
	}
}

// rejection is a filter that rejects a node: the reasons, what was compared with what, and what would change it.
func (t *told) rejection(m *trace.Matrix, node, plugin int) {
	v, _ := m.Verdict(node, plugin)
	advice := adviceOn(m, node, plugin)
	t.signed(signOf(v), fmt.Sprintf(textAnswer, m.Plugins[plugin], v.Message()))
	t.evidence(1, v, advice.Users)
	if change, known := smallest(advice); known {
		*t = append(*t, change)
	}
	switch v.Code {
	case trace.UnschedulableAndUnresolvable:
		t.note(textEvictingCannotHelp)
	case trace.Error:
		t.note(textFilterBroke)
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

// whyNotAsked says why kube-scheduler did not ask a filter about a node.
func (t *told) whyNotAsked(c *trace.Try, node int) {
	if first := c.Matrix.First[node]; first >= 0 {
		t.note(fmt.Sprintf(textStoppedBefore, c.Matrix.Plugins[first]))
		return
	}
	t.note(passedOver(c, node))
}

// passedOver says why kube-scheduler did not look at a node.
func passedOver(c *trace.Try, node int) string {
	name := c.Matrix.Nodes[node]
	if c.Nominated != nil && c.Nominated.Feasible {
		return fmt.Sprintf(textNominatedFirst, name, c.Nominated.Node)
	}
	if c.Batch != nil && c.Batch.Hint != nil && c.Batch.Hint.Feasible {
		return fmt.Sprintf(textHintFirst, name, c.Batch.Hint.Node, c.Batch.Hint.Cycle)
	}
	for _, pre := range c.PreFilters {
		if pre.Nodes != nil && !slices.Contains(pre.Nodes, name) {
			return fmt.Sprintf(textLeftOut, name, pre.Plugin)
		}
	}
	if c.Matrix.FeasibleCount() == 0 {
		return fmt.Sprintf(textSearchEnded, name)
	}
	return fmt.Sprintf(textEnough, name, c.Matrix.FeasibleCount(), len(c.Matrix.Visited), len(c.Matrix.Nodes))
}

// rest counts the filters that accept a node, or have nothing to check.
func (t *told) rest(passed, skipped int, without []string) {
	var said []string
	if passed > 0 {
		said = append(said, words.Sentence(passed, textFilterPassed, textFiltersPassed))
	}
	if len(without) > 0 {
		said = append(said, fmt.Sprintf(textWouldPass, strings.Join(without, ", ")))
	}
	if skipped > 0 {
		said = append(said, words.Sentence(skipped, textFilterSkipped, textFiltersSkipped))
	}
	if len(said) > 0 {
		t.note(strings.Join(said, "; ") + ".")
	}
}

// Pair is what a pod meets on a node: every plugin that rejects it, or the score the node got.
func Pair(e session.PairExplanation) []Line {
	var t told
	if e.Asked {
		t.note(textNotTried)
	} else {
		t.note(fmt.Sprintf(textInCycle, e.Cycle.Number, e.Cycle.Attempt))
	}
	if e.Index < 0 {
		t.note(textNoFilterAsked)
		return t
	}
	t = append(t, OnNode(e.Cycle, e.Index)...)
	if p := e.Cycle.Preemption; p != nil && p.Eligible {
		t.add(0, Heading, textPreemption)
		t = append(t, Candidate(e.Cycle, e.Index)...)
	}
	return t
}
