package lesson

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// sourcesFile is where the claims of a lesson can be read in the source of Kubernetes. A lesson may have none.
const sourcesFile = "sources.yaml"

// Source is a claim of a page, and the place in the source of Kubernetes that makes it true.
type Source struct {
	Lesson, Page string
	Claim        string // words of the English page
	Release      string // such as 1.37
	File         string // from the root of kubernetes/kubernetes
	Name         string // what the file declares: a function, as Name or Type.Name, a type, a constant or a variable
}

// sourceEntry is a Source as it is written.
type sourceEntry struct {
	Says word   `yaml:"says"`
	At   []word `yaml:"at"` // RELEASE FILE NAME
}

// Sources are the claims of the lesson with their places, page by page.
func (l *Lesson) Sources() []Source { return l.sources }

// readSources reads the places of the claims, and holds each claim to the words of its page.
func (l *Lesson) readSources(wrong *problems) {
	at := l.path + "/" + sourcesFile
	data, err := fs.ReadFile(l.files, sourcesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		wrong.at(at, 0).Errorf("%w", disk.Bare(err))
		return
	}
	pages := map[string][]sourceEntry{}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&pages); err != nil {
		for _, one := range complaints(err) {
			wrong.all = append(wrong.all, phrase.Errorf("%s %w", at, one))
		}
		return
	}
	for _, p := range l.pages {
		for _, e := range pages[p.id] {
			l.takeSource(&p, &e, at, wrong)
		}
		delete(pages, p.id)
	}
	for _, id := range slices.Sorted(maps.Keys(pages)) {
		if entries := pages[id]; len(entries) > 0 {
			wrong.at(at, entries[0].Says.line).Errorf("page %s is not in %s", id, bookFile)
		}
	}
}

func (l *Lesson) takeSource(p *page, e *sourceEntry, at string, wrong *problems) {
	if text := l.texts[English]; text != nil && text.pages[p.id] != nil && !text.pages[p.id].says(e.Says.text) {
		wrong.at(at, e.Says.line).Errorf("page %s does not say %q", p.id, e.Says.text)
	}
	if len(e.At) == 0 {
		wrong.at(at, e.Says.line).Errorf("%q has no place (want: at: [RELEASE FILE NAME])", e.Says.text)
	}
	for _, place := range e.At {
		parts := strings.Fields(place.text)
		if len(parts) != 3 {
			wrong.at(at, place.line).Errorf("%q is no place (want: RELEASE FILE NAME)", place.text)
			continue
		}
		l.sources = append(l.sources, Source{l.Name, p.id, e.Says.text, parts[0], parts[1], parts[2]})
	}
}

// says reports whether some words stand on the page, however its lines are broken.
func (s *sheet) says(words string) bool {
	return slices.ContainsFunc(s.all(), func(p para) bool {
		return words != "" && strings.Contains(marks.Replace(inOneLine(p.text)), marks.Replace(words))
	})
}

// SourcesMarkdown is all claims of a course with their places, as a page.
func (c Course) SourcesMarkdown() string {
	var b strings.Builder
	b.WriteString("# Where the course has it from\n\n" +
		"What the lessons state, and where Kubernetes' source has it: a file from the root of kubernetes/kubernetes, and\n" +
		"what it declares. Made from `sources.yaml` of each lesson; a test of `conformance` opens the sources.\n")
	for i, l := range c {
		if len(l.sources) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %d %s\n\n", i+1, l.Name)
		b.WriteString("| page | the claim | release | file | declares |\n|---|---|---|---|---|\n")
		for _, s := range l.sources {
			claim := strings.ReplaceAll(marks.Replace(s.Claim), "|", "\\|")
			fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | `%s` |\n", s.Page, claim, s.Release, s.File, s.Name)
		}
	}
	return b.String()
}
