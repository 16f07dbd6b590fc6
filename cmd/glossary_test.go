package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/glossary"
	"github.com/schedstep/schedstep/replay/lesson"
)

// TestGlossaryIsAsThePageSays holds docs/glossary.md to the data, and every entry to a lesson that there is.
func TestGlossaryIsAsThePageSays(t *testing.T) {
	g := glossary.In(lesson.English)
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range g.Entries {
		if _, err := course.Find(e.Lesson); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if len(e.Places) != len(g.Releases) {
			t.Errorf("%s has %d places for %d releases", e.Name, len(e.Places), len(g.Releases))
		}
	}
	if lines := g.Lines("findNodesThatFit"); !strings.Contains(strings.Join(lines, "\n"), "1.10") {
		t.Errorf("nothing is found by the name of a function: %q", lines)
	}
	comparePage(t, filepath.Join("..", "docs", "glossary.md"), "Glossary", g.Markdown())
}
