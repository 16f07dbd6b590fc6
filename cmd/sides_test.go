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
		"A: as it is, kube-scheduler 1.37; B: kube-version=1.19", "pods end otherwise", "\nPOD ", "\nAll by cause\n",
		"B: weight=NodeResourcesFit=1", "nothing differs", "where: after cycle 8",
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

// TestDiffOpensTheScreenOnBothSides plays a demo under two releases: the comparison stands first, with the figures that
// the command prints, and both sides are there to go through: A on the main line, B on a branch.
func TestDiffOpensTheScreenOnBothSides(t *testing.T) {
	const command = "diff demo:releases --a kube-version=1.31 --b kube-version=1.37"
	printed := typed(t, command)
	shown := typed(t, command+" --tui --plain", "branches", "branch kube-1.37-1", "where")
	for _, want := range []string{
		"A: as it is, kube-scheduler 1.31; B: kube-version=1.37\nNo pod that has a node under A is without one under",
		"\nNodes by how much of their cpu is requested\n", "kube-1.37-1", "on branch kube-1.37-1", "where: at the end, after 8 cycles",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("there is no %q in:\n%s", want, shown)
		}
	}
	for _, same := range []string{"5 of 6 pods end otherwise: 1 message, 4 elsewhere", "pods with a node         6 ", "32.5 %"} {
		if !strings.Contains(printed, same) || !strings.Contains(shown, same) {
			t.Errorf("%q is not in both of:\n%s\nand\n%s", same, printed, shown)
		}
	}
	for flags, want := range map[string]string{
		"diff demo:spread --a kube-version=1.31 --tui":              "give it --b",
		"diff demo:spread --b kube-version=1.31 --tui -o json":      "without -o",
		"diff demo:spread --b config=a;b --tui":                     "takes no blanks and semicolons",
		"diff demo:spread --b kube-version=1.31 --tui --theme drak": "there is no theme",
	} {
		if answer := typed(t, flags); !strings.Contains(answer, want) {
			t.Errorf("%s: there is no %q in:\n%s", flags, want, answer)
		}
	}
}
