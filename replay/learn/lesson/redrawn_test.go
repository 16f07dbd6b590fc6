package lesson_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// TestAReviewIsAnotherInstanceOfTheTask deals the names of nodes anew in every lesson. What comes out is as right as
// the lesson was; in most lessons some solution is no longer what it was, so that an answer that was learned by heart
// is wrong.
func TestAReviewIsAnotherInstanceOfTheTask(t *testing.T) {
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	var same []string
	for _, l := range course {
		other := l.Redrawn(t.Context(), act, 7)
		if !slices.Equal(other.Tasks(), l.Tasks()) || other.Name != l.Name || other.Title("zh") == "" {
			t.Errorf("%s has other tasks: %v", l.Name, other.Tasks())
		}
		if slices.Equal(other.Script(), l.Script()) {
			same = append(same, l.Name)
		}
	}
	again := course[0].Redrawn(t.Context(), act, 7)
	if !slices.Equal(again.Script(), course[0].Redrawn(t.Context(), act, 7).Script()) {
		t.Error("the same seed draws two instances")
	}
	// The nodes of these have names that describe what is wrong with them, or the order of the names decides.
	if want := "process filters spread checkout training"; strings.Join(same, " ") != want {
		t.Errorf("the same instance in: %s\nwant: %s", strings.Join(same, " "), want)
	}
}
