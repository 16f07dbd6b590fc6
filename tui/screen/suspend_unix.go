//go:build unix

package screen

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// suspendable gives the terminal back while the process is stopped from outside, and takes it again when the process
// goes on. stop ends that.
//
// A signal that a Go program has listened to once never stops it again, so the process stops itself by another one:
// after the SIGTSTP from outside comes a second, which Bubble Tea sends once it has given the terminal back.
func suspendable(p *tea.Program) (stop func()) {
	stops, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stops, syscall.SIGTSTP)
	go func() {
		for givenBack := false; ; givenBack = !givenBack {
			select {
			case <-over:
				return
			case <-stops:
			}
			if givenBack {
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			} else {
				p.Send(tea.SuspendMsg{})
			}
		}
	}()
	return func() {
		signal.Stop(stops)
		close(over)
	}
}

// canSuspend reports whether a process can be stopped and go on.
const canSuspend = true

// suspend stops the process as a terminal's Ctrl+Z does.
func suspend() tea.Msg {
	_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP)
	return nil
}
