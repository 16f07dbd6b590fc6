package compare_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/reduce"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// reduced are inputs in cmd/testdata/cases and what they show under the release that this module is linked with.
var reduced = []struct{ file, claim string }{
	{"tainted-domain.yaml", "pod web-4 is unschedulable"},
	{"kk-129136.yaml", "pod very-high is placed"},
	{"kk-127868.yaml", "pod with-sidecar is unschedulable"},
	{"kk-141526.yaml", "pod workload-a/comes is placed"},
	{"volcano-5767.yaml", "pod two is unschedulable"},
	{"release-1.35-mixed-claims.txt", "pod rank-1 is placed"},
}

// TestWhatReduceWritesPassesInTheRealScheduler reduces each input, writes the Go test, and runs all of them with
// k8s.io/kubernetes. A want that is turned around has to fail.
func TestWhatReduceWritesPassesInTheRealScheduler(t *testing.T) {
	right, wrong := t.TempDir(), t.TempDir()
	overlay := map[string]string{}
	for i, r := range reduced {
		code := goTestOf(t, filepath.Join("../../cmd/testdata/cases", r.file), r.claim)
		code = strings.Replace(code, "func TestReduced(", fmt.Sprintf("func TestReduced%d(", i), 1)
		put(t, overlay, right, "right", i, code)
		if i == 0 {
			turned := strings.Replace(code, "didn't match pod topology spread constraints", "is cold", 1)
			if turned == code {
				t.Fatalf("nothing to turn around in\n%s", code)
			}
			put(t, overlay, wrong, "wrong", i, turned)
		}
	}
	listing, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, listing, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := tested(t, file, "right"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := tested(t, file, "wrong")
	if err == nil || !strings.Contains(string(out), "want \"0/2 nodes are available") {
		t.Errorf("a want that is wrong: %v\n%s", err, out)
	}
}

// tested builds the tests of a package that is only in an overlay, and runs them.
func tested(t *testing.T, overlay, name string) ([]byte, error) {
	t.Helper()
	program := filepath.Join(t.TempDir(), name+".test")
	build := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-c", "-overlay", overlay, "-o", program,
		"../"+name)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exec.CommandContext(t.Context(), program).CombinedOutput()
}

// put writes a test, and has the build see it in a package that is not there.
func put(t *testing.T, overlay map[string]string, folder, name string, i int, code string) {
	t.Helper()
	file := filepath.Join(folder, fmt.Sprintf("reduced_%d_test.go", i))
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	seen, err := filepath.Abs(filepath.Join("..", name, filepath.Base(file)))
	if err != nil {
		t.Fatal(err)
	}
	overlay[seen] = file
}

// goTestOf is the Go test of an input that shows a claim.
func goTestOf(t *testing.T, path, text string) string {
	t.Helper()
	in, err := input.Read(t.Context(), []string{path}, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gates, err := config.ParseGatesOf(release.Newest(), "")
	if err != nil {
		t.Fatal(err)
	}
	scheduler := config.DefaultWith(config.Options{Gates: gates})
	only := func(script source.Script) *input.Input {
		cut := *in
		cut.Script = script
		return &cut
	}
	play := func(in *input.Input) *play.Player { return in.Play(scheduler, in.Seed, trace.Summary) }
	claim, err := reduce.ParseClaim(text)
	if err != nil {
		t.Fatal(err)
	}
	ends, err := reduce.Ends(t.Context(), play(in))
	if err != nil {
		t.Fatal(err)
	}
	claim = claim.Like(ends[claim.Pod])
	setting := reduce.Setting{Config: scheduler}
	search := reduce.Search{
		Most: 2000,
		Holds: func(ctx context.Context, script source.Script) (bool, error) {
			return claim.Holds(ctx, play(only(script)))
		},
		Fields: func(ctx context.Context, script source.Script) (bool, error) {
			again, err := setting.Again(ctx, reduce.AsGo, only(script))
			if err != nil {
				return false, nil //nolint:nilerr // what cannot be written or read shows nothing
			}
			return claim.Holds(ctx, play(again))
		},
		Keeps: func(kind cluster.Kind, key string) bool { return kind == cluster.KindPod && key == claim.Pod },
	}
	found, err := search.Find(t.Context(), in.Script)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	left := only(found.Script)
	again, err := setting.Again(t.Context(), reduce.AsGo, left)
	if err != nil {
		t.Fatal(err)
	}
	if ends, err = reduce.Ends(t.Context(), play(again)); err != nil {
		t.Fatal(err)
	}
	code, err := reduce.GoTest(setting.Heading(left, text), reduce.FilledIn(left.Script, again.Script), ends)
	if err != nil {
		t.Fatal(err)
	}
	return string(code)
}
