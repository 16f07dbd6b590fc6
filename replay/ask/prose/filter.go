package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Cell is what one filter answers about one node, and whether kube-scheduler ran it.
func Cell(lang words.Language, c *trace.Try, node, plugin int) []Line {
	t := told{language: lang}
	m := c.Matrix
	name := m.Plugins[plugin]
	switch state := m.Cell(node, plugin); state {
	case trace.CellAhead:
		t.note(lang.Of(textNotYet))
	case trace.CellSkipped:
		t.signed(NotAsked, lang.Say(textNothingToCheck, name))
	case trace.CellPass:
		t.signed(Passes, lang.Say(textAccepts, name, c.Entity.Key(), m.Nodes[node]))
	case trace.CellUnknown:
		t.signed(NotAsked, lang.Say(textNotAsked, name, m.Nodes[node]))
		t.whyNotAsked(c, node)
	case trace.CellWouldPass:
		t.signed(Passes, lang.Say(textWouldAccept, name, c.Entity.Key(), m.Nodes[node]))
		t.whyNotAsked(c, node)
	default:
		t.rejection(m, node, plugin)
		if !state.Reached() {
			t.whyNotAsked(c, node)
			break
		}
		t.note(lang.Say(textReported, m.Nodes[node]))
	}
	if m.CellRests(node, plugin) {
		t.lines = append(t.lines, Rests(lang, c, node, plugin)...)
	}
	return t.lines
}

// OnNode is all that one try has about one node: the result, every plugin that rejects it, and its score. While the
// cursor walks from cell to cell, it is what has been answered so far.
func OnNode(lang words.Language, c *trace.Try, node int) []Line {
	t := told{language: lang}
	m := c.Matrix
	switch {
	case m.Asking(node):
		t.signed(Running, lang.Say(textAskingNow, m.Nodes[node]))
	case m.Ahead(node):
		t.note(lang.Of(textNotYet))
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
	if m.Rests(node) {
		t.lines = append(t.lines, Rests(lang, c, node, -1)...)
	}
	return t.lines
}

// standing describes the result for a node.
func (t *told) standing(c *trace.Try, node int) {
	m, name := c.Matrix, c.Matrix.Nodes[node]
	switch first := m.First[node]; {
	case first == trace.FirstNotVisited:
		t.signed(NotTried, passedOver(t.language, c, node))
	case first >= 0:
		t.signed(Rejects, t.language.Say(textDoesNotFit, name, m.Plugins[first]))
	case c.Selected != nil && c.Selected.Node == name:
		t.signed(Passes, t.language.Say(textChosen, name))
	case c.Selected != nil:
		t.signed(Passes, t.language.Say(textFitsNotChosen, name, c.Selected.Node))
	default:
		t.signed(Passes, t.language.Say(textFits, name))
	}
}

// rejection is a filter that rejects a node: the reasons, what was compared with what, and what would change it.
func (t *told) rejection(m *trace.Matrix, node, plugin int) {
	v, _ := m.Verdict(node, plugin)
	advice := adviceOn(m, node, plugin)
	t.signed(signOf(v), fmt.Sprintf(textAnswer, m.Plugins[plugin], v.Message()))
	t.evidence(1, v, advice.Users)
	if change, known := smallest(t.language, advice); known {
		t.lines = append(t.lines, change)
	}
	switch v.Code {
	case trace.UnschedulableAndUnresolvable:
		t.note(t.language.Of(textEvictingCannotHelp))
	case trace.Error:
		t.note(t.language.Of(textFilterBroke))
	case trace.Success, trace.Unschedulable, trace.Wait, trace.Skip, trace.Pending:
	}
}

// adviceOn is the advice of a plugin that rejects a node, beyond its verdict.
func adviceOn(m *trace.Matrix, node, plugin int) trace.Advice {
	advice := m.AdviceOn(node)
	for i, failure := range m.OnNode(node) {
		if int(failure.Plugin) == plugin && i < len(advice) {
			return advice[i]
		}
	}
	return trace.Advice{}
}

// whyNotAsked is why kube-scheduler did not run a filter on a node.
func (t *told) whyNotAsked(c *trace.Try, node int) {
	if first := c.Matrix.First[node]; first >= 0 {
		t.note(t.language.Say(textStoppedBefore, c.Matrix.Plugins[first]))
		return
	}
	t.note(passedOver(t.language, c, node))
}

// passedOver is why kube-scheduler did not look at a node.
func passedOver(lang words.Language, c *trace.Try, node int) string {
	name := c.Matrix.Nodes[node]
	if c.Nominated != nil && c.Nominated.Feasible {
		return lang.Say(textNominatedFirst, name, c.Nominated.Node)
	}
	if c.Batch != nil && c.Batch.Hint != nil && c.Batch.Hint.Feasible {
		return lang.Say(textHintFirst, name, c.Batch.Hint.Node, c.Batch.Hint.Cycle)
	}
	for _, pre := range c.PreFilters {
		if pre.Nodes != nil && !slices.Contains(pre.Nodes, name) {
			return lang.Say(textLeftOut, name, pre.Plugin)
		}
	}
	if c.Matrix.FeasibleCount() == 0 {
		return lang.Say(textSearchEnded, name)
	}
	return lang.Say(textEnough, name, c.Matrix.FeasibleCount(), len(c.Matrix.Visited), len(c.Matrix.Nodes))
}

// rest counts the filters that accept a node, or have nothing to check.
func (t *told) rest(passed, skipped int, without []string) {
	var said []string
	if passed > 0 {
		said = append(said, t.language.Sentence(passed, textFilterPassed, textFiltersPassed))
	}
	if len(without) > 0 {
		said = append(said, t.language.Say(textWouldPass, strings.Join(without, ", ")))
	}
	if skipped > 0 {
		said = append(said, t.language.Sentence(skipped, textFilterSkipped, textFiltersSkipped))
	}
	if len(said) > 0 {
		t.note(strings.Join(said, t.language.Of("; ")) + t.language.Of("."))
	}
}

// Pair is what a pod meets on a node: every plugin that rejects it, or the score the node got.
func Pair(e session.PairExplanation) []Line {
	t := told{language: e.Language}
	if e.Asked {
		t.note(e.Language.Of(textNotTried))
	} else {
		t.note(e.Language.Say(textInCycle, e.Cycle.Number, e.Cycle.Attempt))
	}
	if e.Index < 0 {
		t.note(e.Language.Of(textNoFilterAsked))
		return t.lines
	}
	t.lines = append(t.lines, OnNode(e.Language, e.Cycle, e.Index)...)
	if p := e.Cycle.Preemption; p != nil && p.Eligible {
		t.add(0, Heading, textPreemption)
		t.lines = append(t.lines, Candidate(e.Language, e.Cycle, e.Index)...)
	}
	return t.lines
}
