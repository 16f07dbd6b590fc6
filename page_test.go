package house_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const architecture = "docs/architecture.md"

// rowOfRoom matches a row of a table on the page whose first cell is the name of a package.
var rowOfRoom = regexp.MustCompile("(?m)^\\| `([a-z][a-z0-9/<>-]*)` \\|")

// TestThePageNamesEveryPackage compares the rows of docs/architecture.md with the packages of this module. <name> in a
// row stands for any one name. Folders with a module of their own may have a row too.
func TestThePageNamesEveryPackage(t *testing.T) {
	page, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	unnamed := importsOf(t)
	packages := sorted(unnamed)
	for _, row := range rowOfRoom.FindAllStringSubmatch(string(page), -1) {
		found := slices.Contains(otherModules, row[1])
		for _, folder := range packages {
			if is, _ := path.Match(strings.ReplaceAll(row[1], "<name>", "*"), folder); is {
				delete(unnamed, folder)
				found = true
			}
		}
		if !found {
			t.Errorf("%s has a row for %s, which is no package", architecture, row[1])
		}
	}
	for _, folder := range sorted(unnamed) {
		t.Errorf("%s has no row for the package %s", architecture, folder)
	}
}

// TestThePageNamesOnlyWhatExists finds the paths on the page, in drawings too: each is a folder or a file.
func TestThePageNamesOnlyWhatExists(t *testing.T) {
	page, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile(`\b(?:cmd|conformance|core|docs|host|internal|replay|serve|themes|tui)/[a-z0-9_/.-]*[a-z0-9]`).
		FindAllString(string(page), -1)
	if len(paths) < 50 {
		t.Errorf("only %d paths were found on %s", len(paths), architecture)
	}
	for _, name := range paths {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%s names %s, which does not exist", architecture, name)
		}
	}
}
