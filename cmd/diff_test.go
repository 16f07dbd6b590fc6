package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/diff"
)

// tainted is a pod whose message has other words in 1.33.
func tainted(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tainted.txt")
	if err := os.WriteFile(path, []byte("node n1 taint=gpu=true:NoSchedule\npod web\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDiffEndsWith3WhereSomethingDiffers(t *testing.T) {
	file := tainted(t)
	for _, test := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"--a", "kube-version=1.33", "--b", "kube-version=1.37"}, 3, "default/web  message  "},
		{[]string{"--a", "kube-version=1.33", "-o", "wide"}, 3, "untolerated taint {gpu: true}"},
		{[]string{"--a", "kube-version=1.33", "-o", "markdown"}, 3, "| default/web | message |"},
		{[]string{"--a", "kube-version=1.33", "--fail-on", "never"}, 0, "1 of 1 pod ends otherwise: 1 message"},
		{[]string{"--a", "weight=ImageLocality=9", "--b", "gates=OpportunisticBatching=false"}, 0, "nothing differs"},
		{[]string{"--b", "config=testdata/none.yaml"}, 1, ""},
		{[]string{"--b", "weight=NodeName=2"}, 2, ""},
		{[]string{"--b", "weight=ImageLocality=0"}, 2, ""},
		{[]string{"--b", "kube-version=1.2"}, 2, ""},
		{[]string{"--b", "color=red"}, 2, ""},
		{nil, 2, ""},
	} {
		got := program(t, append([]string{"diff", file, "-q"}, test.args...)...)
		if got.code != test.code || !strings.Contains(got.out, test.out) {
			t.Errorf("%v: exit code %d, want %d\n%s%s", test.args, got.code, test.code, got.out, got.err)
		}
	}
}

func TestDiffInJSONNamesTheCause(t *testing.T) {
	got := program(t, "diff", tainted(t), "--a", "kube-version=1.33", "-o", "json", "-q")
	var r diff.Report
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatal(err)
	}
	if r.A != "kube-version=1.33" || r.B != "as it is" || len(r.Differences) != 1 ||
		r.Differences[0].Cause.Kind != diff.Words || r.Differences[0].Cause.Plugin != "TaintToleration" {
		t.Errorf("%+v", r)
	}
}
