package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
)

// Live is what a screen knows of a cluster whose events go on arriving.
type Live struct {
	// Changed is closed at the next change of the log that the session reads.
	Changed func() <-chan struct{}
	// State is the connection in a few words; nothing while all is well. It must not block.
	State func() phrase.Phrase
	// Says stands in the last line until the first key: what is known of the cluster's own scheduler; "": the line
	// shows the rest.
	Says string
	// Driver is nil when nothing is written to the cluster.
	Driver *Driver
}

// grown is the news that there may be more to follow.
type grown struct{}

// followEvery is the shortest time between two looks at a log that grows. Events are gathered meanwhile.
const followEvery = 100 * time.Millisecond

// awaitGrowth waits for a change of the log after this call, and no shorter than followEvery. A caller that goes on to
// the end of the log calls it first; else it would miss a change during the reading.
func (a *app) awaitGrowth() tea.Cmd {
	if a.options.Live == nil {
		return nil
	}
	changed := a.options.Live.Changed()
	return func() tea.Msg {
		select {
		case <-time.After(followEvery):
		case <-a.ctx.Done():
			return nil
		}
		select {
		case <-changed:
		case <-a.ctx.Done():
			return nil
		}
		return grown{}
	}
}

// grow goes on to the end of the log, while the screen follows it and no job uses the session.
func (a *app) grow() tea.Cmd {
	if a.following && a.job != nil { // the job may have read the log before it changed: look again when it has ended
		return tea.Tick(followEvery, func(time.Time) tea.Msg { return grown{} })
	}
	again := a.awaitGrowth()
	if !a.following || a.job != nil || a.running {
		a.countBehind()
		if a.job == nil && a.session.Crowded() {
			return tea.Batch(again, a.begin(keepJob, nil, func(c command.Call) (command.Answer, error) {
				c.Session.KeepUp(c.Context)
				return command.Answer{Fresh: true}, nil
			}))
		}
		return again
	}
	return tea.Batch(again, a.begin(followJob, nil, func(c command.Call) (command.Answer, error) {
		return command.Move(c, session.Continue, session.Forward, 1), nil
	}))
}

// followJob is the name of the job that keeps up with the cluster, and keepJob of the one that drops what is too old
// while the screen is paused.
const (
	followJob = "following the cluster"
	keepJob   = "dropping what is too old"
)

// countBehind looks how much has happened that is not shown, when the session is free.
func (a *app) countBehind() {
	if a.job == nil {
		a.behind = a.session.Behind()
	}
}

// followed decides after a move whether the screen is at the end of the log, and goes on following it. When the user
// steps through earlier cycles, only nowKey makes the screen follow again.
func (a *app) followed(done jobDone) {
	if a.options.Live == nil || !done.answer.Moved {
		return
	}
	resumed := done.job.name == followJob || done.job.name == toEnd
	a.following = done.answer.Stop.Reason == session.StoppedAtLogEnd && (resumed || a.driver() == nil)
	a.countBehind()
}

// nowKey is the key that returns to what happens now, and toEnd what it does.
const (
	nowKey = "F"
	toEnd  = "goto end"
)

// cutOff is what is wrong with the connection to the cluster; "": nothing.
func (a *app) cutOff() string {
	if a.options.Live == nil {
		return ""
	}
	return a.language.Tell(a.options.Live.State())
}

// connection is where the screen is in what happens, at the end of the first line.
func (a *app) connection() string {
	switch {
	case a.options.Live == nil:
		return ""
	case a.following && a.driver() != nil:
		return "driving"
	case a.following:
		return ""
	case a.behind > 0:
		return a.language.Say("%d behind, %s: now", a.behind, nowKey)
	}
	return a.language.Say("paused, %s: now", nowKey)
}
