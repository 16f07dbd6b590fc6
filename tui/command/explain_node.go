package command

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// residentsTold is how many pods of a node a page lists.
const residentsTold = 40

// tellNode is a node in lines: how much is left, who is there, and what it says to those who wait.
func tellNode(e session.NodeExplanation) []string {
	lines := []string{"Node " + e.Node + "."}
	if e.Zone != "" {
		lines[0] = "Node " + e.Node + " in zone " + e.Zone + "."
	}
	if e.Unschedulable {
		lines = append(lines, "It is cordoned: it takes no pods but those that tolerate that.")
	}
	if len(e.Taints) > 0 {
		lines = append(lines, "Tainted "+strings.Join(e.Taints, ", ")+".")
	}
	for _, r := range e.Room {
		lines = append(lines, fmt.Sprintf("  %s: %s of %s used, %s free", r.Resource, r.Used, r.Capacity, r.Free))
	}
	lines = append(lines, "", plural(len(e.Pods), "pod is", "pods are")+" there, the most important first:")
	for _, p := range e.Pods[:min(len(e.Pods), residentsTold)] {
		line := fmt.Sprintf("  %s, priority %d, cpu %s, memory %s", p.Pod, p.Priority, p.CPU, p.Memory)
		if p.Assumed {
			line += ", assumed: not confirmed yet"
		}
		lines = append(lines, line)
	}
	if more := len(e.Pods) - residentsTold; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	if len(e.Nominated) > 0 {
		lines = append(lines, "", "Room is kept for "+strings.Join(e.Nominated, ", ")+".")
	}
	if len(e.Waiting) > 0 {
		lines = append(lines, "", "What it would say to pods that wait:")
	}
	for _, w := range e.Waiting {
		line := "  " + w.Pod + ": it fits"
		if len(w.Broken) > 0 {
			var reasons []string
			for _, b := range w.Broken {
				reasons = append(reasons, b.Plugin+": "+b.Verdict.Message())
			}
			line = "  " + w.Pod + ": " + strings.Join(reasons, "; ")
		}
		lines = append(lines, line)
	}
	return lines
}

// tellPair is what a pod meets on a node: every plugin that objects, or the score it got.
func tellPair(e session.PairExplanation) []string {
	k := e.Cycle
	lines := []string{fmt.Sprintf("In cycle %d, its attempt %d:", k.Number, k.Attempt)}
	if e.Asked {
		lines = []string{"No cycle has tried the pod on a node yet; this is what one would find now."}
	}
	if e.Index < 0 {
		return append(lines, "It ended before any filter was asked.")
	}
	m := k.Matrix
	switch first := m.First[e.Index]; {
	case k.Selected != nil && k.Selected.Node == e.Node:
		lines = append(lines, "The node fits, and was chosen.")
	case first == trace.FirstNone:
		lines = append(lines, "The node fits.")
		if k.Selected != nil {
			lines = append(lines, k.Selected.Node+" was chosen.")
		}
	case first == trace.FirstNotVisited:
		lines = append(lines, "kube-scheduler did not look at the node.")
	default:
		lines = append(lines, "The node does not fit; kube-scheduler stopped at "+m.Plugins[first]+".")
	}
	for _, b := range e.Broken {
		lines = append(lines, "  "+b.Plugin+": "+b.Verdict.Message()+" ("+b.Verdict.Code.String()+")")
		for _, proof := range b.Verdict.Evidence {
			lines = append(lines, "    "+prose.Compared(proof, b.Advice.Users))
		}
	}
	lines = append(lines, tellScores(k, e.Index)...)
	if k.Preemption != nil && k.Preemption.Eligible {
		lines = append(lines, preemptionWords(k, e.Node)...)
	}
	return lines
}

func tellScores(k *trace.Try, node int) []string {
	if k.Scores == nil {
		return nil
	}
	at, scored := k.Scores.Of(node)
	if !scored {
		return nil
	}
	lines := []string{fmt.Sprintf("Its score is %d:", k.Scores.Totals[at])}
	for i := range k.Scores.Columns {
		if column := &k.Scores.Columns[i]; column.Raw != nil {
			lines = append(lines, fmt.Sprintf("  %s %d (raw %d, normalized %d, weight %d)",
				column.Plugin, column.Weighted(at), column.Raw[at], column.Normalized[at], column.Weight))
		}
	}
	return lines
}

func preemptionWords(k *trace.Try, node string) []string {
	lines := []string{"For preemption:"}
	for _, line := range preemptionLines(k, node) {
		lines = append(lines, "  "+line)
	}
	return lines
}
