package lesson_test

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/prompt"
)

// act carries out a line and drops what it prints.
func act(ctx context.Context, s *session.Session, line string) error {
	return prompt.CarryOut(ctx, s, line, 0, io.Discard)
}

// right is a course of one lesson that has no mistake.
func right() fstest.MapFS {
	return fstest.MapFS{
		"1-first/scene.txt": {Data: []byte("# One node.\n\nnode n1 cpu=2\npod web cpu=1\npod big cpu=4\n")},
		"1-first/lesson.yaml": {Data: []byte(`scene: scene.txt
pages:
- page: go
  task:
    checks:
      placed: value("pod.web.node") == "n1" && branch == "main"
      room: answer == "1"
    solution: [next, answer 1]
    wrong:
    - [step]
    - [next, answer 2]
    - [bind web n1 yes, answer 1]
- page: end
`)},
		"1-first/sources.yaml": {Data: []byte("go:\n- says: Here are\n  at: [1.37 pkg/a.go A]\n")},
		"1-first/en.md": {Data: []byte(`# First
About it.

## go: Go
Here are {{value("queue.active")}} pods.
> Successfully assigned default/web to n1

### task
Do it.
- placed: web has a node
- room: answer
### hint
Press n.
### done
It is on {{node}}.

## end: The end
Nothing is to be done.
`)},
	}
}

func TestARightLessonHasNoMistake(t *testing.T) {
	course, err := lesson.Read(right(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if wrong := course[0].Check(t.Context(), act); len(wrong) > 0 {
		t.Error(wrong)
	}
	if course[0].Name != "first" || course[0].Title("en") != "First" || course[0].About("fr") != "About it." {
		t.Errorf("%q %q %q", course[0].Name, course[0].Title("en"), course[0].About("fr"))
	}
}

func TestMistakesInLessonsAreRefusedWithFileAndLine(t *testing.T) {
	for name, test := range map[string]struct{ file, old, now, want string }{
		"no page":           {"en.md", "## end: The end", "## and: The end", "en.md line 1: page end is missing (1-first/lesson.yaml line 13"},
		"a page too many":   {"lesson.yaml", "- page: end\n", "", "en.md line 17: page end is not in lesson.yaml"},
		"an unknown field":  {"lesson.yaml", "    solution:", "    answers:", "lesson.yaml line 8: field answers is not known here"},
		"no solution":       {"lesson.yaml", "    solution: [next, answer 1]\n", "", "lesson.yaml line 3: the task of page go has no solution"},
		"two wrong runs":    {"lesson.yaml", "    - [step]\n", "", "lesson.yaml line 3: the task of page go has 2 wrong runs"},
		"a run twice":       {"lesson.yaml", "- [next, answer 2]", "- [step]", "lesson.yaml line 11: this wrong run of page go is the same as that of line 10"},
		"a bad expression":  {"lesson.yaml", "pod.web.node", "pod.web.colour", "lesson.yaml line 6: check placed:"},
		"no truth":          {"lesson.yaml", `answer == "1"`, "answer", `lesson.yaml line 7: check room: "answer" is not true or false`},
		"no words":          {"en.md", "- room: answer\n", "", "en.md line 4: page go does not say what check room asks for"},
		"words for none":    {"en.md", "- room: answer\n", "- room: answer\n- else: more\n", "en.md line 12: the task of page go has no check else"},
		"no hint":           {"en.md", "### hint\nPress n.\n", "", "en.md line 4: page go has no hint"},
		"an unknown part":   {"en.md", "### done", "### dune", `en.md line 14: a page has no part "dune"`},
		"bad braces":        {"en.md", "{{node}}", "{{nodde}}", "en.md line 15:"},
		"a claim unsaid":    {"sources.yaml", "says: Here are", "says: There are", `sources.yaml line 2: page go does not say "There are"`},
		"no place":          {"sources.yaml", "[1.37 pkg/a.go A]", "[pkg/a.go]", `sources.yaml line 3: "pkg/a.go" is no place (want: RELEASE FILE NAME)`},
		"claims of no page": {"sources.yaml", "go:", "gone:", "sources.yaml line 2: page gone is not in lesson.yaml"},
		"no scene":          {"lesson.yaml", "scene: scene.txt", "scene: gone.txt", "lesson.yaml line 1: scene gone.txt"},

		"a solution that does not pass":  {"lesson.yaml", "[next, answer 1]", "[next, answer 3]", "lesson.yaml line 7: after the solution of page go its check room does not hold"},
		"a check that passes on nothing": {"lesson.yaml", ` && branch == "main"` + "\n      room: answer == \"1\"", " || true\n      room: answer == \"\"", "lesson.yaml line 6: the task of page go is done before anything is"},
		"a wrong run that passes":        {"lesson.yaml", "- [next, answer 2]", "- [next, answer 1]", "lesson.yaml line 11: this wrong run does the task of page go"},
		"a wrong run that is no run":     {"lesson.yaml", "- [step]", "- [stepp]", `lesson.yaml line 10: "stepp" is no command`},
		"words nobody says":              {"en.md", "to n1\n", "to n2\n", "en.md line 6: nobody says this in the scene: Successfully assigned default/web to n2"},
		"a scene that is none":           {"scene.txt", "pod web", "pot web", "scene.txt line 4:"},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(right())
			file := "1-first/" + test.file
			text := strings.Replace(string(files[file].Data), test.old, test.now, 1)
			files[file] = &fstest.MapFile{Data: []byte(text)}
			if got := mistakes(t, files); !strings.Contains(got, test.want) {
				t.Errorf("got:\n%s\nwant: %s", got, test.want)
			}
		})
	}
}

// TestAMistakeIsToldOnce has a mistake that is found in each of two languages.
func TestAMistakeIsToldOnce(t *testing.T) {
	files := right()
	files["1-first/zh.md"] = files["1-first/en.md"]
	wrong := strings.Replace(string(files["1-first/lesson.yaml"].Data), "[next, answer 1]", "[next, answer 3]", 1)
	files["1-first/lesson.yaml"] = &fstest.MapFile{Data: []byte(wrong)}
	got := mistakes(t, files)
	if want := "its check room does not hold"; strings.Count(got, want) != 1 {
		t.Errorf("%q is not told once in:\n%s", want, got)
	}
}

// mistakes are those of a course, one a line.
func mistakes(t *testing.T, files fs.FS) string {
	t.Helper()
	course, err := lesson.Read(files, "test")
	if err != nil {
		return err.Error()
	}
	return course[0].Check(t.Context(), act).Error()
}

func TestLessonsThatComeAlongHaveNoMistake(t *testing.T) {
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range course {
		t.Run(l.Name, func(t *testing.T) {
			for _, wrong := range l.Check(t.Context(), act) {
				t.Error(wrong)
			}
		})
	}
}

func TestEveryLanguageHasAllWords(t *testing.T) {
	for _, language := range lesson.Languages() {
		for _, missing := range lesson.WordsIn(language).Missing() {
			t.Errorf("words/%s.yaml has no %q", language, missing)
		}
	}
}

func TestProgressOutlivesTheProgram(t *testing.T) {
	course, err := lesson.Read(right(), "test")
	if err != nil {
		t.Fatal(err)
	}
	walk, err := lesson.Progress{}.Begin(t.Context(), course[0], act, "en")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"next", "answer 1"} {
		if err := walk.Do(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	data, err := lesson.Progress{"first": walk.Standing()}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := lesson.ReadProgress(data)
	if err != nil {
		t.Fatal(err)
	}
	if done, of := again.Of(course[0]); done != 1 || of != 1 {
		t.Errorf("%d of %d tasks are done", done, of)
	}
	if _, err := lesson.ReadProgress([]byte("{")); err == nil {
		t.Error("half a file is read")
	}
}

// TestProgressIsKeptWhenLessonsGetOtherNumbers: what counts is the name, and the names of the tasks.
func TestProgressIsKeptWhenLessonsGetOtherNumbers(t *testing.T) {
	kept, err := lesson.ReadProgress([]byte(`{"first": {"page": "end", "passed": ["go"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for name, file := range right() {
		files[strings.Replace(name, "1-first", "01-before", 1)] = file
		files[strings.Replace(name, "1-first", "12-first", 1)] = file
	}
	course, err := lesson.Read(files, "test")
	if err != nil {
		t.Fatal(err)
	}
	if done, of := kept.Of(course[0]); done != 0 || of != 1 {
		t.Errorf("the new lesson has %d of %d tasks done", done, of)
	}
	if done, of := kept.Of(course[1]); course[1].Name != "first" || done != 1 || of != 1 {
		t.Errorf("%s has %d of %d tasks done", course[1].Name, done, of)
	}
}

// TestTheCourseIsInTheOrderOfTheSources also holds the names, by which progress is kept.
func TestTheCourseIsInTheOrderOfTheSources(t *testing.T) {
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	want := "scheduler process queue cache filters affinity spread volumes scores binding preemption extending gangs messages drains " +
		"checkout payments database training maintenance"
	if got := strings.Join(course.Names(), " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
