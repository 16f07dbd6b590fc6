package screen

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/picture"
)

// fulfil carries out what a verb requests of the screen; text is the verb's arguments.
func (a *app) fulfil(r command.Request, text string) (tea.Cmd, error) {
	switch r {
	case command.RequestQuit:
		return a.quit(), nil
	case command.RequestRun:
		return a.run(), nil
	case command.RequestPause:
		a.pause()
		return nil, nil
	case command.RequestSpeed:
		return nil, a.setSpeed(text)
	case command.RequestHelp:
		return nil, a.openHelp(text)
	case command.RequestTheme:
		return nil, a.useTheme(text)
	case command.RequestLanguage:
		return nil, a.speak(text)
	case command.RequestSort:
		return nil, a.sort(text)
	case command.RequestFilter:
		return nil, a.filter(text)
	case command.RequestColumns:
		return nil, a.columns(text)
	case command.RequestGroupBy:
		return nil, a.groupBy(text)
	case command.RequestFill:
		return nil, a.fillWith(text)
	case command.RequestFind:
		return a.find(text), nil
	case command.RequestShow:
		return nil, a.showPart(text)
	case command.RequestLesson, command.RequestPage, command.RequestHint, command.RequestAnswer, command.RequestAgain,
		command.RequestSandbox:
		return a.learn(r, text)
	case command.RequestNarrate:
		a.narrate()
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
	a.say(a.language.Say("theme %s", name))
	return nil
}

// speak goes on in another language, in the next one if none is named.
func (a *app) speak(tag string) error {
	next, err := words.LanguageNamed(tag)
	if tag == "" {
		all := words.Languages()
		next, err = all[(slices.Index(all, a.language)+1)%len(all)], nil
	}
	if err != nil {
		return err
	}
	a.session.Speak(next)
	a.language = next
	a.panes.forget()
	a.panes.narrator = panel.NewNarrator(a.vocabulary(), keyNarrator)
	a.show(a.session.Frame())
	a.say(next.Say("language: %s", next))
	return nil
}

// nextLanguage is the key that does so.
func (a *app) nextLanguage() tea.Cmd {
	if err := a.speak(""); err != nil {
		a.refuse(a.language.Error(err))
	}
	return nil
}

func (a *app) openHelp(topic string) error {
	if topic == "" {
		a.popup = newHelp(a)
		return nil
	}
	p, err := command.HelpOn(a.language, strings.Fields(topic))
	if err == nil {
		a.popup = newPage(p)
	}
	return err
}

// sort sets the order of the nodes in both tables.
func (a *app) sort(name string) error {
	for _, o := range view.Orders() {
		if name != "" && strings.HasPrefix(o.String(), name) {
			a.order(o)
			return nil
		}
	}
	return a.language.Errorf("sort: by what? (%s)", strings.Join(command.OrderNames(), ", "))
}

func (a *app) order(o view.Order) {
	a.panes.filters.Sort(o)
	a.panes.scores.Sort(o)
	a.say(a.language.Say("nodes are sorted by %s", o.Heading(a.language)))
}

// groupBy groups the nodes of the cluster's picture, and shows it.
func (a *app) groupBy(label string) error {
	if err := command.CheckLabel(a.frame, label); err != nil {
		return err
	}
	a.panes.cluster.Group(label)
	a.say(a.language.Say("nodes are grouped by %s", a.panes.cluster.Grouped()))
	return a.showPart(command.PartCluster.String())
}

// fillWith fills the nodes of the cluster's picture, and shows it.
func (a *app) fillWith(resource string) error {
	if err := command.CheckResource(a.frame, resource); err != nil {
		return err
	}
	a.panes.cluster.Fill(resource)
	if resource == "" {
		resource = a.language.Of("cpu and memory")
	}
	a.say(a.language.Say("nodes are filled with %s", resource))
	return a.showPart(command.PartCluster.String())
}

// filter narrows what has the focus: pods in the queue, else nodes and facts.
func (a *app) filter(text string) error {
	if a.mode.Focus == layout.Queue {
		a.panes.queue.Filter(text)
	} else {
		a.panes.filters.Filter(text)
		a.panes.scores.Filter(text)
		a.panes.preemption.Filter(text)
		a.panes.group.Filter(text)
		a.panes.facts.Filter(text)
		a.panes.binding.Filter(text)
		a.panes.charts.Filter(text)
		a.panes.cache.Filter(text)
		a.panes.start.Filter(text)
	}
	return nil
}

// looks is how the tables are looked at.
func (a *app) looks() command.View {
	return command.View{
		Member: a.panes.group.Selection(a.frame), Order: a.panes.filters.Sorted(), Filter: a.panes.filters.Filtered(),
		Numbers: a.panes.scores.Shown(), Screen: a.pictured(),
	}
}

// pictured is the screen for export, without the command line in which export was typed.
func (a *app) pictured() func() (string, error) {
	if a.view.Content != "" { // else there is no screen
		a.compose()
	}
	drawn, size, about := a.view.Content, a.size, "schedstep: "+a.frame.Title
	if drawn == "" {
		return nil
	}
	return func() (string, error) { return string(picture.SVG(drawn, size, about)), nil }
}

// filtered is the text that what has the focus is narrowed to.
func (a *app) filtered() string {
	if a.mode.Focus == layout.Queue {
		return a.panes.queue.Filtered()
	}
	return a.panes.filters.Filtered()
}

func (a *app) columns(name string) error {
	for _, n := range []view.Numbers{view.Weighted, view.Normalized, view.Raw} {
		if name != "" && strings.HasPrefix(n.String(), name) {
			a.panes.scores.Show(n)
			return nil
		}
	}
	return a.language.Errorf("columns: which numbers? (weighted, normalized or raw)")
}

// showPart brings a part to the front.
func (a *app) showPart(name string) error {
	wanted, err := command.PartNamed(name)
	if err != nil {
		return err
	}
	if wanted == command.PartState {
		a.popup = newPage(
			command.Page{Title: a.language.Of("Where we are"), Lines: command.Lines(a.frame, command.PartState, "")},
		)
		return nil
	}
	for _, p := range places() {
		if p.part == wanted {
			return a.open(p)
		}
	}
	return nil
}

func (a *app) open(p place) error {
	if p.pane == layout.Main {
		if !slices.Contains(tabsOf(a.frame, p.tab), p.tab) {
			return a.language.Errorf("show: this cycle is about a single pod, not about a pod group")
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
	names := a.session.At().Names()
	if pod, err := names.Pod(text); err == nil {
		return a.showPod(pod)
	}
	if slices.Contains(names.Nodes, text) {
		return a.showNode(text)
	}
	return a.openFinder(text)
}
