package lesson

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
)

func TestAnAnswerIsReadWithItsUnit(t *testing.T) {
	for _, test := range []struct {
		answer, unit, is string
		right            bool
	}{
		{"4", "cpu", "4", true},
		{"4 CPU", "cpu", "4", true},
		{"4000m", "cpu", "4", true},
		{"4 cores", "cpu", "4", true},
		{"4 个 CPU", "cpu", "4", true},
		{"4000", "cpu", "4", false},
		{"4Gi", "cpu", "4", false},
		{"5 minutes", "minutes", "5", true},
		{"5m", "minutes", "5", true},
		{"300 s", "minutes", "5", true},
		{"5 分钟", "minutes", "5", true},
		{"5 seconds", "minutes", "5", false},
		{"4s", "seconds", "4", true},
		{"4 points", "seconds", "4", false},
		{"16 points", "points", "16", true},
		{"two", "filters", "2", true},
		{"two filters", "filters", "2", true},
		{"none", "jobs", "0", true},
		{"-5 points", "points", "-5", true},
		{"NodePort", "", "nodeports", true},
		{"`default/Web`", "", "web", true},
		{"2 nodes", "", "2", false},
		{"Ports", "", "nodeports", true},
		{"the ports", "", "nodeports", false},
		{"pod/web", "", "web", true},
		{"Pod default/web", "", "web", true},
		{"Node n2", "", "n2", true},
		{"nodes", "", "s", false},
		{"节点n2", "", "n2", true},
		{"节点 n2", "", "n2", true},
	} {
		if right := slices.Contains(readings(test.answer, test.unit), test.is); right != test.right {
			t.Errorf("%q in %q is %q: %v", test.answer, test.unit, test.is, right)
		}
	}
}

// TestWrongAnswersOfTheCourseHaveTheirReasons: what a wrong run answers, and its solution does not, is explained in
// every language.
func TestWrongAnswersOfTheCourseHaveTheirReasons(t *testing.T) {
	course, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range course {
		for language, text := range l.texts {
			for _, p := range l.pages {
				if p.task == nil {
					continue
				}
				right := answersOf(p.task.solution)
				for _, r := range p.task.wrong {
					for _, answer := range answersOf(r.lines) {
						if !slices.Contains(right, answer) && len(text.pages[p.id].why(readings(answer, p.task.unit))) == 0 {
							t.Errorf("%s/%s in %s: nothing is said of the answer %q", l.Name, p.id, language, answer)
						}
					}
				}
			}
		}
	}
}

// answersOf are the answers among some lines.
func answersOf(lines []line) []string {
	var all []string
	for _, l := range lines {
		if answer, is := strings.CutPrefix(l.text, AnswerVerb+" "); is {
			all = append(all, answer)
		}
	}
	return all
}

// TestAWrongAnswerAndAHintCostAPointEach does a task of the course that wants a number.
func TestAWrongAnswerAndAHintCostAPointEach(t *testing.T) {
	course, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	l, err := course.Find("scores")
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, *session.Session, string) error { return nil }
	w, err := l.begin(t.Context(), nothing, English, Standing{Page: "formula"})
	if err != nil {
		t.Fatal(err)
	}
	if w.Answer("94 points") || w.Page().Points != MostPoints-1 || len(w.Page().Reason) == 0 {
		t.Errorf("after a wrong answer: %+v", w.Page())
	}
	if !w.Hint() || w.Page().Points != MostPoints-2 {
		t.Errorf("after a hint: %d points", w.Page().Points)
	}
	if w.Answer("62") || w.Page().Points != 1 {
		t.Errorf("at last: %d points", w.Page().Points)
	}
	if !w.Answer("93 points") || w.Standing().Points["formula"] != 1 || w.Hint() && w.Page().Points != 1 {
		t.Errorf("done with %v", w.Standing().Points)
	}
}

// TestALineMayNameThePodByItsKey does a task of the course that looks at lines, with the pod's key, as lists on the
// screen write it; another pod does not do it.
func TestALineMayNameThePodByItsKey(t *testing.T) {
	course, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	l, err := course.Find("queue")
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, *session.Session, string) error { return nil }
	for line, done := range map[string]bool{
		"explain default/ssd": true, "explain ssd": true, "explain default/db": false,
	} {
		w, err := l.begin(t.Context(), nothing, English, Standing{Page: "flush"})
		if err != nil {
			t.Fatal(err)
		}
		w.Did(line)
		if w.Answer("5") != done {
			t.Errorf("%s and the answer: done is %v", line, !done)
		}
	}
}

// TestAWrongAnswerThatNothingIsKnownOf names what held before, and otherwise that there are hints.
func TestAWrongAnswerThatNothingIsKnownOf(t *testing.T) {
	words := WordsIn(English)
	page := Page{More: 1, Wants: []Want{{Text: "`big` has failed"}, {Text: "answer with `A`", Asks: true}}}
	if got := page.Wrong(words, "4"); got != "4 is not what this task looks for; a hint may help, for a point" {
		t.Errorf("with a hint left: %q", got)
	}
	page.More = 0
	if got := page.Wrong(words, "4"); got != "4 is not what this task looks for" {
		t.Errorf("with no hint left: %q", got)
	}
	page.Wants[0].Reason = []Paragraph{{Text: "It failed more often."}}
	if got := page.Wrong(words, "4"); got != "4 is not what this task looks for; still missing: big has failed" {
		t.Errorf("after the moment: %q", got)
	}
}
