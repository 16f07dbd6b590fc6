package session

import (
	"context"
	"slices"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
)

// History is how much of what happened is kept at least. Up to an eighth more of it may be there, and what lies between
// two checkpoints stays together. The zero value keeps everything.
type History struct {
	For    time.Duration // what happened in the last so long; 0: however long
	Events int           // so many events of the log; 0: however many
}

// slack is the part of a History by which it may be exceeded, so that what is dropped is worth the work.
const slack = 8

// errLost is why nothing can be tried where the cursor is.
var errLost = phrase.Errorf("what happened here is no longer kept: move to the oldest that is, or to the end")

// Limit has the session forget what is older than a history whenever it goes on. Where a branch left the main line, and
// all that came after, is kept for as long as the branch is.
func (s *Session) Limit(h History) { s.limit = h }

// Crowded reports whether so much has happened since the main line was run last that KeepUp is due.
func (s *Session) Crowded() bool {
	tip := s.branches[mainLine].tip
	if _, acts := tip.World().(*play.Driven); acts {
		return false // a person decides when the scheduler goes on
	}
	ahead := tip.Log().Reached().Sub(tip.Scheduler().Now())
	return s.limit.Events > 0 && tip.Remaining() > s.limit.Events/slack || s.limit.For > 0 && ahead > s.limit.For/slack
}

// KeepUp runs the main line to the end of what happened, and drops what is too old then. The cursor stays, even where
// nothing before or after it is kept any more.
func (s *Session) KeepUp(ctx context.Context) {
	main := s.branches[mainLine]
	for n := 1; n%reportEvery != 0 || ctx.Err() == nil; n++ {
		if _, more := main.extend(); !more {
			break
		}
	}
	s.forget()
}

// forget drops what is too old for the limit.
func (s *Session) forget() {
	main := s.branches[mainLine]
	oldest := main.checkpoints[0].player
	if s.limit.within(oldest, main.tip, slack) {
		return
	}
	last := main.steps
	for _, l := range s.branches {
		if l.parent == mainLine {
			last = min(last, l.left.Step)
		}
	}
	n := 0
	for n+1 < len(main.checkpoints) {
		next := main.checkpoints[n+1]
		if next.step > last || s.limit.within(next.player, main.tip, 0) {
			break
		}
		n++
	}
	if n == 0 {
		return
	}
	first := main.checkpoints[n]
	s.dropped += oldest.Remaining() - first.player.Remaining()
	first.player.Forget()
	for _, l := range s.branches {
		l.forget(first.step)
	}
}

// within reports whether all that happened since a checkpoint is still wanted; with an inverse part, or so little more.
func (h History) within(since, tip *play.Player, part int) bool {
	long, events := tip.Scheduler().Now().Sub(since.Scheduler().Now()), since.Remaining()
	isLong, isMany := long >= h.For, events >= h.Events
	if part > 0 {
		isLong, isMany = long > h.For+h.For/time.Duration(part), events > h.Events+h.Events/part
	}
	return (h.For == 0 || !isLong) && (h.Events == 0 || !isMany)
}

// first is the oldest step that is kept: the line begins after it.
func (l *line) first() int { return l.checkpoints[0].step }

// begins is the moment from which on everything is kept.
func (l *line) begins() time.Time { return l.checkpoints[0].player.Scheduler().Now() }

// forget drops what lies before a step. The copies free the memory; frames may still share what was.
func (l *line) forget(before int) {
	n, _ := slices.BinarySearchFunc(l.checkpoints, before, func(c checkpoint, s int) int { return c.step - s })
	l.checkpoints = slices.Clone(l.checkpoints[n:])
	first := l.first() + 1
	n, _ = slices.BinarySearch(l.cycles, first)
	l.gone += int64(n)
	l.cycles, l.glances = slices.Clone(l.cycles[n:]), slices.Clone(l.glances[n:])
	n, _ = slices.BinarySearchFunc(l.marks, first, func(m Mark, step int) int { return m.Step - step })
	l.marks = slices.Clone(l.marks[n:])
	n, _ = slices.BinarySearchFunc(l.notes, first, func(n noted, step int) int { return n.step - step })
	l.notes = slices.Clone(l.notes[n:])
	l.evictions = slices.Clone(l.evictions[len(l.evictionsUntil(first-1)):])
	l.trend.Forget(first)
	l.beside.forget(first)
}

// start is the oldest position that is kept.
func (s *Session) start() Position { return Position{Step: s.line.first()} }

// isLost reports whether what comes after the cursor is no longer kept.
func (s *Session) isLost() bool {
	first := s.line.first()
	return s.at.Step < first || s.at.Step == first && s.before != nil
}

// atStart is the stop at the oldest position that is kept.
func (w *walk) atStart(because ...phrase.Phrase) Stop {
	text := phrase.New("this is the start")
	if w.dropped > 0 {
		text = phrase.New(
			"this is the oldest that is kept: what happened before %s was dropped", words.Clock(w.line.begins()),
		)
	}
	return Stop{Reason: StoppedAtStart, Text: phrase.Join("; ", append(because, text)...)}
}
