package view

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// WhyLines explain a selection; one that does not fit the frame any more explains the cycle.
func WhyLines(f *session.Frame, s Selection) []prose.Line {
	if s.Subject == OfPlacement || s.Subject == OfMember {
		return whyGroup(f, s)
	}
	f = FrameOf(f, s)
	t := f.Try()
	switch {
	case s.Subject == OfPod:
		return whyPod(f, s.Pod)
	case s.Subject == OfFact && s.Fact >= 0 && s.Fact < len(f.Facts):
		return prose.Fact(f, f.Facts[s.Fact])
	case s.Subject == OfNode && hasNode(t, s):
		return append(prose.OnNode(f.Language, t, s.NodeIndex), prose.Stranded(f.Language, f.At.Stranded(s.Node))...)
	case s.Subject == OfFilter && hasNode(t, s) && s.PluginIndex < len(t.Matrix.Plugins) &&
		t.Matrix.Plugins[s.PluginIndex] == s.Plugin:
		return append(prose.Cell(f.Language, t, s.NodeIndex, s.PluginIndex), numbersOf(f, t, s)...)
	case s.Subject == OfScore && hasScore(f, s):
		return whyScore(f, s)
	case s.Subject == OfPreemption && hasPreemption(t, s):
		return append(prose.Candidate(f.Language, t, s.NodeIndex), prose.Rests(f.Language, t, s.NodeIndex, -1)...)
	}
	return whyCycle(f)
}

// numbersOf is what was compared in a cell of NodeResourcesFit that accepts: a verdict that rejects holds the numbers
// itself.
func numbersOf(f *session.Frame, t *trace.Try, s Selection) []prose.Line {
	state := t.Matrix.Cell(s.NodeIndex, s.PluginIndex)
	if s.Plugin != "NodeResourcesFit" || state != trace.CellPass && state != trace.CellWouldPass {
		return nil
	}
	return prose.Fits(f.Language, f.Wants(), f.At.Room(s.Node))
}

// hasNode reports whether a try still has the node of a selection in its matrix.
func hasNode(t *trace.Try, s Selection) bool {
	return t != nil && t.Matrix != nil && s.NodeIndex >= 0 && s.NodeIndex < len(t.Matrix.Nodes) &&
		t.Matrix.Nodes[s.NodeIndex] == s.Node
}

// whyScore explains a score, also one that kube-scheduler did not compute.
func whyScore(f *session.Frame, s Selection) []prose.Line {
	scores, alone := shownScores(f)
	lines := prose.Score(f.Language, scores, s.NodeIndex, s.PluginIndex)
	if t := f.Try(); t.Matrix != nil && t.Matrix.Rests(s.NodeIndex) {
		lines = append(lines, prose.Rests(f.Language, t, s.NodeIndex, -1)...)
	}
	if alone {
		lines = append(prose.AloneNote(f.Language, f.At.Supposed(f.Try())), lines...)
	}
	return lines
}

// hasScore reports whether a frame still has the score of a selection.
func hasScore(f *session.Frame, s Selection) bool {
	scores, _ := shownScores(f)
	if scores == nil {
		return false
	}
	if s.NodeIndex < 0 || s.NodeIndex >= len(scores.Nodes) || scores.Nodes[s.NodeIndex] != s.Node {
		return false
	}
	columns := scores.Columns
	return s.PluginIndex >= 0 && s.PluginIndex < len(columns) && columns[s.PluginIndex].Plugin == s.Plugin
}

// hasPreemption reports whether a try still has the preemption that a selection is about.
func hasPreemption(t *trace.Try, s Selection) bool {
	return t != nil && t.Preemption != nil && s.NodeIndex >= 0 && s.NodeIndex < len(t.Preemption.Nodes) &&
		t.Preemption.Nodes[s.NodeIndex] == s.Node
}

// whyCycle explains the outcome of the pod or the pod group that the frame is about.
func whyCycle(f *session.Frame) []prose.Line {
	c := f.About()
	switch {
	case c == nil:
		return prose.NoPreemption(f.Language, nil)
	case c.Group != nil:
		return prose.Group(f.Language, c)
	}
	return whyPod(f, c.Entity.Key())
}

// whyPod is where a pod or a pod group is and, if the frame is about its cycle, what that found out.
func whyPod(f *session.Frame, key string) []prose.Line {
	e, told := f.Explain(key)
	if !told {
		return prose.NotListed(f.Language, key)
	}
	if IsWalking(f) && e.Cycle == f.Try() {
		e.Cycle, e.Says, e.Nearest, e.Rejections, e.Changes, e.Recorded = nil, "", nil, nil, nil, nil
		e.Causes = nil // they would follow from the cells up to here alone
	}
	lines := prose.Pod(e, prose.Usual)
	if c := f.About(); c != nil && c.Group != nil && c.Entity.Key() == key {
		lines = append(lines, prose.Group(f.Language, c)...)
	}
	return lines
}

// whyGroup explains the result for a pod group on one placement, or for one of its pods there.
func whyGroup(f *session.Frame, s Selection) []prose.Line {
	c := f.About()
	switch {
	case c == nil || c.Group == nil || s.Placement >= len(c.Group.Placements):
		return whyCycle(f)
	case s.Subject == OfMember:
		return prose.Member(f.Language, c, s.Placement, s.Pod)
	case s.Placement < 0:
		return prose.Group(f.Language, c)
	}
	return prose.Placement(f.Language, c, s.Placement)
}
