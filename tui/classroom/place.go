// Package classroom is what a class sees: a student's way between what can be opened, the screen of the debugger there,
// and the teacher's desk. Who is in the class and what they did is package class's; how they came in is package
// serve's.
package classroom

import (
	"bytes"
	"context"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/serve"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// place is a terminal that somebody sits at: one elsewhere, or that of this process.
type place struct {
	terminal *serve.Terminal // nil: that of this process
	language words.Language
}

// program says to Bubble Tea where the terminal is.
func (p *place) program(ctx context.Context) []tea.ProgramOption {
	t := p.terminal
	if t == nil {
		return nil
	}
	size := t.Size()
	// SSH_TTY keeps the library from asking the terminal for what it can do: the answers of one that is slow would
	// arrive when nobody waits for them any more.
	environment := []string{"TERM=" + t.Term(), "SSH_TTY=/dev/pts/0"}
	return []tea.ProgramOption{
		tea.WithInput(screen.Guarded(t.Input(ctx), p.tooMuch)), tea.WithOutput(returning{t}),
		tea.WithWindowSize(size.Width, size.Height),
		tea.WithFilter(p.believe), tea.WithEnvironment(environment),
		tea.WithColorProfile(colorprofile.Env(environment)), tea.WithoutSignalHandler(),
	}
}

// tooMuch has somebody go who sends what never ends.
func (p *place) tooMuch() {
	p.terminal.Dismiss(p.language.Of(
		"More was pasted than there is room for. Come again: you go on where you were.",
	))
}

// believe drops what a terminal reports of its size in the middle of what is typed: SSH tells it, within the limits,
// and a report of ten thousand columns would have that many drawn.
func (p *place) believe(_ tea.Model, msg tea.Msg) tea.Msg {
	size, is := msg.(tea.WindowSizeMsg)
	if is && (layout.Size{Width: size.Width, Height: size.Height}) != p.size() {
		return nil
	}
	return msg
}

// awaitSize waits until the terminal has another size.
func (p *place) awaitSize(ctx context.Context) tea.Cmd {
	if p.terminal == nil {
		return nil
	}
	return screen.AwaitSize(ctx, p.terminal.Resized(), p.size)
}

func (p *place) size() layout.Size {
	s := p.terminal.Size()
	return layout.Size{Width: s.Width, Height: s.Height}
}

// run shows a model until it quits or ctx ends; false: ctx has ended.
func (p *place) run(ctx context.Context, m tea.Model) bool {
	inner, over := context.WithCancel(ctx)
	defer over()
	options := append([]tea.ProgramOption{tea.WithContext(inner), tea.WithoutSignalHandler()}, p.program(inner)...)
	_, err := tea.NewProgram(m, options...).Run()
	return err == nil && ctx.Err() == nil
}

// returning is a terminal that has nothing that begins a new line at its left edge, as the kernel does for others.
type returning struct{ to io.Writer }

// Write writes all of p.
func (r returning) Write(p []byte) (int, error) {
	if _, err := r.to.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}
