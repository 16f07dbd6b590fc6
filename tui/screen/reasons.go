package screen

import (
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/view"
)

// The reasons why a key can do nothing now, in words that go after its name. "" is no reason: the key works.

// busy returns why the session cannot be used now.
func (a *app) busy() string {
	switch {
	case a.isLed():
		return a.language.Of(ledWhy)
	case a.running:
		return a.language.Of("cycles run (space pauses)")
	case a.job != nil:
		return a.language.Say("%s is under way (esc stops it)", a.job.name)
	}
	return ""
}

func (a *app) cannotGoOn() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.AtEnd {
		return a.language.Of("this is the end; nothing is left to do")
	}
	return ""
}

func (a *app) cannotGoBack() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.AtStart {
		return a.language.Of("this is the start")
	}
	return ""
}

func (a *app) cannotRun() string {
	if a.running {
		return ""
	}
	return a.cannotGoOn()
}

func (a *app) cannotSpeedUp() string {
	if a.speed == len(speeds)-1 {
		return a.language.Say(
			"it does not run faster than %s in a second", a.language.CountOf(speeds[a.speed], "cycle", "cycles"),
		)
	}
	return ""
}

func (a *app) cannotSlowDown() string {
	if a.speed == 0 {
		return a.language.Say("it does not run slower than %s in a second", a.language.CountOf(speeds[0], "cycle", "cycles"))
	}
	return ""
}

func (a *app) cannotBind() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.Nodes == 0 {
		return a.language.Of("there is no node yet")
	}
	return ""
}

func (a *app) cannotUndo() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.Branch == a.frame.Branches[0] {
		return a.language.Of("this is what was recorded, not a branch")
	}
	return ""
}

func (a *app) cannotTellOfPod() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.podAtHand() == "" {
		return a.language.Of("no pod is under the cursor, and no cycle has run")
	}
	return ""
}

func (a *app) noNotes() string {
	if len(a.frame.Notes) == 0 {
		return a.language.Of("there are no notes about the input")
	}
	return a.busy()
}

func (a *app) cannotZoom() string {
	if layout.KindOf(a.size) == layout.Tiny {
		return a.language.Of("the screen is too small for panes")
	}
	return ""
}

func (a *app) cannotPaint() string {
	if a.options.NoColor {
		return a.language.Of("colours are off (NO_COLOR)")
	}
	return ""
}

func (a *app) noCluster() string {
	if a.panes.tab != tabCluster {
		return a.language.Of("the cluster is not shown (7 shows it)")
	}
	return ""
}

func (a *app) noScores() string {
	if a.panes.tab != tabScore && a.panes.tab != tabCluster {
		return a.language.Of("neither scores nor the cluster are shown (3 and 7 show them)")
	}
	return ""
}

func (a *app) noTable() string {
	if a.panes.tab > tabScore && a.panes.tab != tabCluster {
		return a.language.Of("no nodes that can be sorted or grouped are shown (2, 3 and 7 show them)")
	}
	return ""
}

func (a *app) noRows() string {
	if a.mode.Focus != layout.Queue && a.mode.Focus != layout.Main {
		return a.language.Of("only the queue and the main pane can be filtered (1 and 2 go there)")
	}
	return a.busy()
}

func (a *app) nothingToClose() string {
	if a.running || a.job != nil || a.mode.Zoomed || a.filtered() != "" || a.mode.Focus == layout.Why {
		return ""
	}
	return a.language.Of("nothing is open, and nothing runs")
}

func (a *app) cannotSuspend() string {
	if !a.options.ownsTerminal() || !canSuspend {
		return a.language.Of("there is no shell here to come back from")
	}
	return ""
}

func (a *app) nothingToEnter() string {
	switch {
	case a.mode.Focus == layout.Timeline:
		if _, ok := a.panes.timeline.Target(a.frame); !ok {
			return a.language.Of("there is nothing under the cursor to go to")
		}
		return a.busy()
	case a.mode.Focus == layout.Queue && a.selection().Pod == "":
		return a.language.Of("no pod is under the cursor")
	case a.mode.Focus == layout.Queue:
		return a.busy()
	case a.mode.Focus == layout.Why:
		return a.language.Of("this pane is read, not opened (esc goes back)")
	case a.selection().Subject == view.OfNothing:
		return a.language.Of("nothing is under the cursor")
	}
	return ""
}

// noPlan is for the keys that go through a plan.
func (a *app) noPlan() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.At.Plan() == nil {
		return a.language.Of("no plan is carried out here (the verb plan makes one)")
	}
	return ""
}
