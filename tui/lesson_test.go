package tui_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/lesson"
	"github.com/schedstep/schedstep/replay/predict"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

// carryOut carries out a line and discards the output.
func carryOut(ctx context.Context, s *session.Session, line string) error {
	return prompt.CarryOut(ctx, s, line, 0, io.Discard)
}

// presses are the bytes of a lesson's keys, one key or word each.
func presses(keys string) []string {
	named := map[string]string{
		"enter": "\r", "esc": "\x1b", "tab": "\t", "space": " ", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C",
		"left": "\x1b[D", "pgdown": "\x1b[6~",
	}
	var all []string
	for word := range strings.FieldsSeq(keys) {
		if bytes, is := named[word]; is {
			word = bytes
		}
		all = append(all, strings.ReplaceAll(word, "_", " "))
	}
	return all
}

// lessons are those that come with the program.
func lessons(t *testing.T) lesson.Course {
	t.Helper()
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return course
}

func TestLessonsAreReadAndDoneAtThePrompt(t *testing.T) {
	for _, l := range lessons(t) {
		for _, language := range lesson.Languages() {
			t.Run(l.Name+" in "+language, func(t *testing.T) {
				walk, err := lesson.Progress{}.Begin(t.Context(), l, carryOut, language)
				if err != nil {
					t.Fatal(err)
				}
				var kept lesson.Standing
				keep := func(now lesson.Standing) error { kept = now; return nil }
				typed := strings.Join(l.Script(), "\n") + "\n"
				var printed strings.Builder
				if err := prompt.Learn(
					t.Context(), walk, prompt.Learning{Words: lesson.WordsIn(language), Keep: keep}, strings.NewReader(typed),
					&printed,
				); err != nil {
					t.Fatal(err)
				}
				if tasks := l.Tasks(); len(kept.Passed) != len(tasks) {
					t.Errorf("of %v these are kept as done: %v\n%s", tasks, kept.Passed, printed.String())
				}
				if strings.Contains(printed.String(), "error:") {
					t.Errorf("a line is refused:\n%s", printed.String())
				}
			})
		}
	}
}

func TestKeysOfLessonsSayWhyTheyDoNothing(t *testing.T) {
	journey(t, medium, rollout().session(t), screen.Options{}, func(r *robot) {
		for _, key := range []string{">", "<", "H", "A", "R", "L"} {
			r.press(key).sees(key + ": no lesson is open (schedstep learn lists them)")
		}
		r.press(":hint\r").sees("no lesson is open")
	})
}

func TestNarratorTellsBesideEverything(t *testing.T) {
	for _, size := range []layout.Size{wide, medium, narrow} {
		journey(t, size, rollout().session(t), screen.Options{}, func(r *robot) {
			r.press("n")
			r.press("b")
			r.press("T").sees("What happens now", "In the source of kube-scheduler 1.37", "pkg/scheduler/")
			r.press(":rewind\r").sees("Nothing has happened yet")
			r.press("T").seesNot("What happens now")
		})
	}
}

func TestCyclesAreGuessedOnTheScreen(t *testing.T) {
	game := predict.New(lesson.WordsIn(lesson.English))
	journey(t, medium, rollout().session(t), screen.Options{Game: game}, func(r *robot) {
		r.sees("what becomes of default/web-0?", "n1 has free: 4 cpu", "taints: gpu=true:NoSchedule")
		r.press("\x1b")
		r.press("P")
		r.press("n2 out n1\r").sees("✔ node: n2, 3 points", "10 of 10 points")
		r.press("\x1b")
		r.press("P").sees("what becomes of default/web-1?")
		r.press("\x1b")
		r.press("n")
		r.press(":guess n3 out n1\r").sees("cycle 2 was looked at before it was guessed")
		r.press("\x1b")
		r.press("?")
		r.press("/guess").sees("P            in a game", "guess NODE|none")
		r.press("\x1b")
		r.press("\x1b")
	})
	if points, of := game.Score(); points != 10 || of != 10 {
		t.Errorf("%d of %d points", points, of)
	}
}
