package lesson_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// capstones are those that come along, by name.
func capstones(t *testing.T) map[string]*lesson.Lesson {
	t.Helper()
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*lesson.Lesson{}
	for _, l := range course {
		if l.Minutes() > 0 {
			all[l.Name] = l
		}
	}
	if len(all) != 5 {
		t.Fatalf("there are %d capstones", len(all))
	}
	return all
}

// walked is a walk through the first page of a lesson after some lines.
func walked(t *testing.T, l *lesson.Lesson, lines ...string) (*lesson.Walk, lesson.Page) {
	t.Helper()
	w, err := lesson.Progress{}.Begin(t.Context(), l, act, "en")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := w.Do(t.Context(), line); err != nil {
			t.Fatalf("%s: %s: %v", l.Name, line, err)
		}
	}
	return w, w.Page()
}

func TestCapstonesAreNotDoneByPassingThrough(t *testing.T) {
	for name, l := range capstones(t) {
		for _, lines := range [][]string{{"goto end"}, {"next 20"}, {"goto start", "continue"}, {"step 40"}} {
			if _, p := walked(t, l, lines...); p.Done {
				t.Errorf("%s is done by %v", name, lines)
			}
		}
	}
}

// TestCapstonesAreDoneInMoreThanOneWay plays solutions that are not the lesson's own.
func TestCapstonesAreDoneInMoreThanOneWay(t *testing.T) {
	all := capstones(t)
	for _, way := range []struct {
		capstone string
		lines    []string
	}{
		{"checkout", []string{
			"relax checkout-4 spread", "relax checkout-5 spread", "set request checkout-4 cpu=1",
			"set request checkout-5 cpu=1", "next 2",
		}},
		{"payments", []string{"uncordon n4", "evict shell", "set priority report payments", "next 2"}},
		{"database", []string{"add-node a3 like a2", "uncordon a2", "next 4"}},
		{"training", []string{"evict notebook", "relax train-3 gate example.com/quota", "next 2"}},
		{"maintenance", []string{
			"cordon n1", "taint n3 maintenance-", "next", "evict web-1", "set priority web-1 100", "next 4",
		}},
		{"maintenance", []string{
			"tolerate web-3 maintenance=true:NoSchedule", "next", "delete ci", "drain n1", "next",
		}},
	} {
		if _, p := walked(t, all[way.capstone], way.lines...); !p.Done {
			t.Errorf("%s is not done by %v: %s", way.capstone, way.lines, p.Missing())
		}
	}
}

// TestWhatACapstoneForbidsIsToldWithItsReason takes forbidden ways, and some of them back.
func TestWhatACapstoneForbidsIsToldWithItsReason(t *testing.T) {
	all := capstones(t)
	for _, way := range []struct {
		capstone string
		lines    []string
		reason   string // a part of it; "": nothing is forbidden any more
	}{
		{"checkout", []string{"taint c1 team=ml:NoSchedule-"}, "The machine of another team"},
		{"checkout", []string{"taint c1 team=ml:NoSchedule-", "undo"}, ""},
		{"checkout", []string{"set request checkout-4 cpu=500m"}, "less than it needs at its peak"},
		{"checkout", []string{"bind checkout-4 a1 yes"}, "outside of all rules"},
		{"payments", []string{"next 3"}, "A pod of payments was evicted"},
		{"payments", []string{"next 3", "goto start"}, "A pod of payments was evicted"},
		{"payments", []string{"next 3", "again"}, ""},
		{"payments", []string{"set plugin DefaultPreemption off"}, "belongs to others"},
		{"database", []string{"label b2 disk=ssd"}, "a machine of others"},
		{"training", []string{"relax train-3 gate example.com/quota", "next 2"}, "`serve` was evicted"},
		{"maintenance", []string{"drain n1"}, "fewer than two pods of web"},
		{"maintenance", []string{"drain n1", "undo"}, "fewer than two pods of web"},
	} {
		last := len(way.lines)
		if way.lines[last-1] == "again" {
			last--
		}
		w, p := walked(t, all[way.capstone], way.lines[:last]...)
		if last < len(way.lines) {
			if err := w.Again(t.Context()); err != nil {
				t.Fatal(err)
			}
			p = w.Page()
		}
		var reasons []string
		for _, want := range p.Wants {
			for _, r := range want.Reason {
				reasons = append(reasons, r.Text)
			}
		}
		said := strings.Join(reasons, "\n")
		if way.reason == "" && said != "" || !strings.Contains(said, way.reason) {
			t.Errorf("%s after %v: %q, want %q", way.capstone, way.lines, said, way.reason)
		}
	}
}

func TestMinutesOfACapstoneAreKeptOnce(t *testing.T) {
	l := capstones(t)["training"]
	w, _ := walked(t, l)
	w.Took(4)
	if m := w.Standing().Minutes; len(m) > 0 {
		t.Errorf("a task that is not done took %v", m)
	}
	for _, line := range []string{"delete notebook", "relax train-3 gate example.com/quota", "next"} {
		if err := w.Do(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	w.Took(0)
	w.Took(9)
	kept := lesson.Progress{l.Name: w.Standing()}
	if kept.Minutes(l) != 1 || w.Page().Took != 1 {
		t.Errorf("%d minutes are kept, and %d shown", kept.Minutes(l), w.Page().Took)
	}
	page := w.Page()
	if all := strings.Join(page.Lines(lesson.WordsIn("en")), "\n"); !strings.Contains(all, "1 min (meant: 15)") {
		t.Errorf("the page does not say how long it took:\n%s", all)
	}
}

func TestNothingInASandboxCountsForTheTask(t *testing.T) {
	l := capstones(t)["training"]
	w, _ := walked(t, l)
	w.Sandbox()
	for _, line := range []string{"delete notebook", "relax train-3 gate example.com/quota", "next"} {
		if err := w.Do(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	if w.Hint() || w.Page().Done || !w.InSandbox() {
		t.Error("what was done in the sandbox counts")
	}
	if err := w.Return(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.InSandbox() || w.Did("next") || w.Page().Done {
		t.Error("the task goes on with the cluster of the sandbox")
	}
	for _, line := range []string{"delete notebook", "relax train-3 gate example.com/quota", "next"} {
		if err := w.Do(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	after := w.Session()
	w.Sandbox()
	if err := w.Return(t.Context()); err != nil || w.Session() != after || !w.Page().Done {
		t.Errorf("a task that was done is not as it was: %v", err)
	}
}

// capstone is the lesson of right as one, with a check to be kept.
func capstone() fstest.MapFS {
	files := maps.Clone(right())
	book := strings.Replace(string(files["1-first/lesson.yaml"].Data), "scene:", "minutes: 5\nscene:", 1)
	book = strings.Replace(book, "    solution:", "    kept:\n      kept: value(\"node.n1.unschedulable\") == \"false\"\n    solution:", 1)
	files["1-first/lesson.yaml"] = &fstest.MapFile{Data: []byte(book)}
	words := strings.Replace(
		string(files["1-first/en.md"].Data), "### hint",
		"- kept: n1 stays open\n### broken kept\nIt was closed.\n### hint", 1,
	)
	files["1-first/en.md"] = &fstest.MapFile{Data: []byte(words)}
	return files
}

func TestMistakesInCapstonesAreRefused(t *testing.T) {
	course, err := lesson.Read(capstone(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if wrong := course[0].Check(t.Context(), act); len(wrong) > 0 {
		t.Error(wrong)
	}
	for name, test := range map[string]struct{ file, old, now, want string }{
		"no time":            {"lesson.yaml", "minutes: 5", "minutes: soon", `lesson.yaml line 1: minutes: "soon" is no number from 1 to 480`},
		"no words":           {"en.md", "### broken kept\nIt was closed.\n", "", "page go does not say what it means when check kept holds no more"},
		"words for none":     {"en.md", "### broken kept", "### broken cept", "the task of page go has no check cept"},
		"words twice":        {"en.md", "### broken kept", "### broken kept\nSo.\n### broken kept", "the page has two parts broken kept"},
		"kept from nothing":  {"lesson.yaml", `== "false"`, `== "true"`, "check kept of page go is to be kept, and does not hold at the beginning"},
		"an expression of 1": {"lesson.yaml", `== "false"`, ``, "is not true or false"},
	} {
		files := capstone()
		file := "1-first/" + test.file
		text := strings.Replace(string(files[file].Data), test.old, test.now, 1)
		files[file] = &fstest.MapFile{Data: []byte(text)}
		if got := mistakes(t, files); !strings.Contains(got, test.want) {
			t.Errorf("%s: got:\n%s\nwant: %s", name, got, test.want)
		}
	}
}

// TestACheckThatIsKeptIsBrokenForGood closes the node and opens it again.
func TestACheckThatIsKeptIsBrokenForGood(t *testing.T) {
	course, err := lesson.Read(capstone(), "test")
	if err != nil {
		t.Fatal(err)
	}
	_, p := walked(t, course[0], "cordon n1", "uncordon n1", "next", "answer 1")
	kept := p.Wants[slices.IndexFunc(p.Wants, func(w lesson.Want) bool { return strings.Contains(w.Text, "stays open") })]
	if p.Done || kept.Met || len(kept.Reason) != 1 || kept.Reason[0].Text != "It was closed." {
		t.Errorf("done %v: %+v", p.Done, kept)
	}
}
