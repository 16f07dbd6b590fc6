// Package lesson is courses as data: a scene in the language of scenarios, pages of prose, tasks with checks, hints and
// a solution. It reads them strictly, leads a learner through one, and finds what is wrong with one. It draws nothing;
// its caller carries out the verbs of the debugger.
package lesson

import (
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/session"
)

// Lesson is a folder of a course that makes sense.
type Lesson struct {
	Name    string // of the folder, without the number before it
	texts   map[string]*text
	pages   []page
	minutes int // that a capstone is meant to take; 0: it is a lesson
	sources []Source
	files   fs.FS
	path    string // of the folder, as errors call it
}

// page is a page without its words.
type page struct {
	id    string
	line  int      // of lesson.yaml
	scene string   // the file of the scene that it begins anew with; "": it goes on with what is there
	begin []string // lines to carry out when it is opened
	task  *task    // nil: it is only to be read
}

// task is what a learner is to reach.
type task struct {
	line     int
	checks   []check
	solution []line
	keys     string // the same on the screen; "": the lesson has none
	wrong    []run
	unit     string // of the answer; "": it has none
}

// check is one thing that must hold when the task is done.
type check struct {
	id    string
	line  int
	holds *session.Expression
	kept  bool // it must have held after every line that was carried out
}

// line is a line to carry out, with where it is written.
type line struct {
	text string
	at   int
}

// run is lines that a learner might try.
type run struct {
	at    int
	lines []line
}

// asksForAnswer reports whether a check of the task looks at what was answered.
func (t *task) asksForAnswer() bool {
	return slices.ContainsFunc(t.checks, func(c check) bool { return c.holds.Mentions("answer") })
}

// Course is lessons in their order.
type Course []*Lesson

// Read reads every folder of a course, in the order of their names. An error joins a sentence for each mistake.
func Read(folder fs.FS, name string) (Course, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, phrase.Errorf("lessons %s: %w", name, err)
	}
	var all Course
	wrong := &problems{}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		files, err := fs.Sub(folder, e.Name())
		if err != nil {
			return nil, err
		}
		if l := read(files, e.Name(), wrong); l != nil {
			all = append(all, l)
		}
	}
	if len(all) == 0 && len(wrong.all) == 0 {
		return nil, phrase.Errorf("lessons %s: no folder with a %s is in it", name, bookFile)
	}
	return all, wrong.err()
}

// Find is the lesson that a person means by a number, counted from 1, or by a name.
func (c Course) Find(word string) (*Lesson, error) {
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(c) {
		return c[n-1], nil
	}
	for _, l := range c {
		if l.Name == word {
			return l, nil
		}
	}
	return nil, phrase.Errorf("there is no lesson %q%s (1 to %d, or %s)", word, spelling.Hint(word, c.Names()), len(c),
		strings.Join(c.Names(), ", "))
}

// Names are the names of the lessons.
func (c Course) Names() []string {
	var names []string
	for _, l := range c {
		names = append(names, l.Name)
	}
	return names
}

// After is the lesson after another; nil: it is the last.
func (c Course) After(l *Lesson) *Lesson {
	if i := slices.Index(c, l); i >= 0 && i+1 < len(c) {
		return c[i+1]
	}
	return nil
}

// Languages are those that there are words or a text of a lesson in. What is missing in one of them is in English.
func (c Course) Languages() []string {
	all := Languages()
	for _, l := range c {
		all = slices.AppendSeq(all, maps.Keys(l.texts))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Title is the title of the lesson in a language.
func (l *Lesson) Title(language string) string { return l.in(language).title }

// About is a sentence about it.
func (l *Lesson) About(language string) string { return l.in(language).about }

// Tasks are the names of the pages with a task.
func (l *Lesson) Tasks() []string {
	var ids []string
	for _, p := range l.pages {
		if p.task != nil {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// Minutes is how long a capstone is meant to take: a lesson of one broken cluster, with no verb named. 0: it is none.
func (l *Lesson) Minutes() int { return l.minutes }

// HasWords reports whether the lesson is written in a language. One that is not is shown in English.
func (l *Lesson) HasWords(language string) bool { return l.texts[language] != nil }

// in are the words of the lesson in a language, or where there are none in English.
func (l *Lesson) in(language string) *text {
	if t, there := l.texts[language]; there {
		return t
	}
	return l.texts[English]
}

// Script are the lines that read every page and do every task, from the first page on.
func (l *Lesson) Script() []string {
	var lines []string
	for i, p := range l.pages {
		if i > 0 {
			lines = append(lines, "page")
		}
		if p.task != nil {
			for _, s := range p.task.solution {
				lines = append(lines, s.text)
			}
		}
	}
	return lines
}
