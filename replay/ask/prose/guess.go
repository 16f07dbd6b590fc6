package prose

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// What a verdict rests on.
const (
	textRests      = "This rests on a guess:"
	textNodeRests  = "What is known of this node rests on a guess:"
	textGuess      = "%s %s is a guess: %s"
	textMoreGuess  = "and %d more object"
	textMoreGuessN = "and %d more objects"
)

// Rests is what is assumed behind the verdict of a filter on a node; with plugin -1 behind all of a node, and with node
// -1 behind a whole try. No line: nothing is.
func Rests(lang words.Language, c *trace.Try, node, plugin int) []Line {
	if c == nil || c.Matrix == nil || c.Matrix.Guesses == nil {
		return nil
	}
	some, more := c.Matrix.RestsOn(node, plugin)
	return guessLines(lang, textRests, some, more)
}

// guessLines are objects of which something is assumed, below a heading.
func guessLines(lang words.Language, heading string, some []trace.Guessed, more int) []Line {
	if len(some) == 0 {
		return nil
	}
	t := told{language: lang}
	t.signed(Guesses, lang.Of(heading))
	for _, g := range some {
		t.add(1, Evidence, textGuess, g.Kind, g.Key, lang.Render(g.Why.Text()))
	}
	if more > 0 {
		t.lines = append(t.lines, Line{Level: 1, Role: Evidence, Text: lang.Sentence(more, textMoreGuess, textMoreGuessN)})
	}
	return t.lines
}
