package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
)

// wordVerbs are those that answer in words and move nothing.
func wordVerbs() []verb {
	return []verb{
		{
			name: "explain", aliases: []string{"x"}, usage: "[POD] [NODE]", takes: []kind{ofPodOrNode, ofNode},
			does: "what happened to a pod, and what would change it; what a node holds; what a pod meets on a node",
			run:  explain,
		},
		{
			name: "history", aliases: []string{"h"}, usage: "[POD]", takes: []kind{ofPod},
			does: "every move of a pod through the queues, what caused it, and what would wake it now", run: history,
		},
		{
			name: "export", usage: "TABLE [FORMAT|FILE]", takes: []kind{ofTable, ofFormat},
			does: "save filter, score, preemption or group as a new file that ends in .csv, .json or .md; with a format alone, show it",
			run:  export,
		},
	}
}

// podMeant is the pod that is named, or else the one the cursor's cycle is about.
func podMeant(c call) (string, error) {
	if len(c.args) > 0 {
		return podNamed(c.session.Names().Pods, c.args[0])
	}
	f := c.session.Frame()
	if cycle := cycleOf(f); cycle != nil {
		return podOf(f, cycle.Entity.Key(), &panel.Group{}), nil
	}
	return "", fmt.Errorf("which pod? (no cycle has run that would be about one)")
}

func explain(c call) (answer, error) {
	if len(c.args) > 2 {
		return answer{}, fmt.Errorf("explain: what? (a pod, a node, or a pod and a node)")
	}
	if len(c.args) > 0 {
		name, isNode, err := podOrNode(c, c.args[0])
		switch {
		case err != nil:
			return answer{}, err
		case isNode && len(c.args) == 2:
			return answer{}, fmt.Errorf("explain: %s is a node; the pod comes first (explain POD NODE)", name)
		case isNode:
			return explainNode(c, name)
		case len(c.args) == 2:
			return explainPair(c, name, c.args[1])
		}
	}
	pod, err := podMeant(c)
	if err != nil {
		return answer{}, err
	}
	explanation, err := c.session.Explain(pod)
	if err != nil {
		return answer{}, err
	}
	return answer{page: page{title: "Why " + pod + " is where it is", lines: tell(explanation)}}, nil
}

func history(c call) (answer, error) {
	pod, err := podMeant(c)
	if err != nil {
		return answer{}, err
	}
	p := page{title: "How " + pod + " came here"}
	for _, e := range c.session.History(pod) {
		p.lines = append(p.lines, eventLine(e))
	}
	if len(p.lines) == 0 {
		p.lines = append(p.lines, "Nothing has happened to it up to here.")
	}
	wakers := c.session.Wakers(pod)
	if len(wakers) > 0 {
		p.lines = append(p.lines, "", "What would wake it:")
	}
	for _, w := range wakers {
		p.lines = append(p.lines, "  "+w)
	}
	return answer{page: p}, nil
}

func eventLine(e session.Event) string {
	where := fmt.Sprintf("step %d", e.Step)
	if e.Cycle > 0 {
		where = fmt.Sprintf("cycle %d", e.Cycle)
	}
	return fmt.Sprintf("%s  %-10s  %s", clock(e.At), where, e.Text)
}

// helpOn is the help of one verb, or the list of all.
func helpOn(args []string) (page, error) {
	if len(args) > 0 {
		v, err := verbNamed(args[0])
		if err != nil {
			return page{}, err
		}
		p := page{title: v.synopsis(), lines: []string{v.does}}
		if len(v.aliases) > 0 {
			p.lines = append(p.lines, "also: "+strings.Join(v.aliases, ", "))
		}
		return p, nil
	}
	p := page{title: "Commands"}
	for _, v := range verbs() {
		names := append([]string{v.synopsis()}, slices.DeleteFunc(slices.Clone(v.aliases), func(a string) bool {
			return len(a) > 2
		})...)
		p.lines = append(p.lines, fmt.Sprintf("%-34s %s", strings.Join(names, ", "), v.does))
	}
	return p, nil
}
