// Package classroom is what the terminals of a class show: a student's way between lessons and demos, the debugger's
// screen in them, and the teacher's desk. Package class holds the students and their results; package serve accepts the
// connections.
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

// place is the terminal of a student or the teacher: a remote one, or that of this process.
type place struct {
	terminal *serve.Terminal // nil: that of this process
	language words.Language
}

// program returns the options with which Bubble Tea finds the terminal.
func (p *place) program(ctx context.Context) []tea.ProgramOption {
	t := p.terminal
	if t == nil {
		return nil
	}
	size := t.Size()
	// SSH_TTY keeps the library from querying the terminal for its abilities: a slow terminal would answer after the
	// library stopped waiting.
	environment := []string{"TERM=" + t.Term(), "SSH_TTY=/dev/pts/0"}
	return []tea.ProgramOption{
		tea.WithInput(screen.Guarded(t.Input(ctx), p.tooMuch)), tea.WithOutput(returning{t}),
		tea.WithWindowSize(size.Width, size.Height),
		tea.WithFilter(p.believe), tea.WithEnvironment(environment),
		tea.WithColorProfile(colorprofile.Env(environment)), tea.WithoutSignalHandler(),
	}
}

// tooMuch disconnects a client that sends without end.
func (p *place) tooMuch() {
	p.terminal.Dismiss(p.language.Of(
		"More was pasted than there is room for. Come again: you go on where you were.",
	))
}

// believe drops the size that a terminal reports in the middle of its input. SSH sends the size, within limits; a
// report of ten thousand columns would make the screen draw that many.
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
