package command

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// How much of an explanation a page holds; the tables of the screen hold the rest.
const (
	groupsTold  = 8
	nodesTold   = 4
	nearestTold = 3
	changesTold = 5
)

// tell is an explanation in lines: where the pod is, what kube-scheduler says, who objects, and what would help.
func tell(e session.Explanation) []string {
	lines := []string{e.Pod + " is " + e.State + "."}
	if e.Asked {
		lines = append(lines, "No cycle has tried it on a node yet; this is what one would find now.")
	}
	if e.Says != "" {
		lines = append(lines, "kube-scheduler says: "+e.Says)
	}
	lines = append(lines, tellObjections(e)...)
	if len(e.Changes) > 0 {
		lines = append(lines, "", "What alone would open a node:")
		for _, c := range e.Changes[:min(len(e.Changes), changesTold)] {
			lines = append(lines, fmt.Sprintf("  %s (%s)", prose.Change(c.Change), some(c.Nodes)))
		}
	}
	if len(e.Next) > 0 {
		lines = append(lines, "", "What would wake it:")
		for _, n := range e.Next {
			lines = append(lines, "  "+n)
		}
	}
	return append(lines, tellHistory(e.History)...)
}

func tellObjections(e session.Explanation) []string {
	var lines []string
	if len(e.Groups) > 0 {
		lines = append(lines, "", "What keeps it off:")
	}
	for _, g := range e.Groups[:min(len(e.Groups), groupsTold)] {
		lines = append(lines, fmt.Sprintf("  %s: %s", plural(len(g.Nodes), "node", "nodes"), strings.Join(g.Reasons, "; ")))
		lines = append(lines, "    "+some(g.Nodes))
	}
	if more := len(e.Groups) - groupsTold; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more kinds of objections", more))
	}
	if len(e.Nearest) > 0 {
		lines = append(lines, "", "Nearest misses:")
	}
	for _, n := range e.Nearest[:min(len(e.Nearest), nearestTold)] {
		lines = append(lines, "  "+n.Node)
		for _, f := range n.Failures {
			lines = append(lines, "    "+f.Plugin+": "+f.Verdict.Message())
			for _, proof := range f.Verdict.Evidence {
				lines = append(lines, "      "+prose.Evidence(proof, f.Advice.Users))
			}
		}
	}
	return lines
}

func tellHistory(events []session.Event) []string {
	if len(events) == 0 {
		return nil
	}
	lines := []string{"", "What happened to it:"}
	for _, e := range events {
		lines = append(lines, "  "+eventLine(e))
	}
	return lines
}

// some is the first few of a list of names.
func some(names []string) string {
	text := strings.Join(names[:min(len(names), nodesTold)], ", ")
	if more := len(names) - nodesTold; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
