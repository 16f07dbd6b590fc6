package tui_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/predict"
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

// TestTheYAMLOfThePodThatIsNextIsThereBeforeTheFirstCycle opens what the first page of the course names.
func TestTheYAMLOfThePodThatIsNextIsThereBeforeTheFirstCycle(t *testing.T) {
	walk, class, _ := capstone(t, "scheduler", lesson.English)
	journey(t, medium, walk.Session(), screen.Options{Class: class}, func(r *robot) {
		r.press("d").sees("pod/default/web", "kind: Pod")
		r.press("\x1b")
	})
}

// TestALearnersWordsAreUnderstood types what a learner wrote: nothing lies over a question, a pod is written as lists
// write it, a command is found by what it does, and a text that is cut has a sign.
func TestALearnersWordsAreUnderstood(t *testing.T) {
	walk, class, _ := capstone(t, "filters", lesson.English)
	journey(t, medium, walk.Session(), screen.Options{Class: class}, func(r *robot) {
		r.press("n").press("A").sees("On which node is", ":answer")
		r.press("pod/busy\r").press("H").sees("H: the task is done")
		r.press(">").press(":taint tainted team=db:NoSchedule-\r").press("n").press("A").press("Ports\r").sees("Done")
		r.press(">").press(":set request default/web cpu=1\r").press("n").sees("Done")
		r.press(":gate").sees("relax POD WISH [NAME]")
		r.press("\x1b").press(":relax web gate ").sees("Usage", "relax POD WISH [NAME]")
		r.press("\x1b")
	})
	walk, class, _ = capstone(t, "queue", lesson.English)
	journey(t, narrow, walk.Session(), screen.Options{Class: class}, func(r *robot) {
		r.press(">").press(">").press(":add-node n3 like n1 cpu=4\r").press("n")
		if got := strings.Count(r.screen(), "down more"); got != 2 {
			t.Errorf("the text and what comes after the task have %d signs that there is more:\n%s", got, r.screen())
		}
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

// capstone is a capstone that comes along, and what the screen needs for it.
func capstone(t *testing.T, name, language string) (*lesson.Walk, *screen.Class, *lesson.Standing) {
	t.Helper()
	l, err := lessons(t).Find(name)
	if err != nil {
		t.Fatal(err)
	}
	walk, err := lesson.Progress{}.Begin(t.Context(), l, carryOut, language)
	if err != nil {
		t.Fatal(err)
	}
	var kept lesson.Standing
	return walk, &screen.Class{
		Walk: walk, Words: lesson.WordsIn(language), Keep: func(now lesson.Standing) error { kept = now; return nil },
		Since: func() time.Duration { return 7*time.Minute + 40*time.Second },
	}, &kept
}

func TestACapstoneShowsItsTimeAndKeepsIt(t *testing.T) {
	walk, class, kept := capstone(t, "training", lesson.English)
	journey(t, medium, walk.Session(), screen.Options{Class: class}, func(r *robot) {
		r.sees("7:40/15 min")
		for _, bytes := range presses(walk.Keys()) {
			r.press(bytes)
		}
		r.press("L").sees("7 min (meant: 15)")
	})
	if m := kept.Minutes["gang"]; m != 7 {
		t.Errorf("%d minutes are kept", m)
	}
}

// TestTheClockOfACapstoneGoesOnByItself presses nothing.
func TestTheClockOfACapstoneGoesOnByItself(t *testing.T) {
	walk, class, _ := capstone(t, "training", lesson.English)
	class.Since = stopwatch()
	journey(t, medium, walk.Session(), screen.Options{Class: class}, func(r *robot) {
		r.sees("0:00/15 min")
		r.rest(61 * time.Second)
		r.sees("1:01/15 min")
	})
}

// TestTheSandboxHasEveryCommandAndNothingCounts leaves a page for its cluster, changes it, and comes back.
func TestTheSandboxHasEveryCommandAndNothingCounts(t *testing.T) {
	for _, language := range lesson.Languages() {
		for _, size := range []layout.Size{medium, narrow} {
			walk, class, kept := capstone(t, "training", language)
			journey(t, size, walk.Session(), screen.Options{Class: class}, func(r *robot) {
				if !r.shows("X") {
					t.Errorf("the last page does not offer the sandbox:\n%s", r.screen())
				}
				title := walk.Page().Title
				r.press("X").sees(strings.SplitAfter(class.Words.Say("sandbox", "L"), " ")[0])
				r.seesNot(title)
				r.press("X").sees(class.Words.Say("in-sandbox"))
				for _, bytes := range presses(walk.Keys()) {
					r.press(bytes)
				}
				if walk.Page().Done || len(kept.Passed) > 0 {
					t.Error("what was done in the sandbox counts")
				}
				r.press("L").sees(title, "· ")
				r.seesNot("✔ " + class.Words.Say("done"))
				for _, bytes := range presses(walk.Keys()) {
					r.press(bytes)
				}
				r.press("X")
				r.press("L").sees("✔ " + class.Words.Say("done"))
			})
		}
	}
}

func TestTheSandboxAtThePrompt(t *testing.T) {
	walk, class, _ := capstone(t, "training", lesson.English)
	typed := "sandbox\nhint\ndelete notebook\nlesson\nrelax train-3 gate example.com/quota\nnext 2\nquit\n"
	var printed strings.Builder
	learning := prompt.Learning{Words: class.Words, Keep: class.Keep, Since: class.Since}
	if err := prompt.Learn(t.Context(), walk, learning, strings.NewReader(typed), &printed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Meant for 15 minutes", "sandbox: every command works", "this is the sandbox; lesson returns", "serve was evicted",
	} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%q is not printed:\n%s", want, printed.String())
		}
	}
}
