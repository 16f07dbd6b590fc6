package cmd_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestSolutionsOfTheWorkshopAreThoseOfTheLessons holds docs/workshop.md, in each language, to the course, whose
// solutions are played by other tests.
func TestSolutionsOfTheWorkshopAreThoseOfTheLessons(t *testing.T) {
	solutions := solutionsOfLessons(t)
	for _, file := range []string{"../docs/workshop.md", "../docs/workshop.zh.md"} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		exercises := exercise.FindAllStringSubmatch(string(page), -1)
		if len(exercises) < 20 {
			t.Fatalf("%s: %d exercises", file, len(exercises))
		}
		for _, e := range exercises {
			if want, there := solutions[e[1]]; !there || want != e[2] {
				t.Errorf("%s: %s has the solution %q, and the lesson %q", file, e[1], e[2], want)
			}
		}
	}
}

// exercise is a row of the table: the page and its solution.
var exercise = regexp.MustCompile("(?m)^\\| `([a-z]+/[a-z]+)` \\| .* \\| `(.*)` \\| [0-9]+ \\|$")

// solutionsOfLessons are the lines that do each task, by LESSON/PAGE.
func solutionsOfLessons(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, data := range fileOfLessons(t, "lesson.yaml") {
		var book struct {
			Pages []struct {
				Page string `json:"page"`
				Task struct {
					Solution []string `json:"solution"`
				} `json:"task"`
			} `json:"pages"`
		}
		if err := yaml.Unmarshal(data, &book); err != nil {
			t.Fatal(err)
		}
		for _, p := range book.Pages {
			all[name+"/"+p.Page] = strings.Join(p.Task.Solution, "; ")
		}
	}
	return all
}
