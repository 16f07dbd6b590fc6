package cmd_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
)

// TestDiffShowsBothSidesInColumns plays a demo under two releases and finds both hosts of a pod beside each other, with
// the first cause below, and the causes with their numbers.
func TestDiffShowsBothSidesInColumns(t *testing.T) {
	answer := typed(t, "demo releases --plain", "diff kube-version=1.19", "diff weight=NodeResourcesFit=1", "where")
	for _, want := range []string{
		"A: as it is, B: kube-version=1.19", "pods end otherwise", "\nPOD ", "Causes:",
		"A: as it is, B: weight=NodeResourcesFit=1", "nothing differs", "where: after cycle 8",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("there is no %q in:\n%s", want, answer)
		}
	}
	if before := typed(t, "demo releases --plain", "rewind", "diff kube-version=1.19"); !strings.Contains(before,
		"0 pods end as before: nothing differs") {
		t.Errorf("before the first cycle it knows how the replay goes on:\n%s", before)
	}
}

// TestDiffRefusesWhatIsNoSetting checks that the error names what is wrong with a setting, and what would be right.
func TestDiffRefusesWhatIsNoSetting(t *testing.T) {
	for line, want := range map[string]string{
		"diff":                                   "under which setting?",
		"diff kube=1.19":                         `"kube=1.19" is no setting`,
		"diff kube-version=1.5":                  `there is no kube-scheduler "1.5" in this build`,
		"diff weight=NodeResourcesFit=0":         "a weight must be 1 or more",
		"diff weight=Nobody=3":                   "Nobody",
		"diff plugin=NodeName":                   "plugin=NAME=off",
		"diff gates=Nothing=true":                `feature gate "Nothing"`,
		"diff config=no-such-file.yaml":          "no-such-file.yaml",
		"diff kube-version=1.19 gates=Foo=false": `feature gate "Foo"`,
	} {
		if answer := typed(t, "demo releases --plain", line); !strings.Contains(answer, want) {
			t.Errorf("%s: there is no %q in:\n%s", line, want, answer)
		}
	}
}

// typed is what a command answers to lines at its prompt.
func typed(t *testing.T, command string, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	cmd.Main(cmd.WithArgs(append([]string{"schedstep"}, strings.Fields(command)...)...),
		cmd.WithStreams(cmd.Streams{In: in, Out: &out, Err: &out}))
	return out.String()
}
