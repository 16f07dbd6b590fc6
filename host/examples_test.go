package host_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// examples are the plugins in examples/ that were written for kube-scheduler's framework alone, with what a run of
// their story must print: the pod, the outcome and the node of each cycle.
var examples = map[string][]string{
	"gang": {
		"default/web-1 Unschedulable -", "default/web-2 Unschedulable -", // two of three
		"default/web-3 Waiting n1", "default/web-1 Waiting n1", "default/web-2 Scheduled n1", // the last lets the others go
		"default/db-1 Waiting n1",                                   // until its wait is over: the other one is gated
		"default/big-1 Waiting n1", "default/big-2 Unschedulable -", // which gives up big-1
		"default/big-2 Waiting n1",
	},
	"quota": {
		"team-a/one Scheduled n1", "team-a/two Scheduled n1", "team-b/free Scheduled n1", "team-a/late Unschedulable -",
		"team-a/urgent Preempting -", "team-a/urgent Scheduled n1", "team-a/late Unschedulable -",
		"team-a/late Scheduled n1", // the Quota has grown
	},
	"loadaware": {"default/web-1 Scheduled n2", "default/web-2 Scheduled n1", "default/web-3 Scheduled n1"},
	"licenses": {
		"default/a Scheduled n1", "default/b Scheduled n1", "default/c Unschedulable -", "default/c Scheduled n1",
	},
}

// program runs one of the programs, and returns its output and exit code.
func program(t *testing.T, path string, args ...string) (out, said string, code int) {
	t.Helper()
	c := exec.Command(path, args...)
	c.Dir = ".."
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	err := c.Run()
	if exit, is := err.(*exec.ExitError); err != nil && !is { //nolint:errorlint // of Run
		t.Fatalf("%s: %v %v", path, err, exit)
	}
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

// outcomes are the pod, the outcome and the node of each line of a table of cycles.
func outcomes(table string) []string {
	var all []string
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 3 && strings.Contains(fields[1], "/") {
			all = append(all, strings.Join(fields[1:4], " "))
		}
	}
	return all
}

var keep = flag.String("keep", "", "the folder in which the program with the examples stays")

// built builds schedstep, and with it the program that has all examples in it.
func built(t *testing.T) (made, printed string) {
	t.Helper()
	at := *keep
	if at == "" {
		at = t.TempDir()
	}
	own := filepath.Join(at, "schedstep")
	build := exec.Command("go", "build", "-o", own, "./cmd/schedstep")
	build.Dir = ".."
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	made = filepath.Join(at, "schedstep-examples")
	args := []string{"build", "-o", made, "--check", "examples/licenses/story.txt"}
	for name := range examples {
		args = append(args, "--with", "example.com/"+name+"=examples/"+name)
	}
	out, said, code := program(t, own, args...)
	if code != 0 {
		t.Fatalf("exit code %d: %s%s", code, out, said)
	}
	return made, out
}

// TestExamplesAreBuiltAndDecide runs the story of each example in a program that "schedstep build" made.
func TestExamplesAreBuiltAndDecide(t *testing.T) {
	made, printed := built(t)
	for _, want := range []string{
		"Gang: PreFilter, PostFilter, Reserve, Permit", "TeamQuota: PreFilter, Filter, PostFilter", "LoadAware: Score",
		"Licenses: Filter, Reserve, PreBind", "two plays are the same: 4 cycles",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %q in\n%s", want, printed)
		}
	}
	for name, want := range examples {
		t.Run(name, func(t *testing.T) {
			story := "examples/" + name + "/story.txt"
			out, said, _ := program(t, made, "run", story)
			if got := outcomes(out); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\n%s\nwant\n%s", strings.Join(got, "\n"), said, strings.Join(want, "\n"))
			}
			if out, said, code := program(t, made, "plugins", story); code != 0 {
				t.Errorf("exit code %d: %s%s", code, out, said)
			}
		})
	}
	t.Run("reasons", func(t *testing.T) { explained(t, made) })
	t.Run("releases", func(t *testing.T) { releases(t, made) })
}

// explained looks for reasons, waits, scores and writes of the plugins in pages about pods.
func explained(t *testing.T, made string) {
	for _, c := range []struct{ pod, story, want string }{ // pod may be followed by flags
		{"web-1", "gang", "gang web has 2 of 3 pods"},
		{"db-1", "gang", "Permit of Gang waits: gang db has 1 of 2 nodes"},
		{"team-a/urgent", "quota", "namespace team-a uses 2000m of its quota of 2000m"},
		{"web-1", "loadaware", "LoadAware"},
		{"c", "licenses", "all 2 licenses of the node are held"},
		{"c --cycle 3", "licenses", "licenses: wants 1, has 0, used 2, capacity 2"},
	} {
		args := append([]string{"explain"}, strings.Fields(c.pod)...)
		args = append(args, "examples/"+c.story+"/story.txt")
		out, said, _ := program(t, made, args...)
		if !strings.Contains(out, c.want) {
			t.Errorf("explain %s: no %q in\n%s%s", c.pod, c.want, out, said)
		}
	}
}

// releases plays one story under each release that a plugin of 1.37 can be played under.
func releases(t *testing.T, made string) {
	for _, version := range []string{"1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36"} {
		out, said, _ := program(t, made, "run", "examples/licenses/story.txt", "--kube-version", version)
		if got := outcomes(out); strings.Join(got, "\n") != strings.Join(examples["licenses"], "\n") {
			t.Errorf("%s: got\n%s\n%s", version, strings.Join(got, "\n"), said)
		}
	}
}

// TestExamplesImportNothingOfSchedstep: they are written as their authors would, who do not know schedstep.
func TestExamplesImportNothingOfSchedstep(t *testing.T) {
	for name := range examples {
		files, err := filepath.Glob("../examples/" + name + "/*.go")
		if err != nil || len(files) < 2 {
			t.Fatalf("%s: %v, %v", name, files, err)
		}
		for _, file := range append(files, "../examples/"+name+"/go.mod") {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("schedstep")) {
				t.Errorf("%s names schedstep", file)
			}
		}
	}
}
