// Package law checks laws over random stories: the same stories in every run, unless a seed is set. Tests call it in
// place of rapid.Check; nothing else imports it.
package law

import (
	"flag"
	"path"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// usual is the seed of a run that names none.
const usual = "20261122"

// Check calls holds with one random story after the other, as rapid.Check does. RAPID_SEED, or the flag -rapid.seed,
// sets another seed. Seed 0, for which rapid would draw a seed and not print it, is the usual seed here. When the law
// does not hold, the log ends with the command that repeats the run.
func Check(t *testing.T, holds func(*rapid.T)) {
	t.Helper()
	check(t, holds)
}

// CheckCostly is Check for a law whose stories take long: one in five of the usual stories, all of those of another
// seed. Once a story breaks the law, all count, so that rapid can make it small.
func CheckCostly(t *testing.T, holds func(*rapid.T)) {
	t.Helper()
	drawn, broken := 0, false
	check(t, func(r *rapid.T) {
		drawn++
		if seed() == usual && !broken && drawn%5 != 1 {
			return
		}
		broken = true // holds may end in a panic
		holds(r)
		broken = r.Failed()
	})
}

// Met reports what the stories of a law met, where that is not enough to call the law tried. With the usual seed, whose
// stories are known, the test fails; the stories of another seed may be poor by chance, and the log has a line.
func Met(t *testing.T, enough bool, format string, met ...any) {
	t.Helper()
	switch {
	case enough:
	case seed() == usual:
		t.Errorf(format, met...)
	default:
		t.Logf(format+" (not a failure: seed "+seed()+")", met...)
	}
}

// check is called by what a test calls.
func check(t *testing.T, holds func(*rapid.T)) {
	t.Helper()
	settled()
	caller, _, _, _ := runtime.Caller(2)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to repeat this run: %s", command(runtime.FuncForPC(caller).Name(), t.Name()))
		}
	})
	rapid.Check(t, holds)
}

// settled sets rapid's flags once: tests that run in parallel read them. Rapid keeps failures in files and reads them
// again in the next run; those are left out, so that no run depends on the runs before it.
var settled = sync.OnceFunc(func() {
	if seed() == "0" {
		set("rapid.seed", usual)
	}
	set("rapid.nofailfile", "true")
})

func seed() string { return flag.Lookup("rapid.seed").Value.String() }

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}

// command runs a test again, given the full name of the function that called Check.
func command(function, test string) string {
	folder, name := path.Split(function)
	name, _, _ = strings.Cut(name, ".")
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return "RAPID_SEED=" + seed() + " go test " + folder + strings.TrimSuffix(name, "_test") +
		" -run '" + strings.Join(parts, "/") + "'"
}
