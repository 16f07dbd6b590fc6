package cmd

import (
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// textCells are the words of data that a person reads in the language where they stand in a table; in JSON they are
// English in every language. What is not among them is a name, of kube-scheduler or of an object.
var textCells = []string{
	// verdicts of comparisons, and what is compared
	"same", "agreed", "tied", "explained", "different", "host", "message", "event", "retry", "hosts", "messages",
	"events", "retries", "nothing", "none",
	// in which way a pod ends otherwise, and the cause
	"elsewhere", "gained", "lost", "evicted", "spared", "victims", "filter", "score", "gate", "tie", "search",
	"preemption", "words", "order", "unknown",
	// how sure a move of a plan is
	"certain", "timing",
	// whether something is so, and for which background a theme is meant
	"yes", "no", "light", "dark",
}

// hear is a text of data in the language, cleaned for a terminal.
func hear(l words.Language, text phrase.Text) string { return clean(l.Render(text)) }

// word is a word of data in the language, if it is one of textCells.
func word(l words.Language, text string) string {
	if slices.Contains(textCells, text) {
		return l.Of(text)
	}
	return text
}
