package tui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// TestEveryKeyOfTheTourIsNamedBeforeItIsPressed walks docs/tour.md as a new user would, with the hints and ? alone:
// each key is set apart on the screen before it is pressed, or begins a line of the page that ? opens there.
func TestEveryKeyOfTheTourIsNamedBeforeItIsPressed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "tour.md"))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, block := range shown.FindAllStringSubmatch(string(text), -1) {
		keys = append(keys, strings.Fields(block[1])...)
	}
	bytes := presses(strings.Join(keys, " "))
	if len(keys) < 20 || len(bytes) != len(keys) {
		t.Fatalf("%d keys: %v", len(keys), keys)
	}
	walk := func(do func(r *robot)) {
		journey(t, layout.Size{Width: 100, Height: 30}, demoSession(t, "pending"), screen.Options{}, do)
	}
	var unseen []int
	walk(func(r *robot) {
		for i, key := range keys {
			anyKey := strings.Contains(r.screen(), "any key begins")
			if !isText(keys, i) && !anyKey && !r.names(key) {
				unseen = append(unseen, i)
			}
			r.press(bytes[i])
		}
	})
	for _, i := range unseen {
		walk(func(r *robot) {
			for _, key := range bytes[:i] {
				r.press(key)
			}
			before := r.screen()
			r.press("?")
			if listed := r.listed(); !slices.Contains(listed, keys[i]) {
				t.Errorf("%s is the next key after %v; it is not on the screen\n%s\nand ? lists %v", keys[i], keys[:i],
					before, listed)
			}
		})
	}
}

// digits are keys named together, such as 1-5.
var digits = regexp.MustCompile(`\b([1-9])-([1-9])\b`)

// names reports whether the screen shows a key, alone or with others of its kind.
func (r *robot) names(key string) bool {
	if key == "up" || key == "down" {
		return r.shows("up/down")
	}
	lines := strings.Split(strings.TrimRight(r.screen(), "\n"), "\n")
	for _, found := range digits.FindAllStringSubmatch(lines[len(lines)-1], -1) {
		if len(key) == 1 && found[1] <= key && key <= found[2] {
			return true
		}
	}
	return r.shows(key)
}

// listed is the keys that the lines of the help begin with, from its first to its last page.
func (r *robot) listed() []string {
	var keys []string
	for before := ""; before != r.screen(); {
		before = r.screen()
		for line := range strings.Lines(before) {
			line, inside := strings.CutPrefix(strings.TrimSpace(line), "┃ ")
			named, _, told := strings.Cut(line, "   ")
			if inside && told {
				keys = append(keys, strings.Fields(named)...)
			}
		}
		r.press("\x1b[6~") // a page down
	}
	return keys
}
