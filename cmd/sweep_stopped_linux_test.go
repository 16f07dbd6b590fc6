package cmd_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cramped runs the program where no file may be larger than so many blocks of 1,024 bytes: a write fails half way, as
// it does on a disk that is full.
func cramped(t *testing.T, blocks string, args ...string) ended {
	t.Helper()
	program := exec.Command("bash", append([]string{"-c", `ulimit -f "$0" && exec "$@"`, blocks, os.Args[0]}, args...)...)
	program.Env = append(os.Environ(), role+"=program")
	var out, errs strings.Builder
	program.Stdout, program.Stderr = &out, &errs
	if err := program.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return ended{program.ProcessState.ExitCode(), out.String(), errs.String()}
}

// filesIn are the files of a folder and what is in them, except for the log, whose order is that in which runs end.
func filesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != "runs.log" {
			all[e.Name()] = string(text)
		}
	}
	return all
}

// half are the files of a sweep whose runs did not end: no table is among them, and nothing half written.
var half = []string{"manifest.json", "runs.log"}

// lacks checks that a folder has these files and no other.
func lacks(t *testing.T, folder string, want []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s (-want +got):\n%s%v", folder, diff, err)
	}
}

// TestADiskThatFillsIsASentenceAndTheSweepGoesOn fills the disk while runs end, then while tables are written, then
// while shards are joined. Each time the same command goes on when there is room, to the bytes of a sweep that always
// had it.
func TestADiskThatFillsIsASentenceAndTheSweepGoesOn(t *testing.T) {
	t.Parallel()
	vary := []string{"--vary", "weight.NodeResourcesFit=1..80", "--vary", "percentage=50", "--vary", "seed=0..1"}
	whole := filesIn(t, swept(t, vary...))
	out := filepath.Join(t.TempDir(), "out")
	args := append([]string{"sweep", "demo:preemption", "-q", "-o", out}, vary...)
	got := cramped(t, "16", args...)
	kept := " of 162 runs are kept in " + out + "; the same command goes on there\n"
	if got.code != 1 || !strings.Contains(got.err, kept) ||
		!strings.HasSuffix(got.err, "\nerror: -o "+out+": file too large\n") || got.out != "" {
		t.Errorf("while runs end: %+v", got)
	}
	lacks(t, out, half)
	if got = program(t, args...); got.code != 0 {
		t.Fatalf("with room again: %+v", got)
	}
	if diff := cmp.Diff(whole, filesIn(t, out)); diff != "" {
		t.Errorf("with room again:\n%s", diff)
	}
	for name := range whole {
		if name != "manifest.json" {
			if err := os.Remove(filepath.Join(out, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got = cramped(t, "16", args...) // the variants have room, the figures have not
	if got.code != 1 || got.err != "error: -o "+filepath.Join(out, "resources.csv")+": file too large\n" || got.out != "" {
		t.Errorf("while tables are written: %+v", got)
	}
	for name, text := range filesIn(t, out) {
		if whole[name] != text {
			t.Errorf("%s is not what it has to be", name)
		}
	}
	merged := filepath.Join(t.TempDir(), "merged")
	got = cramped(t, "16", "sweep", "merge", out, "-o", merged)
	if got.code != 1 || got.err != "error: "+merged+": file too large\n" || got.out != "" {
		t.Errorf("while shards are joined: %+v", got)
	}
	lacks(t, merged, half)
	if got = program(t, "sweep", "report", merged); !strings.Contains(got.out, "| missing | ") {
		t.Errorf("a report on half a merge: %+v", got)
	}
	if got = program(t, "sweep", "merge", out, "-o", merged); got.code != 0 {
		t.Errorf("with room again: %+v", got)
	}
	if diff := cmp.Diff(whole, filesIn(t, merged)); diff != "" {
		t.Errorf("joined with room again:\n%s", diff)
	}
}

// TestEscStopsASweepThatGoesOnLater presses esc while runs end: what is there is kept, nothing half written is beside
// it, the terminal is as it was, and the same command goes on.
func TestEscStopsASweepThatGoesOnLater(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	args := []string{
		"sweep", "demo:preemption", "-o", out, "--vary", "weight.NodeResourcesFit=1..400", "--vary", "percentage=1..20",
	}
	for _, first := range []string{" of 8001 runs; ", " of 8001 runs are there already"} {
		e := newTerminal(t)
		before := e.settings(t)
		program := e.start(t, args...)
		e.seen(t, first)
		e.seen(t, " of 8001 runs; ")
		fmt.Fprint(e.person, "\x1b")
		e.seen(t, " of 8001 runs are kept in "+out+"; the same command goes on there")
		e.seen(t, "stopped")
		_ = program.Wait()
		if got := program.ProcessState.ExitCode(); got != 1 {
			t.Errorf("exit code %d", got)
		}
		if diff := cmp.Diff(before, e.settings(t)); diff != "" {
			t.Errorf("the terminal's settings (-before +after):\n%s", diff)
		}
		lacks(t, out, half)
	}
}
