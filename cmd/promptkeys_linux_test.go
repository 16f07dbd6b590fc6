package cmd_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCtrlCTakesBackTheLineThatWasBegun presses ctrl+c behind some words, in the middle of them, and with none.
func TestCtrlCTakesBackTheLineThatWasBegun(t *testing.T) {
	e := newTerminal(t)
	program := e.start(t, "demo", "rollout", "--plain")
	e.seen(t, "\n> ")
	fmt.Fprint(e.person, "rewind\x03bookmark one\r")
	said := e.seen(t, "bookmark 1") + e.seen(t, "\n> ")
	fmt.Fprint(e.person, "rewind\x1b[D\x1b[D\x03bookmark two\r")
	said += e.seen(t, "bookmark 2") + e.seen(t, "\n> ")
	fmt.Fprint(e.person, "\x03")
	_ = program.Wait()
	if program.ProcessState.ExitCode() != 0 || strings.Contains(said, "error") || strings.Contains(said, "at the start") {
		t.Errorf("%v\n%s", program.ProcessState, said)
	}
}
