package class_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/predict"
)

// room is a class that takes the first lesson, kept in a folder.
func room(t *testing.T, folder string) *class.Room {
	t.Helper()
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)
	r, err := class.New(
		course[:1], lesson.WordsIn(lesson.English), class.Store(folder), clocktesting.NewFakePassiveClock(at),
	)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// enters seats a student without a key.
func enters(t *testing.T, r *class.Room, name string) *class.Seat {
	t.Helper()
	s, err := r.Enter(name, "", func(why phrase.Text) { t.Errorf("%s is sent away: %s", name, why) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// changes checks that an action wakes those that wait for news.
func changes(t *testing.T, r *class.Room, what string, do func()) {
	t.Helper()
	waits := r.Changed()
	do()
	select {
	case <-waits:
	default:
		t.Errorf("%s is told to nobody", what)
	}
}

// following are the names of the students that follow.
func following(r *class.Room) string {
	var names []string
	for _, s := range r.Students() {
		if s.Follows {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " ")
}

// All students follow, also one that connects later; a student that stops following stays so until the teacher begins
// anew.
func TestWhoFollowsIsWhereTheTeacherIsUntilEitherLetsGo(t *testing.T) {
	r := room(t, t.TempDir())
	anna, bob := enters(t, r, "anna"), enters(t, r, "bob")
	if anna.Led().On {
		t.Error("anna follows before anybody leads")
	}
	changes(t, r, "that the class follows", func() { r.Follow(class.Lead{Lesson: "queue", Page: 2}) })
	enters(t, r, "carl")
	if got := following(r); got != "anna bob carl" {
		t.Errorf("%q follow, want all", got)
	}
	first := anna.Led()
	changes(t, r, "that bob lets go", bob.LetGo)
	changes(t, r, "that the teacher went on", func() { r.Follow(class.Lead{Lesson: "queue", Page: 3}) })
	now := anna.Led()
	if now.Page != 3 || now.Number <= first.Number || now.SameScene(first) {
		t.Errorf("anna is led to %+v after %+v", now, first)
	}
	if bob.Led().On || following(r) != "anna carl" {
		t.Errorf("bob let go, and %q follow", following(r))
	}
	changes(t, r, "that the teacher lets go", r.Release)
	if anna.Led().On || following(r) != "" {
		t.Errorf("%q follow nobody", following(r))
	}
	r.Follow(class.Lead{Demo: "rollout"})
	if got := bob.Led(); got.Demo != "rollout" || following(r) != "anna bob carl" {
		t.Errorf("the teacher began anew: bob is led to %+v, and %q follow", got, following(r))
	}
}

// judge holds that n2 is right, for three points.
func judge(g predict.Guess) predict.Verdict {
	if g.Node == "n2" {
		return predict.Verdict{Points: 3, Of: 3, Node: true, Lines: []string{"yes"}}
	}
	return predict.Verdict{Of: 3, Lines: []string{"no, n2"}}
}

// A round takes the last guess of each, keeps to itself what is right until it is closed, and takes nothing afterwards.
func TestARoundIsTalliedAndJudgedOnceItIsClosed(t *testing.T) {
	r := room(t, t.TempDir())
	anna, bob, carl := enters(t, r, "anna"), enters(t, r, "bob"), enters(t, r, "carl")
	dora := enters(t, r, "dora")
	if anna.Guess("n1") == nil || r.Close() == nil {
		t.Error("somebody guesses, or closes, what was never asked")
	}
	changes(t, r, "the question", func() { r.Ask([]string{"Where does web-0 run?"}, judge, []string{"node: n2"}) })
	for _, g := range []struct {
		by   *class.Seat
		text string
	}{{anna, "n1"}, {bob, "n2 out n1"}, {carl, "n2"}, {anna, "n3"}} {
		if err := g.by.Guess(g.text); err != nil {
			t.Errorf("%q: %v", g.text, err)
		}
	}
	if carl.Guess("n2 out") == nil {
		t.Error("half a guess is taken")
	}
	if d := cmp.Diff([]class.Tally{{Guess: "n2", Guesses: 2}, {Guess: "n3", Guesses: 1}}, r.Tally()); d != "" {
		t.Errorf("the tally while the round is open (-want +got):\n%s", d)
	}
	if q := r.Question(); len(q.Answer) > 0 {
		t.Errorf("the answer is there while others guess: %q", q.Answer)
	}
	if v, told := bob.Verdict(); told {
		t.Errorf("bob is told %v while others guess", v)
	}
	changes(t, r, "that the round is closed", func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	if d := cmp.Diff([]string{"node: n2"}, r.Question().Answer); d != "" {
		t.Errorf("the answer of the closed round (-want +got):\n%s", d)
	}
	want := []class.Tally{{Guess: "n2", Guesses: 2, Right: true}, {Guess: "n3", Guesses: 1}}
	if d := cmp.Diff(want, r.Tally()); d != "" {
		t.Errorf("the tally of the closed round (-want +got):\n%s", d)
	}
	if v, told := bob.Verdict(); !told || v.Points != 3 {
		t.Errorf("bob is told %v, %t", v, told)
	}
	if v, told := anna.Verdict(); !told || v.Points != 0 {
		t.Errorf("anna is told %v, %t: her last guess counts", v, told)
	}
	if v, told := dora.Verdict(); told {
		t.Errorf("dora did not guess, and is told %v", v)
	}
	if anna.Guess("n2") == nil || r.Close() == nil {
		t.Error("a closed round takes a guess, or is closed again")
	}
}

// taught is a class of which two people did something, opened again from what was kept.
func taught(t *testing.T) *class.Room {
	t.Helper()
	folder := t.TempDir()
	r := room(t, folder)
	l := r.Course()[0]
	task := l.Tasks()[0]
	enters(t, r, "bob")
	anna := enters(t, r, "anna")
	at := class.Place{Lesson: l.Name, Page: 2, Task: task, Hint: 2}
	at.Answer = "n1"
	anna.Here(at)
	at.Answer, at.Hints, at.Done = "n2", 1, true
	anna.Here(at)
	if err := anna.Keep(l.Name, lesson.Standing{Page: task, Passed: []string{task}}); err != nil {
		t.Fatal(err)
	}
	r.Ask(nil, judge, nil)
	if err := anna.Guess("n2"); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return room(t, folder)
}

// written is the results of all people, in a format.
func written(t *testing.T, r *class.Room, format string) string {
	t.Helper()
	var text strings.Builder
	if err := r.Write(&text, format); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// rows are the results of the class that was taught, as a table.
var rows = [][]string{
	{"name", "key", "done", "tasks", "scheduler", "hints", "wrong answers", "points", "of"},
	{"anna", "", "1", "6", "1", "1", "1", "3", "3"},
	{"bob", "", "0", "6", "0", "0", "0", "0", "0"},
}

func TestResultsAreATableForAMachineAndForAPage(t *testing.T) {
	r := taught(t)
	got, err := csv.NewReader(strings.NewReader(written(t, r, "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rows, got); d != "" {
		t.Errorf("csv (-want +got):\n%s", d)
	}
	page := ""
	for i, row := range rows {
		page += "| " + strings.Join(row, " | ") + " |\n"
		if i == 0 {
			page += strings.Repeat("|---", len(row)) + "|\n"
		}
	}
	if d := cmp.Diff(page, written(t, r, "md")); d != "" {
		t.Errorf("md (-want +got):\n%s", d)
	}
}

func TestResultsAsJSONHaveEveryAnswer(t *testing.T) {
	r := taught(t)
	type answer struct {
		At                 time.Time
		Lesson, Task, Text string
		Right              bool
	}
	type one struct {
		Name                                            string
		Done, Tasks, Hints, WrongAnswers, Points, Worth int
		Answers                                         []answer
	}
	var got []one
	if err := json.Unmarshal([]byte(written(t, r, "json")), &got); err != nil {
		t.Fatal(err)
	}
	at, name := time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), r.Course()[0].Name
	task := r.Course()[0].Tasks()[0]
	want := []one{
		{"anna", 1, 6, 1, 1, 3, 3, []answer{{at, name, task, "n1", false}, {at, name, task, "n2", true}}},
		{"bob", 0, 6, 0, 0, 0, 0, nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("json (-want +got):\n%s", d)
	}
}

// TestNoAnswerKeepsAClassFromOpening has a student answer as often and as long as possible: what is stored of it can be
// read again.
func TestNoAnswerKeepsAClassFromOpening(t *testing.T) {
	folder := t.TempDir()
	r := room(t, folder)
	anna := enters(t, r, "anna")
	for i := range 300 {
		answer := strings.Repeat("<", 4000) + string(rune('a'+i%2))
		anna.Here(class.Place{Lesson: "scheduler", Task: "script", Answer: answer})
		anna.Here(class.Place{Lesson: "scheduler", Task: "script", Answer: "短" + answer})
	}
	if err := anna.Keep("scheduler", lesson.Standing{Page: "script"}); err != nil {
		t.Fatal(err)
	}
	again := room(t, folder)
	if all := again.Students(); len(all) != 1 || all[0].Name != "anna" {
		t.Errorf("%+v", all)
	}
}

// TestManyNamesKeepNobodyOut connects a client under a thousand names; students that did something are kept.
func TestManyNamesKeepNobodyOut(t *testing.T) {
	r := room(t, t.TempDir())
	bob := enters(t, r, "bob")
	if err := bob.Keep("scheduler", lesson.Standing{Page: "gap", Passed: []string{"gap"}}); err != nil {
		t.Fatal(err)
	}
	bob.Leave()
	for i := range 1100 {
		enters(t, r, fmt.Sprintf("guest-%d", i)).Leave()
	}
	carl := enters(t, r, "carl")
	defer carl.Leave()
	names := map[string]bool{}
	for _, s := range r.Students() {
		names[s.Name] = true
	}
	if !names["bob"] || !names["carl"] || len(names) > 1000 {
		t.Errorf("%d are remembered; bob %v, carl %v", len(names), names["bob"], names["carl"])
	}
}
