package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Options are how a sweep is carried out. None of them changes a result, except that limits may end a run.
type Options struct {
	Workers int // goroutines; 1 or more
	// Open reads an input, by its index in the plan. It is called again when the input is needed again.
	Open func(ctx context.Context, input int) (*Input, error)
	// Guard is a guard for a run that begins. alone: no other run goes on beside it.
	Guard func(alone bool) Guard
	// Has reports whether the result of a run is there already.
	Has func(run int) bool
	// Save keeps a result. Calls come one at a time, in any order of runs.
	Save func(*Result) error
}

// Carry carries out the runs of a plan from one number up to but not including another. Runs that Has knows are left
// out. The first error ends it, and what was saved by then stays.
func Carry(ctx context.Context, plan *Plan, from, to int, o Options) error {
	var left []int
	for n := from; n < to; n++ {
		if !o.Has(n) {
			left = append(left, n)
		}
	}
	caller := ctx
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	c := &carrier{plan: plan, options: o, groups: map[int]*group{}, inputs: map[int]*opened{}}
	for _, n := range left {
		c.expect(n)
	}
	next := make(chan int)
	var working sync.WaitGroup
	for range max(1, o.Workers) {
		working.Go(func() {
			for n := range next {
				if err := c.run(ctx, n); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, n := range left {
		select {
		case next <- n:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(next)
	working.Wait()
	if caller.Err() != nil {
		return caller.Err() // the caller knows the cause
	}
	return context.Cause(ctx) // nil: all runs are done
}

// carrier is a sweep that goes on.
type carrier struct {
	plan    *Plan
	options Options

	alone  sync.RWMutex // a run holds it for reading; one that has to be alone for writing
	mu     sync.Mutex
	groups map[int]*group  // of runs that are still to come, by number
	inputs map[int]*opened // likewise, by index
	saving sync.Mutex
}

// group is the runs with one base: an input under a seed.
type group struct {
	mu   sync.Mutex
	left int
	base *ended // nil: it was not played yet
}

// ended is a run that was played.
type ended struct {
	result *Result
	ends   ends // nil: it is not Done
}

// opened is an input that runs need.
type opened struct {
	mu    sync.Mutex
	left  int
	input *Input // nil: it was not opened yet
}

// expect counts a run that is to come.
func (c *carrier) expect(n int) {
	g, i := n/len(c.plan.Variants), c.plan.At(n).Input
	if c.groups[g] == nil {
		c.groups[g] = &group{}
	}
	if c.inputs[i] == nil {
		c.inputs[i] = &opened{}
	}
	c.groups[g].left++
	c.inputs[i].left++
}

// leave drops what no run needs any more.
func (c *carrier) leave(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, i := n/len(c.plan.Variants), c.plan.At(n).Input
	if c.groups[g].left--; c.groups[g].left == 0 {
		delete(c.groups, g)
	}
	if c.inputs[i].left--; c.inputs[i].left == 0 {
		delete(c.inputs, i)
	}
}

// parts are the group and the input of a run.
func (c *carrier) parts(n int) (*group, *opened) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.groups[n/len(c.plan.Variants)], c.inputs[c.plan.At(n).Input]
}

// run plays one run and saves its result.
func (c *carrier) run(ctx context.Context, n int) error {
	defer c.leave(n)
	g, o := c.parts(n)
	run := c.plan.At(n)
	in, err := o.open(ctx, run.Input, c.options.Open)
	if err != nil {
		return err
	}
	first := c.plan.At(n - run.Variant.Number)
	base, err := g.played(func() (*ended, error) { return c.play(ctx, in, first) })
	if err != nil {
		return err
	}
	now := base
	if run.Variant.Number > 0 {
		if now, err = c.play(ctx, in, run); err != nil {
			return err
		}
		if base.ends != nil && now.ends != nil {
			now.result.otherwise(base.ends, now.ends)
		}
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	return c.options.Save(now.result)
}

// played is the base, which the first run of the group plays.
func (g *group) played(play func() (*ended, error)) (*ended, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.base == nil {
		base, err := play()
		if err != nil {
			return nil, err
		}
		g.base = base
	}
	return g.base, nil
}

func (o *opened) open(
	ctx context.Context, at int, open func(context.Context, int) (*Input, error),
) (*Input, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.input == nil {
		in, err := open(ctx, at)
		if err != nil {
			return nil, err
		}
		o.input = in
	}
	return o.input, nil
}

// play plays one run. One that takes too much memory beside others is played again alone, so that it is known whose
// memory it is.
func (c *carrier) play(ctx context.Context, in *Input, run Run) (*ended, error) {
	c.alone.RLock()
	e, err := c.once(ctx, in, run, c.options.Workers < 2)
	c.alone.RUnlock()
	var o over
	if errors.As(err, &o) && o.status == OutRoom && c.options.Workers > 1 {
		c.alone.Lock()
		e, err = c.once(ctx, in, run, true)
		c.alone.Unlock()
	}
	if errors.As(err, &o) {
		row := Row{
			Run: int64(run.Number), Seed: int64(run.Seed), Variant: int32(run.Variant.Number), Status: o.status,
			Input: c.plan.Inputs[run.Input],
		}
		return &ended{result: &Result{Row: row}}, nil
	}
	return e, err
}

// once plays one run. A broken invariant ends the run alone: its row has the sentence.
func (c *carrier) once(ctx context.Context, in *Input, run Run, alone bool) (e *ended, err error) {
	name := c.plan.Inputs[run.Input]
	defer func() {
		if broken := recover(); broken != nil {
			e = &ended{result: &Result{Row: Row{
				Run: int64(run.Number), Input: name, Seed: int64(run.Seed), Variant: int32(run.Variant.Number),
				Status: Failed, Message: fmt.Sprint(broken),
			}}}
			err = nil
		}
	}()
	r, out, err := in.play(ctx, run, c.options.Guard(alone))
	if err != nil {
		return nil, err
	}
	r.Row.Input = name
	return &ended{r, out}, nil
}
