package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/release"
)

// TestBisectNamesTheReleaseOfEveryDifference plays the story of every row of docs/releases.md under all releases: the
// release of the row must be among those that change the course of the story.
func TestBisectNamesTheReleaseOfEveryDifference(t *testing.T) {
	stories := 0
	for _, version := range release.Plays() {
		r, _ := release.Find(version)
		for _, change := range r.Notes().Changes {
			stories++
			if named := turns(t, change.Shown, version); !slices.ContainsFunc(named, among(r)) {
				t.Errorf("%s: bisect names %v, and the row %q is about %s", change.Shown, named, change.Who, version)
			}
		}
	}
	if stories < 80 {
		t.Errorf("%d stories: have the rows of docs/releases.md moved?", stories)
	}
}

// among reports whether a version is that of a release, or an earlier patch of the next one, which may have the fault
// still.
func among(r *release.Release) func(string) bool {
	return func(version string) bool {
		next := r.Next()
		return version == r.Version || next != nil && slices.Contains(next.Patches(), version)
	}
}

// turns are the releases after which the story that a scenario has under a release takes another course.
func turns(t *testing.T, scenario, version string) []string {
	t.Helper()
	text, err := os.ReadFile("../core/testdata/" + scenario + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var story []string
	began := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "release ") {
			if began {
				break
			}
			began = line == "release "+version+"\n"
		}
		if began {
			story = append(story, line)
		}
	}
	if !strings.Contains(string(text), "\nschedule") { // it shows what a pod counts for, which another pod feels
		story = append(story, "node other cpu=4\npod probe cpu=1\n")
	}
	file := filepath.Join(t.TempDir(), "story.txt")
	if err := os.WriteFile(file, []byte(strings.Join(story, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := program(t, "bisect", file, "-o", "json", "--fail-on", "never", "-q")
	var found struct {
		Changes []struct{ From string }
	}
	if err := json.Unmarshal([]byte(got.out), &found); err != nil {
		t.Fatalf("%s: exit %d: %v: %s", scenario, got.code, err, got.err)
	}
	var from []string
	for _, c := range found.Changes {
		from = append(from, c.From)
	}
	return from
}

func TestBisectRefusesWhatItCannotCompare(t *testing.T) {
	file := tainted(t)
	for _, test := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"--from", "1.32"}, 3, "1.34.1  1.34    1"},
		{[]string{"--from", "1.34", "--to", "1.36"}, 0, "no difference from 1.34 to 1.36"},
		{[]string{"--from", "1.33", "--to", "1.34", "-o", "markdown"}, 3, "| TaintToleration |"},
		{[]string{"--from", "1.33", "--fail-on", "never"}, 0, "untolerated taint"},
		{[]string{"--from", release.Versions()[0]}, 2, "at least two releases"},
		{[]string{"--from", "1.36", "--to", "1.34"}, 2, "wrong side"},
		{[]string{"--from", "1.2"}, 2, "--from: "},
		{[]string{"-o", "html"}, 2, "use one of table"},
	} {
		got := program(t, append([]string{"bisect", file, "-q"}, test.args...)...)
		if got.code != test.code || !strings.Contains(got.out+got.err, test.out) {
			t.Errorf("%v: exit code %d, want %d\n%s%s", test.args, got.code, test.code, got.out, got.err)
		}
	}
}
