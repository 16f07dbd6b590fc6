package diff

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
)

// course is the result of playing one side: for every pod, by key, and for the cluster.
type course struct {
	results map[string]*Result
	figures Figures
	used    []string // nodes with pods, in the order of the snapshot
}

func (c course) of(pod string) Result {
	if r := c.results[pod]; r != nil {
		return *r
	}
	return Result{}
}

func (c course) at(pod string) *Result {
	if c.results[pod] == nil {
		c.results[pod] = &Result{}
	}
	return c.results[pod]
}

// keys are the pods of both sides, sorted.
func keys(sides [2]course) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(sides[0].results)), maps.Keys(sides[1].results))
	slices.Sort(all)
	return slices.Compact(all)
}

// Stepper takes the steps of a side: its player, or what plays it in another way.
type Stepper interface {
	Step() (play.Step, bool)
}

// Steps plays a side to its end and hands out every step. It ends with ctx.
func Steps(ctx context.Context, side Side, player Stepper, see func(play.Step)) error {
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		step, ok := player.Step()
		if !ok || side.Over != nil && side.Over(n, &step) {
			return nil
		}
		if step.Kind == play.Tried && ctx.Err() != nil {
			return ctx.Err() // a question to an extender may have been given up
		}
		see(step)
	}
}

// Tries are those of a cycle that ended: of a pod, or of each member of a group.
func Tries(step *play.Step) []*trace.Try {
	if step.Kind != play.Tried {
		return nil
	}
	c, _ := trace.Fold(step.Facts)
	all := []*trace.Try{c.Latest()}
	if c.Group != nil {
		all = c.Group.Ends
	}
	return slices.DeleteFunc(slices.Clone(all), func(t *trace.Try) bool { return t.Ended == nil })
}

// played is the course of a side.
func played(ctx context.Context, side Side) (course, error) {
	c, player := course{results: map[string]*Result{}}, side.Play(trace.Summary)
	waits := waits{came: map[string]time.Time{}}
	err := Steps(ctx, side, player, func(step play.Step) {
		waits.see(&step)
		for _, t := range Tries(&step) {
			r := c.at(t.Entity.Key())
			r.Cycle, r.Node, r.Nominated, r.Message = t.Number, t.Ended.Node, t.Ended.NominatedNode, t.Ended.Message
		}
		for _, e := range step.Effects {
			if evict, is := e.(core.Evict); is {
				c.figures.Evicted++
				c.at(evict.Pod.Key).EvictedBy = evict.For.Key
				by := c.at(evict.For.Key)
				by.Victims = append(by.Victims, evict.Pod.Key)
			}
		}
	})
	s := player.Scheduler()
	s.State().EachPod(func(p *cluster.Pod) bool {
		if item, where, queued := s.Queue().Find(p.Key); queued && where == queue.Gated {
			c.at(p.Key).Gate = item.Gate
		}
		return true
	})
	c.measure(s, waits.took)
	return c, err
}
