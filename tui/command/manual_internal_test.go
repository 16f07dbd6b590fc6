package command

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryVerbHasAPageOfHelpWithAnExampleThatParses(t *testing.T) {
	names := Names()
	for _, v := range All() {
		page, ok := manual[v.Name]
		if !ok || page.text == "" || len(page.examples) == 0 {
			t.Errorf("%s has no page of help", v.Name)
		}
		if strings.HasSuffix(v.Does, ".") || v.Does == "" || len(v.Does) > 90 {
			t.Errorf("%s: %q is no short phrase", v.Name, v.Does)
		}
		for _, example := range page.examples {
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
