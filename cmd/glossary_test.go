package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/learn/glossary"
	"github.com/schedstep/schedstep/replay/learn/lesson"
)

// TestGlossaryIsAsThePageSays holds docs/glossary.md to the data, and every entry to a lesson that there is.
func TestGlossaryIsAsThePageSays(t *testing.T) {
	g := glossary.In(lesson.English)
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range g.Entries {
		if _, err := course.Find(e.Lesson); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if len(e.Places) != len(g.Releases) {
			t.Errorf("%s has %d places for %d releases", e.Name, len(e.Places), len(g.Releases))
		}
	}
	if lines := g.Lines("findNodesThatFit"); !strings.Contains(strings.Join(lines, "\n"), "1.10") {
		t.Errorf("nothing is found by the name of a function: %q", lines)
	}
	golden.Is(t, filepath.Join("..", "docs", "glossary.md"), g.Markdown())
}

// TestGlossaryPairsTheTermsOfTwoLanguages holds docs/terms.md to the data. A word means one thing in each language, and
// every word has a sentence in both.
func TestGlossaryPairsTheTermsOfTwoLanguages(t *testing.T) {
	terms := glossary.Terms()
	if len(terms) < 80 {
		t.Errorf("%d terms", len(terms))
	}
	seen := map[string]bool{}
	for _, term := range terms {
		english, chinese := term.Words()
		if seen[english] || seen[chinese] {
			t.Errorf("%s, %s: there are two of one of them", english, chinese)
		}
		seen[english], seen[chinese] = true, true
		if len(term.English) < len(english)+10 || !strings.HasSuffix(term.English, ".") {
			t.Errorf("no sentence: %s", term.English)
		}
		if len(term.Chinese) < len(chinese)+10 || !strings.HasSuffix(term.Chinese, "。") {
			t.Errorf("no sentence: %s", term.Chinese)
		}
	}
	golden.Is(t, filepath.Join("..", "docs", "terms.md"), glossary.TermsMarkdown())
}

func TestGlossaryFindsATermByEitherWord(t *testing.T) {
	for _, word := range []string{"backoff queue", "退避队列", "回退队列"} {
		for _, language := range []string{lesson.English, "zh"} {
			lines := glossary.TermLines(language, word)
			if len(lines) != 1 || !strings.Contains(lines[0], "backoff queue") || !strings.Contains(lines[0], "退避队列") {
				t.Errorf("%s in %s: %q", word, language, lines)
			}
		}
	}
}
