// Package screen shows a session on a whole terminal: it holds the one Bubble Tea model, which routes keys and the
// mouse to verbs, arranges the panels and lays popups over them. What a verb does is package command's, and every
// picture of a frame is a panel's.
package screen

import (
	"context"
	"io/fs"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/schedstep/schedstep/replay/learn/predict"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

// Options are a person's choices. The zero value is a screen in colours that suit the terminal, with the mouse.
type Options struct {
	Theme   string        // by name; "": one that suits the terminal's background
	Themes  []fs.FS       // where themes are looked for before the shipped ones
	ASCII   bool          // draw with ASCII signs only
	NoColor bool          // no colours at all; NO_COLOR with any value means the same
	NoMouse bool          // leave the mouse to the terminal
	Saved   []byte        // of a file of a session: the screen begins by going there, with Restore; nil: it is there
	Begin   string        // commands to begin with, as they are typed, divided by semicolons; "": none
	Keys    Rebind        // the person's own keys; none: those that are shipped
	Class   *Class        // a lesson that is shown beside the session; nil: none
	Game    *predict.Game // that is played on the session, and begins at once; nil: none
	May     command.Reach // what may be reached from the screen; nothing: the screen is a remote one
	Seat    *Seat         // in a class; nil: the person is alone
	Bounds  Bounds        // keep one person from taking a machine that many share
	Live    *Live         // where the session goes on arriving from; nil: it is all there

	// Resized sends a signal when Size changes, for a screen on a terminal that is not that of this process; nil: never.
	Resized <-chan struct{}
	Size    func() layout.Size

	// Program gives Bubble Tea the screen's input, output, size and environment. None: the terminal of this process.
	Program []tea.ProgramOption
}

// lightTheme is what the default becomes on a light background.
const lightTheme = "okabe-ito-light"

// Run shows the session on a screen until the person quits or ctx ends. The session is Run's until it returns.
func Run(ctx context.Context, s *session.Session, o Options) error {
	o.NoColor = o.NoColor || os.Getenv("NO_COLOR") != ""
	a, err := newApp(ctx, s, o)
	if err != nil {
		return err
	}
	program := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if o.ownsTerminal() {
		program = append(program, guardedInput()...)
	}
	if o.NoColor {
		program = append(program, tea.WithColorProfile(colorprofile.ASCII))
	}
	p := tea.NewProgram(a, append(program, o.Program...)...)
	if o.ownsTerminal() {
		defer suspendable(p)()
	}
	_, err = p.Run()
	a.stopWork()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ownsTerminal reports whether the screen is on the terminal of this process.
func (o Options) ownsTerminal() bool { return len(o.Program) == 0 }

// firstTheme is the palette to begin with, and whether it may change once the background is known.
func (o Options) firstTheme() (palette themes.Palette, provisional bool, err error) {
	name := o.Theme
	switch {
	case o.NoColor:
		name = themes.Mono
	case name == "":
		name, provisional = themes.Default, true
	}
	palette, err = themes.Load(name, o.Themes...)
	return palette, provisional, err
}

func (o Options) glyphs() themes.Glyphs {
	if o.ASCII {
		return themes.ASCII()
	}
	return themes.Unicode()
}

// newApp is the model of the program. It must be shown before it draws: the size of the screen comes with the first
// message.
func newApp(ctx context.Context, s *session.Session, o Options) (*app, error) {
	palette, provisional, err := o.firstTheme()
	if err != nil {
		return nil, err
	}
	keys, err := rebound(bindings(), o.Keys)
	if err != nil {
		return nil, err
	}
	a := &app{
		ctx: ctx, session: s, language: s.Language(), options: o, provisional: provisional,
		styles: themes.Derive(palette, o.glyphs()),
		canvas: widget.NewCanvas(), panes: newPanes(), keys: keys, speed: firstSpeed, source: layout.Main,
		mode: layout.Mode{Focus: layout.Main}, stale: true,
	}
	a.panes.narrator = panel.NewNarrator(a.vocabulary(), keyNarrator)
	a.following = o.Live != nil
	a.mode.Lesson = o.Class != nil
	a.show(s.Frame())
	if !a.isLed() {
		a.welcome()
	}
	if a.driver() != nil {
		a.following = false // the person sees what is about to be written before anything is
		a.askAboutWrites()
	}
	return a, nil
}
