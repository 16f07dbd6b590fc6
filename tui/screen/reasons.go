package screen

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
)

// The reasons why a key can do nothing now, in words that go after its name. "" is no reason: the key works.

// busy says why the session cannot be used now.
func (a *app) busy() string {
	switch {
	case a.isLed():
		return ledWhy
	case a.running:
		return "cycles run (space pauses)"
	case a.job != nil:
		return a.job.name + " is under way (esc stops it)"
	}
	return ""
}

func (a *app) cannotGoOn() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.AtEnd {
		return "this is the end; nothing is left to do"
	}
	return ""
}

func (a *app) cannotGoBack() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.AtStart {
		return "this is the start"
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
		return "it does not run faster than " + words.CountOf(speeds[a.speed], "cycle", "cycles") + " in a second"
	}
	return ""
}

func (a *app) cannotSlowDown() string {
	if a.speed == 0 {
		return "it does not run slower than " + words.CountOf(speeds[0], "cycle", "cycles") + " in a second"
	}
	return ""
}

func (a *app) cannotBind() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.Nodes == 0 {
		return "there is no node yet"
	}
	return ""
}

func (a *app) cannotUndo() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.frame.Branch == a.frame.Branches[0] {
		return "this is what was recorded, not a branch"
	}
	return ""
}

func (a *app) cannotTellOfPod() string {
	if why := a.busy(); why != "" {
		return why
	}
	if a.podAtHand() == "" {
		return "no pod is under the cursor, and no cycle has run"
	}
	return ""
}

func (a *app) noNotes() string {
	if len(a.frame.Notes) == 0 {
		return "there are no notes about the input"
	}
	return a.busy()
}

func (a *app) cannotZoom() string {
	if layout.KindOf(a.size) == layout.Tiny {
		return "the screen is too small for panes"
	}
	return ""
}

func (a *app) cannotPaint() string {
	if a.options.NoColor {
		return "colours are off (NO_COLOR)"
	}
	return ""
}

func (a *app) noCluster() string {
	if a.panes.tab != tabCluster {
		return "the cluster is not shown (7 shows it)"
	}
	return ""
}

func (a *app) noScores() string {
	if a.panes.tab != tabScore {
		return "scores are not shown (3 shows them)"
	}
	return ""
}

func (a *app) noTable() string {
	if a.panes.tab > tabScore {
		return "no table of nodes that can be sorted is shown (2 and 3 show them)"
	}
	return ""
}

func (a *app) noRows() string {
	if a.mode.Focus != layout.Queue && a.mode.Focus != layout.Main {
		return "only the queue and the main pane can be filtered (1 and 2 go there)"
	}
	return a.busy()
}

func (a *app) nothingToClose() string {
	if a.running || a.job != nil || a.mode.Zoomed || a.filtered() != "" || a.mode.Focus == layout.Why {
		return ""
	}
	return "nothing is open, and nothing runs"
}

func (a *app) cannotSuspend() string {
	if !a.options.ownsTerminal() || !canSuspend {
		return "there is no shell here to come back from"
	}
	return ""
}

func (a *app) nothingToEnter() string {
	switch {
	case a.mode.Focus == layout.Timeline:
		if _, ok := a.panes.timeline.Target(a.frame); !ok {
			return "there is nothing under the cursor to go to"
		}
		return a.busy()
	case a.mode.Focus == layout.Queue && a.selection().Pod == "":
		return "no pod is under the cursor"
	case a.mode.Focus == layout.Queue:
		return a.busy()
	case a.mode.Focus == layout.Why:
		return "this pane is read, not opened (esc goes back)"
	case a.selection().Subject == panel.OfNothing:
		return "nothing is under the cursor"
	}
	return ""
}
