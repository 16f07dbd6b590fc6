package predict

import (
	"context"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// Round is one decision that many guess.
type Round struct {
	Question []string
	game     *Game
	pod      string
	session  *session.Session
	truth    truth
}

// Verdict is the result of one guess.
type Verdict struct {
	Points, Of int
	Node       bool // the node was right
	Lines      []string
}

// Ask begins a round: it goes to the beginning of the next cycle that tries a pod. The session stays there, before the
// decision. The result is read from judge, a second session at the same place, which belongs to the round from then on.
// nil: there is no such cycle.
func Ask(ctx context.Context, g *Game, s, judge *session.Session) *Round {
	question := g.Deal(ctx, s)
	f := s.Frame()
	if !g.Open() || f.Cycle == nil {
		return nil
	}
	judge.GotoCycle(ctx, f.Cycle.Number, nil)
	c := judge.Frame().Cycle
	if c == nil || c.Ended == nil || c.Entity.Key() != f.Cycle.Entity.Key() {
		return nil
	}
	pod := c.Entity.Key()
	return &Round{question, g, pod, judge, truthOf(c, string(judge.At().Place(pod).Queue))}
}

// Judge returns for each part of a guess whether it was right, and if not why. One goroutine calls it at a time.
func (r *Round) Judge(guess Guess) Verdict {
	v := Verdict{Of: forRound, Node: guess.Node == r.truth.node}
	for _, p := range r.game.parts(r.session, r.truth, guess) {
		v.Points += p.points
		v.Lines = append(v.Lines, p.lines...)
	}
	return v
}

// Answer is what the cycle came to, part by part, and at last kube-scheduler's message.
func (r *Round) Answer() []string {
	w, t := r.game.words, &r.truth
	lines := []string{w.Say("predict-is", w.Say("predict-winner"), orNone(t.node))}
	lines = append(lines, w.Say("predict-is", w.Say("predict-out"), orNone(strings.Join(t.out, ", "))))
	lines = append(lines, w.Say("predict-is", w.Say("predict-victims"), orNone(strings.Join(t.victims, ", "))))
	lines = append(lines, w.Say("predict-is", w.Say("predict-queue"), t.queue))
	return append(lines, t.message)
}

// part is the result of a part of a guess.
type part struct {
	points int
	lines  []string
}

// parts judges the parts of a guess.
func (g *Game) parts(s *session.Session, t truth, guess Guess) []part {
	judged := func(right bool, worth int, what, real string, why []string) part {
		if right {
			return part{worth, []string{g.words.Say("predict-right", what, real, worth)}}
		}
		lines := []string{g.words.Say("predict-wrong", what, real)}
		for _, w := range why {
			lines = append(lines, "  "+w)
		}
		return part{0, lines}
	}
	pod := t.try.Entity.Key()
	return []part{
		judged(guess.Node == t.node, forNode, g.words.Say("predict-winner"), orNone(t.node), whyNode(s, pod, t, guess.Node)),
		judged(
			slices.Equal(guess.out(t), t.out), forOut, g.words.Say("predict-out"), orNone(strings.Join(t.out, ", ")),
			t.whyOut(s.Language(), guess.out(t)),
		),
		judged(
			slices.Equal(guess.Evict, t.victims), forEvict, g.words.Say("predict-victims"),
			orNone(strings.Join(t.victims, ", ")), t.whyVictims(),
		),
		judged(guess.Queue == t.queue, forQueue, g.words.Say("predict-queue"), t.queue, []string{t.message}),
	}
}
