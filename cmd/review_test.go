package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
)

// TestATaskIsReviewedOnce keeps a task that was done long ago, and does it again.
func TestATaskIsReviewedOnce(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	file := filepath.Join(state, "schedstep", "lessons.json")
	kept := `{"drains": {"page": "go", "passed": ["never"], "days": {"never": "2020-02-29"}}}`
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(kept), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ flag, typed, want string }{
		{"", "", "worth doing again: 1. schedstep learn --review opens one"},
		{"--review", "answer 3\nquit\n", "worth doing again: 1."},
		{"--review", "answer 4\nquit\n", "nothing is to be done again yet"},
		{"--review", "", "nothing is to be done again yet"},
	} {
		args := []string{"learn"}
		if step.flag != "" {
			args = append(args, step.flag)
		}
		var out bytes.Buffer
		cmd.Main(
			cmd.WithArgs(append([]string{"schedstep"}, args...)...),
			cmd.WithStreams(cmd.Streams{In: strings.NewReader(step.typed), Out: &out, Err: &out}),
		)
		printed := out.String()
		if !strings.Contains(printed, step.want) {
			t.Errorf("%v with %q prints no %q:\n%s", args, step.typed, step.want, printed)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), `"never": 1`) || strings.Contains(string(data), "2020") {
		t.Errorf("%v: %s", err, data)
	}
}
