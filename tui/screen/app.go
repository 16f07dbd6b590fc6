package screen

import (
	"context"
	"sync"

	"github.com/schedstep/schedstep/tui/view"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/editor"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// app is the one tea.Model. It routes messages, begins work and takes its results, and composes the screen. Whatever
// uses the session does so as a job, of which there is one at a time; while there is none, app itself may.
type app struct {
	ctx      context.Context
	session  *session.Session
	language words.Language // that the person reads
	options  Options
	keys     []binding

	frame  *session.Frame
	panes  *panes
	source layout.Pane // the pane whose selection is explained: the queue or the main one
	// ofTimeline makes Why explain the timeline: it has the focus, or had it before the explanation.
	ofTimeline bool

	popup   popup          // takes the keys; nil: none
	note    note           // the text of the footer until the next key
	sheet   *editor.Sheet  // of the draft that is edited; nil: none was
	entered []string       // lines of the command line, the newest last
	pending []command.Line // lines still to be carried out
	typed   bool           // those lines were typed into the command line

	job     *job              // under way; nil: the session is at rest
	early   []tea.KeyPressMsg // pressed while a short job was under way; they wait for its end
	owner   owner
	running bool // cycles go on by themselves
	leaving bool // q was the last key, and what-ifs would be lost
	speed   int  // index in speeds
	runs    int  // distinguishes one run from another

	heard Heard // of the class

	following bool // a live cluster is followed as it goes on
	behind    int  // events of it that are not shown

	provisional bool // the theme may change once the terminal's background is known
	styles      themes.Styles
	size        layout.Size
	mode        layout.Mode
	screen      layout.Screen
	places      map[layout.Pane]layout.Rect // where panels were drawn, for the mouse
	tabs        layout.Rect                 // where the main pane's tabs were drawn
	canvas      *widget.Canvas
	view        tea.View
	stale       bool // view is not what it should be
}

// owner guards the session: the holder of the lock may use it, until it is closed.
type owner struct {
	sync.Mutex
	closed bool
}

// note is a line in the footer.
type note struct {
	text  string
	paint themes.Paint
}

// Init queries the terminal's background if the theme depends on it, and carries out the commands to begin with.
func (a *app) Init() tea.Cmd {
	begin := []tea.Cmd{a.awaitGrowth(), a.awaitTick(), a.hearFirst(), AwaitSize(a.ctx, a.options.Resized, a.options.Size)}
	if a.provisional {
		begin = append(begin, tea.RequestBackgroundColor)
	}
	if a.options.Game != nil {
		a.popup = nil
		begin = append(begin, a.do("deal"))
	}
	if a.options.Saved != nil {
		a.popup, a.note = nil, note{}
		begin = append(begin, a.begin(a.language.Of("to the saved place"), nil, a.reopen))
	}
	if a.options.Begin != "" {
		a.popup = nil
		begin = append(begin, a.doTyped(a.options.Begin))
	}
	return tea.Batch(begin...)
}

// Update takes one message.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	before := a.stale
	a.stale = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.size = layout.Size{Width: msg.Width, Height: msg.Height}
		return a, nil
	case Resized:
		return a, tea.Batch(msg.Tell(), AwaitSize(a.ctx, a.options.Resized, a.options.Size))
	case tea.BackgroundColorMsg:
		a.suit(msg)
	case tea.KeyPressMsg:
		done := a.key(msg)
		a.see()
		return a, done
	case tea.PasteMsg:
		return a, a.paste(msg.Content)
	case tea.MouseMsg:
		return a, a.mouse(msg)
	case jobDone:
		done := tea.Batch(a.finish(msg), a.catchUp())
		a.see()
		return a, done
	case pulse:
		if msg.job != a.job {
			a.stale = before
			return a, nil
		}
		return a, tea.Batch(a.beat(), a.catchUp())
	case runAgain:
		return a, a.runOn(msg)
	case grown:
		return a, a.grow()
	case heard:
		return a, a.hear()
	case ticked:
		return a, a.awaitTick()
	case found:
		msg.by.take(msg)
	case prepared:
		a.openPrepared(msg)
	case edited:
		return a, a.takeEdited(msg)
	case kept:
		if msg.err != nil {
			a.refuse(a.language.Error(msg.err))
		}
	case sentByHand:
		a.tellSent(msg)
	default:
		a.stale = before
	}
	return a, nil
}

// View is the screen. It is composed anew only after a change: Bubble Tea calls View after every message.
func (a *app) View() tea.View {
	if a.stale {
		a.stale = false
		a.compose()
	}
	return a.view
}

// suit takes the light default theme on a light background.
func (a *app) suit(background tea.BackgroundColorMsg) {
	if !a.provisional || background.IsDark() {
		return
	}
	a.provisional = false
	if palette, err := themes.Load(lightTheme, a.options.Themes...); err == nil {
		a.paint(palette)
	}
}

func (a *app) paint(p themes.Palette) { a.styles = themes.Derive(p, a.options.glyphs()) }

// show takes a new frame.
func (a *app) show(f *session.Frame) {
	a.panes.follow(a.frame, f)
	if a.options.Game != nil {
		a.options.Game.See(f)
	}
	a.frame = f
	a.panes.timeline.Home()
}

// say writes a line into the footer.
func (a *app) say(text string) { a.note = note{text: text, paint: themes.Text} }

// refuse shows in the footer why a command was not carried out.
func (a *app) refuse(why string) { a.note = note{text: why, paint: themes.Warn} }

// mostEarly is how many keys wait for the end of a short job.
const mostEarly = 64

// key routes a key: to what lies on top, else to its row in the table. A job that is too short to be seen is finished
// first, so that typing ahead works.
func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	pressed := msg.String()
	if pressed == "ctrl+c" || pressed == "q" && a.leaving {
		return a.quit()
	}
	a.leaving = false
	if a.job != nil && !a.job.long && !a.running && len(a.early) < mostEarly {
		a.early = append(a.early, msg)
		return nil
	}
	a.note = note{}
	switch {
	case pressed == "q" && layout.KindOf(a.size) == layout.Tiny:
		return a.quit()
	case a.popup != nil:
		return a.popup.key(a, msg)
	}
	return a.press(pressed)
}

// catchUp takes the keys that waited, until one of them begins another job.
func (a *app) catchUp() tea.Cmd {
	var cmds []tea.Cmd
	for len(a.early) > 0 && (a.job == nil || a.job.long) {
		next := a.early[0]
		a.early = a.early[1:]
		cmds = append(cmds, a.key(next))
	}
	return tea.Batch(cmds...)
}

// press does what the table assigns to a key, or shows why the key does nothing.
func (a *app) press(pressed string) tea.Cmd {
	b, ok := a.bindingOf(pressed)
	if !ok {
		a.refuse(a.language.Say("%s does nothing (? lists the keys)", pressed))
		return nil
	}
	if why := b.blocked(a); why != "" {
		a.refuse(b.name() + ": " + why)
		return nil
	}
	if b.act != nil {
		return b.act(a)
	}
	return a.do(b.line)
}

// paste writes text where something is being written. Elsewhere it is not taken for keys.
func (a *app) paste(text string) tea.Cmd {
	if w, ok := a.popup.(writable); ok {
		return w.insert(text)
	}
	a.refuse(a.language.Of("nothing is being written here (: opens the command line)"))
	return nil
}

// leave quits. What-ifs go with the session, so with branches the key is pressed twice.
func (a *app) leave() tea.Cmd {
	if n := len(a.frame.Branches) - 1; n > 0 && !a.leaving {
		a.leaving = true
		a.refuse(a.language.Sentence(n, "%d branch is lost unless it is saved (:save FILE); q again quits",
			"%d branches are lost unless they are saved (:save FILE); q again quits"))
		return nil
	}
	return a.quit()
}

func (a *app) quit() tea.Cmd {
	a.stopJob()
	return tea.Quit
}

// focus gives the keys to a pane.
func (a *app) focus(p layout.Pane) {
	a.ofTimeline = p == layout.Timeline || p == layout.Why && a.ofTimeline
	a.mode.Focus = p
	if p == layout.Queue || p == layout.Main {
		a.source = p
	}
}

// focused is the panel that has the keys.
func (a *app) focused() drawing { return a.panes.at(a.mode.Focus) }

// selection is what is under the cursor of the pane that is explained.
func (a *app) selection() view.Selection {
	if a.ofTimeline {
		return a.panes.timeline.Selection(a.frame)
	}
	return a.panes.at(a.source).Selection(a.frame)
}

// podAtHand is the pod under the cursor, or else the one the cycle is about; "" if there is neither.
func (a *app) podAtHand() string {
	if s := a.selection(); s.Pod != "" {
		return command.PodOf(a.frame, a.panes.group.Frame(a.frame), s.Pod)
	}
	if c := a.frame.About(); c != nil {
		return command.PodOf(a.frame, a.panes.group.Frame(a.frame), c.Entity.Key())
	}
	return ""
}
