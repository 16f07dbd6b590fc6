package words_test

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/words"
)

// TestEveryTextIsSaidInEveryLanguage names, for each language, the texts of the source without a translation, the
// translations that no code uses, and those whose blanks are others than the text's.
func TestEveryTextIsSaidInEveryLanguage(t *testing.T) {
	all := texts(t)
	for story, at := range stories(t) {
		all[story] = at
	}
	for _, l := range words.Languages()[1:] {
		data := heard(t, l)
		own, err := l.Translation()
		if err != nil {
			t.Fatal(err)
		}
		var missing []string
		for text, at := range all {
			if _, there := own[text]; !there {
				missing = append(missing, fmt.Sprintf("%s: %s has no words for %s", at, l, strconv.Quote(text)))
			}
		}
		for text, said := range own {
			if _, used := all[text]; !used && !data[text] {
				missing = append(missing, fmt.Sprintf("%s: nothing says %s", l, strconv.Quote(text)))
			}
			if a, b := blanks(text), blanks(said); !slices.Equal(a, b) {
				missing = append(missing, fmt.Sprintf("%s: %s has the blanks %q, its translation %q", l, strconv.Quote(text), a, b))
			}
		}
		slices.Sort(missing)
		if len(missing) > 0 {
			t.Error(strings.Join(missing, "\n"))
		}
	}
}

// stories are the summaries of the demos, in the first line of each.
func stories(t *testing.T) map[string]token.Position {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "replay", "source", "demo", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d demos: %v", len(files), err)
	}
	all := map[string]token.Position{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		all[strings.TrimPrefix(first, "# ")] = token.Position{Filename: file, Line: 1}
	}
	return all
}

// heard are the sentences of data, which the packages below make without a language. That none is missing and none is
// too many is held where data is played.
func heard(t *testing.T, l words.Language) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(string(l) + "/sentences.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all, keys := map[string]string{}, map[string]bool{}
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for key := range all {
		keys[key] = true
	}
	return keys
}

// blanks are the verbs of a text by the value they stand for, in the order of the values.
func blanks(text string) []string {
	var all []string
	next := 1
	for _, verb := range blank.FindAllString(text, -1) {
		if strings.HasSuffix(verb, "%") {
			continue
		}
		kind := verb[len(verb)-1:]
		if at := strings.IndexByte(verb, '['); at >= 0 {
			next, _ = strconv.Atoi(verb[at+1 : strings.IndexByte(verb, ']')])
		}
		all = append(all, fmt.Sprintf("%d%s", next, kind))
		next++
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// What fills a blank may end with a letter or with a Han character; the translation around it has one form.
func TestASpaceStandsBetweenLettersAndHan(t *testing.T) {
	zh := words.LanguageIn("zh")
	for filled, want := range map[string]string{
		"4 个 Pod": "4 个 Pod 中 2 个放得下", "4 个节点": "4 个节点中 2 个放得下", "50%": "50%中 2 个放得下",
	} {
		if said := zh.Say("%d of %s fit", 2, filled); said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
	if said := words.English.Say("%d of %s fit", 2, "四nodes"); said != "2 of 四nodes fit" {
		t.Errorf("English changes what it is given: %q", said)
	}
}

// TestAClaimHasOneWord holds the word that docs/terms.md decides: what asks for a volume or a device is no declaration.
func TestAClaimHasOneWord(t *testing.T) {
	own, err := words.Languages()[1].Translation()
	if err != nil {
		t.Fatal(err)
	}
	claim, seen := regexp.MustCompile(`(?i)\bclaims?\b`), 0
	for text, said := range own {
		if !claim.MatchString(text) {
			continue
		}
		if seen++; strings.Contains(said, "声明") {
			t.Errorf("%q is %q: a claim is 申领", text, said)
		}
	}
	if seen < 10 {
		t.Errorf("%d texts have a claim", seen)
	}
}
