package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// errQuit is why the context of a command ends when the user quits before there is a screen.
var errQuit = phrase.Errorf("the user quits")

// quitKeys reads q and esc, which end a screen, while there is no screen yet: a cluster may take long to answer.
type quitKeys struct {
	streams Streams
	until   context.Context // ends when one of them is pressed
	quit    context.CancelCauseFunc
	once    sync.Once
	stop    func() // gives the terminal back, before a screen takes it; until goes on. It may be called again
}

func newQuitKeys(ctx context.Context, s Streams) *quitKeys {
	k := &quitKeys{streams: s, stop: func() {}}
	k.until, k.quit = context.WithCancelCause(ctx)
	return k
}

// listen begins. All other keys are dropped from now on.
func (k *quitKeys) listen() { k.once.Do(k.begin) }

func (k *quitKeys) begin() {
	f, is := k.streams.In.(*os.File)
	if !is || !onTerminal(k.streams) {
		return
	}
	restore, err := keyByKey(f)
	if err != nil {
		return
	}
	keys, err := uv.NewCancelReader(f)
	if err != nil {
		restore()
		return
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for window := make([]byte, 64); ; {
			n, err := keys.Read(window)
			if err != nil {
				return
			}
			if pressed := string(window[:n]); pressed == "q" || pressed == "\x1b" {
				k.quit(errQuit)
				return
			}
		}
	}()
	k.stop = sync.OnceFunc(func() {
		keys.Cancel()
		<-heard
		_ = keys.Close()
		restore()
	})
	context.AfterFunc(k.until, k.stop) // a second signal ends the process at once, and the terminal is in order by then
}

// quitted reports whether the user has quit, and then prints that on a line of its own.
func (k *quitKeys) quitted(l words.Language) bool {
	if !errors.Is(context.Cause(k.until), errQuit) {
		return false
	}
	fmt.Fprintln(k.streams.Err, clearLine+l.Of("stopped"))
	return true
}

// clearLine takes away what is on the line of the cursor.
const clearLine = "\x1b[2K\r"
