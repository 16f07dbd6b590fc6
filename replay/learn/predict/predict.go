// Package predict is a game: before the decision of a cycle is shown, the player guesses it, and the result of the
// cycle is the judge. It decides nothing itself, and every word of it is in the files of package lesson.
package predict

import (
	"context"
	"errors"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
)

// What the parts of a guess are worth.
const (
	forNode  = 3
	forOut   = 3
	forEvict = 2
	forQueue = 2
	forRound = forNode + forOut + forEvict + forQueue
)

// Game is points over the rounds that were played. The zero value of a round is between two of them.
type Game struct {
	words   lesson.Words
	number  int64 // the cycle to be guessed; 0: none is
	shown   bool  // its decision was looked at before it was guessed
	rounds  int
	points  int
	streak  int // rounds in a row that were guessed wholly
	longest int
}

// New is a game that has not begun.
func New(w lesson.Words) *Game { return &Game{words: w} }

// Score is what the player has of what could be had so far.
func (g *Game) Score() (points, of int) { return g.points, g.rounds * forRound }

// Open reports whether a cycle is to be guessed, and can be.
func (g *Game) Open() bool { return g.number != 0 && !g.shown }

// See takes every frame that the player looks at; a decision that was looked at cannot be guessed any more.
func (g *Game) See(f *session.Frame) {
	c := f.About()
	if g.number == 0 || c == nil || c.Number < g.number {
		return
	}
	g.shown = g.shown || c.Number > g.number || c.Ended != nil || len(c.Latest().PreFilters) > 0
}

// Deal goes to the beginning of the next cycle that tries a pod, and returns the question.
func (g *Game) Deal(ctx context.Context, s *session.Session) []string {
	for {
		if stop := s.GotoPhase(ctx, trace.PhasePop, nil); stop.Reason != session.StoppedAtStep {
			g.number = 0
			return append([]string{g.words.Say("predict-end")}, g.standing())
		}
		if f := s.Frame(); f.Cycle != nil && f.Cycle.Group == nil {
			g.number, g.shown = f.Cycle.Number, false
			return g.question(f)
		}
	}
}

// mostNodes is how many nodes a question lists.
const mostNodes = 12

func (g *Game) question(f *session.Frame) []string {
	c := f.Cycle
	lines := []string{
		g.words.Say("predict-pod", c.Number, c.Entity.Key(), c.Entity.Priority, prose.Asks(f.Language, f.Wants())),
	}
	tiles := f.At.Tiles()
	for _, t := range tiles[:min(len(tiles), mostNodes)] {
		var free []string
		for _, r := range f.At.Room(t.Node) {
			free = append(free, r.Free.String()+" "+r.Resource)
		}
		lines = append(lines, g.words.Say("predict-node", t.Node, strings.Join(free, ", "))+g.closed(&t))
	}
	if more := len(tiles) - mostNodes; more > 0 {
		lines = append(lines, g.words.Say("predict-more", more))
	}
	return append(lines, "", g.words.Say("predict-how"))
}

// closed is what keeps pods off a node, to be appended to what it has free.
func (g *Game) closed(t *session.Tile) string {
	text := ""
	if t.Cordoned {
		text += "; " + g.words.Say("predict-cordoned")
	}
	if taints := t.Taints(); len(taints) > 0 {
		text += "; " + g.words.Say("predict-taints", strings.Join(taints, ", "))
	}
	return text
}

// standing is the points so far, in words.
func (g *Game) standing() string {
	points, of := g.Score()
	return g.words.Say("predict-standing", points, of, g.streak, g.longest)
}

// Guess ends the cycle, and returns for each part of a guess whether it was right, and if not why.
func (g *Game) Guess(ctx context.Context, s *session.Session, guess Guess) ([]string, error) {
	f := s.Frame()
	switch {
	case g.number == 0:
		return nil, errors.New(g.words.Say("predict-none"))
	case g.shown || f.Cycle == nil || f.Cycle.Number != g.number:
		return nil, errors.New(g.words.Say("predict-shown", g.number))
	}
	s.Move(ctx, session.Out, session.Forward, nil)
	c := s.Frame().Cycle
	g.number = 0
	return g.judge(s, truthOf(c, string(s.At().Place(c.Entity.Key()).Queue)), guess), nil
}

func (g *Game) judge(s *session.Session, t truth, guess Guess) []string {
	before := g.points
	var lines []string
	for _, p := range g.parts(s, t, guess) {
		g.points += p.points
		lines = append(lines, p.lines...)
	}
	g.rounds++
	g.streak++
	if g.points-before < forRound {
		g.streak = 0
	}
	g.longest = max(g.longest, g.streak)
	return append(lines, "", g.standing(), g.words.Say("predict-next"))
}

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}
