package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// line is one course of events: the recorded one, or that of a what-if. It knows the steps that were run once, and
// keeps players at some of them, so that every step can be run again soon:
//
//	steps        1 2 3 4 5 6 7 8 9 ...
//	checkpoints  |       |       |        any step is run again from the nearest one before it
//
// Checkpoints are only ever forked.
type line struct {
	parent  string   // the branch it left; "" for the main line
	left    Position // where it left it
	edit    *Edit    // with which it left it; nil: none
	at      Position // where the cursor was when another branch was turned to
	touched []string // by the edit, as deed.touched has it

	version string // of the release that decides, where an edit was made; "": that of the replay

	checkpoints []checkpoint
	tip         *play.Player // after all known steps
	since       int          // what was done since the last checkpoint, in units of an event
	spacing     int          // how much is done between two checkpoints, in the same unit

	steps   int      // known
	gone    int64    // cycles that are no longer kept
	cycles  []int    // the step of each cycle that is kept
	glances []glance // of the same cycles
	// the lists of plugins in glances, by their names: each is kept once
	rejecters map[string][]string
	marks     []Mark     // in order of steps
	notes     []noted    // in order of steps
	evictions []eviction // likewise
	whole     bool       // nothing comes after the known steps
	loaded    bool       // a cycle has begun: what happens from now on is worth a mark
	trend     trend.Series
	begin     []Usage // before the first cycle, or of a what-if before the first one; nil until a cycle has run
	opened    *opened // before the first cycle; nil until it has run, and where it is not kept
	anew      bool    // another release decides than on the branch that it left: its first cycle is the first here

	records *compare.Records // nil: nothing to compare cycles with
	beside  *beside          // nil: the decisions of the cluster's scheduler are not compared as they come
}

// checkpoint is a player after a number of steps.
type checkpoint struct {
	step   int
	player *play.Player
}

// noted is a fact worth remembering about a pod.
type noted struct {
	step  int
	cycle int64
	at    time.Time
	fact  trace.Fact // one that is worthNoting
}

// worthNoting reports whether the history of a pod has a fact.
func worthNoting(fact trace.Fact) bool {
	switch fact.(type) {
	case trace.Moved, trace.Recorded, trace.Nominated, trace.KubeletRefused, trace.Expired:
		return true
	}
	return false
}

// What a step costs to run again, in units of an event, and how many checkpoints are kept.
const (
	cycleCost      = 32
	firstSpacing   = 64 * cycleCost
	mostCheckpoint = 1024
)

func newLine(p *play.Player, about *About) *line {
	l := &line{checkpoints: []checkpoint{{0, p.Fork()}}, tip: p, spacing: firstSpacing, records: about.Records}
	if about.Hindsight != nil {
		l.beside = &beside{hindsight: about.Hindsight, heard: p.Taken(), first: p.Taken()}
	}
	return l
}

// leave is a new line that shares everything up to a step and goes on with another player.
func (l *line) leave(step int, p *play.Player) *line {
	cut := &line{spacing: l.spacing, loaded: l.loaded, steps: step, gone: l.gone, tip: p.Fork(), records: l.records}
	for _, c := range l.checkpoints {
		if c.step < step {
			cut.checkpoints = append(cut.checkpoints, c)
		}
	}
	cut.checkpoints = append(cut.checkpoints, checkpoint{step, p})
	cut.begin, cut.opened = l.begin, l.opened
	if l.parent == "" {
		cut.begin = usageOf(p.Scheduler().State()) // what was sent to it is not carried out yet
	}
	n, _ := slices.BinarySearch(l.cycles, step+1)
	cut.cycles, cut.glances = slices.Clip(l.cycles[:n]), slices.Clip(l.glances[:n])
	for i, m := range l.marks {
		if m.Step > step {
			break
		}
		cut.marks = l.marks[: i+1 : i+1]
	}
	for i, n := range l.notes {
		if n.step > step {
			break
		}
		cut.notes = l.notes[: i+1 : i+1]
	}
	cut.evictions = l.evictionsUntil(step)
	cut.trend = l.trendUntil(step)
	return cut
}

// extend runs one step that was never run, and returns it; false when nothing is left to do, or nothing yet.
func (l *line) extend() (play.Step, bool) {
	if l.beside != nil {
		l.beside.open(l.tip)
	}
	step, ok := l.tip.Step()
	if !ok {
		l.whole = !l.tip.Pending()
		return step, false
	}
	l.steps++
	l.learn(l.steps, step)
	if l.beside != nil {
		l.beside.see(l)
	}
	cost := 1
	if step.Kind == play.Tried {
		cost = cycleCost
	}
	if l.since += cost; l.since >= l.spacing {
		l.since = 0
		l.keep()
	}
	return step, true
}

// keep makes a checkpoint at the tip; when there are too many, every other one goes, and the next are farther apart.
func (l *line) keep() {
	l.checkpoints = append(l.checkpoints, checkpoint{l.steps, l.tip.Fork()})
	if len(l.checkpoints) <= mostCheckpoint {
		return
	}
	l.spacing *= 2
	thinned := l.checkpoints[:0:0]
	for i, c := range l.checkpoints {
		if i%2 == 0 || c.step == l.left.Step && l.parent != "" {
			thinned = append(thinned, c)
		}
	}
	l.checkpoints = thinned
}

// learn remembers what later questions need of a step.
func (l *line) learn(n int, step play.Step) {
	number := l.count()
	if step.Kind == play.Tried {
		if l.begin == nil || l.opens() {
			l.open(n)
		}
		l.cycles = append(l.cycles, n)
		l.loaded = true
		number++
	}
	var mark Mark
	var seen glance
	planned := false
	for _, fact := range step.Facts {
		seen.see(fact)
		switch f := fact.(type) {
		case trace.Popped:
			mark = Mark{Step: n, Cycle: number, Pod: f.Entity.Key(), At: step.At}
		case trace.Gathered:
			for _, m := range f.Members {
				mark.Members = append(mark.Members, m.Key())
			}
		case trace.Ended:
			mark.Outcome = f.Outcome
		case trace.Requested:
			planned = true
			if f.Number > 0 {
				l.marks = append(l.marks, Mark{
					Step: n, Event: f.Phrase().String(), Planned: f.Number, Command: f.Command, At: step.At,
				})
			}
		case trace.Observed:
			if !planned && !l.passesOver(f.Kind) && l.loaded && f.Kind != "Pod" && f.Note == "" {
				l.marks = append(l.marks, Mark{Step: n, Event: f.Kind + " " + f.Action + " " + f.Object, At: step.At})
			}
		}
		if worthNoting(fact) {
			l.notes = append(l.notes, noted{n, number, step.At, fact})
		}
	}
	l.evict(n, number, &step)
	if step.Kind == play.Tried {
		l.share(&seen)
		l.glances = append(l.glances, seen)
	}
	l.trend.See(n, number, step, l.tip.Waiting(), l.tip.Scheduler().State())
	if mark.Cycle > 0 {
		mark.Differs = l.differs(step.Facts)
		mark.Waits = waitsOf(l.tip.Waiting())
		l.marks = append(l.marks, mark)
	}
}

// passesOver reports whether a change of an object is not worth a mark: where controllers act, they write all the time.
func (l *line) passesOver(kind string) bool {
	w, is := l.tip.World().(*play.Simulated)
	return is && w.IsManaged() && kind != string(cluster.KindNode)
}

// opens reports whether the next cycle is the first of its scheduler.
func (l *line) opens() bool { return l.opened == nil && (l.count() == 0 || l.anew) }

// open remembers the state before the first cycle, which is a step.
func (l *line) open(step int) {
	before := l.playerAt(step-1, nil, nil)
	if l.begin == nil {
		l.begin = usageOf(before.Scheduler().State())
	}
	if l.opens() {
		l.opened = &opened{before.Scheduler(), step - 1}
	}
}

// differs reports whether a cycle decided something else than the cluster's own scheduler reported.
func (l *line) differs(facts []trace.Fact) bool {
	if l.records == nil || !l.records.Tell() {
		return false
	}
	c, _ := trace.Fold(facts)
	tries := []*trace.Try{c.Latest()}
	if c.Group != nil {
		tries = c.Group.Ends
	}
	return slices.ContainsFunc(tries, func(t *trace.Try) bool {
		d, said := l.records.Compare(t)
		return said && d.Verdict != compare.Agreed && d.Verdict != compare.Tied
	})
}

// playerAt is a player after a known step. Every step run again on the way, oldest first, is shown to see, with the
// player after it; before is shown the player they begin with. Both may be nil.
func (l *line) playerAt(
	step int, before func(*play.Player), see func(n int, s play.Step, p *play.Player),
) *play.Player {
	i, found := slices.BinarySearchFunc(l.checkpoints, step, func(c checkpoint, s int) int { return c.step - s })
	if found && see != nil && i > 0 && step > l.checkpoints[0].step {
		found = false // the step itself is to be seen, so it is run again from the checkpoint before
	}
	if !found {
		i--
	}
	p := l.checkpoints[i].player.Fork()
	if see == nil {
		p.Keep(trace.Summary)
	}
	if before != nil {
		before(p)
	}
	for n := l.checkpoints[i].step + 1; n <= step; n++ {
		s, ok := p.Step()
		if !ok {
			panic("a step that was run before is not there any more")
		}
		if see != nil {
			see(n, s, p)
		}
	}
	p.Keep(trace.Reported)
	return p
}

// checkpointAt is the player kept after exactly that step.
func (l *line) checkpointAt(step int) (*play.Player, bool) {
	i, found := slices.BinarySearchFunc(l.checkpoints, step, func(c checkpoint, s int) int { return c.step - s })
	if !found {
		return nil, false
	}
	return l.checkpoints[i].player, true
}

// count is how many cycles are known, those included that are no longer kept.
func (l *line) count() int64 { return l.gone + int64(len(l.cycles)) }

// stepOf is the step of a cycle that is kept, counted from 1.
func (l *line) stepOf(number int64) int { return l.cycles[number-l.gone-1] }

// cycleOf is the number of the last cycle that began at or before a step that is kept.
func (l *line) cycleOf(step int) int64 {
	n, _ := slices.BinarySearch(l.cycles, step+1)
	return l.gone + int64(n)
}

// isCycle reports whether a step was a cycle.
func (l *line) isCycle(step int) bool {
	_, found := slices.BinarySearch(l.cycles, step)
	return found
}
