// Package report sums up a whole run: what was packed where, how evenly, what is left in pieces that no pod can use,
// how long pods waited and how often they were tried. It judges nothing; an expression over its figures can (Check).
package report

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session/room"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// Report is the figures of one run, at its end. Its JSON is stable: members are added, and none changes its meaning.
type Report struct {
	Title    string        `json:"title"`
	Time     time.Time     `json:"time"`     // virtual, at the end
	Took     time.Duration `json:"-"`        // virtual time
	Seconds  float64       `json:"seconds"`  // the same
	Pods     int           `json:"pods"`     // in the cluster at the end
	Placed   int           `json:"placed"`   // with a node, of those that were to be placed in the run
	Unplaced []string      `json:"unplaced"` // of these, those without a node, by name
	Cycles   int64         `json:"cycles"`

	Queued      []float64             `json:"-"`           // pods in any queue, after each cycle
	Outcomes    map[trace.Outcome]int `json:"outcomes"`    // of cycles
	Attempts    []Attempts            `json:"attempts"`    // how many pods were tried how often
	Preemptions int                   `json:"preemptions"` // cycles that nominated a node
	Evicted     []string              `json:"evicted"`     // pods to evict, in order
	Waiting     Waiting               `json:"waiting"`
	Nodes       Nodes                 `json:"nodes"`
	Resources   []room.Use            `json:"resources"` // cpu, memory, pods, then what pods request besides
	Zones       []room.Zone           `json:"zones"`
	Stranded    []room.Stranded       `json:"stranded"` // by node, in the snapshot's order
	Fates       []room.Fate           `json:"fates"`    // of nodes, those that were chosen least often first
	Trend       trend.Trend           `json:"trend"`    // how these figures went, over virtual time
}

// Attempts is how many pods were tried so often.
type Attempts struct {
	Times int `json:"times"`
	Pods  int `json:"pods"`
}

// Waiting is the virtual time from when a pod came into the queue until it was bound, of the pods that were; in
// seconds.
type Waiting struct {
	Median  float64 `json:"median"`
	P95     float64 `json:"p95"`
	P99     float64 `json:"p99"`
	Longest float64 `json:"longest"`
	Pod     string  `json:"pod"` // that waited longest
}

// Nodes is how the nodes are used.
type Nodes struct {
	All    int `json:"all"`
	Empty  int `json:"empty"`  // no pod is on them
	Closed int `json:"closed"` // cordoned
}

// Collector gathers the figures of a run on the way.
type Collector struct {
	report  Report
	began   time.Time
	came    map[string]time.Time // into the queue, by pod
	tried   map[string]int       // cycles, by pod
	waits   []wait
	fates   *room.Fates
	started bool
	steps   int
	cycles  int64 // that were tried
	series  trend.Series
	brief   bool // without Queued, Stranded, Fates and Trend
}

type wait struct {
	pod string
	trend.Wait
}

// New is a collector before the first step.
func New(title string) *Collector {
	return &Collector{
		report: Report{Title: title, Outcomes: map[trace.Outcome]int{}}, came: map[string]time.Time{},
		tried: map[string]int{}, fates: room.NewFates(""),
	}
}

// NewBrief is a collector, before the first step, of the figures that an expression can speak of. It costs little and
// needs no more than the detail trace.Summary. Its report has neither Queued, Stranded, Fates nor Trend.
func NewBrief(title string) *Collector {
	c := New(title)
	c.brief = true
	return c
}

// Begin takes what is in the queues of a scheduler that has run already: the pods there wait from now on.
func (c *Collector) Begin(s *core.Scheduler) {
	q := s.Queue()
	for item := range q.Active() {
		c.arrives(item, s.Now())
	}
	lone := slices.Values(q.Lone())
	for _, queued := range []iter.Seq[*queue.Item]{q.Backoff(), q.Unschedulable(), q.Gated(), lone} {
		for item := range queued {
			c.arrives(item, s.Now())
		}
	}
}

// arrives notes that a pod is in a queue.
func (c *Collector) arrives(item *queue.Item, at time.Time) {
	if item.Pod != nil {
		c.came[item.Pod.Key] = at
	}
}

// See takes every step, in order, and the scheduler after it.
func (c *Collector) See(step play.Step, after *core.Scheduler) {
	if !c.started {
		c.began, c.started = step.At, true
	}
	c.steps++
	for _, fact := range step.Facts {
		switch f := fact.(type) {
		case trace.Moved:
			if key := f.Entity.Key(); f.From == "" && f.Entity.Type == trace.KindPod {
				if _, known := c.came[key]; !known {
					c.came[key] = step.At
				}
			}
		case trace.Popped:
			if f.Entity.Type == trace.KindPod {
				c.tried[f.Entity.Key()]++
			}
		case trace.Gathered:
			for _, m := range f.Members {
				c.tried[m.Key()]++
			}
		case trace.Ended:
			c.report.Cycles++
			c.report.Outcomes[f.Outcome]++
			if f.Outcome == trace.Preempting {
				c.report.Preemptions++
			}
		}
	}
	for _, e := range step.Effects {
		switch e := e.(type) {
		case core.Bind:
			if since, known := c.came[e.Pod.Key]; known {
				c.waits = append(c.waits, wait{e.Pod.Key, trend.Wait{Step: c.steps, Took: step.At.Sub(since)}})
			}
		case core.Evict:
			c.report.Evicted = append(c.report.Evicted, e.Pod.Key)
		}
	}
	if !c.brief {
		c.follow(step, after)
	}
}

// follow takes of a step what an expression cannot speak of.
func (c *Collector) follow(step play.Step, after *core.Scheduler) {
	n := after.Queue().Counts()
	if step.Kind == play.Tried {
		c.cycles++
		c.report.Queued = append(c.report.Queued, float64(n.Active+n.Backoff+n.Unschedulable+n.Gated))
	}
	c.fates.See(step.Facts)
	c.series.See(c.steps, c.cycles, step, n, after.State())
}

// Report is what the run came to, with the cluster as it is at its end.
func (c *Collector) Report(s *core.Scheduler) Report {
	r := c.report
	r.Time, r.Took = s.Now().UTC(), s.Now().Sub(c.began)
	r.Seconds, r.Unplaced, r.Evicted = r.Took.Seconds(), []string{}, append([]string{}, r.Evicted...)
	s.State().EachPod(func(p *cluster.Pod) bool {
		if cluster.Finished(p.API) {
			return true
		}
		r.Pods++
		_, assumed := s.State().Assumed(p.Key)
		_, queued := c.came[p.Key]
		switch {
		case p.NodeName == "" && !assumed && !p.Terminating():
			r.Unplaced = append(r.Unplaced, p.Key)
		case queued:
			r.Placed++
		}
		return true
	})
	r.Attempts, r.Waiting = attempts(c.tried), waiting(c.waits)
	r.usage(s.State().Snapshot().Nodes)
	if c.brief {
		return r
	}
	r.Trend, r.Fates, r.Stranded = c.trend(s), c.fates.All(), []room.Stranded{}
	pending := room.Pending(s.State())
	for _, n := range s.State().Snapshot().Nodes {
		r.Stranded = append(r.Stranded, room.StrandedOn(n, pending)...)
	}
	return r
}

// trend is how the figures went until now.
func (c *Collector) trend(s *core.Scheduler) trend.Trend {
	waits := make([]trend.Wait, len(c.waits))
	for i, w := range c.waits {
		waits[i] = w.Wait
	}
	return c.series.Of(trend.Here{
		Step: c.steps, Cycle: c.cycles, Now: s.Now(), Waiting: s.Queue().Counts(), State: s.State(),
	}, c.began, waits)
}

func attempts(tried map[string]int) []Attempts {
	counts := map[int]int{}
	for _, times := range tried {
		counts[times]++
	}
	all := []Attempts{}
	for times, pods := range counts {
		all = append(all, Attempts{times, pods})
	}
	slices.SortFunc(all, func(a, b Attempts) int { return a.Times - b.Times })
	return all
}

func waiting(waits []wait) Waiting {
	if len(waits) == 0 {
		return Waiting{}
	}
	waits = slices.Clone(waits)
	slices.SortStableFunc(waits, func(a, b wait) int { return cmp.Compare(a.Took, b.Took) })
	last := waits[len(waits)-1]
	of := func(percent int) float64 { return waits[(len(waits)*percent+99)/100-1].Took.Seconds() }
	return Waiting{Median: of(50), P95: of(95), P99: of(99), Longest: last.Took.Seconds(), Pod: last.pod}
}
