package words

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/text/language"
	"golang.org/x/text/message/catalog"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Language is what a person reads, as the name of its folder here, such as "zh". A value of it goes where texts are
// made: two people in one process may read two languages.
type Language string

// English is what the program is written in: a text is its own key, and there is no folder.
const English Language = ""

// translations are a folder for each language, and in it any number of files from English texts to its own.
//
//go:embed zh
var translations embed.FS

// Languages are those the program speaks, English first.
func Languages() []Language {
	folders, _ := fs.ReadDir(translations, ".")
	all := []Language{English}
	for _, f := range folders {
		all = append(all, Language(f.Name()))
	}
	return all
}

// String is the tag by which a person names the language.
func (l Language) String() string {
	if l == English {
		return "en"
	}
	return string(l)
}

// LanguageNamed is the language of a tag such as "zh" or "en".
func LanguageNamed(tag string) (Language, error) {
	var tags []string
	for _, l := range Languages() {
		if l.String() == tag {
			return l, nil
		}
		tags = append(tags, l.String())
	}
	return English, fmt.Errorf("%q is no language that schedstep speaks (use one of %s)", tag, strings.Join(tags, ", "))
}

// LanguageIn is the language of a tag; English where schedstep does not speak it. A folder of lessons may have
// languages of its own.
func LanguageIn(tag string) Language {
	l, err := LanguageNamed(tag)
	if err != nil {
		return English
	}
	return l
}

// LanguageOf is the language that the environment sets, as POSIX orders its variables; English where schedstep has no
// translation into it.
func LanguageOf(environment func(name string) string) Language {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := strings.ToLower(environment(name)); locale != "" {
			at := slices.IndexFunc(Languages(), func(l Language) bool {
				return l != English && strings.HasPrefix(locale, string(l))
			})
			return Languages()[max(at, 0)]
		}
	}
	return English
}

// Translation is the content of the files of a language, by English text.
func (l Language) Translation() (map[string]string, error) {
	all := map[string]string{}
	files, err := fs.Glob(translations, path.Join(string(l), "*.yaml"))
	if err != nil || l == English {
		return all, err
	}
	for _, f := range files {
		here, err := l.translationIn(path.Base(f))
		if err != nil {
			return nil, err
		}
		for english, own := range here {
			if _, twice := all[english]; twice {
				return nil, fmt.Errorf("%s: %q has a translation in another file too", f, english)
			}
			all[english] = own
		}
	}
	return all, nil
}

// translationIn is the content of one file of a language.
func (l Language) translationIn(file string) (map[string]string, error) {
	name := path.Join(string(l), file)
	text, err := translations.ReadFile(name)
	if err != nil {
		return nil, err
	}
	here := map[string]string{}
	if err := yaml.UnmarshalStrict(text, &here); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return here, nil
}

// spoken is the catalogue of all languages. The files are part of the program, so a bad one is a mistake in it.
var spoken = sync.OnceValue(func() *catalog.Builder {
	all := catalog.NewBuilder(catalog.Fallback(language.English))
	for l, tag := range tags() {
		texts, err := l.Translation()
		for english, own := range texts {
			err = errors.Join(err, all.SetString(tag, english, own))
		}
		if err != nil {
			panic(fmt.Errorf("words in %s: %w", l, err))
		}
	}
	return all
})

// tags are what golang.org/x/text calls the languages: it takes long to read a tag, and each text needs one.
var tags = sync.OnceValue(func() map[Language]language.Tag {
	all := map[Language]language.Tag{}
	for _, l := range Languages() {
		all[l] = language.Make(l.String())
	}
	return all
})

// heard receives the text that a catalogue finds. Its blanks are filled by fmt: numbers look alike in every language.
type heard struct{ text string }

// Render takes the text.
func (h *heard) Render(text string) { h.text = text }

// Arg is for texts that choose a form by an argument; there are none here.
func (h *heard) Arg(int) any { return nil }

// Of is a text without blanks in the language; English where there is none.
func (l Language) Of(text string) string {
	if l == English {
		return text
	}
	var h heard
	if err := spoken().Context(tags()[l], &h).Execute(text); err != nil {
		return text
	}
	return h.text
}

// Each is every one of some texts in the language, such as the titles of a table.
func (l Language) Each(texts ...string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = l.Of(text)
	}
	return all
}

// Say is a text in the language with its blanks filled in. Values that are strings are in the language already; phrases
// and errors are translated.
func (l Language) Say(text string, values ...any) string {
	if l == English {
		return fmt.Sprintf(text, values...)
	}
	own := l.Of(text)
	return spaced(fmt.Sprintf(own, l.own(values)...))
}

// Errorf is an error whose words are in the language.
func (l Language) Errorf(text string, values ...any) error {
	english := fmt.Errorf(text, values...)
	if l == English {
		return english
	}
	return spokenError{l.Tell(phrase.Phrase{Format: text, Values: values}), english}
}

// spokenError is an error in the language of a person, which wraps what the English one wraps.
type spokenError struct {
	text    string
	english error
}

func (e spokenError) Error() string { return e.text }
func (e spokenError) Unwrap() error { return e.english }

// wraps is the verb of an error in a format.
var wraps = regexp.MustCompile(`%(\[\d+\])?w`)

// Tell translates a phrase.
func (l Language) Tell(p phrase.Phrase) string {
	if l == English || p.IsZero() {
		return p.String()
	}
	if len(p.Values) == 0 {
		return l.Of(p.Format)
	}
	own := wraps.ReplaceAllString(l.Of(p.Format), "%${1}v")
	return spaced(fmt.Sprintf(own, l.own(p.Values)...))
}

// Render translates whatever has a phrase: a text of data, a fact, a value of evidence.
func (l Language) Render(said interface{ Phrase() phrase.Phrase }) string {
	return l.Tell(said.Phrase())
}

// own has those of the values in the language that can be.
func (l Language) own(values []any) []any {
	all := slices.Clone(values)
	for i, v := range all {
		switch v := v.(type) {
		case error:
			all[i] = l.Error(v)
		case interface{ Phrase() phrase.Phrase }: // a Phrase, a Text, a fact, a value of evidence
			all[i] = l.Tell(v.Phrase())
		}
	}
	return all
}

// Error is the text of an error in the language. The words of other libraries, around it and within it, stay as they
// are.
func (l Language) Error(err error) string {
	if l == English {
		return err.Error()
	}
	switch e := any(err).(type) { // only the outermost; what it wraps follows
	case spokenError:
		return e.text
	case interface{ Phrase() phrase.Phrase }:
		return l.Tell(e.Phrase())
	case syscall.Errno:
		return l.Of(e.Error())
	}
	text := err.Error()
	for _, inner := range wrapped(err) {
		english := inner.Error()
		if at := strings.LastIndex(text, english); at >= 0 && english != "" {
			text = text[:at] + l.Error(inner) + text[at+len(english):]
		}
	}
	return text
}

// wrapped are the errors that an error wraps.
func wrapped(err error) []error {
	switch e := any(err).(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return []error{inner}
		}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}

// Count is a number with its noun, whose plural has an s: "1 node", "3 nodes".
func (l Language) Count(n int, noun string) string { return l.CountOf(n, noun, noun+"s") }

// CountOf is Count with a plural of its own. The translation is that of "%d " and the plural.
func (l Language) CountOf(n int, one, many string) string {
	text := "%d " + many
	own := l.Of(text)
	if own == text {
		return CountOf(n, one, many)
	}
	return fmt.Sprintf(own, n)
}

// Sentence is a format with one verb for the number: one for 1, many for any other.
func (l Language) Sentence(n int, one, many string) string {
	return Sentence(n, l.Of(one), l.Of(many))
}
