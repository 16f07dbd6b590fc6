package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
)

// grant does what a verb wants of the screen.
func (a *app) grant(w wish) (tea.Cmd, error) {
	switch w.kind {
	case wishQuit:
		return a.quit(), nil
	case wishRun:
		return a.run(), nil
	case wishPause:
		a.pause()
		return nil, nil
	case wishSpeed:
		return nil, a.setSpeed(w.text)
	case wishHelp:
		return nil, a.openHelp(w.text)
	case wishTheme:
		return nil, a.useTheme(w.text)
	case wishSort:
		return nil, a.sort(w.text)
	case wishFilter:
		return nil, a.filter(w.text)
	case wishColumns:
		return nil, a.columns(w.text)
	case wishFind:
		return a.find(w.text), nil
	case wishShow:
		return nil, a.showPart(w.text)
	}
	return nil, nil
}

func (a *app) useTheme(name string) error {
	if name == "" {
		a.openThemes()
		return nil
	}
	palette, err := themes.Load(name, a.options.Themes...)
	if err != nil {
		return err
	}
	a.provisional = false
	a.paint(palette)
	a.say("theme " + name)
	return nil
}

func (a *app) openHelp(topic string) error {
	if topic == "" {
		a.popup = newHelp(a)
		return nil
	}
	p, err := helpOn(strings.Fields(topic))
	if err == nil {
		a.popup = newPage(p)
	}
	return err
}

// sort sets the order of the nodes in both tables.
func (a *app) sort(name string) error {
	for _, o := range panel.Orders() {
		if name != "" && strings.HasPrefix(o.String(), name) {
			a.order(o)
			return nil
		}
	}
	return fmt.Errorf("sort: by what? (%s)", strings.Join(orderNames(), ", "))
}

func (a *app) order(o panel.Order) {
	a.panes.filters.Sort(o)
	a.panes.scores.Sort(o)
	a.say("nodes are sorted by " + o.String())
}

// filter narrows what has the focus: pods in the queue, else nodes.
func (a *app) filter(text string) error {
	if a.mode.Focus == layout.Queue {
		a.panes.queue.Filter(text)
	} else {
		a.panes.filters.Filter(text)
		a.panes.scores.Filter(text)
		a.panes.preemption.Filter(text)
		a.panes.group.Filter(text)
	}
	return nil
}

// looks is how the tables are looked at.
func (a *app) looks() view {
	return view{
		member: a.panes.group.Selection(a.frame), order: a.panes.filters.Sorted(), filter: a.panes.filters.Filtered(),
		numbers: a.panes.scores.Shown(),
	}
}

// filtered is the text that what has the focus is narrowed to.
func (a *app) filtered() string {
	if a.mode.Focus == layout.Queue {
		return a.panes.queue.Filtered()
	}
	return a.panes.filters.Filtered()
}

func (a *app) columns(name string) error {
	for _, n := range []panel.Numbers{panel.Weighted, panel.Normalized, panel.Raw} {
		if name != "" && strings.HasPrefix(n.String(), name) {
			a.panes.scores.Show(n)
			return nil
		}
	}
	return fmt.Errorf("columns: which numbers? (weighted, normalized or raw)")
}

// showPart brings a part of the screen to the front.
func (a *app) showPart(name string) error {
	if name == "" || name == "state" {
		a.popup = newPage(page{title: "Where we are", lines: describe(a.frame)})
		return nil
	}
	for _, p := range parts() {
		if strings.HasPrefix(p.name, name) {
			return a.open(p)
		}
	}
	return fmt.Errorf("show: %q is no part (%s)", name, strings.Join(partNames(), ", "))
}

func (a *app) open(p part) error {
	if p.pane == layout.Main {
		if !slices.Contains(tabsOf(a.frame), p.tab) {
			return fmt.Errorf("show: this cycle is about a single pod, not about a pod group")
		}
		a.panes.tab = p.tab
	}
	a.focus(p.pane)
	return nil
}

// find goes to the one pod or node of a name; anything else opens the finder.
func (a *app) find(text string) tea.Cmd {
	if why := a.busy(); why != "" {
		a.refuse("find: " + why)
		return nil
	}
	names := a.session.Names()
	if pod, err := podNamed(names.Pods, text); err == nil {
		return a.showPod(pod)
	}
	if slices.Contains(names.Nodes, text) {
		return a.showNode(text)
	}
	return a.openFinder(text)
}
