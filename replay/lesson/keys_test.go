package lesson_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// always are the keys that the screen shows below every page: verbs, keys of the lesson, and those that close a window.
var always = []string{"n", "s", "b", "A", "enter", "esc", "y"}

// TestEveryKeyThatATaskWantsIsOnTheScreen looks for the keys of each solution in the page, in its hints, and among
// those that the screen shows all the time. Of a command the verb must be there.
func TestEveryKeyThatATaskWantsIsOnTheScreen(t *testing.T) {
	folders, err := filepath.Glob("course/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no lessons: %v", err)
	}
	for _, folder := range folders {
		pages := pagesOf(t, folder)
		for page, keys := range keysOf(t, folder) {
			for _, key := range pressed(keys) {
				if !slices.Contains(always, key) && !strings.Contains(pages[page], "`"+key) {
					t.Errorf("%s, page %s wants %q, and neither the page nor a hint says so", folder, page, key)
				}
			}
		}
	}
}

// pressed are the keys and the verbs of a solution's keys, without what is typed after them.
func pressed(keys string) []string {
	var all []string
	tokens := strings.Fields(keys)
	for i := 0; i < len(tokens); i++ {
		verb, _, _ := strings.Cut(tokens[i], "_")
		switch {
		case strings.HasPrefix(verb, ":"):
			all = append(all, verb[1:])
		case verb == "A":
			i++ // the answer
		case verb == "m":
			all = append(all, verb)
			i += 4 // the pod, enter, the node, enter
		default:
			all = append(all, verb)
		}
	}
	return all
}

// pagesOf are the English words of a lesson's pages, by their names.
func pagesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "en.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		page, words, _ := strings.Cut(part, ":")
		pages[page] = words
	}
	return pages
}

// keysOf are the keys of a lesson's solutions, by the names of their pages.
func keysOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "lesson.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var book struct {
		Pages []struct {
			Page string `yaml:"page"`
			Task struct {
				Keys string `yaml:"keys"`
			} `yaml:"task"`
		} `yaml:"pages"`
	}
	if err := yaml.Unmarshal(data, &book); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, p := range book.Pages {
		all[p.Page] = p.Task.Keys
	}
	return all
}
