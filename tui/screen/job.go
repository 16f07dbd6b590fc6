package screen

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
)

// job is a verb under way. It owns the session from begin to jobDone.
type job struct {
	name  string
	stop  context.CancelFunc
	steps atomic.Int64 // done so far
	long  bool         // it has lasted longer than a pulse: its progress is shown
}

// jobDone is the result of a job.
type jobDone struct {
	job    *job
	answer command.Answer
	frame  *session.Frame // nil: the old one holds
	err    error
}

// pulse is a moment to look how far a job is.
type pulse struct{ job *job }

// runAgain is the moment for the next cycles of a run.
type runAgain struct{ run int }

// pulseEvery is how long a job may last before its progress is shown, and how often that is renewed.
const pulseEvery = 100 * time.Millisecond

// runEvery is the shortest time between two frames of a run; faster runs take several cycles at a time.
const runEvery = 62500 * time.Microsecond

// firstSpeed is the index of the speed to begin with.
const firstSpeed = 2

// speeds are in cycles per second.
var speeds = [...]int{1, 2, 4, 8, 16, 64, 256, 1024, 4096}

// do carries out lines, one after the other. After a line that fails or opens a question, the rest is dropped.
func (a *app) do(text string) tea.Cmd {
	a.typed = false
	return a.enqueue(text)
}

// doTyped carries out lines that the user typed: one that fails comes back to the command line, where the user can
// correct it.
func (a *app) doTyped(text string) tea.Cmd {
	a.typed = true
	return a.enqueue(text)
}

func (a *app) enqueue(text string) tea.Cmd {
	a.pending = append(a.pending, command.Split(text)...)
	return a.doNext()
}

// doNext carries out the lines that wait. One that wants the session waits for the job under way; one that concerns
// only the screen does not.
func (a *app) doNext() tea.Cmd {
	for len(a.pending) > 0 {
		line := a.pending[0]
		v, args, err := command.Parse(line.Text)
		if err == nil && v.Run != nil && a.job != nil {
			return nil
		}
		if err == nil && v.Run != nil && a.isLed() && !v.Guesses() {
			err = errLed
		}
		a.pending = a.pending[1:]
		if err == nil && v.Run != nil {
			return a.beginLine(line, args, v.Run)
		}
		var cmd tea.Cmd
		if err == nil {
			cmd, err = a.fulfil(v.Request, strings.Join(args, " "))
		}
		if err != nil {
			a.fail(line.Text, line.Failed(a.language, err))
			return nil
		}
		if cmd != nil {
			return cmd
		}
	}
	return nil
}

// fail shows why a line failed. A typed line comes back to the command line, with the lines after it, where the user
// can correct it.
func (a *app) fail(text string, err error) {
	rest := a.pending
	a.pending = nil
	a.running = false
	if a.typed && a.job == nil {
		for _, line := range rest {
			text += "; " + line.Text
		}
		a.mend(text, err)
		return
	}
	a.note = note{text: a.language.Error(err), paint: themes.Error}
}

// beginLine gives the session to the verb of a line.
func (a *app) beginLine(
	line command.Line, args []string, run func(command.Call) (command.Answer, error),
) tea.Cmd {
	lang := a.language // the job runs in another goroutine and may not touch the app
	return a.begin(line.Text, args, func(c command.Call) (command.Answer, error) {
		answer, err := run(c)
		return answer, line.Failed(lang, err)
	})
}

// begin gives the session to a verb until it is done.
func (a *app) begin(name string, args []string, run func(command.Call) (command.Answer, error)) tea.Cmd {
	a.holdWhileStepping()
	ctx, stop := context.WithCancel(a.ctx)
	j := &job{name: name, stop: stop}
	a.job = j
	c := command.Call{Context: ctx, Session: a.session, Args: args, View: a.looks(), May: a.options.May}
	c.Most = a.options.Bounds.Most
	c.Game, c.Round = a.options.Game, a.guessing()
	c.Progress = func(steps int) { j.steps.Store(int64(steps)) }
	return tea.Batch(func() tea.Msg { return a.owner.carryOut(j, c, a.options.Bounds.within(run)) }, j.beat())
}

// reopen goes to where the session was saved. If the user stops it, the screen is at the start, as if no session had
// been saved.
func (a *app) reopen(c command.Call) (command.Answer, error) {
	err := c.Session.Restore(c.Context, a.options.Saved, c.Progress)
	switch {
	case c.Context.Err() != nil:
		return command.Answer{
			Moved: true, Said: a.language.Of("stopped: this is the start; open the file again to go to the saved place"),
		}, nil
	case err != nil:
		return command.Answer{Moved: true, Said: err.Error()}, nil
	}
	return command.Answer{Moved: true}, nil
}

// carryOut runs outside Update: it may touch the session, and nothing of app.
func (o *owner) carryOut(j *job, c command.Call, run func(command.Call) (command.Answer, error)) tea.Msg {
	o.Lock()
	defer o.Unlock()
	defer j.stop()
	if o.closed {
		return nil
	}
	defer c.Session.Heed(c.Context)()
	done := jobDone{job: j}
	done.answer, done.err = run(c)
	if done.answer.Moved || done.answer.Fresh {
		done.frame = c.Session.Frame()
	}
	return done
}

func (j *job) beat() tea.Cmd {
	return tea.Tick(pulseEvery, func(time.Time) tea.Msg { return pulse{j} })
}

// beat marks the job as long, so that its progress is shown, and schedules the next pulse.
func (a *app) beat() tea.Cmd {
	a.job.long = true
	return a.job.beat()
}

// finish takes the session back from a job, and shows where it is now.
func (a *app) finish(done jobDone) tea.Cmd {
	a.job = nil
	if done.frame != nil {
		a.show(done.frame)
	}
	a.followed(done)
	keep := a.learned(done)
	next := a.goOn(done)
	if keep != nil {
		a.praise()
	}
	return tea.Batch(keep, next)
}

// goOn shows the result of a job, and begins the next one.
func (a *app) goOn(done jobDone) tea.Cmd {
	switch {
	case done.err != nil:
		a.fail(done.job.name, done.err)
		return nil
	case done.answer.Ask.Yes != "":
		return a.ask(done.answer.Ask)
	case done.answer.Draft.Line != "":
		return a.openEditor(done.answer.Draft)
	case len(done.answer.Page.Lines) > 0 && a.running && done.answer.Stop.Reason == session.StoppedAtStep:
		a.say(done.answer.Page.Lines[len(done.answer.Page.Lines)-1]) // a run is not stopped to be read
	case len(done.answer.Page.Lines) > 0:
		a.popup = newPage(done.answer.Page)
	}
	if done.answer.Said != "" && !a.following {
		a.say(done.answer.Said)
	}
	if done.answer.Moved && done.answer.Stop.Reason != session.StoppedAtStep {
		a.running = false
	}
	a.pending = append(slices.Clip(done.answer.Then), a.pending...)
	if a.running {
		return a.runLater()
	}
	if len(a.pending) == 0 {
		a.askAboutWrites()
	}
	return a.doNext()
}

// stopJob cancels the job under way, which ends when it looks at its context the next time.
func (a *app) stopJob() {
	a.running = false
	a.pending = nil
	if a.job != nil {
		a.job.stop()
	}
}

// stopWork makes sure that no goroutine uses the session any more. The program must have ended.
func (a *app) stopWork() {
	a.stopJob()
	a.owner.Lock()
	a.owner.closed = true
	a.owner.Unlock()
	a.dropSheet()
}

// run starts a run: one cycle follows the other until the user pauses, or until something stops it.
func (a *app) run() tea.Cmd {
	a.running = true
	a.runs++
	return a.runOn(runAgain{a.runs})
}

func (a *app) pause() { a.running = false }

// runLater waits for the time between two cycles at the chosen speed.
func (a *app) runLater() tea.Cmd {
	again := runAgain{a.runs}
	wait := max(time.Second/time.Duration(speeds[a.speed]), runEvery)
	return tea.Tick(wait, func(time.Time) tea.Msg { return again })
}

// runOn runs the next cycles, if the run is still the present one.
func (a *app) runOn(again runAgain) tea.Cmd {
	if !a.running || again.run != a.runs || a.job != nil {
		return nil
	}
	cycles := max(speeds[a.speed]*int(runEvery/time.Microsecond)/int(time.Second/time.Microsecond), 1)
	return a.begin("run", nil, func(c command.Call) (command.Answer, error) {
		return command.Move(c, session.Next, session.Forward, cycles), nil
	})
}

// setSpeed takes the speed nearest to a number of cycles per second.
func (a *app) setSpeed(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New(
			a.language.Say("speed: how many cycles in a second? (1 to %s)", strconv.Itoa(speeds[len(speeds)-1])),
		)
	}
	a.speed = 0
	for i, s := range speeds {
		if s <= n {
			a.speed = i
		}
	}
	a.saySpeed()
	return nil
}

func (a *app) saySpeed() {
	a.say(a.language.Say("runs %s in a second", a.language.CountOf(speeds[a.speed], "cycle", "cycles")))
}
