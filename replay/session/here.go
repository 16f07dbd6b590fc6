package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
)

// known is what is known at the cursor. Every query reads it and nothing else, so none can tell of what lies ahead: in
// the middle of a step that is the state before the step, and the facts of the step up to the cursor.
//
//	step 6        step 7: f0 f1 | f2 f3
//	       player               cursor      known: the player after step 6, f0 and f1
type known struct {
	session *Session
	player  *replay.Player // after the last step that ended at or before the cursor; read only
	steps   int            // how many steps ended at or before the cursor
	facts   []trace.Fact   // of the step the cursor is in the middle of, up to the cursor; none after a whole step
	trying  *trace.Cycle   // the cycle the cursor is in the middle of, folded up to it; nil: none
	cell    *Cell          // the cell of the filter matrix the cursor is at; trying then has the matrix up to it
}

// here is what is known at the cursor.
func (s *Session) here() known {
	if s.before == nil || s.at.Fact >= len(s.facts) {
		return known{session: s, player: s.after, steps: s.at.Step}
	}
	k := known{session: s, player: s.before, steps: s.at.Step - 1, facts: s.facts[:s.at.Fact]}
	if s.kind != replay.Tried {
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

func (k *known) state() *cluster.State { return k.player.Scheduler().State() }

// now is the virtual time at the cursor.
func (k *known) now() time.Time {
	at := k.player.Scheduler().Now()
	for _, f := range k.facts {
		if moved, is := f.(trace.ClockMoved); is {
			at = moved.To
		}
	}
	return at
}

// tries says whether the cycle the cursor is in the middle of is about a pod.
func (k *known) tries(key string) bool {
	if k.trying == nil {
		return false
	}
	_, tried := k.trying.Try(key)
	return tried || k.trying.Entity.Key() == key
}

// find is where a pod waits. In the middle of a step its item is as it was before the step.
func (k *known) find(key string) (item *queue.Item, where trace.QueueName, queued bool) {
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
func (k *known) lastCycleOf(key string) (*trace.Cycle, *trace.Try) {
	if k.trying != nil && k.cell == nil {
		if t, tried := k.trying.Try(key); tried && t.Matrix != nil {
			return k.trying, t
		}
	}
	line := k.session.line
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
func (k *known) timeline() []Mark {
	marks := k.session.line.marks
	n, _ := slices.BinarySearchFunc(marks, k.steps+1, func(m Mark, step int) int { return m.Step - step })
	behind := marks[:n:n]
	if n == len(marks) || marks[n].Step != k.steps+1 || k.steps == k.session.at.Step {
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
func (k *known) notes(each func(noted)) {
	for _, n := range k.session.line.notes {
		if n.step > k.steps {
			break
		}
		each(n)
	}
	for _, f := range k.facts {
		if worthNoting(f) {
			each(noted{k.steps + 1, k.session.line.cycleOf(k.steps + 1), k.now(), f})
		}
	}
}
