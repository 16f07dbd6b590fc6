package sweep

import (
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/play"
)

// Input is one input of a sweep, read. Several goroutines may play it at the same time.
type Input struct {
	// Play is a player under a variant and a seed, of the detail trace.Summary. It may have run already. Every player of
	// the same variant and seed takes the same course. The error is why the input cannot be played so.
	Play func(v Variant, seed uint64) (*play.Player, error)
	// Recorded is where the pods went that the input's own scheduler placed, by UID.
	Recorded map[string]string
	Prices   Prices
}

// Guard ends a run that takes too much. Over is called every few hundred steps. It returns the status of a run that has
// to end now; "": the run may go on.
type Guard interface{ Over() Status }

// over is the end of a run that took too much.
type over struct{ status Status }

// Error is the status.
func (o over) Error() string { return string(o.status) }

// end is how a pod ended in a run.
type end struct {
	node    string
	evicted bool
}

// ends has the end of each pod, by key.
type ends map[string]end

// stepsBetween is how many steps a run makes before it looks whether it has to stop.
const stepsBetween = 256

// course is what a run does, step by step.
type course struct {
	input *Input
	row   *Row
	sum   hash.Hash64
	out   ends
}

// play plays an input to its end.
func (in *Input) play(ctx context.Context, run Run, g Guard) (*Result, ends, error) {
	r := &Result{Row: Row{Run: int64(run.Number), Seed: int64(run.Seed), Variant: int32(run.Variant.Number), Status: Done}}
	player, err := in.Play(run.Variant, run.Seed)
	if err != nil {
		r.Row.Status, r.Row.Message = Refused, err.Error()
		return r, nil, ctx.Err()
	}
	collector, c := report.NewBrief(""), course{in, &r.Row, fnv.New64a(), ends{}}
	collector.Begin(player.Scheduler())
	for n := 0; ; n++ {
		if n%stepsBetween == 0 {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if status := g.Over(); status != "" {
				return nil, nil, over{status}
			}
		}
		step, ok := player.Step()
		if !ok {
			break
		}
		if step.Kind == play.Tried && ctx.Err() != nil {
			return nil, nil, ctx.Err() // a question to an extender may have been given up
		}
		collector.See(step, player.Scheduler())
		c.see(step.Effects)
	}
	s := player.Scheduler()
	figures := collector.Report(s)
	r.fill(&figures)
	r.Row.Cost, r.Row.Course = in.Prices.ofUsed(s.State().Snapshot().Nodes), fmt.Sprintf("%016x", c.sum.Sum64())
	c.close(s.State())
	return r, c.out, nil
}

// see takes the effects of a step.
func (c *course) see(effects []core.Effect) {
	for _, effect := range effects {
		switch e := effect.(type) {
		case core.Bind:
			fmt.Fprintf(c.sum, "%s %s\n", e.Pod.Key, e.Node)
			c.out[e.Pod.Key] = end{node: e.Node}
			recorded := c.input.Recorded[e.Pod.UID()]
			if recorded == "" {
				continue
			}
			c.row.Compared++
			if recorded != e.Node {
				c.row.Diverged++
			}
		case core.Evict:
			fmt.Fprintf(c.sum, "%s -\n", e.Pod.Key)
			c.out[e.Pod.Key] = end{c.out[e.Pod.Key].node, true}
		}
	}
}

// close takes the pods that are there at the end.
func (c *course) close(s *cluster.State) {
	s.EachPod(func(p *cluster.Pod) bool {
		node := p.NodeName
		if assumed, is := s.Assumed(p.Key); is && node == "" {
			node = assumed.NodeName
		}
		c.out[p.Key] = end{node, c.out[p.Key].evicted}
		return true
	})
}

// otherwise lists the pods that end otherwise than in the base.
func (r *Result) otherwise(base, now ends) {
	keys := maps.Clone(base)
	maps.Copy(keys, now)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, is := base[key], now[key]
		if what := whatOf(was, is); what != "" {
			r.Pods = append(r.Pods, Pod{Run: r.Row.Run, Pod: key, What: string(what), Base: was.node, Node: is.node})
		}
	}
	r.Row.Otherwise = int64(len(r.Pods))
}

// whatOf is in which way two ends differ; "" where they do not.
func whatOf(base, now end) diff.What {
	switch {
	case now.evicted && !base.evicted:
		return diff.Evicted
	case base.evicted && !now.evicted:
		return diff.Spared
	case base.node == "" && now.node != "":
		return diff.Gained
	case base.node != "" && now.node == "":
		return diff.Lost
	case base.node != now.node:
		return diff.Elsewhere
	}
	return ""
}
