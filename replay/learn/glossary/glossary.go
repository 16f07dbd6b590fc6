// Package glossary lists where kube-scheduler does what, release by release: files and functions as data, and words for
// each in every language there is. It reads no source; a test in conformance compares it with the source of the newest
// release.
package glossary

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/lesson"
)

//go:embed places.yaml terms.yaml words/*.yaml
var files embed.FS

// release is a release of kube-scheduler that the glossary is about.
type release struct {
	Name string `json:"name"`
	Read string `json:"read"` // the version whose source was read
}

// entry is one thing that kube-scheduler does.
type entry struct {
	Name   string   `json:"name"`
	Phase  string   `json:"phase"`  // the step of a cycle that it is; "": none
	Places []string `json:"places"` // release by release: FILE FUNCTION, or a folder; "": there was no such thing
	Lesson string   `json:"lesson"` // which teaches it
}

// Glossary is entries in the order of a cycle, and the words of a language.
type Glossary struct {
	Releases []release `json:"releases"` // the oldest first
	Entries  []entry   `json:"entries"`

	words, english map[string]string
}

// In is the glossary in a language.
func In(language string) *Glossary {
	g := &Glossary{}
	mustRead("places.yaml", g)
	g.words, g.english = map[string]string{}, map[string]string{}
	mustRead("words/"+lesson.English+".yaml", &g.english)
	if _, err := files.ReadFile("words/" + language + ".yaml"); err == nil {
		mustRead("words/"+language+".yaml", &g.words)
	}
	return g
}

// mustRead reads a file that comes along; the tests read them all.
func mustRead(name string, into any) {
	data, err := files.ReadFile(name)
	if err == nil {
		err = yaml.UnmarshalStrict(data, into)
	}
	if err != nil {
		panic(phrase.Errorf("glossary/%s: %w", name, err))
	}
}

// say returns a text by its key.
func (g *Glossary) say(key string) string {
	if text, there := g.words[key]; there {
		return text
	}
	return g.english[key]
}

// term is what an entry is called, and a sentence about it.
func (g *Glossary) term(e entry) (title, about string) {
	title, about, _ = strings.Cut(g.say(e.Name), ": ")
	return title, about
}

// Missing are the keys that only English has words for, and the entries that have a name and no sentence, sorted.
func (g *Glossary) Missing() []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(g.english)) {
		text, there := g.words[key]
		if title, about, _ := strings.Cut(text, ": "); !there || key[0] != '+' && (title == "" || about == "") {
			keys = append(keys, key)
		}
	}
	return keys
}

// Lines are the entries that have a text in them, as lines of plain text; all for "". The name of a step, such as
// Filter, means that step alone. None has it: no lines.
func (g *Glossary) Lines(text string) []string {
	step := slices.ContainsFunc(g.Entries, func(e entry) bool { return isStep(e, text) })
	var lines []string
	for _, e := range g.Entries {
		if step && !isStep(e, text) || !g.has(e, text) {
			continue
		}
		title, about := g.term(e)
		lines = append(lines, fmt.Sprintf(g.say("+line"), title, about))
		for i := len(e.Places) - 1; i >= 0; i-- {
			if e.Places[i] != "" {
				lines = append(lines, fmt.Sprintf("  %-5s %s", g.Releases[i].Name, e.Places[i]))
			}
		}
	}
	return lines
}

func isStep(e entry, text string) bool { return e.Phase != "" && strings.EqualFold(e.Phase, text) }

// has reports whether a text is in an entry, in small letters or large ones.
func (g *Glossary) has(e entry, text string) bool {
	title, about := g.term(e)
	all := strings.Join(append([]string{title, about, e.Phase}, e.Places...), "\n")
	return strings.Contains(strings.ToLower(all), strings.ToLower(text))
}

// Markdown is the glossary as a page.
func (g *Glossary) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n", g.say("+title"), g.say("+about"), g.say("+made"))
	for _, e := range g.Entries {
		title, about := g.term(e)
		fmt.Fprintf(&b, "\n## %s\n\n%s", title, about)
		if e.Lesson != "" {
			fmt.Fprintf(&b, " (`schedstep learn %s`)", e.Lesson)
		}
		b.WriteString("\n\n|  | file | function |\n|---|---|---|\n")
		for i := len(e.Places) - 1; i >= 0; i-- {
			file, function, _ := strings.Cut(e.Places[i], " ")
			if file == "" {
				file, function = g.say("+none"), ""
			} else {
				file = "[" + file + "](https://github.com/kubernetes/kubernetes/tree/" + g.Releases[i].Read + "/" + file + ")"
			}
			if function != "" {
				function = "`" + function + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", g.Releases[i].Name, file, function)
		}
	}
	return b.String()
}
