package plan

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/request"
)

// RoomFor is what room is made for.
type RoomFor struct {
	Workload string // a pod, a workload or a pod group, as Fleet.named has it
	Want     int    // so many replicas more than there are; 0: those of its pods that have no node
	Most     int    // evictions at most; 0: usualMost
	EmptyDir bool   // pods with an emptyDir may be evicted, whose data is lost
}

// usualMost is how many evictions are thought of where no number is given.
const usualMost = 4

// Room is the fewest evictions after which pods have nodes, and those that were evicted have nodes again. Its JSON is
// stable.
type Room struct {
	Plan
	Pods   []Move   `json:"pods"`  // that room is made for, and the node of each
	Exact  bool     `json:"exact"` // no fewer evictions do it, of those that were thought of
	Looked Looked   `json:"looked"`
	Held   []Held   `json:"notMoved,omitempty"` // pods that no plan may evict
	Blocks []Block  `json:"refused,omitempty"`  // what refused evictions, where no plan was found
	Quotas []string `json:"quotas,omitempty"`   // messages of the API server for which quotas are raised first
}

// Looked is how far a search went.
type Looked struct {
	Movable int `json:"movable"` // pods that may be evicted
	Nodes   int `json:"nodes"`   // of which pods were evicted in some run
	OfNodes int `json:"ofNodes"`
	Most    int `json:"evictions"` // sets of so many were looked at; of more none
}

// Held is how many pods may not be evicted, and why.
type Held struct {
	Why  phrase.Text `json:"why"`
	Pods int         `json:"pods"`
}

// way is a plan that is tried: pods that are evicted one after the other, with nodes that are cordoned meanwhile so
// that those pods do not come back to them.
type way struct {
	evict []string
	hold  []string
}

// Room looks for the fewest evictions that give pods a node. Each set of evictions is run, and the answer once more,
// with pods that take longer or shorter and other draws of the scheduler. progress (may be nil) is called with the
// number of runs.
func (f *Fleet) Room(ctx context.Context, of RoomFor, progress func(runs int)) (Room, error) {
	if of.Most <= 0 {
		of.Most = usualMost
	}
	s, err := f.search(ctx, of, progress)
	if err != nil {
		return Room{}, err
	}
	s.look()
	s.ctx = context.WithoutCancel(ctx) // what was found is run to its end
	best, verdict := way{}, Blocked
	switch {
	case s.found != nil:
		best, verdict = *s.found, Done
	case s.lesser != nil:
		best, verdict = *s.lesser, Pending
	}
	out := Room{Exact: !s.cut, Held: s.held, Looked: s.looked(), Quotas: s.wanted.quotas}
	if verdict == Blocked {
		out.Plan, out.Pods = s.unmoved()
		out.Blocks = s.blocks
	} else {
		out.Plan, out.Pods = s.again(best)
	}
	if out.Goal = "room " + of.Workload; verdict == Done && len(best.evict) <= s.least {
		out.Exact = true
	}
	out.Runs, out.Moves.AtLeast = s.runs, s.least
	return out, ctx.Err()
}

// again runs the answer as a plan: first as it was found, then with other timings and draws.
func (s *search) again(w way) (Plan, []Move) {
	first, pods := s.carryOut(w, 1, 0)
	tied := func() bool { return first.hasTie() || anyTie(pods) }
	otherRuns(usualTrials, tied, func(times int, seed uint64, because Sure) (isNew, goOn bool) {
		other, there := s.carryOut(w, times, seed)
		isNew = first.weaken(&other, because)
		for i := range pods {
			if i == len(there) {
				there = append(there, Move{}) // not made in that run
			}
			isNew = pods[i].among(&there[i], because) || isNew
		}
		return isNew, true
	})
	return first, pods
}

// anyTie reports whether some move is among equal nodes.
func anyTie(moves []Move) bool {
	return slices.ContainsFunc(moves, func(m Move) bool { return m.Sure == tie })
}

// unmoved is the plan of a search that has found nothing.
func (s *search) unmoved() (Plan, []Move) {
	p, pods := s.carryOut(way{}, 1, 0)
	p.Verdict = Blocked
	return p, pods
}

// carryOut is one run of a way, and where the pods come to that room is made for.
func (s *search) carryOut(w way, times int, seed uint64) (Plan, []Move) {
	r, p, targets := s.begin(times, seed)
	s.count()
	s.walk(r, &p, w, targets)
	p.finish(r)
	pods := r.landed(targets)
	for i := range pods {
		if pods[i].To == "" && p.Verdict == Done {
			p.Verdict = Pending
		}
	}
	return p, pods
}

// begin is a run at the moment of the fleet, in which the replicas that are wanted are there, and the keys of the pods
// that room is made for.
func (s *search) begin(times int, seed uint64) (r *run, p Plan, targets []string) {
	r = s.f.readied(s.ctx, times, seed)
	p = Plan{Verdict: Done, Assumed: r.manager.Assumed()}
	switch q := s.wanted.more; {
	case q != nil:
		for _, raise := range s.wanted.before {
			p.step(r, raise)
		}
		step := p.step(r, *q)
		made, err := s.wanted.grow(r)
		if targets = made; err != nil {
			step.Refused = blockOf(q.On.Key(), err)
		}
	case s.base != nil:
		targets = s.targets
	default:
		targets = s.wanted.waiting(s.f.Player.Scheduler().State())
	}
	r.watch(targets)
	p.Before = minus(r.without(), waitsOf(targets))
	r.slack = map[string]int{}
	return r, p, targets
}

// watch has a run note where pods land that are there already.
func (r *run) watch(targets []string) {
	for _, key := range targets {
		if live, is := r.state().Pod(key); is {
			uid := idOf(live.API)
			if r.born[uid] == nil {
				r.born[uid] = &birth{key: key, node: live.NodeName}
			}
			r.born[uid].taken, r.born[uid].at = true, r.now()
		}
	}
}

func waitsOf(keys []string) []Wait {
	all := make([]Wait, len(keys))
	for i, key := range keys {
		all[i].Pod = key
	}
	return all
}

// walk carries a way out.
func (s *search) walk(r *run, p *Plan, w way, targets []string) {
	mark := func(q request.Request) {
		step := p.step(r, q)
		if err := r.send(q); err != nil {
			step.Refused = blockOf(q.On.Name, err)
		}
	}
	for _, node := range w.hold {
		mark(request.Cordon(node))
	}
	if len(w.hold) > 0 {
		r.settle()
	}
	for _, key := range w.evict {
		live, is := r.state().Pod(key)
		if !is {
			continue
		}
		q, at := request.Evict(live.Namespace(), live.Name()), r.now()
		step := p.step(r, q)
		step.Pod = key
		if err := r.send(q); err != nil {
			step.Refused = blockOf(key, err)
			break
		}
		r.settle()
		p.moved(r, len(p.Steps)-1, live.API, at)
		r.byHand()
	}
	for i, node := range w.hold {
		pause := time.Duration(0)
		if i == 0 && len(r.missing(targets)) > 0 {
			pause = r.backOff()
		}
		mark(request.Uncordon(node))
		p.Steps[len(p.Steps)-1].Pause = pause.Seconds()
	}
	r.settle()
	r.tryAgain(targets)
}

// backOff waits as long as a pod waits at most between two attempts, and returns that: one that has waited longer is
// tried as soon as something may help it, so that how often pods were tried before does not decide which is first.
func (r *run) backOff() time.Duration {
	_, longest := r.p.Scheduler().Queue().Terms()
	r.wait(r.now().Add(longest))
	return longest
}

// byHand lets the time go by that a script takes from one eviction to the next, in a run whose pods take none.
func (r *run) byHand() {
	if r.course.Timing.Times == 0 {
		r.wait(r.now().Add(handTime))
	}
}

// handTime is between the second for which scripts look whether a pod is gone and the two for which they look whether
// another one is Ready.
const handTime = 1500 * time.Millisecond

// tryAgain waits until pods that no event has helped are tried again anyway, where some of those that count have no
// node and the scheduler does so.
func (r *run) tryAgain(pods []string) {
	if patience := r.p.Scheduler().Queue().Patience(); patience > 0 && len(r.missing(pods)) > 0 {
		r.wait(r.now().Add(patience + sweepEvery))
		r.backOff()
		r.settle()
	}
}

// sweepEvery is no shorter than the time from one look of the queue for pods that wait too long to the next.
const sweepEvery = time.Minute

// landed are pods and the nodes that they have; one that its kubelet has refused has none.
func (r *run) landed(keys []string) []Move {
	all := make([]Move, len(keys))
	for i, key := range keys {
		all[i] = Move{Pod: key, Sure: certain, Away: -1}
		live, is := r.state().Pod(key)
		if !is {
			continue
		}
		if all[i].Owner = ownerName(live.API); live.API.Status.Phase != corev1.PodFailed {
			all[i].To = live.NodeName
		}
		if b := r.born[idOf(live.API)]; b != nil {
			if len(b.among) > 1 {
				all[i].Sure, all[i].Among = tie, b.mayComeTo(all[i].To)
			}
			if !b.ready.IsZero() {
				all[i].Away = b.ready.Sub(r.start).Seconds()
			}
		}
	}
	return all
}

// missing are those of some pods that have no node, with the last message about each.
func (r *run) missing(keys []string) []Wait {
	var all []Wait
	for _, m := range r.landed(keys) {
		if m.To != "" {
			continue
		}
		w := Wait{Pod: m.Pod, Message: r.says[m.Pod]}
		if live, is := r.state().Pod(m.Pod); is {
			w.Priority, w.Message = live.Priority, cmp.Or(live.API.Status.Message, w.Message)
		}
		all = append(all, w)
	}
	return all
}

// search is the search for the fewest evictions.
type search struct {
	ctx      context.Context
	f        *Fleet
	of       RoomFor
	progress func(int)

	wanted  wanted
	targets []string       // keys of the pods that room is made for
	base    *run           // settled; every run of the search is a fork of it
	start   Plan           // what base did before
	lowest  int32          // priority of the targets
	slacks  map[string]int // healthy minus desired of budgets before
	rooms   rooms
	movable []victim
	held    []Held
	nodes   int
	tried   map[string]bool // nodes of which pods were evicted in some run

	found, lesser *way // lesser leaves pods of a lower priority without a node
	fragile       *way // works only with pods that take as long as is assumed
	least         int  // no fewer evictions make room by resources
	runs          int
	depth         int
	blocks        []Block
	cut           bool // not everything was looked at
}

func (s *search) count() {
	if s.runs++; s.progress != nil {
		s.progress(s.runs)
	}
}

func (s *search) looked() Looked {
	return Looked{Movable: len(s.movable), Nodes: len(s.tried), OfNodes: s.nodes, Most: s.depth}
}

// search prepares a search.
func (f *Fleet) search(ctx context.Context, of RoomFor, progress func(int)) (*search, error) {
	s := &search{ctx: ctx, f: f, of: of, progress: progress, tried: map[string]bool{}}
	var err error
	if s.wanted, err = f.wantedOf(ctx, of.Workload, of.Want); err != nil {
		return nil, err
	}
	if s.base, s.start, s.targets = s.begin(1, 0); len(s.targets) == 0 {
		return nil, s.nothing()
	}
	s.slacks = s.base.slacks()
	s.prepare()
	return s, nil
}

// nothing is why there is no pod that room could be made for.
func (s *search) nothing() error {
	if d, is := s.base.refusal(); is {
		return phrase.Errorf("no new pod of %s is made: %s", s.of.Workload, d.Message)
	}
	if s.wanted.more != nil {
		return phrase.Errorf("no new pod of %s was made", s.of.Workload)
	}
	for _, p := range s.wanted.named {
		if live, is := s.base.state().Pod(p.Key); is && live.NodeName == "" && len(live.API.Spec.SchedulingGates) > 0 {
			return phrase.Errorf("%s waits for its scheduling gates, not for a node", p.Key)
		}
	}
	return phrase.Errorf("every pod of %s has a node; --want N makes room for N more", s.of.Workload)
}

// prepare works out which pods may be evicted, and what room the nodes have.
func (s *search) prepare() {
	state, wanted := s.base.state(), []*cluster.Pod{}
	for i, key := range s.targets {
		if p, is := state.Pod(key); is {
			if _, assumed := state.Assumed(key); p.NodeName == "" && !assumed {
				wanted = append(wanted, p)
			}
			if i == 0 || p.Priority < s.lowest {
				s.lowest = p.Priority
			}
		}
	}
	held := map[phrase.Text]int{}
	for _, n := range state.Snapshot().Nodes {
		if n.API == nil {
			continue
		}
		s.nodes++
		for _, p := range n.Pods {
			live, is := state.Pod(p.Key)
			if !is || slices.Contains(s.targets, p.Key) {
				continue
			}
			if why := s.stays(live); why != "" {
				held[why]++
				continue
			}
			s.movable = append(s.movable, victimOf(live, s.lowest))
		}
	}
	for why, n := range held {
		s.held = append(s.held, Held{why, n})
	}
	slices.SortFunc(s.held, compareHeld)
	slices.SortFunc(s.movable, compareVictims)
	s.rooms = s.base.roomsOf(wanted, s.movable)
	s.least = s.rooms.least(s.of.Most)
}

// stays is why a pod may not be evicted; "": it may.
func (s *search) stays(p *cluster.Pod) phrase.Text {
	stays, block := filter(p.API, Drain{EmptyDir: s.of.EmptyDir})
	switch {
	case stays != "":
		return stays
	case block != nil:
		return block.Message
	case cluster.Finished(p.API):
		return "it has ended"
	case p.Priority > s.lowest:
		return "its priority is higher"
	case metav1.GetControllerOf(p.API).Kind == string(cluster.KindNode):
		return "static pod"
	case p.API.Status.Phase == corev1.PodPending && p.NodeName == "":
		return "it has no node"
	}
	return ""
}
