package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReducePrintsTheSmallestInputInEveryForm(t *testing.T) {
	const file, claim = "testdata/cases/tainted-domain.yaml", "pod web-4 is unschedulable"
	for form, has := range map[string]string{
		"scenario": "yaml\n", "yaml": "kind: Pod", "go": "func TestReduced(t *testing.T)",
		"perf": "-- performance-config.yaml --", "recording": `"kind":"Pod"`,
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			got := program(t, "reduce", file, "--claim", claim, "-o", form)
			if got.code != 0 || !strings.Contains(got.out, has) || !strings.Contains(got.err, "objects left; played") {
				t.Fatalf("code %d\n%s%s", got.code, got.out, got.err)
			}
			if form == "go" || form == "perf" {
				return
			}
			names := map[string]string{"scenario": "a.txt", "yaml": "a.yaml", "recording": "a.jsonl"}
			path := filepath.Join(t.TempDir(), names[form])
			if err := os.WriteFile(path, []byte(got.out), 0o600); err != nil {
				t.Fatal(err)
			}
			again := program(t, "run", path)
			if again.code != 3 || !strings.Contains(again.out, "didn't match pod topology spread constraints") {
				t.Errorf("what is left ends with %d\n%s%s", again.code, again.out, again.err)
			}
		})
	}
}

func TestReduceKeepsADifferenceAndAnExpression(t *testing.T) {
	const mixed = "testdata/cases/release-1.35-mixed-claims.txt"
	for name, c := range map[string]struct {
		args []string
		code int
		has  string
	}{
		"difference": {
			[]string{mixed, "--a", "kube-version=1.35", "--b", "kube-version=1.36"}, 0, "rank-1",
		},
		"expression": {[]string{mixed, "--expect", "errors > 0"}, 0, "rank-1"},
		"no difference": {
			[]string{mixed, "--a", "kube-version=1.36", "--b", "kube-version=1.37"}, 2, "no pod ends otherwise",
		},
		"not true":        {[]string{mixed, "--claim", "pod rank-0 is error"}, 2, "does not show it as it is"},
		"no claim":        {[]string{mixed}, 2, "reduce needs one of"},
		"releases":        {[]string{mixed, "--differs", "1.35..1.36"}, 0, "rank-1"},
		"one release":     {[]string{mixed, "--differs", "1.35"}, 2, "write two releases"},
		"unschedulable":   {[]string{mixed, "--unschedulable", "rank-9"}, 2, "did you mean"},
		"claim that none": {[]string{mixed, "--claim", "rank-0 fails"}, 2, "is no claim"},
		"form":            {[]string{mixed, "--claim", "pod rank-1 is error", "-o", "xml"}, 2, "use one of"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := program(t, append([]string{"reduce"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.out+got.err, c.has) {
				t.Errorf("code %d, want %d with %q\n%s%s", got.code, c.code, c.has, got.out, got.err)
			}
		})
	}
}
