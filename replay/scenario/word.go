package scenario

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// word is a row of a table: one key=value of a command, and what it does to the T that the command is about.
type word[T any] struct {
	name  string
	value string // its form, as the manual shows it; "" for a word that stands alone
	does  string
	many  bool     // may be given several times; what an update gives takes the place of what was there
	late  bool     // done after admission, which would refuse or overwrite it
	clear func(*T) // before the first of a word that may be repeated
	read  func(value string) (func(*T), error)
}

// changes are what the words of one command do, in order.
type changes[T any] struct{ early, late []func(*T) }

// readWords turns words into changes; find knows the table.
func readWords[T any](words []token, table []word[T], other func(key string) (word[T], bool)) (changes[T], []problem) {
	var out changes[T]
	var wrong []problem
	seen := map[string]bool{}
	for _, w := range words {
		key, value, has := strings.Cut(w.text, "=")
		row, known := rowOf(table, key, other)
		switch {
		case !known:
			wrong = append(wrong, problem{w.line, phrase.Textf("unknown word %q%s", key, spelling.Hint(key, names(table)))})
			continue
		case seen[key] && !row.many:
			wrong = append(wrong, problem{w.line, phrase.Textf("%q is said twice", key)})
			continue
		case !has && row.value != "":
			wrong = append(wrong, problem{w.line, phrase.Textf("%q has no value (want %s=%s)", key, key, row.value)})
			continue
		}
		change, err := row.read(value)
		if err != nil {
			wrong = append(wrong, problem{w.line, phrase.Textf("%s: %s", key, err)})
			continue
		}
		list := &out.early
		if row.late {
			list = &out.late
		}
		if row.clear != nil && !seen[key] {
			*list = append(*list, row.clear)
		}
		seen[key] = true
		*list = append(*list, change)
	}
	return out, wrong
}

// problem is what is wrong in a line.
type problem struct {
	line int
	what phrase.Text
}

func rowOf[T any](table []word[T], key string, other func(key string) (word[T], bool)) (word[T], bool) {
	for _, row := range table {
		if row.name == key {
			return row, true
		}
	}
	if other != nil {
		return other(key)
	}
	return word[T]{}, false
}

func names[T any](table []word[T]) []string {
	out := make([]string, len(table))
	for i, row := range table {
		out[i] = row.name
	}
	return out
}

// form is how the manual shows the word.
func (w word[T]) form() string {
	if w.value == "" {
		return w.name
	}
	return w.name + "=" + w.value
}
