package screen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/workload"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
)

// openFinder offers every pod, node and command.
func (a *app) openFinder(text string) tea.Cmd {
	names := a.session.At().Names()
	c := &chooser{title: a.language.Of("Find a pod, a node or a command"), prompt: "/ ", pick: pickFound}
	for _, pod := range names.Pods {
		c.items = append(c.items, item{pod, "pod", pod})
	}
	for _, node := range names.Nodes {
		c.items = append(c.items, item{node, "node", node})
	}
	for _, v := range command.All() {
		c.items = append(c.items, item{v.Name, a.language.Of(v.Does), v.Name})
	}
	if !a.frame.AtEnd {
		c.ahead = func(typed string) (item, bool) {
			pattern := "*" + typed + "*"
			label := a.language.Say("go on until a pod like %s is tried", pattern)
			return item{label, "", "goto " + pattern}, !strings.Contains(typed, " ")
		}
	}
	a.popup = c
	return c.start(text)
}

// pickFound goes to a pod or a node, or runs a command; one that wants arguments is begun in the command line.
func pickFound(a *app, it item) tea.Cmd {
	switch it.detail {
	case "pod":
		return a.showPod(it.label)
	case "node":
		return a.showNode(it.label)
	}
	if strings.HasPrefix(it.value, "goto ") { // a pod that is not there yet
		return a.do(it.value)
	}
	v, err := command.Named(it.value)
	if err == nil && v.Usage != "" && !strings.HasPrefix(v.Usage, "[") {
		a.openCommandLine(v.Name + " ")
		return nil
	}
	return a.do(it.value)
}

// showPod puts the cursor on a pod that waits; for any other pod it prints what happened to it.
func (a *app) showPod(pod string) tea.Cmd {
	if a.panes.tab == tabGroup && a.panes.group.Find(a.frame, pod) {
		a.focus(layout.Main)
		return nil
	}
	if a.panes.queue.Find(a.frame, pod) {
		a.focus(layout.Queue)
		return nil
	}
	return a.do("history " + pod)
}

// showNode puts the cursor on a node, in the table that is shown if it has it.
func (a *app) showNode(node string) tea.Cmd {
	switch {
	case a.panes.tab == tabScore && a.panes.scores.Find(a.panes.group.Frame(a.frame), node):
	case a.panes.tab == tabCluster && a.panes.cluster.Find(a.frame, node):
	case a.panes.tab == tabPreemption && a.panes.preemption.Find(a.frame, node):
	case a.panes.filters.Find(a.panes.group.Frame(a.frame), node):
		a.panes.tab = tabFilter
	default:
		a.refuse(a.language.Say("no table shows node %s (n runs a cycle that asks about it)", node))
		return nil
	}
	a.focus(layout.Main)
	return nil
}

// openBind offers a choice of a pod, then of a node; then the verb prints what that breaks, and waits for yes or no.
func (a *app) openBind() tea.Cmd {
	c := &chooser{title: a.language.Of("Bind by hand: which pod?"), prompt: a.language.Of("pod: "), pick: func(
		a *app, it item,
	) tea.Cmd {
		return a.openBindNode(it.value)
	}}
	c.items = waiting(a.frame, a.podAtHand())
	if len(c.items) == 0 {
		a.refuse(a.language.Of("m: no pod waits for a node"))
		return nil
	}
	a.popup = c
	return c.start("")
}

func (a *app) openBindNode(pod string) tea.Cmd {
	c := &chooser{title: a.language.Say("Bind %s: to which node?", pod), prompt: a.language.Of("node: "), pick: func(
		a *app, it item,
	) tea.Cmd {
		return a.do("bind " + pod + " " + it.value)
	}}
	says := a.verdictsFor(pod)
	for _, node := range a.session.At().Names().Nodes {
		c.items = append(c.items, item{label: node, detail: says[node], value: node})
	}
	a.popup = c
	return c.start("")
}

// verdictsFor is the verdict on each node: of the last cycle of a pod, or of a try now. It marks the nodes that would
// take the pod, and for the others the plugins that reject it.
func (a *app) verdictsFor(pod string) map[string]string {
	says := map[string]string{}
	t, err := a.session.At().LastTry(pod)
	if err != nil || t.Matrix == nil {
		return says
	}
	for i, node := range t.Matrix.Nodes {
		says[node] = view.StandingOf(a.language, t.Matrix, i)
	}
	return says
}

// waiting is every pod without a node that the frame lists, one of them first.
func waiting(f *session.Frame, first string) []item {
	q := f.Queue
	var items []item
	add := func(queue string, rows []session.QueueRow) {
		for _, r := range single(rows) {
			it := item{r.Pod, queue, r.Pod}
			if r.Pod == first {
				items = append([]item{it}, items...)
				continue
			}
			items = append(items, it)
		}
	}
	add("active", q.Active)
	add("backoff", q.Backoff)
	add("unschedulable", q.Unschedulable)
	add("gated", q.Gated)
	if c := f.Cycle; c != nil && c.Ended == nil {
		add(f.Language.Of("in flight"), q.InFlight)
	}
	return items
}

// openThemes offers the themes; the screen shows each as the cursor comes to it.
func (a *app) openThemes() {
	before, provisional := a.styles, a.provisional
	c := &chooser{
		title: a.language.Of("Themes"), prompt: a.language.Of("theme: "),
		pick:  func(a *app, it item) tea.Cmd { return a.do("theme " + it.value) },
		leave: func(a *app) { a.styles, a.provisional = before, provisional },
		look: func(a *app, it item) {
			if palette, err := themes.Load(it.value, a.options.Themes...); err == nil {
				a.paint(palette)
			}
		},
	}
	at := 0
	for i, name := range themes.Names(a.options.Themes...) {
		if name == a.styles.Name {
			at = i
		}
		c.items = append(c.items, item{label: name, value: name})
	}
	c.start("")
	c.list.MoveTo(c, at)
	a.popup = c
}

// openBranches offers the branches, and the what-if there is.
func (a *app) openBranches() tea.Cmd {
	c := &chooser{
		title: a.language.Of("What if: branches of the replay"), pick: pickLine,
		keys: []hint{{"m", a.language.Of("bind by hand")}, {"u", a.language.Of("undo this branch")}},
		extra: func(a *app, _ item, key string) (tea.Cmd, bool) {
			if key != "m" && key != "u" {
				return nil, false
			}
			a.popup = nil
			return a.press(key), true
		},
	}
	for i, name := range a.frame.Branches {
		detail := a.language.Of("a what-if")
		if i == 0 {
			detail = a.language.Of("the replay itself")
		}
		if name == a.frame.Branch {
			detail += a.language.Of(", here")
		}
		c.items = append(c.items, item{name, detail, "branch " + name})
	}
	if len(a.frame.Branches) > 1 {
		c.items = append(c.items, item{a.language.Of("compare them"), a.language.Of("which pods are elsewhere"), "branches"})
	}
	c.items = append(c.items, a.suggestedEdits()...)
	a.popup = c
	return c.start("")
}

// suggestedEdits are the what-ifs that what is under the cursor suggests. One that needs more words is begun in the
// command line.
func (a *app) suggestedEdits() []item {
	var items []item
	add := func(label, line string) { items = append(items, item{label, a.language.Of("what if"), line}) }
	if node := a.selection().Node; node != "" {
		add("cordon "+node, "cordon "+node)
		add("drain "+node, "drain "+node)
		add("delete "+node, "delete "+node)
		add("taint "+node+" ...", "taint "+node+" ")
		add("label "+node+" ...", "label "+node+" ")
		add(a.language.Say("add a node like %s ...", node), "add-node new-1 like "+node+" ")
	} else {
		add(a.language.Of("add a node ..."), "add-node ")
	}
	if pod := a.podAtHand(); pod != "" {
		items = append(a.podEdits(pod), items...)
	}
	if s := a.selection(); s.Subject == view.OfScore {
		add(a.language.Say("let %s count ...", s.Plugin), "set weight "+s.Plugin+" ")
	}
	return items
}

// podEdits are the what-ifs about a pod: of one without a node first what would give it one.
func (a *app) podEdits(pod string) []item {
	wants, node := a.session.At().Wants(pod)
	var items []item
	if node == "" {
		items = append(items,
			item{a.language.Say("the smallest changes that give %s a node", pod), a.language.Of("each is run"), "changes " +
				pod},
			item{a.language.Of("carry out the smallest of them"), a.language.Of("what if"), "apply " + pod},
		)
		if of := workload.OfPod(a.session.At(), pod); of != "" {
			items = append(items, item{
				a.language.Say("what all pods of %s need", of), a.language.Of("each is run"), "explain " + of,
			})
		}
		for _, r := range wants.Requests {
			items = append(items, item{
				a.language.Say("let %s request other %s ...", pod, r.Resource), a.language.Say("now %s", r.Amount.String()),
				"set request " + pod + " " + r.Resource + "=",
			})
		}
	} else {
		items = append(items, item{
			a.language.Say("evict %s", pod), a.language.Say("from %s", node), "evict " + pod,
		})
	}
	return append(items, item{a.language.Say("edit %s ...", pod), a.language.Of("in your editor"), "edit pod/" + pod},
		item{"delete " + pod, a.language.Of("what if"), "delete " + pod})
}

// pickLine carries out a line, or begins one that is not whole.
func pickLine(a *app, it item) tea.Cmd {
	if strings.HasSuffix(it.value, " ") || strings.HasSuffix(it.value, "=") {
		a.openCommandLine(it.value)
		return nil
	}
	return a.do(it.value)
}

// openBreaks lists the breakpoints, and offers those that what is under the cursor suggests.
func (a *app) openBreaks() tea.Cmd {
	c := &chooser{
		title: a.language.Of("Breakpoints"), pick: pickBreak,
		extra: func(a *app, it item, key string) (tea.Cmd, bool) {
			id, set := strings.CutPrefix(it.value, "toggle ")
			switch {
			case !set:
				return nil, false
			case key == "space":
				a.popup = nil
				return a.do("toggle " + id), true
			case key == "x" || key == "delete":
				a.popup = nil
				return a.do("clear " + id), true
			}
			return nil, false
		},
	}
	if len(a.frame.Breaks) > 0 {
		c.keys = []hint{{"space", "on/off"}, {"x", "remove"}}
	}
	for _, b := range a.frame.Breaks {
		c.items = append(
			c.items,
			item{fmt.Sprintf("%d  %s", b.ID, b), command.BreakpointState(a.language, b), "toggle " + strconv.Itoa(b.ID)},
		)
	}
	c.items = append(c.items, a.suggestedBreaks()...)
	a.popup = c
	return c.start("")
}

// writeOwn is the choice to write a breakpoint.
const writeOwn = "break "

func pickBreak(a *app, it item) tea.Cmd {
	if it.value == writeOwn {
		a.openCommandLine(writeOwn)
		return nil
	}
	return a.do(it.value)
}

// suggestedBreaks are the breakpoints that what is under the cursor suggests, and the usual ones.
func (a *app) suggestedBreaks() []item {
	var items []item
	add := func(does string, words ...string) {
		items = append(items, item{a.language.Say("stop %s", does), "new", "break " + strings.Join(words, " ")})
	}
	s := a.selection()
	if pod := a.podAtHand(); pod != "" {
		add(a.language.Say("at pod %s", pod), "pod", pod)
	}
	if s.Node != "" {
		add(a.language.Say("at node %s", s.Node), "node", s.Node)
	}
	if s.Subject == view.OfFilter && s.Plugin != "" {
		add(a.language.Say("when %s rejects", s.Plugin), "plugin", s.Plugin)
	}
	add(a.language.Of("when a pod fits nowhere"), "outcome", string(trace.NotSchedulable))
	add(a.language.Of("when a pod preempts others"), "outcome", string(trace.Preempting))
	add(a.language.Of("when a node changes"), "event", "Node")
	if a.frame.World == "recorded" {
		add(a.language.Of("when the replay parts from the recording"), "divergence")
	}
	return append(items, item{a.language.Of("write another ..."), "new", writeOwn})
}
