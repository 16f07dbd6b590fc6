package house_test

import (
	"slices"
	"testing"
)

// wings are the wings of the house from the ground up: a package imports packages of its own wing and of those before
// it. The scenario language stands in the wing play: what it reads is run, command by command.
var wings = [][]string{
	{"core"},
	{"replay/source"},
	{"replay/play", "replay/scenario"},
	{"replay/session"},
	{"replay/ask"},
	{"replay/learn"},
	{"serve", "themes", "tui"},
	{"cmd"},
}

// wingOf is the number of the wing that a package stands in; false for a tool, which any package may import.
func wingOf(folder string) (int, bool) {
	i := slices.IndexFunc(wings, func(roots []string) bool { return within(folder, roots) })
	return i, i >= 0
}

// TestNoArrowRunsBackUp compares the wing of each package with the wings of what it imports.
func TestNoArrowRunsBackUp(t *testing.T) {
	placed := 0
	for folder, names := range importsOf(t) {
		own, is := wingOf(folder)
		if !is {
			if !within(folder, []string{"internal"}) {
				t.Errorf("the package %s stands in no wing (wings_test.go)", folder)
			}
			continue
		}
		placed++
		for name, file := range names {
			if other, is := wingOf(name); is && other > own {
				t.Errorf("%s imports %s: %s is no wing below %s", file, name, wings[other][0], wings[own][0])
			}
		}
	}
	if placed < 100 {
		t.Errorf("only %d packages were found in the wings", placed)
	}
}
