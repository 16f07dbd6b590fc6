package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/schedstep/schedstep/internal/words"
)

// exitSignal is added to the number of the signal that ended the process, as shells do.
const exitSignal = 128

// ending are the signals that end a command in good order: it gives back the terminal and removes what is half written.
var ending = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// signalled is why the context of a command has ended.
type signalled struct{ signal os.Signal }

// Error names the signal.
func (s signalled) Error() string { return "stopped by signal: " + s.signal.String() }

// code is the exit code of a process that the signal has ended.
func (s signalled) code() int {
	if n, is := s.signal.(syscall.Signal); is {
		return exitSignal + int(n)
	}
	return exitError
}

// patience is how long a stop may take before schedstep prints how to end it at once.
const patience = time.Second

// heard are the signals that end schedstep, without those that it was started to ignore: nohup lets a program outlive
// its terminal, and a shell keeps Ctrl-C from what it runs in the background.
func heard() []os.Signal {
	return slices.DeleteFunc(slices.Clone(ending), signal.Ignored)
}

// untilSignal is a context that ends with the first signal of ending. A second signal ends the process at once. A user
// that pressed Ctrl-C and still waits gets a line about that.
func untilSignal(told io.Writer, language func() words.Language) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, heard()...)
	ended := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(signalled{s})
			if s != os.Interrupt {
				return
			}
		case <-ended:
			return
		}
		select {
		case <-time.After(patience):
			fmt.Fprintln(told, language().Of("still stopping; Ctrl-C again ends schedstep at once"))
		case <-ended:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(ended)
		cancel(nil)
	}
}

// signalOf is the signal that has ended a context, if one has.
func signalOf(ctx context.Context) (signalled, bool) {
	var s signalled
	is := errors.As(context.Cause(ctx), &s)
	return s, is
}
