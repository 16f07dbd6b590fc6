package cmd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/diff"
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

func TestDiffEndsWith3WhereAPodIsLost(t *testing.T) {
	file := tainted(t)
	for _, test := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"--a", "kube-version=1.33", "--b", "kube-version=1.37"}, 0, "default/web  message  "},
		{[]string{"--a", "kube-version=1.33", "--fail-on", "different"}, 3, "No pod that has a node under"},
		{[]string{"--a", "kube-version=1.33", "-o", "wide"}, 0, "untolerated taint {gpu: true}"},
		{[]string{"--a", "kube-version=1.33", "-o", "markdown"}, 0, "| default/web | message |"},
		{[]string{"--a", "kube-version=1.33", "--fail-on", "never"}, 0, "1 of 1 pod ends otherwise: 1 message"},
		{[]string{"--a", "weight=ImageLocality=9", "--b", "gates=OpportunisticBatching=false"}, 0, "nothing differs"},
		{[]string{"--b", "config=testdata/none.yaml"}, 1, ""},
		{[]string{"--b", "weight=NodeName=2"}, 2, ""},
		{[]string{"--b", "weight=ImageLocality=0"}, 2, ""},
		{[]string{"--b", "kube-version=1.2"}, 2, ""},
		{[]string{"--b", "color=red"}, 2, ""},
		{[]string{"--b", "kube-version=1.36", "--only", "moved"}, 2, ""},
		{[]string{"--b", "kube-version=1.36", "--report", "pdf"}, 2, ""},
		{[]string{"--b", "kube-version=1.36", "--fail-on", "gained"}, 2, ""},
		{nil, 2, ""},
	} {
		got := program(t, append([]string{"diff", file, "-q"}, test.args...)...)
		if got.code != test.code || !strings.Contains(got.out, test.out) {
			t.Errorf("%v: exit code %d, want %d\n%s%s", test.args, got.code, test.code, got.out, got.err)
		}
	}
}

// claimless is a pod whose claim is missing: releases before devices place it, and a newer one holds it back. The
// others are so many that the causes of their ends are counted.
func claimless(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("node n1\npod trainer devices=missing\nnode n2 taint=gpu=true:NoSchedule\n")
	for i := range 30 {
		fmt.Fprintf(&b, "pod web-%d node-selector=disk=ssd\n", i)
	}
	path := filepath.Join(t.TempDir(), "crowded.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheVerdictOfADiffStandsFirst(t *testing.T) {
	file := claimless(t)
	sides := []string{"diff", file, "-q", "--a", "kube-version=1.33", "--b", "kube-version=1.37"}
	plain := program(t, sides...)
	lines := strings.Split(plain.out, "\n")
	const verdict = "Pods that have a node under kube-version=1.33 and none under kube-version=1.37: 1."
	if plain.code != 3 || lines[0] != verdict ||
		!strings.Contains(plain.out, "\ndefault/trainer  lost  n1") || !strings.Contains(plain.out, "1     lost     gate ") {
		t.Errorf("exit code %d\n%s", plain.code, plain.out)
	}
	only := program(t, append(sides, "--only", "gained")...)
	if strings.Contains(only.out, "\ndefault/trainer") || only.code != 3 {
		t.Errorf("--only gained: exit code %d\n%s", only.code, only.out)
	}
	for report, wants := range map[string][]string{
		"html": {"<svg", "default/trainer", "Both sides", "pods with a node"}, "markdown": {
			"| figure | A: kube-version=1.33 | B: kube-version=1.37 |", "| pods with a node | 1 | 0 |", "| no pods | 1 | 2 |",
			"## Pods that end otherwise: lost",
		},
	} {
		got := program(t, append(sides, "--report", report)...)
		for _, want := range wants {
			if !strings.Contains(got.out, want) {
				t.Errorf("--report %s has no %q\n%s", report, want, got.out)
			}
		}
	}
}

func TestDiffInJSONNamesTheCause(t *testing.T) {
	got := program(t, "diff", tainted(t), "--a", "kube-version=1.33", "-o", "json", "-q")
	var r diff.Report
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatal(err)
	}
	if r.A.String() != "kube-version=1.33" || r.B.String() != "as it is" || len(r.Differences) != 1 ||
		r.Differences[0].Cause.Kind != diff.Words || r.Differences[0].Cause.Plugin != "TaintToleration" {
		t.Errorf("%+v", r)
	}
}
