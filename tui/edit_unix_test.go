//go:build unix

package tui_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/schedstep/schedstep/tui/screen"
)

// TestTheEditorHasTheTerminalAndTheScreenComesBack changes a pod with a script in place of a person's editor.
func TestTheEditorHasTheTerminalAndTheScreenComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "editor")
	script := "#!/bin/sh\nsed -i 's/cpu: \"16\"/cpu: \"1\"/' \"$1\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "sh "+path)
	journey(t, wide, rollout().session(t), screen.Options{}, func(r *robot) {
		r.press("nnnnn").sees("asks for cpu 16", "huge-0")
		r.press(":edit huge-0\r")
		for range 5 {
			r.settle() // the terminal library waits half a second for an input that it cannot interrupt
		}
		r.sees("what if: edit-1", "asks for cpu 1, memory 1Gi", "Pod default/huge-0 is edited, on branch edit-1")
		r.press("\x1b") // the read that could not be interrupted takes it
		r.press(":redo\r").sees("Scheduled")
	})
}
