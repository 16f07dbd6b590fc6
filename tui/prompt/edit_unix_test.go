//go:build unix

package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

// edited is the output when a user edits a pod that fits nowhere, with a script as the editor, and tries it again.
func edited(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "sh "+path)
	in, err := input.ReadScenario(
		"story", strings.NewReader("# Too large.\n\nnode n1 cpu=2\npod big cpu=4\nadvance 1s\n"),
	)
	if err != nil {
		t.Fatal(err)
	}
	walk := session.New(in.Play(config.Default(), 0, trace.Summary), session.About{Title: "story", Version: "1.37"})
	var out strings.Builder
	types := &typist{[]string{"next", "edit big", "redo"}}
	if err := newConversation(t.Context(), walk, types, &out).converse(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWhatIsChangedInTheEditorHappensOnABranch(t *testing.T) {
	for _, c := range []struct{ script, says string }{
		{`sed -i 's/cpu: "4"/cpu: "1"/' "$1"`, "Scheduled: Successfully assigned default/big to n1"},
		{`sed -i 's/memory/memroy/; s/^spec:/spce:/' "$1"`, `error: edit: it is no Pod: unknown field "spce"; the text is in `},
		{":", "nothing was changed"},
		{"exit 3", "error: edit: the editor ($VISUAL, $EDITOR): exit status 3"},
	} {
		if out := edited(t, c.script); !strings.Contains(out, c.says) {
			t.Errorf("after %s there is no %q in:\n%s", c.script, c.says, out)
		}
	}
}
