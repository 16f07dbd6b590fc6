package lesson

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/phrase"
)

//go:embed words/*.yaml
var wordFiles embed.FS

// Words are the program's own texts in a lesson, in one language: texts by key, with English below.
type Words struct{ own, english map[string]string }

// WordsIn are the words in a language.
func WordsIn(language string) Words {
	all := dictionaries()
	return Words{all[language], all[English]}
}

// dictionaries are the words in every language. The files are part of the program, so a bad one is a mistake in it.
var dictionaries = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, language := range Languages() {
		data, err := wordFiles.ReadFile("words/" + language + ".yaml")
		here := map[string]string{}
		if err == nil {
			err = yaml.UnmarshalStrict(data, &here)
		}
		if err != nil {
			panic(phrase.Errorf("words/%s.yaml: %w", language, err))
		}
		all[language] = here
	}
	return all
})

// Say returns a text with its blanks filled in.
func (w Words) Say(key string, args ...any) string {
	text, there := w.own[key]
	if !there {
		if text, there = w.english[key]; !there {
			panic(phrase.Errorf("there are no words %q", key))
		}
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Languages are those that there are words in.
func Languages() []string {
	files, _ := fs.Glob(wordFiles, "words/*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "words/"), ".yaml")
	}
	return slices.Sorted(slices.Values(files))
}

//go:embed all:course
var courseFiles embed.FS

// Embedded is the course that comes with the program.
func Embedded() (Course, error) {
	folder, err := fs.Sub(courseFiles, "course")
	if err != nil {
		return nil, err
	}
	return Read(folder, "that come with schedstep")
}

// Titles are the titles of the embedded lessons in a language, and in English where a lesson has none. Only their first
// lines are read: Embedded compiles what every task checks, which takes seconds in a browser.
func Titles(language string) []string {
	var titles []string
	for _, folder := range embeddedFolders() {
		text, err := fs.ReadFile(courseFiles, "course/"+folder+"/"+language+".md")
		if err != nil {
			text, _ = fs.ReadFile(courseFiles, "course/"+folder+"/"+English+".md")
		}
		first, _, _ := strings.Cut(string(text), "\n")
		titles = append(titles, strings.TrimPrefix(first, "# "))
	}
	return titles
}

// embeddedFolders are the folders of the embedded lessons in their order.
func embeddedFolders() []string {
	entries, _ := fs.ReadDir(courseFiles, "course")
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	return folders
}

// EmbeddedLesson is one of the embedded lessons, by its number or its name; the others are not read.
func EmbeddedLesson(word string) (*Lesson, error) {
	var all Course
	folders := embeddedFolders()
	for _, folder := range folders {
		all = append(all, &Lesson{Name: nameOf(folder)})
	}
	l, err := all.Find(word)
	if err != nil {
		return nil, err
	}
	folder := folders[slices.Index(all, l)]
	files, err := fs.Sub(courseFiles, "course/"+folder)
	if err != nil {
		return nil, err
	}
	wrong := &problems{}
	return read(files, folder, wrong), wrong.err()
}

// Missing are the keys that only English has words for, sorted.
func (w Words) Missing() []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(w.english)) {
		if _, there := w.own[key]; !there {
			keys = append(keys, key)
		}
	}
	return keys
}
