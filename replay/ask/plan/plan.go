// Package plan runs what a person is about to do to a fleet, such as a drain, in a world where the API server, the
// controllers and the kubelets do their part, and reports the results step by step. It decides nothing by itself: each
// answer was run. A cluster is only read.
package plan

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Fleet is the cluster that a plan is made for, at one moment. Plans leave it as it is.
type Fleet struct {
	Player    *play.Player     // at the moment; its log is cut
	Workloads []cluster.Object // that no scheduler reads
	Timing    manager.Timing
}

// Verdict is the result of a plan in one word.
type Verdict string

// The verdicts.
const (
	Done    Verdict = "done"    // every step is carried out, and no pod is left without a node
	Blocked Verdict = "blocked" // a step is refused
	Pending Verdict = "pending" // every step is carried out, and pods are left without a node
)

// Plan is what was run. Its JSON is stable: members are added, and none changes its meaning.
type Plan struct {
	Goal     string   `json:"goal"`
	Verdict  Verdict  `json:"verdict"`
	Steps    []Step   `json:"steps"`
	Stays    []Stay   `json:"stays,omitempty"`   // pods that the plan leaves where they are
	Pending  []Wait   `json:"pending,omitempty"` // pods that the plan leaves without a node
	Before   []Wait   `json:"pendingBefore,omitempty"`
	Denied   []Denied `json:"denied,omitempty"`
	Budgets  []Budget `json:"budgets,omitempty"`
	Unlocks  []Unlock `json:"unlocks,omitempty"`
	Moves    Moves    `json:"moves"`
	Preempts []string `json:"preempted,omitempty"` // pods that had to go for others in every run, by key
	// MayPreempt are the pods that had to go for others in some runs only.
	MayPreempt []string      `json:"preemptedInSomeRuns,omitempty"`
	Seconds    float64       `json:"seconds"` // of virtual time
	Assumed    []phrase.Text `json:"assumed,omitempty"`
	Runs       int           `json:"runs"`

	raced  bool // controllers made pods at the same moment
	course *course.Course
}

// Moves is how many pods move beside how many have to.
type Moves struct {
	Found   int `json:"found"`
	AtLeast int `json:"atLeast"`
}

// Step is one request, and its effects until the cluster is quiet.
type Step struct {
	N       int     `json:"n"`
	Kubectl string  `json:"kubectl"`
	Pod     string  `json:"pod,omitempty"`   // that is evicted, namespace/name
	From    string  `json:"from,omitempty"`  // its node
	At      float64 `json:"at"`              // seconds of virtual time after the start
	Pause   float64 `json:"pause,omitempty"` // seconds that nothing is requested before it
	Tries   int     `json:"tries"`           // how often the request was sent
	// With are the commands that are given at the same time and send it together with others; none: it is sent alone.
	With    []string `json:"with,omitempty"`
	Moves   []Move   `json:"moves,omitempty"`
	Refused *Block   `json:"blockedBy,omitempty"`
	// MayRefuse is why a request that is carried out here is refused in another run.
	MayRefuse *Block `json:"mayBeBlockedBy,omitempty"`
	RefusedIn Sure   `json:"blockedIn,omitempty"` // tie, timing: it is refused in some runs only; "": in all, or in none

	command phrase.Text // in short
}

// Move is a pod that comes to another node: itself under its name, or another one of its controller.
type Move struct {
	Pod   string   `json:"pod"`
	Owner string   `json:"owner,omitempty"`
	From  string   `json:"from"`
	To    string   `json:"to"` // "": it has no node
	Sure  Sure     `json:"sure"`
	Among []string `json:"among,omitempty"` // nodes that it may come to
	Away  float64  `json:"away"`            // seconds from the eviction until it is Ready; negative: it is not
	Late  bool     `json:"late,omitempty"`  // it has no node until a later step makes room

	birth *birth
	at    time.Time // of the eviction
	ends  string    // its node at the end; "": none, or another pod is there for it
}

// Block is the refusal of a step.
type Block struct {
	Code    string      `json:"code"` // budget, two-budgets, local-storage, unmanaged, refused
	Object  string      `json:"object,omitempty"`
	Message phrase.Text `json:"message"`
}

// Stay is a pod that a plan leaves where it is, and why.
type Stay struct {
	Pod string      `json:"pod"`
	Why phrase.Text `json:"why"`
}

// Wait is a pod without a node, and kube-scheduler's message about it.
type Wait struct {
	Pod      string `json:"pod"`
	Priority int32  `json:"priority"`
	Message  string `json:"message,omitempty"`
	Sure     Sure   `json:"sure,omitempty"` // tie, timing: it waits in some runs only; "": in all
}

// Denied is a workload whose pods a quota does not let its controller make.
type Denied struct {
	Owner   string `json:"owner"`            // "ReplicaSet shop/web-5f"
	Missing int    `json:"missing"`          // pods that it lacks at the end
	Before  int    `json:"before,omitempty"` // pods that it lacked before the plan
	Quota   string `json:"quota"`            // its name, in the namespace of the owner
	Message string `json:"message"`          // of the API server

	of manager.Denied
}

// Budget is a disruption budget that the plan touches.
type Budget struct {
	Name  string `json:"name"`
	Slack int    `json:"lowestSlack"` // the lowest healthy minus desired
}

// Unlock is a change after which the plan is done; it was run.
type Unlock struct {
	Kubectl []string `json:"kubectl,omitempty"` // before the plan; empty: Flag
	Flag    string   `json:"flag,omitempty"`
	Undo    []string `json:"undo,omitempty"` // after the plan
}

// The bounds of a run.
const (
	horizon   = 24 * time.Hour
	mostSteps = 2_000_000
)

// run is one course of a plan.
type run struct {
	ctx     context.Context
	p       *play.Player
	manager *manager.Manager
	start   time.Time
	began   time.Time     // the moment of the fleet
	course  course.Course // what was done by now

	births map[string][]*birth // pods that controllers made, by their owner, the oldest first
	born   map[string]*birth   // the same by UID
	says   map[string]string   // the last message about a pod, by key
	slack  map[string]int      // of budgets, the lowest
	gone   []string            // pods that were preempted
	tied   bool                // a node was chosen among equals by now
	raced  bool                // controllers made pods at the same moment
	last   lastBirth
	steps  int
}

// lastBirth is the last pod that was made.
type lastBirth struct {
	owner string
	at    time.Time
}

// birth is a pod that was made during a run.
type birth struct {
	key, node string
	taken     bool // it is the successor of a pod already
	among     []string
	tied      bool

	at, bound, ready time.Time
}

// begin is a course that begins at the fleet's moment. times multiplies how long pods take; seed is what the scheduler
// leaves to chance (0: as the fleet's does), and the order of controllers that are woken at one moment.
func (f *Fleet) begin(ctx context.Context, times int, seed uint64) *run {
	p := f.Player.Branch()
	p.KeepNoOutcomes()
	p.Keep(trace.Summary) // a plan reads no more of its cycles than where pods come to
	if seed != 0 {
		p.Reseed(seed)
	}
	timing := f.Timing
	timing.Times, timing.Order = times, seed
	m := manager.New(timing, f.Workloads, p.Scheduler().State())
	now := p.Scheduler().Now()
	r := &run{
		ctx: ctx, p: p, manager: m, start: now, began: now, births: map[string][]*birth{}, born: map[string]*birth{},
		says: map[string]string{}, slack: map[string]int{},
	}
	r.course = course.Course{Timing: timing, Workloads: f.Workloads}
	p.Manage(m)
	r.settle()
	return r
}

// fork is a copy that goes another course.
func (r *run) fork() *run {
	f := *r
	f.p, f.course = r.p.Branch(), r.course.Fork()
	f.births, f.born = make(map[string][]*birth, len(r.births)), make(map[string]*birth, len(r.born))
	copies := map[*birth]*birth{}
	for uid, b := range r.born {
		c := *b
		copies[b], f.born[uid] = &c, &c
	}
	for owner, all := range r.births {
		for _, b := range all {
			f.births[owner] = append(f.births[owner], copies[b])
		}
	}
	f.says, f.slack, f.gone = maps.Clone(r.says), maps.Clone(r.slack), slices.Clone(r.gone)
	return &f
}

func (r *run) state() *cluster.State { return r.p.Scheduler().State() }

func (r *run) now() time.Time { return r.p.Scheduler().Now() }

func (r *run) seconds() float64 { return r.now().Sub(r.start).Seconds() }

// send carries a request out.
func (r *run) send(q request.Request) error {
	r.course.Do(course.Act{Request: &q})
	events, err := q.Do(manager.ObjectsOf(r.p), r.now())
	if err != nil {
		return err
	}
	for _, e := range events {
		r.see(r.p.Deliver(e))
	}
	return nil
}

// settle goes on until nothing is left to do, or for a day of virtual time.
func (r *run) settle() { r.until(r.start.Add(horizon)) }

// until goes on until nothing is left to do before a moment; what is due later stays.
func (r *run) until(at time.Time) {
	r.course.Until(at.Sub(r.began), false)
	for r.steps < mostSteps && r.ctx.Err() == nil {
		if r.now().After(at) || r.p.QuietUntil(at) {
			return
		}
		step, ok := r.p.Step()
		if !ok {
			return
		}
		r.steps++
		r.see(step)
	}
}

// add has objects join.
func (r *run) add(objects ...cluster.Object) {
	r.course.Do(course.Act{Add: objects})
	for _, o := range objects {
		r.see(r.p.Deliver(cluster.Event{Action: cluster.Add, Object: o}))
	}
}

// wait lets time go on to a moment, even when nothing happens until then.
func (r *run) wait(at time.Time) {
	r.until(at)
	r.course.Until(at.Sub(r.began), true)
	if r.now().Before(at) {
		r.see(r.p.Advance(at))
	}
}

// priorityOf is the priority of a pod.
func priorityOf(p *corev1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}
