// Package spelling finds the word that was meant when another one was written. Every "did you mean" of schedstep comes
// from here, so that all of them are equally generous. It knows no words of its own.
package spelling

import (
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/schedstep/schedstep/internal/phrase"
)

// longest is the length of words that are compared at all: the price of a comparison is the product of two lengths, and
// no name that schedstep knows is longer.
const longest = 100

// Nearest is the known word that is the fewest edits away from the given one, the first of several; "" when none is
// near enough to be a slip of the finger. An edit inserts, deletes or replaces one letter; upper and lower case are the
// same. Near enough is one edit, and one more for every three letters: two neighbours that changed places, which are
// two edits, are found in a word of three letters.
func Nearest(word string, known []string) string {
	if len(word) > longest {
		return ""
	}
	lower := strings.ToLower(word)
	length := len([]rune(lower))
	best, fewest := "", min(length, 2+length/3)
	for _, candidate := range known {
		if len(candidate) > longest {
			continue
		}
		if d := levenshtein.ComputeDistance(lower, strings.ToLower(candidate)); d < fewest {
			best, fewest = candidate, d
		}
	}
	return best
}

// NearestName is Nearest for names of objects, with or without a namespace: a part of a name, its beginning or another,
// stands for the whole.
func NearestName(asked string, names []string) string {
	part := bare(asked)
	if part == "" {
		return ""
	}
	own := make([]string, len(names))
	for i, name := range names {
		if own[i] = bare(name); strings.Contains(own[i], part) {
			return name
		}
	}
	near := Nearest(part, own)
	for i, name := range names {
		if near != "" && own[i] == near {
			return name
		}
	}
	return ""
}

// bare is a name without its namespace.
func bare(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// Hint is ` (did you mean "x"?)` for the Nearest of the known words, to be put behind a sentence; nothing when none is
// near.
func Hint(word string, known []string) phrase.Phrase { return question(Nearest(word, known)) }

// HintName is Hint with NearestName.
func HintName(asked string, names []string) phrase.Phrase {
	return question(NearestName(asked, names))
}

func question(near string) phrase.Phrase {
	if near == "" {
		return phrase.Phrase{}
	}
	return phrase.New(" (did you mean %q?)", near)
}
