package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
)

func breakVerbs() []verb {
	return []verb{
		{name: "break", aliases: []string{"B", "bp"}, usage: "WHAT VALUE ...", takes: []kind{
			ofBreak,
		}, does: "stop at a pod, node, plugin, code, outcome, queue, event, divergence; several must all hold; if EXPRESSION too", run: func(c call) (answer, error) {
			return setBreak(c, session.Breakpoint{})
		}},
		{name: "tbreak", usage: "WHAT VALUE ...", takes: []kind{
			ofBreak,
		}, does: "the same, once", run: func(c call) (answer, error) {
			return setBreak(c, session.Breakpoint{Once: true})
		}},
		{name: "trace", usage: "WHAT VALUE ...", takes: []kind{
			ofBreak,
		}, does: "tell when it happens, and go on", run: func(c call) (answer, error) {
			return setBreak(c, session.Breakpoint{Trace: true})
		}},
		{
			name: "watch", usage: "BELIEF", takes: []kind{ofBelief},
			does: "stop when a belief of the scheduler changes: node.n1.requested.cpu, pod.web-0.queue, domain.zone-a.count, queue.active",
			run:  watch,
		},
		{
			name: "cond", usage: "ID [EXPRESSION]", takes: []kind{ofBreakID, ofCondition},
			does: "stop only if a CEL expression holds too, such as feasible == 0 && pod.priority > 1000, or hits % 3 == 0; without one, always",
			run:  condition,
		},
		{
			name: "on", usage: "ID [COMMAND]", takes: []kind{ofBreakID, ofVerb},
			does: "carry out a command when a breakpoint strikes; without one, none", run: onBreak,
		},
		{name: "breakpoints", does: "list the breakpoints", run: listBreaks},
		{
			name: "toggle", usage: "ID", takes: []kind{ofBreakID}, does: "switch a breakpoint off, or on again",
			run: toggleBreak,
		},
		{name: "clear", usage: "ID", takes: []kind{ofBreakID}, does: "remove a breakpoint", run: clearBreak},
	}
}

func branchVerbs() []verb {
	return []verb{
		{
			name: "bind", aliases: []string{"m"}, usage: "POD NODE [yes]", takes: []kind{ofPod, ofNode, ofYes},
			does: "bind by hand on a branch; first says which filters that breaks, and asks", run: bind,
		},
		{
			name: "branches", aliases: []string{"w"},
			does: "compare the branches: what was placed, and which pods are elsewhere", run: listBranches,
		},
		{
			name: "branch", aliases: []string{"switch"}, usage: "NAME", takes: []kind{ofBranch},
			does: "go to another branch", run: switchBranch,
		},
		{
			name: "undo", aliases: []string{"u"}, usage: "[BRANCH]", takes: []kind{ofBranch},
			does: "forget a branch, this one unless named, and go back to where it began", run: undo,
		},
	}
}

// setBreak adds a breakpoint. A single word that is not one of its words is a pod.
func setBreak(c call, like session.Breakpoint) (answer, error) {
	words := c.args
	if len(words) == 1 && words[0] != "divergence" {
		words = []string{"pod", words[0]}
	}
	b, err := session.ParseBreakpoint(words)
	if err != nil {
		return answer{}, err
	}
	b.Once, b.Trace = like.Once, like.Trace
	b = c.session.Break(b)
	return answer{fresh: true, said: fmt.Sprintf("breakpoint %d: %s", b.ID, b)}, nil
}

func watch(c call) (answer, error) {
	if len(c.args) != 1 {
		return answer{}, fmt.Errorf("watch: what? (%s)", strings.Join(session.WatchForms(), ", "))
	}
	b, now, err := c.session.Watch(c.args[0])
	if err != nil {
		return answer{}, err
	}
	return answer{fresh: true, said: fmt.Sprintf("breakpoint %d: %s, now %s", b.ID, b, now)}, nil
}

// breakAndRest is the number of a breakpoint and what stands behind it.
func breakAndRest(c call) (int, string, error) {
	if len(c.args) == 0 {
		return 0, "", fmt.Errorf("which breakpoint? (its number; breakpoints lists them)")
	}
	rest := strings.Join(c.args[1:], " ")
	c.args = c.args[:1]
	id, err := breakMeant(c)
	return id, rest, err
}

func condition(c call) (answer, error) {
	id, text, err := breakAndRest(c)
	if err == nil {
		err = c.session.Condition(id, text)
	}
	if err != nil {
		return answer{}, err
	}
	if text == "" {
		return answer{fresh: true, said: fmt.Sprintf("breakpoint %d has no condition", id)}, nil
	}
	return answer{fresh: true, said: fmt.Sprintf("breakpoint %d strikes only if %s", id, text)}, nil
}

func onBreak(c call) (answer, error) {
	id, text, err := breakAndRest(c)
	if err == nil && text != "" {
		_, _, err = parse(text)
	}
	if err == nil {
		err = c.session.On(id, text)
	}
	if err != nil {
		return answer{}, err
	}
	if text == "" {
		return answer{fresh: true, said: fmt.Sprintf("breakpoint %d does nothing more", id)}, nil
	}
	return answer{fresh: true, said: fmt.Sprintf("when breakpoint %d strikes: %s", id, text)}, nil
}

// breakMeant is the number a verb about one breakpoint was given.
func breakMeant(c call) (int, error) {
	if len(c.args) != 1 {
		return 0, fmt.Errorf("which breakpoint? (its number; breakpoints lists them)")
	}
	id, err := strconv.Atoi(c.args[0])
	if err != nil {
		return 0, fmt.Errorf("%q is not the number of a breakpoint (breakpoints lists them)", c.args[0])
	}
	return id, nil
}

func toggleBreak(c call) (answer, error) {
	id, err := breakMeant(c)
	if err == nil {
		err = c.session.Toggle(id)
	}
	if err != nil {
		return answer{}, err
	}
	for _, b := range c.session.Frame().Breaks {
		if b.ID == id && b.Off {
			return answer{fresh: true, said: fmt.Sprintf("breakpoint %d is off", id)}, nil
		}
	}
	return answer{fresh: true, said: fmt.Sprintf("breakpoint %d is on", id)}, nil
}

func clearBreak(c call) (answer, error) {
	id, err := breakMeant(c)
	if err == nil {
		err = c.session.Clear(id)
	}
	if err != nil {
		return answer{}, err
	}
	return answer{fresh: true, said: fmt.Sprintf("breakpoint %d is gone", id)}, nil
}

func listBreaks(c call) (answer, error) {
	breaks := c.session.Frame().Breaks
	if len(breaks) == 0 {
		return answer{said: "there are no breakpoints (break sets one)"}, nil
	}
	p := page{title: "Breakpoints"}
	for _, b := range breaks {
		p.lines = append(p.lines, fmt.Sprintf("%d  %s  (%s)", b.ID, b, stateOf(b)))
	}
	return answer{page: p}, nil
}

// stateOf is what a list of breakpoints says behind each.
func stateOf(b session.Breakpoint) string {
	words := []string{"on"}
	if b.Off {
		words[0] = "off"
	}
	if b.Once {
		words = append(words, "once")
	}
	if b.Trace {
		words = append(words, "trace")
	}
	if b.On != "" {
		words = append(words, "then "+b.On)
	}
	return strings.Join(append(words, "struck "+plural(b.Hits, "time", "times")), ", ")
}

// bind shows what a manual bind breaks, and does it when told yes.
func bind(c call) (answer, error) {
	if len(c.args) < 2 || len(c.args) > 3 {
		return answer{}, fmt.Errorf("bind: which pod to which node? (bind POD NODE)")
	}
	pod, err := podNamed(c.session.Names().Pods, c.args[0])
	if err != nil {
		return answer{}, err
	}
	node := c.args[1]
	if len(c.args) == 3 && strings.HasPrefix(c.args[2], "y") {
		branch, err := c.session.Bind(pod, node)
		if err != nil {
			return answer{}, err
		}
		return answer{
			moved: true, said: fmt.Sprintf("%s is bound to %s on branch %s; undo forgets it", pod, node, branch),
		}, nil
	}
	preview, err := c.session.Preview(pod, node)
	if err != nil {
		return answer{}, err
	}
	return answer{ask: question{
		page: page{title: fmt.Sprintf("Bind %s to %s?", pod, node), lines: consequences(preview)},
		yes:  fmt.Sprintf("bind %s %s yes", pod, node),
	}}, nil
}

// consequences says what a manual bind goes against.
func consequences(p session.Preview) []string {
	if len(p.Broken) == 0 {
		return []string{
			"No filter objects: kube-scheduler could have chosen this node.",
			"It happens on a branch; the recording does not change.",
		}
	}
	lines := []string{fmt.Sprintf("This goes against %s:", plural(len(p.Broken), "filter", "filters"))}
	for _, b := range p.Broken {
		lines = append(lines, "  "+b.Plugin+": "+b.Verdict.Message())
		for _, e := range b.Verdict.Evidence {
			lines = append(lines, "    "+e.String())
		}
	}
	return append(lines, "It happens on a branch; the recording does not change.")
}

// elsewhereTold is how many pods of a branch a list names.
const elsewhereTold = 12

func listBranches(c call) (answer, error) {
	here := c.session.Frame().Branch
	p := page{title: "Branches, each as far as it has been run"}
	for _, b := range c.session.Compare() {
		line := b.Name
		if b.Name == here {
			line += "  (here)"
		}
		if b.Parent != "" {
			line += ", off " + b.Parent + " after " + b.Began
		}
		line += fmt.Sprintf(": to %s, %s, %d scheduled, %d unschedulable", b.Now, plural(int(b.Cycles), "cycle", "cycles"),
			b.Outcomes[trace.Scheduled], b.Outcomes[trace.NotSchedulable])
		p.lines = append(p.lines, line)
		for _, e := range b.Elsewhere[:min(len(b.Elsewhere), elsewhereTold)] {
			p.lines = append(
				p.lines, fmt.Sprintf("  %s: %s, on %s %s", e.Pod, hostWords(e.There), b.Parent, hostWords(e.Before)),
			)
		}
		if more := len(b.Elsewhere) - elsewhereTold; more > 0 {
			p.lines = append(p.lines, fmt.Sprintf("  and %d more pods elsewhere", more))
		}
	}
	return answer{page: p}, nil
}

func hostWords(node string) string {
	if node == "" {
		return "nowhere"
	}
	return node
}

func switchBranch(c call) (answer, error) {
	if len(c.args) != 1 {
		return answer{}, fmt.Errorf("branch: which one? (branches lists them)")
	}
	if err := c.session.Switch(c.args[0]); err != nil {
		return answer{}, err
	}
	return answer{moved: true, said: "on branch " + c.args[0]}, nil
}

func undo(c call) (answer, error) {
	f := c.session.Frame()
	name := f.Branch
	if len(c.args) > 0 {
		name = c.args[0]
	}
	if err := c.session.Drop(name); err != nil {
		return answer{}, err
	}
	return answer{
		moved: true, said: fmt.Sprintf("branch %s is forgotten; on branch %s", name, c.session.Frame().Branch),
	}, nil
}

// podNamed is the key of the one pod that a person means by a key or a name.
func podNamed(pods []string, text string) (string, error) {
	if slices.Contains(pods, text) {
		return text, nil
	}
	var found []string
	for _, key := range pods {
		if key[strings.LastIndex(key, "/")+1:] == text {
			found = append(found, key)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no pod %q here", text)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("there are several pods %q: %s", text, strings.Join(found, ", "))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
