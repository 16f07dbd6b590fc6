package session

import (
	"context"
	"sort"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// BranchSummary is a branch beside the one it left, both up to the virtual time of the cursor.
type BranchSummary struct {
	Name      string
	Parent    string        // "" for the main line
	Began     phrase.Phrase // where it left its parent: "cycle 4", "step 7"
	Number    int64         // of its last cycle
	Cycles    int64         // since then; for the main line all
	Outcomes  map[trace.Outcome]int
	Placed    int         // pods with a node
	Pending   int         // pods without
	Now       string      // virtual time of its last step
	Elsewhere []Elsewhere // pods that are elsewhere than on the parent, by key
}

// Elsewhere is a pod that two branches have put on different nodes.
type Elsewhere struct {
	Pod           string
	There, Before string // nodes; "" while it has none, or is not there
	Gone          bool   // there it is deleted
	Again         bool   // there it is deleted, and its controller has made another pod, which is on There
}

// Compare sums up every branch up to the virtual time of the cursor, in the order they were begun. Where a branch was
// not run so far yet, it is now, and progress is called with how many steps that took so far; when ctx ends before, it
// is compared as far as it came. One that drives a cluster goes on only when the user confirms it.
func (s *Session) Compare(ctx context.Context, progress func(steps int)) []BranchSummary {
	s.catchUp(ctx, progress)
	k := s.here()
	now := k.Now()
	var all []BranchSummary
	for _, name := range s.names {
		l := s.branches[name]
		there := s.stateAt(l, now)
		sum := BranchSummary{
			Name: name, Parent: l.parent, Outcomes: map[trace.Outcome]int{},
			Number: l.cycleOf(there.step), Now: there.player.Scheduler().Now().UTC().Format(time.TimeOnly),
		}
		for _, m := range l.marks {
			if m.Cycle > 0 && m.Step <= there.step && (l.parent == "" || m.Step > l.left.Step) {
				sum.Cycles++
				sum.Outcomes[m.Outcome]++
			}
		}
		there.player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
			switch {
			case cluster.Finished(p.API):
			case HostOf(there.player.Scheduler().State(), p) == "":
				sum.Pending++
			default:
				sum.Placed++
			}
			return true
		})
		if parent, ok := s.branches[l.parent]; ok {
			sum.Began = phrase.New("step %d", l.left.Step)
			if parent.isCycle(l.left.Step) {
				sum.Began = phrase.New("cycle %d", parent.cycleOf(l.left.Step))
			}
			sum.Elsewhere = Moved(there.player.Scheduler().State(), s.stateAt(parent, now).player.Scheduler().State())
		}
		all = append(all, sum)
	}
	return all
}

// catchUp runs every branch to the virtual time of the cursor: to the end of that moment if the cursor is there.
func (s *Session) catchUp(ctx context.Context, progress func(steps int)) {
	k := s.here()
	now, isOver := k.Now(), s.momentIsOver(k)
	steps := 0
	for _, name := range s.names {
		l := s.branches[name]
		if _, acts := l.tip.World().(*play.Driven); acts || l == s.line {
			continue
		}
		for {
			at := l.tip.Scheduler().Now()
			if at.After(now) || !isOver && at.Equal(now) || ctx.Err() != nil {
				break
			}
			if _, more := l.extend(); !more {
				break
			}
			if steps++; progress != nil && steps%reportEvery == 0 {
				progress(steps)
			}
		}
	}
}

// momentIsOver reports whether nothing more happens at the moment of the cursor on its own branch.
func (s *Session) momentIsOver(k *At) bool {
	if k.trying != nil {
		return false
	}
	if k.steps == s.line.steps {
		return s.line.whole
	}
	return s.line.playerAt(k.steps+1, nil, nil).Scheduler().Now().After(k.Now())
}

// stateAt is a line as it was at a moment: at the cursor, if it is the line the cursor is on; else after its last step
// that was not later.
func (s *Session) stateAt(l *line, now time.Time) checkpoint {
	if k := s.here(); l == s.line {
		return checkpoint{k.steps, k.player}
	}
	if !l.tip.Scheduler().Now().After(now) {
		return checkpoint{l.steps, l.tip}
	}
	first := l.first()
	later := first + sort.Search(l.steps-first, func(n int) bool {
		return l.playerAt(first+n, nil, nil).Scheduler().Now().After(now)
	})
	step := max(later-1, first)
	return checkpoint{step, l.playerAt(step, nil, nil)}
}

// Moved compares where two states have their pods.
func Moved(there, before *cluster.State) []Elsewhere {
	var all []Elsewhere
	there.EachPod(func(p *cluster.Pod) bool {
		old := ""
		if known, ok := before.Pod(p.Key); ok {
			old = HostOf(before, known)
		}
		if now := HostOf(there, p); now != old {
			all = append(all, Elsewhere{Pod: p.Key, There: now, Before: old})
		}
		return true
	})
	before.EachPod(func(p *cluster.Pod) bool {
		if host := HostOf(before, p); host != "" {
			if _, ok := there.Pod(p.Key); !ok {
				all = append(all, Elsewhere{Pod: p.Key, Before: host, Gone: true})
			}
		}
		return true
	})
	return all
}

// HostOf is the node of a pod, also one that is only assumed.
func HostOf(s *cluster.State, p *cluster.Pod) string {
	if assumed, ok := s.Assumed(p.Key); ok {
		return assumed.NodeName
	}
	return p.NodeName
}
