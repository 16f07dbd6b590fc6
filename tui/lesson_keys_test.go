package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// TestLessonsAreDoneWithKeysThatAreOnTheScreenWhenTheyAreNeeded reads every page of every lesson and does every task
// with its solution's keys alone. Before each key it looks for that key on the screen, set apart from the words
// around it: in the page, in the task, in a question or in the rows of keys. The learner needs no hint, no scrolling
// and no help page. The first lesson takes less than seven minutes. In the later lessons it is enough that the key was
// there when the page was opened: an answer of several lines covers the row of keys until another key is pressed.
func TestLessonsAreDoneWithKeysThatAreOnTheScreenWhenTheyAreNeeded(t *testing.T) {
	for i, l := range lessons(t) {
		for _, language := range lesson.Languages() {
			for _, size := range []layout.Size{wide, medium, narrow} {
				if language != lesson.English && size == wide {
					continue // nothing is closer together there than at the others
				}
				t.Run(fmt.Sprintf("%s in %s at %dx%d", l.Name, language, size.Width, size.Height), func(t *testing.T) {
					if !l.HasWords(language) {
						t.Fatal("it is not written in the language")
					}
					effort := learn(t, l, i == 0, language, size)
					if i > 0 {
						return
					}
					if most := 7 * time.Minute; effort.time() >= most || effort.keys < len(l.Tasks()) {
						t.Errorf("%+v take %s", effort, effort.time())
					}
					t.Logf("%+v take %s", effort, effort.time())
				})
			}
		}
	}
}

// effort is what a learner reads and presses in a lesson.
type effort struct{ words, characters, keys int }

// read counts the words of lines; those of Chinese are counted by character.
func (e *effort) read(lines []string) {
	for word := range strings.FieldsSeq(strings.Join(lines, "\n")) {
		if n := strings.Count(strings.Map(onlyHan, word), "x"); n > 0 {
			e.characters += n
			continue
		}
		e.words++
	}
}

func onlyHan(r rune) rune {
	if unicode.Is(unicode.Han, r) {
		return 'x'
	}
	return -1
}

// time is how long that takes a learner that reads carefully and looks at the result of each key.
func (e *effort) time() time.Duration {
	const (
		wordsInAMinute      = 200
		charactersInAMinute = 300
		key                 = 2 * time.Second
	)
	reading := time.Minute*time.Duration(e.words)/wordsInAMinute +
		time.Minute*time.Duration(e.characters)/charactersInAMinute
	return (reading + key*time.Duration(e.keys)).Round(time.Second)
}

// learner goes through a lesson with the keys that are on the screen.
type learner struct {
	*robot
	walk   *lesson.Walk
	words  lesson.Words
	first  bool // it is the first lesson of the course
	effort effort
}

// learn goes through a lesson.
func learn(t *testing.T, l *lesson.Lesson, first bool, language string, size layout.Size) effort {
	walk, err := lesson.Progress{}.Begin(t.Context(), l, carryOut, language)
	if err != nil {
		t.Fatal(err)
	}
	if said := walk.Session().Language().String(); said != language {
		t.Errorf("the screen speaks %s", said)
	}
	var kept lesson.Standing
	class := &screen.Class{
		Walk: walk, Words: lesson.WordsIn(language), Keep: func(now lesson.Standing) error { kept = now; return nil },
	}
	a := &learner{walk: walk, words: class.Words, first: first}
	journey(t, size, walk.Session(), screen.Options{Class: class}, func(r *robot) {
		a.robot = r
		for a.page(); walk.CanTurn(1); a.page() {
			r.press(">")
			a.effort.keys++
		}
		if !r.shows("q") {
			t.Errorf("the last page does not show how to leave:\n%s", r.screen())
		}
	})
	if tasks := l.Tasks(); len(kept.Passed) != len(tasks) {
		t.Errorf("of %v these are kept as done: %v", tasks, kept.Passed)
	}
	return a.effort
}

// page reads a page and does its task, up to the key that turns it.
func (a *learner) page() {
	page := a.walk.Page()
	a.sees(page.Lesson, a.words.Say("page", page.Number, page.Of))
	a.effort.read(append(page.Lines(a.words)[1:], page.Title))
	if len(page.Task) > 0 {
		a.task(page.Title)
	}
	after := a.walk.Page()
	a.effort.read(after.AfterLines(a.words))
	if a.walk.CanTurn(1) && !a.shows(">") {
		a.t.Errorf("%s: the screen does not show how to turn the page:\n%s", page.Title, a.screen())
	}
	if len(page.Task) > 0 {
		a.press("L") // the learner looks at another pane by now: back to the lesson
		a.sees("✔ " + a.words.Say("done"))
	}
}

// task presses the keys of a task's solution.
func (a *learner) task(title string) {
	a.sees(a.words.Say("task"))
	a.seesNot(a.words.Say("done") + "\n")
	keys, before := strings.Fields(a.walk.Keys()), map[string]bool{}
	for _, key := range keys {
		before[key] = !a.first && a.shows(key)
	}
	for i, bytes := range presses(a.walk.Keys()) {
		if a.walk.Page().Done {
			a.t.Errorf("%s: the task is done before %q is pressed", title, keys[i])
		}
		if !isText(keys, i) && !before[keys[i]] && !a.shows(keys[i]) {
			a.t.Errorf("%s: %s is to be pressed, and the screen does not show it:\n%s", title, keys[i], a.screen())
		}
		a.press(bytes)
		a.effort.keys += utf8.RuneCountInString(strings.TrimPrefix(bytes, "\x1b["))
	}
	if page := a.walk.Page(); !page.Done {
		a.t.Fatalf("%s: after its keys this is missing: %s\n%s", title, page.Missing(), a.screen())
	}
}

// isText reports whether a word of a solution is written, such as a name or an answer, and no key.
func isText(keys []string, at int) bool {
	if utf8.RuneCountInString(presses(keys[at])[0]) == 1 && (at+1 == len(keys) || keys[at+1] != "enter") {
		return false
	}
	return !isNamed(keys[at])
}

// isNamed reports whether a word is the name of a key.
func isNamed(word string) bool { return presses(word)[0] != strings.ReplaceAll(word, "_", " ") }

// shows reports whether a key is on the screen as a word in a look of its own.
func (r *robot) shows(key string) bool {
	for y := range r.terminal.Height() {
		var line []*uv.Cell
		for x := range r.terminal.Width() {
			if c := r.terminal.CellAt(x, y); c != nil && c.Width > 0 {
				line = append(line, c)
			}
		}
		for x := 0; x+len(key) <= len(line); x++ {
			if isApart(line, x, key) {
				return true
			}
		}
	}
	return false
}

// isApart reports whether a line has a key at a place, between cells of another look.
func isApart(line []*uv.Cell, x int, key string) bool {
	for i := range key {
		if line[x+i].Content != key[i:i+1] || !line[x+i].Style.Equal(&line[x].Style) {
			return false
		}
	}
	for _, beside := range []int{x - 1, x + len(key)} {
		if beside >= 0 && beside < len(line) && line[beside].Style.Equal(&line[x].Style) {
			return false
		}
	}
	return true
}
