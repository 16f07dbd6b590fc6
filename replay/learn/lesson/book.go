package lesson

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/session"
)

// bookFile is what a lesson is, besides its words: the pages in their order, and the tasks.
const bookFile = "lesson.yaml"

// book is bookFile as it is written.
type book struct {
	Scene   word        `yaml:"scene"`   // of every page that begins anew and names no other
	Minutes word        `yaml:"minutes"` // that a capstone is meant to take
	Pages   []pageEntry `yaml:"pages"`
}

type pageEntry struct {
	Page  word       `yaml:"page"`
	Scene word       `yaml:"scene"` // begins anew with this scene; a task always begins anew
	Begin []word     `yaml:"begin"`
	Task  *taskEntry `yaml:"task"`
}

type taskEntry struct {
	Checks   checkList `yaml:"checks"`
	Kept     checkList `yaml:"kept"` // checks that must hold after every line
	Solution []word    `yaml:"solution"`
	Keys     word      `yaml:"keys"`
	Wrong    [][]word  `yaml:"wrong"`
	Unit     word      `yaml:"unit"` // of the answer
}

// word is a text with the line it is on.
type word struct {
	text string
	line int
}

// UnmarshalYAML keeps the line.
func (w *word) UnmarshalYAML(n *yaml.Node) error {
	w.line = n.Line
	if n.Kind != yaml.ScalarNode {
		return phrase.Errorf("line %d: a text is wanted here", n.Line)
	}
	w.text = n.Value
	return nil
}

// checkList is a map that keeps its order and its lines.
type checkList []struct{ id, holds word }

// UnmarshalYAML keeps the order.
func (l *checkList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return phrase.Errorf("line %d: checks are NAME: EXPRESSION, line by line", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		var c struct{ id, holds word }
		if err := errors.Join(c.id.UnmarshalYAML(n.Content[i]), c.holds.UnmarshalYAML(n.Content[i+1])); err != nil {
			return err
		}
		*l = append(*l, c)
	}
	return nil
}

// read reads one lesson; nil where it makes no sense.
func read(files fs.FS, folder string, wrong *problems) *Lesson {
	before := len(wrong.all)
	at := folder + "/" + bookFile
	data, err := fs.ReadFile(files, bookFile)
	if err != nil {
		wrong.at(at, 0).Errorf("%w", disk.Bare(err))
		return nil
	}
	var b book
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&b); err != nil {
		for _, one := range complaints(err) {
			wrong.all = append(wrong.all, phrase.Errorf("%s %w", at, one))
		}
		return nil
	}
	l := &Lesson{Name: nameOf(folder), files: files, path: folder, texts: map[string]*text{}}
	if text := b.Minutes.text; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostMinutes {
			wrong.at(at, b.Minutes.line).Errorf("minutes: %q is no number from 1 to %d", text, mostMinutes)
		}
		l.minutes = n
	}
	l.takePages(&b, at, wrong)
	l.readTexts(wrong)
	l.readSources(wrong)
	if len(wrong.all) > before {
		return nil
	}
	return l
}

// mostMinutes is a day's work.
const mostMinutes = 480

// nameOf is the name of the lesson in a folder: the folder's without the number before it.
func nameOf(folder string) string {
	if _, name, numbered := strings.Cut(folder, "-"); numbered && digits.MatchString(folder) {
		return name
	}
	return folder
}

var digits = regexp.MustCompile(`^[0-9]+-`)

// complaints are those of the YAML reader, each of which begins with its line.
func complaints(err error) []error {
	var own *phrase.Error
	if errors.As(err, &own) {
		return []error{own}
	}
	var many *yaml.TypeError
	if !errors.As(err, &many) {
		return []error{errors.New(strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	var all []error
	for _, one := range many.Errors {
		all = append(all, errors.New(ownTypes.ReplaceAllString(one, "is not known here")))
	}
	return all
}

// ownTypes is how the YAML reader names our types.
var ownTypes = regexp.MustCompile(`not found in type lesson\.\w+`)

func (l *Lesson) takePages(b *book, at string, wrong *problems) {
	if b.Scene.text == "" {
		wrong.at(at, 1).Errorf("it has no scene (want: scene: FILE.txt, a scenario beside it)")
		return
	}
	if len(b.Pages) == 0 {
		wrong.at(at, b.Scene.line).Errorf("it has no pages (want: pages: [{page: NAME}])")
	}
	seen := map[string]int{}
	for i, e := range b.Pages {
		if e.Page.text == "" {
			wrong.at(at, max(e.Scene.line, b.Scene.line)).Errorf("page %d has no name (want: page: NAME)", i+1)
			continue
		}
		if first, twice := seen[e.Page.text]; twice {
			wrong.at(at, e.Page.line).Errorf("page %s is on line %d already", e.Page.text, first)
		}
		seen[e.Page.text] = e.Page.line
		p := page{id: e.Page.text, line: e.Page.line, scene: e.Scene.text, begin: linesOf(e.Begin)}
		if p.scene == "" && (i == 0 || e.Task != nil || len(e.Begin) > 0) {
			p.scene = b.Scene.text
		}
		if e.Task != nil {
			p.task = taskOf(e.Task, at, e.Page, wrong)
		}
		if p.scene != "" {
			if _, err := fs.Stat(l.files, p.scene); err != nil {
				wrong.at(at, max(e.Scene.line, b.Scene.line)).Errorf("scene %s: %w", p.scene, disk.Bare(err))
			}
		}
		l.pages = append(l.pages, p)
	}
}

func linesOf(words []word) []string {
	var lines []string
	for _, w := range words {
		lines = append(lines, w.text)
	}
	return lines
}

func placed(words []word) []line {
	var lines []line
	for _, w := range words {
		lines = append(lines, line{w.text, w.line})
	}
	return lines
}

// leastWrong is how many plausible wrong runs a task must have: they hold its checks to be neither too weak nor passed
// by accident.
const leastWrong = 3

func taskOf(e *taskEntry, at string, of word, wrong *problems) *task {
	t := &task{line: of.line, keys: e.Keys.text, solution: placed(e.Solution), unit: e.Unit.text}
	if _, span := spans[t.unit]; t.unit != "" && units[t.unit] == nil && !span {
		wrong.at(at, e.Unit.line).Errorf("there is no unit %q (one of %s)", t.unit, strings.Join(unitNames(), ", "))
	}
	for i, c := range slices.Concat(e.Checks, e.Kept) {
		holds, err := session.ParseExpression(c.holds.text)
		switch {
		case err != nil:
			wrong.at(at, c.holds.line).Errorf("check %s: %w", c.id.text, err)
		case !holds.IsTruth():
			wrong.at(at, c.holds.line).Errorf("check %s: %q is not true or false", c.id.text, c.holds.text)
		case slices.ContainsFunc(t.checks, func(o check) bool { return o.id == c.id.text }):
			wrong.at(at, c.id.line).Errorf("check %s is there twice", c.id.text)
		default:
			t.checks = append(t.checks, check{c.id.text, c.id.line, holds, i >= len(e.Checks)})
		}
	}
	if len(e.Checks) == 0 {
		wrong.at(at, of.line).Errorf("the task of page %s has no checks", of.text)
	}
	if len(e.Solution) == 0 {
		wrong.at(at, of.line).Errorf("the task of page %s has no solution", of.text)
	}
	if len(e.Wrong) < leastWrong {
		wrong.at(at, of.line).Errorf("the task of page %s has %d wrong runs, and needs %d: what a learner may well try first",
			of.text, len(e.Wrong), leastWrong)
	}
	t.wrong = wrongRuns(e.Wrong, at, of, wrong)
	return t
}

// wrongRuns are those of a task. No two are the same.
func wrongRuns(all [][]word, at string, of word, wrong *problems) []run {
	var runs []run
	for _, r := range all {
		if len(r) == 0 {
			wrong.at(at, of.line).Errorf("a wrong run of page %s does nothing", of.text)
			continue
		}
		next := run{r[0].line, placed(r)}
		for _, other := range runs {
			if slices.EqualFunc(next.lines, other.lines, func(a, b line) bool { return a.text == b.text }) {
				wrong.at(at, next.at).Errorf("this wrong run of page %s is the same as that of line %d", of.text, other.at)
			}
		}
		runs = append(runs, next)
	}
	return runs
}

// readTexts reads the words in every language there is, and holds them to the pages.
func (l *Lesson) readTexts(wrong *problems) {
	found, _ := fs.Glob(l.files, "*.md")
	for _, name := range found {
		data, err := fs.ReadFile(l.files, name)
		if err != nil {
			wrong.at(l.path+"/"+name, 0).Errorf("%w", disk.Bare(err))
			continue
		}
		t := readText(l.path+"/"+name, string(data), wrong)
		l.texts[strings.TrimSuffix(name, ".md")] = t
		l.compare(t, wrong)
	}
	if l.texts[English] == nil {
		wrong.at(l.path+"/"+English+".md", 0).Errorf("it is missing: every lesson has its words in English")
	}
}

// compare finds pages, tasks and checks without words, and words without these.
func (l *Lesson) compare(t *text, wrong *problems) {
	for _, p := range l.pages {
		s, there := t.pages[p.id]
		if !there {
			wrong.at(t.file, 1).Errorf("page %s is missing (%s/%s line %d; want: ## %s: TITLE)",
				p.id, l.path, bookFile, p.line, p.id)
			continue
		}
		if len(s.body) == 0 {
			wrong.at(t.file, s.line).Errorf("page %s says nothing", p.id)
		}
		if p.task == nil {
			if len(s.task)+len(s.wants)+len(s.hints)+len(s.done) > 0 {
				wrong.at(t.file, s.line).Errorf("page %s has words for a task, and %s has no task for it", p.id, bookFile)
			}
			continue
		}
		l.compareTask(t, &p, s, wrong)
	}
	for _, id := range slices.Sorted(maps.Keys(t.pages)) {
		s := t.pages[id]
		if !slices.ContainsFunc(l.pages, func(p page) bool { return p.id == id }) {
			wrong.at(t.file, s.line).Errorf("page %s is not in %s", id, bookFile)
		}
	}
}

func (l *Lesson) compareTask(t *text, p *page, s *sheet, wrong *problems) {
	if len(s.task) == 0 {
		wrong.at(t.file, s.line).Errorf("page %s does not say what the task is (want: ### task)", p.id)
	}
	if len(s.hints) == 0 {
		wrong.at(t.file, s.line).Errorf("page %s has no hint (want: ### hint)", p.id)
	}
	for _, c := range p.task.checks {
		if _, there := s.wants[c.id]; !there {
			wrong.at(t.file, s.line).Errorf("page %s does not say what check %s asks for (want below ### task: - %s: ...)", p.id,
				c.id, c.id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.wants)) {
		w := s.wants[id]
		if !slices.ContainsFunc(p.task.checks, func(c check) bool { return c.id == id }) {
			wrong.at(t.file, w.line).Errorf("the task of page %s has no check %s", p.id, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.broken)) {
		if !slices.ContainsFunc(p.task.checks, func(c check) bool { return c.id == id }) {
			wrong.at(t.file, s.line).Errorf("the task of page %s has no check %s", p.id, id)
		}
	}
	for _, r := range s.reasons {
		if !p.task.asksForAnswer() {
			wrong.at(t.file, r.line).Errorf("the task of page %s asks no question", p.id)
		}
	}
}
