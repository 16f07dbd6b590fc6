package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
)

// At is what is known at a position, and where questions begin: each reads it and nothing else, so that no answer holds
// what lies ahead. In the middle of a step that is the state before the step, and the facts of the step up to the
// cursor.
//
//	step 6        step 7: f0 f1 | f2 f3
//	       player               cursor      At: the player after step 6, f0 and f1
//
// It is a value: the session may move on, branch or be edited, and the same At gives the same answers. What lies
// behind it is read from the line of the session, of which only the end grows: methods that look back (History, Explain
// and the like) are for the one that uses the session. What a frame needs when a panel draws it (Tiles, Usage, Trend,
// Cache, Beginning, Stranded, Room, Supposed) reads nothing that changes, and may be read beside a move.
type At struct {
	session *Session     // the words and the files of the replay; not where it stands
	main    *line        // of the session
	line    *line        // that the position is on
	origin  *line        // on which what is known came about: line, or one before it, whose edit lies ahead
	lost    bool         // what comes after the position is no longer kept
	player  *play.Player // after the last step that ended at or before the position; read only
	steps   int          // how many steps ended at or before the position
	between bool         // it is in the middle of a step
	facts   []trace.Fact // of the step it is in the middle of, up to the position; none after a whole step
	trying  *trace.Cycle // the cycle it is in the middle of, folded up to it; nil: none
	cell    *Cell        // the cell of the filter matrix it is at; trying then has the matrix up to it

	late late
}

// At is what is known at the cursor.
func (s *Session) At() *At {
	k := s.here()
	k.player = k.player.Fork()
	return k
}

// here is what is known at the cursor until the session moves: the player is the session's own.
func (s *Session) here() *At {
	k := &At{
		session: s, main: s.branches[mainLine], line: s.line, origin: s.branches[s.origin()], lost: s.isLost(),
		player: s.after, steps: s.ended(), between: s.isBetween(),
	}
	if !k.between {
		return k
	}
	k.player, k.facts = s.before, s.facts[:s.at.Fact]
	if s.kind != play.Tried {
		return k
	}
	folded := k.facts
	if f, is := s.facts[s.at.Fact].(trace.Filtered); is && s.at.Cell > 0 {
		node, plugin, _ := f.Matrix.AskedAt(s.at.Cell - 1)
		k.cell = &Cell{Node: node, Plugin: plugin}
		folded = append(slices.Clip(folded), trace.Filtered{Matrix: f.Matrix.UpTo(s.at.Cell)})
	}
	if c, begun := trace.Fold(folded); begun {
		k.trying = c
	}
	return k
}

// isBetween reports whether the cursor is in the middle of a step.
func (s *Session) isBetween() bool { return s.before != nil && s.at.Fact < len(s.facts) }

// ended is how many steps ended at or before the cursor.
func (s *Session) ended() int {
	if s.isBetween() {
		return s.at.Step - 1
	}
	return s.at.Step
}

// Language is the one the person reads.
func (k *At) Language() words.Language { return k.session.language }

// Player is what ran the steps up to the position. Read it only.
func (k *At) Player() *play.Player { return k.player }

// Steps is how many steps ended at or before the position.
func (k *At) Steps() int { return k.steps }

// Began is the virtual time after the last step that ended at or before the position: what a frame shows.
func (k *At) Began() time.Time { return k.player.Scheduler().Now() }

// EachNote gives the facts worth remembering that lie behind the position, in order, with their steps.
func (k *At) EachNote(each func(step int, fact trace.Fact)) {
	k.notes(func(n noted) { each(n.step, n.fact) })
}

func (k *At) state() *cluster.State { return k.player.Scheduler().State() }

// Now is the virtual time at the position.
func (k *At) Now() time.Time {
	at := k.player.Scheduler().Now()
	for _, f := range k.facts {
		if moved, is := f.(trace.ClockMoved); is {
			at = moved.To
		}
	}
	return at
}

// IsTrying reports whether the position is in the middle of a cycle.
func (k *At) IsTrying() bool { return k.trying != nil }

// tries reports whether the cycle the cursor is in the middle of is about a pod.
func (k *At) tries(key string) bool {
	if k.trying == nil {
		return false
	}
	_, tried := k.trying.Try(key)
	return tried || k.trying.Entity.Key() == key
}

// find is where a pod waits. In the middle of a step its item is as it was before the step.
func (k *At) find(key string) (item *queue.Item, where trace.QueueName, queued bool) {
	item, where, queued = k.player.ForPod(key).Queue().Find(key)
	if queued && k.tries(key) {
		return item, queue.InFlight, true
	}
	for _, f := range slices.Backward(k.facts) {
		if moved, is := f.(trace.Moved); is && moved.Entity.Key() == key && queued {
			return item, moved.To, moved.To != ""
		}
	}
	return item, where, queued
}

// lastCycleOf is the last cycle about a pod up to the cursor, in full detail, with the pod's try in it; nil when there
// was none. A cycle that is not over counts once all its filters have answered.
func (k *At) lastCycleOf(key string) (*trace.Cycle, *trace.Try) {
	if k.trying != nil && k.cell == nil {
		if t, tried := k.trying.Try(key); tried && t.Matrix != nil {
			return k.trying, t
		}
	}
	line := k.line
	for _, m := range slices.Backward(line.marks) {
		if m.Step > k.steps || m.Pod != key && !slices.Contains(m.Members, key) {
			continue
		}
		c, _ := trace.Fold(line.stepAgain(m.Step).Facts)
		if t, tried := c.Try(key); tried {
			return c, t
		}
	}
	return nil, nil
}

// timeline is the marks up to the cursor. The cycle the cursor is in the middle of has no outcome yet.
func (k *At) timeline() []Mark {
	marks := k.line.marks
	n, _ := slices.BinarySearchFunc(marks, k.steps+1, func(m Mark, step int) int { return m.Step - step })
	behind := marks[:n:n]
	if n == len(marks) || marks[n].Step != k.steps+1 || !k.between {
		return behind
	}
	switch {
	case k.trying != nil:
		now := marks[n]
		now.Outcome, now.Members, now.Differs, now.Waits = "", nil, false, Waits{}
		return append(behind, now)
	case slices.ContainsFunc(k.facts, func(f trace.Fact) bool { _, happened := f.(trace.Observed); return happened }):
		return append(behind, marks[n])
	}
	return behind
}

// notes are the facts worth remembering that lie behind the cursor, in order.
func (k *At) notes(each func(noted)) {
	for _, n := range k.line.notes {
		if n.step > k.steps {
			break
		}
		each(n)
	}
	for _, f := range k.facts {
		if worthNoting(f) {
			each(noted{k.steps + 1, k.line.cycleOf(k.steps + 1), k.Now(), f})
		}
	}
}
