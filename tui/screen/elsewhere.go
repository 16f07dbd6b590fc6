package screen

import (
	"context"
	"errors"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
)

// Resized is the news that a terminal that is elsewhere has another size.
type Resized struct{ To layout.Size }

// AwaitSize waits until such a terminal has another size; nil where it never has.
func AwaitSize(ctx context.Context, resized <-chan struct{}, size func() layout.Size) tea.Cmd {
	if resized == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case <-resized:
			return Resized{size()}
		case <-ctx.Done():
			return nil
		}
	}
}

// Tell passes the size on to Bubble Tea.
func (r Resized) Tell() tea.Cmd {
	return func() tea.Msg { return tea.WindowSizeMsg{Width: r.To.Width, Height: r.To.Height} }
}

// Bounds keep what one person does from taking a machine that many share. The zero value bounds nothing.
type Bounds struct {
	Most int // branches, breakpoints, bookmarks and displayed values that there may be; 0: any number
	// Work is called before any use of the session: it may wait, and it may refuse. The context it returns ends work that
	// takes too long; done is called afterwards. nil: nothing limits the use.
	Work func(ctx context.Context) (within context.Context, done func(), err error)
}

// within is a verb's work, bounded.
func (b Bounds) within(run func(command.Call) (command.Answer, error)) func(command.Call) (command.Answer, error) {
	if b.Work == nil {
		return run
	}
	return func(c command.Call) (command.Answer, error) {
		ctx, done, err := b.Work(c.Context)
		if err != nil {
			return command.Answer{}, err
		}
		defer done()
		c.Context = ctx
		answer, err := run(c)
		if cause := context.Cause(ctx); err == nil && ctx.Err() != nil && !errors.Is(cause, context.Canceled) {
			answer.Said = cause.Error()
		}
		return answer, err
	}
}

// Guarded is what a terminal that is elsewhere sends, without what the library that reads it would panic by. When more
// is pasted, or reported, than there is room for, tooMuch is called, once, and nothing is read any more.
func Guarded(from io.Reader, tooMuch func()) io.Reader { return &guarded{from: from, tooMuch: tooMuch} }

type guarded struct {
	from    io.Reader
	guard   guard
	meter   meter
	tooMuch func()
	tooLong bool
}

// Read reads what is harmless. It returns no bytes and no error when nothing of what came is, and an error when more
// was pasted, or a terminal reports more, than a person would read.
func (g *guarded) Read(p []byte) (int, error) {
	if g.tooLong {
		return 0, errTooLong
	}
	n, err := g.from.Read(p)
	kept := g.guard.pass(p[:n])
	if g.tooLong = g.meter.over(kept); g.tooLong {
		g.tooMuch()
	}
	return len(kept), err
}

var errTooLong = phrase.Errorf("more was pasted than there is room for")

// mostPasted is how many bytes are gathered before something ends that has an end: a pasted text, or a report.
const mostPasted = 64 << 10

// meter counts the bytes of what is gathered until its end comes.
type meter struct {
	last     [6]byte // bytes
	gathered int     // since the beginning; 0: nothing is
}

// over counts bytes, and reports whether they are too many.
func (m *meter) over(sent []byte) bool {
	for _, c := range sent {
		copy(m.last[:], m.last[1:])
		m.last[5] = c
		switch {
		case m.gathered == 0 && m.begins():
			m.gathered = 1
		case m.gathered > 0 && m.ends():
			m.gathered = 0
		case m.gathered > 0:
			m.gathered++
		}
		if m.gathered > mostPasted {
			return true
		}
	}
	return false
}

// begins reports whether the last bytes begin a pasted text, or a string of a report.
func (m *meter) begins() bool {
	return string(m.last[:]) == "\x1b[200~" || m.last[4] == 0x1b && strings.IndexByte("]P_^X", m.last[5]) >= 0
}

func (m *meter) ends() bool {
	return string(m.last[:]) == "\x1b[201~" || m.last[5] == 0x07 || m.last[4] == 0x1b && m.last[5] == '\\'
}
