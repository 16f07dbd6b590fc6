package law_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
)

// role is what this test binary does when a test has started it: draw numbers, meet
// nothing, or break a law.
const role = "SCHEDSTEP_LAW_ROLE"

func TestStoriesAreTheSameInEveryRun(t *testing.T) {
	usual := drawn(t)
	if again := drawn(t); again != usual {
		t.Errorf("a second run drew\n%s\nthe first\n%s", again, usual)
	}
	for _, zero := range []string{"0", "0x0"} {
		if got := drawn(t, "RAPID_SEED="+zero); got != usual {
			t.Errorf("RAPID_SEED=%s drew\n%s\nwant the usual\n%s", zero, got, usual)
		}
	}
	if other := drawn(t, "RAPID_SEED=7"); other == usual || other != drawn(t, "RAPID_SEED=7") {
		t.Errorf("RAPID_SEED=7 drew\n%s\nwant stories of its own, the same twice", other)
	}
}

func TestABrokenLawSaysHowToRepeatIt(t *testing.T) {
	out, err := run("break", "RAPID_SEED=7")
	if err == nil {
		t.Fatalf("a broken law passed:\n%s", out)
	}
	want := "to repeat this run: RAPID_SEED=7 go test github.com/schedstep/schedstep/internal/law -run '^TestPart$/^of\\+it$'"
	if !strings.Contains(out, want) {
		t.Errorf("the output lacks %q:\n%s", want, out)
	}
	if _, err := os.Stat("testdata"); err == nil {
		t.Error("a failure left files for the next run")
	}
}

func TestPoorStoriesOfAnotherSeedAreNoFailure(t *testing.T) {
	if out, err := run("poor"); err == nil || !strings.Contains(out, "met 0 of 3") {
		t.Errorf("the usual stories met nothing, and the law passed:\n%s", out)
	}
	const line = "met 0 of 3 (not a failure: seed 7)"
	if out, err := run("poor", "RAPID_SEED=7"); err != nil || !strings.Contains(out, line) {
		t.Errorf("the stories of seed 7 met nothing: %v\n%s", err, out)
	}
}

// TestPart is the part that the other tests run in a process of its own.
func TestPart(t *testing.T) {
	switch os.Getenv(role) {
	case "draw":
		var numbers []int
		law.Check(t, func(r *rapid.T) { numbers = append(numbers, rapid.Int().Draw(r, "number")) })
		if !slices.ContainsFunc(numbers, func(n int) bool { return n != 0 }) {
			t.Error("only zeros were drawn")
		}
		t.Log("drawn:", numbers)
	case "poor":
		met := 0
		law.Check(t, func(*rapid.T) {})
		law.Met(t, met > 0, "met %d of %d", met, 3)
	case "break":
		t.Run("of+it", func(t *testing.T) {
			law.Check(t, func(r *rapid.T) { r.Fatalf("broken by %d", rapid.Int().Draw(r, "number")) })
		})
	}
}

// drawn is the line of a run that lists what it drew.
func drawn(t *testing.T, environment ...string) string {
	t.Helper()
	out, err := run("draw", environment...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if _, numbers, ok := strings.Cut(line, "drawn: "); ok {
			return numbers
		}
	}
	t.Fatalf("nothing was drawn:\n%s", out)
	return ""
}

func run(what string, environment ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	c := exec.Command(self, "-test.run=^TestPart$", "-test.v")
	c.Env = append(slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "RAPID_") }),
		append(environment, role+"="+what)...)
	out, err := c.CombinedOutput()
	return string(out), err
}
