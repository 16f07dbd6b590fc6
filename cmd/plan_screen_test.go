package cmd_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
	"github.com/schedstep/schedstep/internal/golden"
)

// withLines runs one command line with lines that a person types.
func withLines(t *testing.T, lines string, args ...string) ended {
	t.Helper()
	var out, err bytes.Buffer
	code := cmd.Main(
		cmd.WithArgs(append([]string{"schedstep"}, args...)...),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(lines), Out: &out, Err: &err}),
	)
	return ended{code, out.String(), err.String()}
}

const drainOfOld = "testdata/plans/karpenter-711.yaml"

// TestAPlanIsSteppedThroughAtThePrompt goes from request to request and back, and to the main line.
func TestAPlanIsSteppedThroughAtThePrompt(t *testing.T) {
	got := withLines(t, "plan next\nplan next\nplan next\nplan\nplan next\nplan back\nplan back\nbranch main\n",
		"plan", "drain", "old", drainOfOld, "--tui", "--plain", "-q")
	if got.code != 3 {
		t.Errorf("exit code %d, want 3 as the plan leaves a pod without a node: %s", got.code, got.err)
	}
	golden.Is(t, "testdata/plans/stepped.golden", got.out)
}

// TestASavedPlanIsGoneOnWith saves a session in the middle of a plan, and opens it again.
func TestASavedPlanIsGoneOnWith(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.jsonl")
	lines := "plan next\nplan next\nsave-session " + file + "\n"
	if got := withLines(t, lines, "plan", "drain", "old", drainOfOld, "--tui", "--plain", "-q"); got.code != 3 {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	got := withLines(t, "plan\nplan next\nplan next\n", "replay", file, "--plain", "-q")
	for _, want := range []string{
		"Plan drain old: 2 of 3 steps", "step 3 of 3: evict shop/web-1", "where: at the end, after 4 cycles",
		"branch: plan-drain-old",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in\n%s\n%s", want, got.out, got.err)
		}
	}
}

func TestAPlanOnTheScreenHasNoOtherOutput(t *testing.T) {
	got := withLines(t, "", "plan", "drain", "old", drainOfOld, "--tui", "-o", "json")
	if got.code != 2 || !strings.Contains(got.err, "--tui: it is a screen, without -o") {
		t.Errorf("exit code %d: %s", got.code, got.err)
	}
}
