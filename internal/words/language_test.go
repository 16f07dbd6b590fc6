package words_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/words"
)

// TestEveryTextIsSaidInEveryLanguage names, for each language, the texts of the source without a translation, the
// translations that nothing says, and those whose blanks are others than the text's.
func TestEveryTextIsSaidInEveryLanguage(t *testing.T) {
	all := texts(t)
	for _, l := range words.Languages()[1:] {
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
			if _, used := all[text]; !used {
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
