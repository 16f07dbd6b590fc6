package cmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/internal/pty"
)

// resize gives the terminal another size, before a program draws on it.
func (w *watcher) resize(t *testing.T, columns, rows uint16) {
	t.Helper()
	w.picture.Resize(int(columns), int(rows))
	if err := pty.Resize(w.program, columns, rows); err != nil {
		t.Fatal(err)
	}
}

// At 80 and at 100 columns the first line shows since when the cluster is cut off, and as much of the reason as there
// is room for.
func TestAFaultIsToldInNarrowTerminals(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]uint16{{80, 24}, {100, 30}} {
		for _, f := range faults() {
			t.Run(fmt.Sprint(f.name, " ", size[0]), func(t *testing.T) {
				t.Parallel()
				s := apiserver.New(t)
				t.Cleanup(func() { s.Keep("") })
				s.Put(apiserver.Node("n1"))
				s.Put(apiserver.Pod("first", ""))
				w := newWatcher(t)
				w.resize(t, size[0], size[1])
				before := w.settings(t)
				program := w.attached(t, s, f.patience)
				w.waitsFor(t, "▶ live", "shop/first")
				f.begin(s)
				s.HangUp()
				w.waitsFor(t, "▶ live │ cut off since ", f.open[:min(len(f.open), 30)])
				first, _, _ := strings.Cut(w.picture.String(), "\n")
				t.Log(first)
				w.presses("q")
				w.seen(t, "\x1b[?1049l")
				w.ended(t, program, 0, before)
			})
		}
	}
}
