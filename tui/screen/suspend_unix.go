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
func suspendable(p *tea.Program) (stop func()) {
	stops, goesOn, over := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stops, syscall.SIGTSTP)
	signal.Notify(goesOn, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-stops:
			}
			signal.Reset(syscall.SIGTSTP) // the program stops itself by it, once the terminal is given back
			p.Send(tea.SuspendMsg{})
			select {
			case <-over:
				return
			case <-goesOn:
				signal.Notify(stops, syscall.SIGTSTP)
			}
		}
	}()
	return func() {
		signal.Stop(stops)
		signal.Stop(goesOn)
		close(over)
	}
}
