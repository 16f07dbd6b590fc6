package lesson_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// What every language has in the same places.
var inOrder = map[string]*regexp.Regexp{
	"headings": regexp.MustCompile(`(?m)^###? \w+`),
	"quotes":   regexp.MustCompile(`(?m)^> .*$`),
	"examples": regexp.MustCompile(`(?m)^    .*$`),
}

// What every language has somewhere on the page: it is kube-scheduler's, or the learner's to type, or a figure.
var somewhere = map[string]*regexp.Regexp{
	"code":       regexp.MustCompile("`[^`]+`"),
	"expression": regexp.MustCompile(`\{\{.*?\}\}`),
	"name":       regexp.MustCompile(`\b[A-Z][a-z]+[A-Z][A-Za-z]*[a-rt-z]`), // without the s of many
	"figure":     regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?\b`),
}

// TestEveryLanguageHasTheNamesKeysAndFiguresOfEnglish holds the translations of each page of the course to its English
// words: whatever must not be translated stands in both.
func TestEveryLanguageHasTheNamesKeysAndFiguresOfEnglish(t *testing.T) {
	files, err := filepath.Glob("course/*/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lessons: %v", err)
	}
	for _, file := range files {
		english := filepath.Join(filepath.Dir(file), lesson.English+".md")
		if file == english {
			continue
		}
		others := pagesOf(t, file)
		for name, page := range pagesOf(t, english) {
			other := others[name]
			for kind, has := range inOrder {
				if diff := cmp.Diff(has.FindAllString(page, -1), has.FindAllString(other, -1)); diff != "" {
					t.Errorf("%s, page %s: other %s (-English +here):\n%s", file, name, kind, diff)
				}
			}
			for kind, has := range somewhere {
				for _, missing := range lacking(has.FindAllString(page, -1), has.FindAllString(other, -1)) {
					t.Errorf("%s, page %s: the %s %s of the English page is missing", file, name, kind, missing)
				}
			}
			for _, more := range lacking(somewhere["code"].FindAllString(other, -1), somewhere["code"].FindAllString(page, -1)) {
				t.Errorf("%s, page %s: %s is not on the English page", file, name, more)
			}
		}
	}
}

// TestParagraphsWithoutSpacesStandOnOneLine: lines of a paragraph are joined by a space, which Chinese does not have.
func TestParagraphsWithoutSpacesStandOnOneLine(t *testing.T) {
	files, err := filepath.Glob("course/*/zh.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lessons: %v", err)
	}
	two := regexp.MustCompile(`(?m)^[^#>\-\s\n].*\n[^#>\-\s\n].*$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, lines := range two.FindAllString(string(text), -1) {
			t.Errorf("%s: a paragraph on two lines: %s", file, lines)
		}
	}
}

// lacking are those of some words that are not among others.
func lacking(words, others []string) []string {
	there := map[string]bool{}
	for _, w := range others {
		there[w] = true
	}
	var lack []string
	for _, w := range words {
		if !there[w] {
			lack = append(lack, w)
		}
	}
	return lack
}

// pagesOf are the pages of a file of words, by name.
func pagesOf(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, page := range strings.Split(string(text), "\n## ")[1:] {
		name, words, _ := strings.Cut(page, ": ")
		pages[name] = words
	}
	return pages
}

// TestALessonIsReadAlone compares what is read of one lesson with what is read of all.
func TestALessonIsReadAlone(t *testing.T) {
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "zh", "xx"} {
		var titles []string
		for i, l := range course {
			titles = append(titles, l.Title(language))
			for _, word := range []string{strconv.Itoa(i + 1), l.Name} {
				alone, err := lesson.EmbeddedLesson(word)
				if err != nil {
					t.Fatal(err)
				}
				if alone.Name != l.Name || !slices.Equal(alone.Script(), l.Script()) {
					t.Errorf("%s: the lesson alone is another", word)
				}
			}
		}
		if got := lesson.Titles(language); !slices.Equal(got, titles) {
			t.Errorf("%s: the titles are %q, want %q", language, got, titles)
		}
	}
	if _, err := lesson.EmbeddedLesson("queu"); err == nil || !strings.Contains(err.Error(), `did you mean "queue"`) {
		t.Errorf("a lesson that is not there: %v", err)
	}
}
