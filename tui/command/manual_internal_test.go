package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
)

func TestEveryVerbHasAPageOfHelpWithAnExampleThatParses(t *testing.T) {
	names := Names()
	for _, v := range All() {
		if v.manual() == "" || len(v.examples()) == 0 {
			t.Errorf("%s has no page of help", v.Name)
		}
		if strings.HasSuffix(v.Does, ".") || v.Does == "" || len(v.Does) > 90 {
			t.Errorf("%s: %q is no short phrase", v.Name, v.Does)
		}
		for _, example := range v.examples() {
			if parsed, _, err := Parse(example); err != nil || parsed.Name != v.Name {
				t.Errorf("%s: the example %q is of %q (%v)", v.Name, example, parsed.Name, err)
			}
		}
	}
	for name := range manual {
		if !slices.Contains(names, name) {
			t.Errorf("help has a page about %s, which is no command", name)
		}
	}
}

// TestEveryEditHasAVerb would fail for a row of the table of edits that is made by no verb.
func TestEveryEditHasAVerb(t *testing.T) {
	for _, row := range session.EditKinds() {
		verb, word, isSet := strings.Cut(row.Verb, " ")
		if _, err := Named(verb); err != nil {
			t.Errorf("the edit %s: %v", row.Name, err)
		}
		if _, known := settings[word]; isSet && !known {
			t.Errorf("the edit %s: set does not take %q", row.Name, word)
		}
	}
	for word := range settings {
		if !slices.Contains(settingWords(), word) {
			t.Errorf("set takes %q, which no edit has", word)
		}
	}
}

func TestNoWordMeansTwoVerbs(t *testing.T) {
	owner := map[string]string{}
	for _, v := range All() {
		for _, word := range append([]string{v.Name}, v.Aliases...) {
			if other, taken := owner[word]; taken {
				t.Errorf("%q means %s and %s", word, other, v.Name)
			}
			owner[word] = v.Name
		}
	}
}
