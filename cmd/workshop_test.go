package cmd_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/golden"
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

// TestTheSheetsHaveTheExercisesWithoutTheirSolutions holds the sheets that are printed for each place to the workshop.
func TestTheSheetsHaveTheExercisesWithoutTheirSolutions(t *testing.T) {
	for _, sheet := range []struct{ from, to, head, columns string }{
		{
			"../docs/workshop.md", "../docs/workshop-sheet.md",
			"# Exercises\n\n`schedstep learn LESSON` opens the lesson of a page, `>` turns to the page. Made from [workshop.md](workshop.md).",
			"| page | the exercise | what I think first | points |",
		},
		{
			"../docs/workshop.zh.md", "../docs/workshop-sheet.zh.md",
			"# 练习\n\n`schedstep learn LESSON` 打开该页所在的课，`>` 翻到该页。由 [workshop.zh.md](workshop.zh.md) 生成。",
			"| 页 | 练习 | 我先这样想 | 得分 |",
		},
	} {
		page, err := os.ReadFile(sheet.from)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n\n%s\n|---|---|---|---|\n", sheet.head, sheet.columns)
		for _, row := range posed.FindAllStringSubmatch(string(page), -1) {
			fmt.Fprintf(&b, "| `%s` | %s |  | /3 |\n", row[1], row[2])
		}
		golden.Is(t, sheet.to, b.String())
	}
}

// posed is a row of the table: the page, and the exercise.
var posed = regexp.MustCompile("(?m)^\\| `([a-z]+/[a-z]+)` \\| (.*?) \\| `.*` \\| [0-9]+ \\|$")

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
