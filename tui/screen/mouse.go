package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
)

// wheelRows is how many rows one notch of the wheel moves.
const wheelRows = 3

// mouse carries out a click or a turn of the wheel. The mouse is never needed: every effect has a key.
func (a *app) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			return a.click(m.X, m.Y)
		}
	case tea.MouseMotionMsg:
		if m.Button == tea.MouseLeft && a.mode.Focus == layout.Timeline && a.popup == nil {
			return a.drag(m.X)
		}
	case tea.MouseWheelMsg:
		a.wheel(m)
	}
	return nil
}

func (a *app) click(x, y int) tea.Cmd {
	a.note = note{}
	if a.popup != nil {
		return a.popup.click(a, x, y)
	}
	if a.screen.Tabs.Contains(x, y) {
		if at, ok := a.paneTabs().At(x-a.screen.Tabs.X, a.screen.Tabs.Width); ok {
			a.focus(a.allPanes()[at])
		}
		return nil
	}
	pane, ok := a.screen.PaneAt(x, y)
	if !ok {
		return nil
	}
	again := a.mode.Focus == pane
	a.focus(pane)
	if pane == layout.Main && a.tabs.Contains(x, y) {
		a.clickTab(x)
		return nil
	}
	return a.point(pane, x, y, again)
}

func (a *app) clickTab(x int) {
	if at, ok := a.mainTabs().At(x-a.tabs.X, a.tabs.Width); ok {
		a.panes.tab = tabsOf(a.frame, a.panes.tab)[at]
	}
}

// point puts the cursor of a pane where the mouse is. On the timeline that is where the replay goes; in the queue a
// second click on the same pod opens it.
func (a *app) point(pane layout.Pane, x, y int, again bool) tea.Cmd {
	shown, place := a.panes.at(pane), a.places[pane]
	before := shown.Selection(a.frame)
	if !shown.Point(a.frame, x-place.X, y-place.Y) {
		return nil
	}
	switch {
	case pane == layout.Timeline:
		return a.goToTarget()
	case pane == layout.Queue && again && before.Pod == shown.Selection(a.frame).Pod:
		return a.press("enter")
	}
	return nil
}

// drag takes the replay along with the pointer.
func (a *app) drag(x int) tea.Cmd {
	place := a.places[layout.Timeline]
	x = min(max(x-place.X, 0), max(place.Width-1, 0))
	if a.busy() != "" || !a.panes.timeline.Point(a.frame, x, 0) {
		return nil
	}
	return a.goToTarget()
}

func (a *app) wheel(m tea.Mouse) {
	rows, columns := 0, 0
	switch m.Button {
	case tea.MouseWheelUp:
		rows = -wheelRows
	case tea.MouseWheelDown:
		rows = wheelRows
	case tea.MouseWheelLeft:
		columns = -1
	case tea.MouseWheelRight:
		columns = 1
	}
	if a.popup != nil {
		a.popup.wheel(rows)
		return
	}
	pane, ok := a.screen.PaneAt(m.X, m.Y)
	if !ok {
		return
	}
	shown := a.panes.at(pane)
	if cluster, is := shown.(*panel.Cluster); is && rows != 0 && m.Mod&tea.ModShift == 0 {
		place := a.places[pane]
		cluster.Point(a.frame, m.X-place.X, m.Y-place.Y) // what is under the pointer is what comes closer
		cluster.Closer(-rows / wheelRows)
		return
	}
	shown.Move(a.frame, rows, columns)
}
