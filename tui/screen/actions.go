package screen

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// prompting opens the command line with the beginning of a line.
func prompting(text string) func(*app) tea.Cmd {
	return func(a *app) tea.Cmd { a.openCommandLine(text); return nil }
}

// aboutPod runs a verb about the pod at hand.
func aboutPod(verb string) func(*app) tea.Cmd {
	return func(a *app) tea.Cmd { return a.do(verb + a.podAtHand()) }
}

func (a *app) toggleRun() tea.Cmd {
	if a.running || a.following {
		a.following = false
		a.pause()
		return nil
	}
	return a.run()
}

func (a *app) faster() tea.Cmd { a.speed++; a.saySpeed(); return nil }

func (a *app) slower() tea.Cmd { a.speed--; a.saySpeed(); return nil }

// copy puts text into the clipboard: in Why its whole text, elsewhere the item under the cursor and the position.
func (a *app) copy() tea.Cmd {
	lines := command.Selected(a.frame, a.selection())
	if a.mode.Focus == layout.Why {
		lines = a.panes.why.Text(a.frame, &a.styles.Glyphs)
	}
	if err := a.options.May.Check(command.Clipboard); err != nil {
		a.refuse(a.language.Error(err))
		return nil
	}
	a.say(a.language.Say("copied %s: %s", a.language.CountOf(len(lines), "line", "lines"), lines[0]))
	return tea.SetClipboard(clipping(lines))
}

// clipping is lines for the clipboard: what is pasted into a shell cannot control the terminal there.
func clipping(lines []string) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(widget.Sanitize(line) + "\n")
	}
	return text.String()
}

// escape stops or closes one thing, the most urgent first.
func (a *app) escape() tea.Cmd {
	switch {
	case a.running || a.job != nil:
		a.stopJob()
	case a.mode.Zoomed:
		a.mode.Zoomed = false
	case a.mode.Focus == layout.Why:
		a.focus(a.source)
	default:
		return a.do("filter")
	}
	return nil
}

// allPanes are the panes there are, in the order of their tabs.
func (a *app) allPanes() []layout.Pane {
	if a.mode.Lesson {
		return append([]layout.Pane{layout.Lesson}, layout.Panes()...)
	}
	return layout.Panes()
}

func (a *app) cyclePane(by int) tea.Cmd {
	all := a.allPanes()
	a.focus(all[(slices.Index(all, a.mode.Focus)+by+len(all))%len(all)])
	return nil
}

func (a *app) cycleTab(by int) tea.Cmd {
	tabs := tabsOf(a.frame, a.panes.tab)
	a.panes.tab = tabs[(slices.Index(tabs, a.panes.tab)+by+len(tabs))%len(tabs)]
	a.focus(layout.Main)
	return nil
}

func (a *app) zoom() tea.Cmd { a.mode.Zoomed = !a.mode.Zoomed; return nil }

// closer makes the nodes of the cluster larger, or smaller again.
func closer(forms int) func(*app) tea.Cmd {
	return func(a *app) tea.Cmd {
		if !a.panes.cluster.Closer(forms) {
			a.say(map[bool]string{
				true: a.language.Of("nodes are as large as they can be"), false: a.language.Of("all nodes are seen"),
			}[forms > 0])
		}
		return nil
	}
}

// after is what follows a word in a list; the first after the last, and where the word is not in it.
func after(word string, words []string) string {
	return words[(slices.Index(words, word)+1)%len(words)]
}

// nextGroups groups the nodes of the cluster's picture by the next label.
func (a *app) nextGroups() tea.Cmd {
	labels := a.frame.At.NodeLabels()
	if len(labels) == 0 {
		a.refuse(a.language.Of("no label divides the nodes into groups"))
		return nil
	}
	if err := a.groupBy(after(a.panes.cluster.Grouped(), labels)); err != nil {
		a.refuse(a.language.Error(err))
	}
	return nil
}

// nextResource fills the nodes of the cluster's picture with the next resource; after the last with cpu and memory.
func (a *app) nextResource() tea.Cmd {
	if err := a.fillWith(after(a.panes.cluster.Filled(), append([]string{""}, a.frame.At.Resources()...))); err != nil {
		a.refuse(a.language.Error(err))
	}
	return nil
}

func (a *app) nextNumbers() tea.Cmd {
	if a.panes.tab == tabCluster {
		return a.nextResource()
	}
	next := (a.panes.scores.Shown() + 1) % (view.Raw + 1)
	a.panes.scores.Show(next)
	a.say(a.language.Say("scores are %s", next.String()))
	return nil
}

func (a *app) nextOrder() tea.Cmd {
	if a.panes.tab == tabCluster {
		return a.nextGroups()
	}
	orders := view.Orders()
	now := a.panes.filters.Sorted()
	if a.panes.tab == tabScore {
		now = a.panes.scores.Sorted()
	}
	a.order(orders[(slices.Index(orders, now)+1)%len(orders)])
	return nil
}

func (a *app) openFilter() tea.Cmd {
	a.openCommandLine("filter " + a.filtered())
	return nil
}

// enter opens what is under the cursor.
func (a *app) enter() tea.Cmd {
	switch a.mode.Focus {
	case layout.Queue:
		return a.do("history " + a.podAtHand())
	case layout.Timeline:
		return a.goToTarget()
	}
	a.focus(layout.Why)
	return nil
}

// goToTarget goes to what is under the cursor of the timeline.
func (a *app) goToTarget() tea.Cmd {
	step, ok := a.panes.timeline.Target(a.frame)
	if !ok || a.busy() != "" {
		return nil
	}
	return a.begin("goto", nil, func(c command.Call) (command.Answer, error) {
		return command.Goto(c, session.Position{Step: step, Fact: -1}), nil
	})
}
