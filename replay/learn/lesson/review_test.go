package lesson_test

import (
	"testing"
	"time"

	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// TestTasksComeAgainAfterDays does a task, and reviews it as often as it is due.
func TestTasksComeAgainAfterDays(t *testing.T) {
	course, err := lesson.Read(right(), "test")
	if err != nil {
		t.Fatal(err)
	}
	p, at := lesson.Progress{}, time.Date(2026, 2, 27, 0, 0, 0, 0, time.UTC)
	p.Keep("first", lesson.Standing{Page: "go", Passed: []string{"go"}}, lesson.Day(at))
	for _, rest := range []int{3, 7, 21, 60, 60} {
		p.Keep("first", lesson.Standing{Page: "end", Passed: []string{"go"}}, lesson.Day(at.AddDate(0, 0, 1)))
		if due := p.Due(course, lesson.Day(at.AddDate(0, 0, rest-1))); len(due) != 0 {
			t.Errorf("after %d days there is %v", rest-1, due)
		}
		at = at.AddDate(0, 0, rest)
		due := p.Due(course, lesson.Day(at))
		if len(due) != 1 || due[0].Lesson != course[0] || due[0].Page != 1 || due[0].Days != rest {
			t.Fatalf("after %d days there is %v", rest, due)
		}
		p.Reviewed("first", "go", lesson.Day(at))
	}
	if p["first"].Page != "end" || p["first"].Reviews["go"] != 5 {
		t.Errorf("%+v", p["first"])
	}
}

func TestTasksWithoutADayAreNotReviewed(t *testing.T) {
	course, err := lesson.Read(right(), "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{
		`{"first": {"passed": ["go"]}}`, `{"first": {"passed": ["go"], "days": {"go": "soon", "end": "2020-01-01"}}}`,
		`{"first": {"passed": ["go"], "days": {"go": "2999-01-01"}, "reviews": {"go": -4}}}`,
	} {
		p, err := lesson.ReadProgress([]byte(kept))
		if err != nil {
			t.Fatal(err)
		}
		if due := p.Due(course, "2026-11-27"); len(due) > 0 {
			t.Errorf("%s: %v", kept, due)
		}
	}
	p := lesson.Progress{}
	p.Keep("first", lesson.Standing{Passed: []string{"go"}}, "2026-01-01")
	if due := p.Due(course, "today"); due != nil {
		t.Errorf("a day that is none: %v", due)
	}
}
