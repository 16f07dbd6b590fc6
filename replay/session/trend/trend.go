// Package trend is how the figures of a run went over virtual time: a bounded number of points, from which lines are
// drawn. It does not decide how they look.
package trend

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Point is the figures of a run right after a cycle, or at the cursor.
type Point struct {
	Time        time.Time `json:"time"`        // virtual
	Seconds     float64   `json:"seconds"`     // of virtual time since the first step of the run
	Cycle       int64     `json:"cycle"`       // the last that had begun
	Queued      int       `json:"queued"`      // pods and pod groups in any queue
	Attempts    int       `json:"attempts"`    // pods that were tried until then, counted once a cycle
	Preemptions int       `json:"preemptions"` // cycles until then that nominated a node
	Bound       int       `json:"bound"`       // pods that came into the queue and were bound until then
	Waiting     Waiting   `json:"waiting"`     // of these pods
	Resources   []Use     `json:"resources"`   // cpu, memory, pods, then what nodes have besides

	step            int // of the replay
	tried           int // pods that this cycle tried
	preempted       int // 1: this cycle nominated a node
	onCycle, onTime bool
}

// Use is how one resource is used over all nodes, in percent except for Stranded, which is in its smallest unit.
type Use struct {
	Name          string  `json:"name"`
	Packing       float64 `json:"packing"`       // what is requested of what can be
	Spread        float64 `json:"spread"`        // between the nodes with the highest and the lowest share requested
	ZoneSpread    float64 `json:"zoneSpread"`    // the same between zones, of cpu and memory; 0 for less than two zones
	Fragmentation float64 `json:"fragmentation"` // what of the free amount is not on the node with the most of it
	Stranded      int64   `json:"stranded"`      // free on nodes that are full of something else
}

// mostPoints is how many points of each kind are kept: those after each n-th cycle, and the first of every stretch of
// virtual time.
const mostPoints = 128

// Series is the points of a run that goes on. When there are more than mostPoints of a kind, cycles are counted in
// steps twice as long, or stretches of time become twice as long, so that what is kept depends on what happened alone:
//
//	cycle        1 2 3 4 5 6 7 8 9 ...
//	every        | . | . | . | . |       two cycles
//	stretches    |     |         |       one second, two cycles begin in none
//
// The zero value is a run before its first cycle.
type Series struct {
	points      []Point
	every       int64 // cycles between two points, a power of two; 0: as 1
	width       int64 // of a stretch, in milliseconds, a power of two; 0: as 1
	attempts    int   // until now
	preemptions int
}

// See takes every step with its number n in the replay, and after the step the counts of the queues and the cluster. It
// counts the cycle of the step as number.
func (s *Series) See(n int, number int64, step play.Step, waiting trace.QueueCounts, state *cluster.State) {
	if step.Kind != play.Tried {
		return
	}
	tried, preempted := triedIn(step.Facts)
	s.attempts, s.preemptions = s.attempts+tried, s.preemptions+preempted
	p := Point{
		Time: step.At.UTC(), Cycle: number, step: n, Attempts: s.attempts, Preemptions: s.preemptions, tried: tried,
		preempted: preempted,
	}
	if p.onCycle, p.onTime = s.isOnCycle(&p), s.isOnTime(&p, s.points); !p.onCycle && !p.onTime {
		return
	}
	p.Queued, p.Resources = queued(waiting), usesOf(state)
	s.points = append(s.points, p)
	s.thin()
}

// triedIn is how many pods a cycle tried, and 1 if it nominated a node.
func triedIn(facts []trace.Fact) (tried, preempted int) {
	for _, fact := range facts {
		switch f := fact.(type) {
		case trace.Popped:
			if f.Entity.Type == trace.KindPod {
				tried++
			}
		case trace.Gathered:
			tried += len(f.Members)
		case trace.Ended:
			if f.Outcome == trace.Preempting {
				preempted++
			}
		}
	}
	return tried, preempted
}

func queued(c trace.QueueCounts) int { return c.Active + c.Backoff + c.Unschedulable + c.Gated }

func (s *Series) isOnCycle(p *Point) bool { return (p.Cycle-1)%max(s.every, 1) == 0 }

// isOnTime reports whether a cycle is the first of its stretch, with the points before it.
func (s *Series) isOnTime(p *Point, before []Point) bool {
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].onTime {
			return s.stretch(p) != s.stretch(&before[i])
		}
	}
	return true
}

// stretch is the number of the stretch of time that a point is in; the same for every run.
func (s *Series) stretch(p *Point) int64 {
	width := max(s.width, 1)
	ms := p.Time.UnixMilli()
	n := ms / width
	if ms%width < 0 {
		n--
	}
	return n
}

// thin drops points when there are too many. Points are shared with callers, and are not changed.
func (s *Series) thin() {
	cycles, times := kinds(s.points)
	if cycles <= mostPoints && times <= mostPoints {
		return
	}
	points := slices.Clone(s.points)
	for ; cycles > mostPoints; cycles, _ = kinds(points) {
		s.every = 2 * max(s.every, 1)
		for i := range points {
			points[i].onCycle = points[i].onCycle && s.isOnCycle(&points[i])
		}
	}
	for ; times > mostPoints; _, times = kinds(points) {
		s.width = 2 * max(s.width, 1)
		for i := range points {
			points[i].onTime = points[i].onTime && s.isOnTime(&points[i], points[:i])
		}
	}
	s.points = slices.DeleteFunc(points, func(p Point) bool { return !p.onCycle && !p.onTime })
}

func kinds(points []Point) (cycles, times int) {
	for i := range points {
		if points[i].onCycle {
			cycles++
		}
		if points[i].onTime {
			times++
		}
	}
	return cycles, times
}

// Cut is the series as it was after a step of the replay, where so much came after its last point.
func (s *Series) Cut(step int, since Counts) Series {
	n, _ := slices.BinarySearchFunc(s.points, step+1, func(p Point, step int) int { return p.step - step })
	cut := Series{points: s.points[:n:n], every: s.every, width: s.width}
	if n > 0 {
		cut.attempts, cut.preemptions = s.points[n-1].Attempts, s.points[n-1].Preemptions
	}
	cut.attempts, cut.preemptions = cut.attempts+since.Attempts, cut.preemptions+since.Preemptions
	return cut
}

// Counts is how many pods were tried, and how many cycles nominated a node.
type Counts struct{ Attempts, Preemptions int }

// LastStep is the step of the last point at or before another step; 0: none.
func (s *Series) LastStep(step int) int {
	n, _ := slices.BinarySearchFunc(s.points, step+1, func(p Point, step int) int { return p.step - step })
	if n == 0 {
		return 0
	}
	return s.points[n-1].step
}

// First is the first point; false: there is none.
func (s *Series) First() (Point, bool) {
	if len(s.points) == 0 {
		return Point{}, false
	}
	return s.points[0], true
}

// Forget drops the points before a step.
func (s *Series) Forget(before int) {
	n, _ := slices.BinarySearchFunc(s.points, before, func(p Point, step int) int { return p.step - step })
	s.points = slices.Clone(s.points[n:])
}

// Prepend puts a series before this one, which began where that one ended.
func (s *Series) Prepend(past *Series) {
	joined := *past
	joined.every, joined.width = max(s.every, past.every), max(s.width, past.width)
	points := slices.Concat(past.points, s.points)
	for i := range points {
		p := &points[i]
		if i >= len(past.points) {
			p.Attempts, p.Preemptions = p.Attempts+past.attempts, p.Preemptions+past.preemptions
		}
		p.onCycle, p.onTime = p.onCycle && joined.isOnCycle(p), p.onTime && joined.isOnTime(p, points[:i])
	}
	joined.points = slices.DeleteFunc(points, func(p Point) bool { return !p.onCycle && !p.onTime })
	joined.attempts, joined.preemptions = past.attempts+s.attempts, past.preemptions+s.preemptions
	joined.thin()
	*s = joined
}

// usesOf is how the resources of a cluster are used.
func usesOf(state *cluster.State) []Use {
	nodes := state.Snapshot().Nodes
	var low, high [2]float64
	first := true
	for _, z := range room.ZonesOf(nodes) {
		if z.Name == "" {
			continue
		}
		for i, share := range []float64{z.CPU, z.Memory} {
			if first || share < low[i] {
				low[i] = share
			}
			high[i] = max(high[i], share)
		}
		first = false
	}
	all := room.UsesOf(nodes)
	uses := make([]Use, len(all))
	for i := range all {
		u := &all[i]
		uses[i] = Use{
			Name: u.Name, Packing: u.Packing(), Spread: u.Spread(), Fragmentation: u.Fragmentation, Stranded: u.Stranded,
		}
		if i < len(low) {
			uses[i].ZoneSpread = high[i] - low[i]
		}
	}
	return uses
}
