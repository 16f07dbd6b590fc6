package command

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/predict"
)

// predictVerbs are those of the game of replay --predict.
func predictVerbs() []Verb {
	return []Verb{
		{Name: "deal", Does: "in a game (--predict): go to the next cycle that is to be guessed", Run: deal},
		{
			Name: guessVerb, Usage: "NODE|none [out NODES] [evict PODS] [queue NAME]",
			takes: []kind{ofNode, ofNothing},
			Does:  "in a game: guess what the cycle comes to, and see what it was", Run: guess,
		},
	}
}

var errNoGame = phrase.Errorf("no game is on (schedstep replay --predict FILE begins one)")

func deal(c Call) (Answer, error) {
	if c.Game == nil {
		return Answer{}, errNoGame
	}
	return Answer{Moved: true, Page: Page{Title: "Predict", Lines: c.Game.Deal(c.Context, c.Session)}}, nil
}

// Guesses reports whether a verb takes a guess; a student that follows the teacher may use it too.
func (v Verb) Guesses() bool { return v.Name == guessVerb }

const guessVerb = "guess"

func guess(c Call) (Answer, error) {
	if text := strings.Join(c.Args, " "); c.Round != nil {
		if err := c.Round(text); err != nil {
			return Answer{}, err
		}
		return Answer{Said: c.lang().Say("your guess is taken: %s; another one takes its place", text)}, nil
	}
	if c.Game == nil {
		return Answer{}, errNoGame
	}
	g, err := predict.ParseGuess(c.Args)
	if err != nil {
		return Answer{}, err
	}
	lines, err := c.Game.Guess(c.Context, c.Session, g)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Moved: true, Page: Page{Title: "Predict", Lines: lines}}, nil
}
