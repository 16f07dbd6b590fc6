package upstream_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// faults are the pages of docs/upstream: what the test of each prints as it fails.
var faults = []struct{ page, says string }{
	{"0001", "nil pointer dereference"},
	{"0002", "want 0"},
	{"0003", "want 0"},
	{"0004", "want it to go on"},
	{"0005", "want it to be placed"},
	{"0006", "want Queue"},
	{"0007", "want the new one alone"},
	{"0008", "want it to be placed"},
	{"0009", "want Queue"},
	{"0010", "want it to be placed"},
	{"0011", "want it to stay"},
}

// TestEveryFaultOfKubeSchedulerShows runs the tests that say what kube-scheduler should do, each by itself. It requires
// each to fail for what it wants: a fault that was mended has to leave docs/upstream.
func TestEveryFaultOfKubeSchedulerShows(t *testing.T) {
	program := filepath.Join(t.TempDir(), "upstream.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-c", "-tags", "upstream", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range faults {
		out, err := exec.CommandContext(t.Context(), program, "-test.run", "^TestUpstream"+f.page+"$").CombinedOutput()
		if err == nil {
			t.Errorf("%s: the test passes: is it mended?\n%s", f.page, out)
		} else if !strings.Contains(string(out), f.says) {
			t.Errorf("%s: fails for another reason, without %q:\n%s", f.page, f.says, out)
		}
	}
}
