package tui_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// robot is a person at a terminal: it presses keys and reads the screen. The program is the real one, the terminal is
// emulated, and time is virtual.
type robot struct {
	t        *testing.T
	terminal *vt.Emulator
	keys     *io.PipeWriter
	sent     bytes.Buffer // all that the program wrote; read it only when settled
	ended    chan error
	over     bool
}

// cooked is a terminal that begins a new line at its left edge, as one does whose input is no terminal.
type cooked struct {
	terminal io.Writer
	sent     *bytes.Buffer
}

func (c cooked) Write(p []byte) (int, error) {
	c.sent.Write(p)
	if _, err := c.terminal.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// journey runs a robot through a session on a screen.
func journey(t *testing.T, size layout.Size, s *session.Session, o screen.Options, walk func(r *robot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &robot{t: t, terminal: vt.NewEmulator(size.Width, size.Height), ended: make(chan error, 1)}
		drained := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, r.terminal)
			close(drained)
		}()
		in, keys := io.Pipe()
		r.keys = keys
		o.May |= command.Everything
		o.Program = []tea.ProgramOption{
			tea.WithInput(in), tea.WithOutput(cooked{r.terminal, &r.sent}), tea.WithWindowSize(size.Width, size.Height),
			tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}),
			tea.WithoutSignalHandler(),
		}
		ctx, leave := context.WithCancel(t.Context())
		go func() { r.ended <- screen.Run(ctx, s, o) }()
		r.settle()
		walk(r)
		if !r.over {
			r.press("\x1b")
			r.press("\x1b")
			r.press("\x03") // ctrl+c, which leaves without a question, whatever is lost
			r.ends()
		}
		leave()
		_ = keys.Close()
		_ = in.Close()
		_ = r.terminal.Close()
		<-drained
	})
}

// settle waits until the screen shows the results of everything so far.
func (r *robot) settle() {
	time.Sleep(200 * time.Millisecond)
	synctest.Wait()
}

// rest lets time go by in the journey, where the clock is virtual.
func (r *robot) rest(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// stopwatch is the time since the first call, which is made in a journey.
func stopwatch() func() time.Duration {
	var begun time.Time
	return func() time.Duration {
		if begun.IsZero() {
			begun = time.Now()
		}
		return time.Since(begun)
	}
}

// press sends the bytes of keys, and waits.
func (r *robot) press(bytes string) *robot {
	r.t.Helper()
	if r.over {
		r.t.Fatal("the program has ended")
	}
	_, _ = io.WriteString(r.keys, bytes)
	r.settle()
	return r
}

// resize is the terminal reporting another size.
func (r *robot) resize(size layout.Size) {
	r.t.Helper()
	r.terminal.Resize(size.Width, size.Height)
	r.press(fmt.Sprintf("\x1b[48;%d;%d;0;0t", size.Height, size.Width))
}

// screen is what can be read, without the spaces at the ends of lines.
func (r *robot) screen() string {
	lines := strings.Split(r.terminal.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func (r *robot) sees(texts ...string) {
	r.t.Helper()
	screen := r.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			r.t.Errorf("the screen does not show %q:\n%s", text, screen)
		}
	}
}

func (r *robot) seesNot(texts ...string) {
	r.t.Helper()
	screen := r.screen()
	for _, text := range texts {
		if strings.Contains(screen, text) {
			r.t.Errorf("the screen shows %q:\n%s", text, screen)
		}
	}
}

// ends waits for the program to end by itself.
func (r *robot) ends() {
	r.t.Helper()
	r.settle()
	select {
	case err := <-r.ended:
		r.over = true
		if err != nil {
			r.t.Errorf("the program ended with %v", err)
		}
	default:
		r.t.Fatalf("the program has not ended:\n%s", r.screen())
	}
}
