package cmd_test

import (
	"path/filepath"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// TestClaimsOfTheCourseAreListedWithTheirSources holds docs/lessons-sources.md to the lessons, and every lesson to have
// claims with places. A test of conformance opens the places.
func TestClaimsOfTheCourseAreListedWithTheirSources(t *testing.T) {
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range course {
		if len(l.Sources()) == 0 {
			t.Errorf("%s names no source", l.Name)
		}
	}
	golden.Is(t, filepath.Join("..", "docs", "lessons-sources.md"), course.SourcesMarkdown())
}
