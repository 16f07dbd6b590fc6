package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
)

// secret is the text that no verb may print.
const secret = "nobody-reads-this-line"

// answered is all that came of a verb: its answer, or its error.
func answered(t *testing.T, v command.Verb, may command.Reach, args []string) string {
	t.Helper()
	s := rollout().session(t)
	s.Move(t.Context(), session.Next, session.Forward, nil)
	a, err := v.Run(command.Call{Context: t.Context(), Session: s, Args: args, May: may})
	return fmt.Sprintf("%+v %v", a, err)
}

// TestNoVerbReachesAFileThatMayNot gives every verb the names of files in every place of its arguments, with a first
// argument that it knows: nothing is read, nothing is written, and no draft is handed to an editor.
func TestNoVerbReachesAFileThatMayNot(t *testing.T) {
	folder := t.TempDir()
	there, missing := filepath.Join(folder, "there.yaml"), filepath.Join(folder, "missing.json")
	if err := os.WriteFile(there, []byte("next\n# "+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pod, verbs := "web-0", 0
	for _, v := range command.All() {
		if v.Run == nil {
			continue
		}
		verbs++
		for _, file := range []string{there, missing} {
			for _, args := range [][]string{
				{},
				{file},
				{file, "yes"},
				{pod},
				{pod, file},
				{"node/n1", file},
				{"cycle", file},
				{"filter", file},
				{"run", file},
				{"config", file},
				{"screen", strings.TrimSuffix(file, ".json") + ".svg"},
				{pod, pod, file},
				{file, file, file},
			} {
				if said := answered(t, v, 0, args); strings.Contains(said, secret) ||
					strings.Contains(said, "apiVersion") && v.Name == "edit" {
					t.Errorf("%s %q tells what is in a file, or hands out a draft: %s", v.Name, args, said)
				}
			}
		}
	}
	if verbs < 40 {
		t.Errorf("only %d verbs were tried", verbs)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("there are %d files, want the one: %v", len(left), err)
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "next\n# "+secret+"\n" {
		t.Errorf("the file was changed: %q %v", text, err)
	}
}

// The verbs that reach a file refuse with a sentence where they may not, and work where they may.
func TestWhatReachesAFileSaysWhyItDoesNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "steps.txt")
	if err := os.WriteFile(file, []byte("next\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"source " + file:               "reads no files",
		"set config " + file:           "reads no files",
		"edit node/n1":                 "reads no files and runs no programs",
		"edit node/n1 " + file:         "reads no files",
		"export cycle " + file + ".md": "writes no files",
		"save-session " + file:         "writes no files",
	} {
		v, args, err := command.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if said := answered(t, v, 0, args); !strings.Contains(
			said, "this session "+want+": it is shown by somebody else's machine",
		) {
			t.Errorf("%s: %s", line, said)
		}
		if said := answered(t, v, command.Everything, args); strings.Contains(said, "somebody else's") {
			t.Errorf("%s, where everything may be reached: %s", line, said)
		}
	}
}

// Where only so many things may be made, a further one is refused, whatever makes it, until one was taken away.
func TestNoMoreIsMadeThanMayBe(t *testing.T) {
	s := rollout().session(t)
	s.Move(t.Context(), session.Next, session.Forward, nil)
	do := func(line string) error {
		v, args, err := command.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.Run(command.Call{Context: t.Context(), Session: s, Args: args, Most: 2})
		return err
	}
	for _, line := range []string{"break pod web-0", "set weight NodeResourcesFit 3"} {
		if err := do(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	for _, line := range []string{"break pod web-1", "set weight NodeResourcesFit 4", "bookmark here", "display cycle"} {
		if err := do(line); err == nil || !strings.Contains(err.Error(), "the most there may be here") {
			t.Errorf("%s, as a third thing: %v", line, err)
		}
	}
	if err := do("undo"); err != nil {
		t.Fatal(err)
	}
	if err := do("break pod web-1"); err != nil {
		t.Errorf("after one was taken away: %v", err)
	}
}
