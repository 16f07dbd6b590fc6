package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/play/request"
)

// PackOf is which nodes may be emptied, and how. The zero value is all nodes but those of the control plane, and loses
// nothing.
type PackOf struct {
	Nodes    []string // that may be emptied; none: all but those of the control plane
	Force    bool     // pods without a controller too, which are lost
	EmptyDir bool     // pods with an emptyDir too, whose data is lost
}

// Packed is which nodes can be emptied one after the other, and how. Its JSON is stable.
type Packed struct {
	Plan
	Emptied []Emptied `json:"emptied"`
	Kept    []Kept    `json:"kept,omitempty"` // why the others cannot be
	AtMost  int       `json:"atMost"`         // so many can be emptied by room
	Exact   bool      `json:"exact"`          // no more can be emptied
	Unseen  int       `json:"notLookedAt,omitempty"`
}

// Emptied is a node that a plan empties.
type Emptied struct {
	Node  string `json:"node"`
	Moves int    `json:"moves"`
}

// Kept is a node that is not emptied, and what is against it.
type Kept struct {
	Node string `json:"node"`
	Block
}

// The bounds of a search for nodes that can be emptied.
const (
	allOrders = 8   // nodes; of more not every order is tried
	mostDrain = 600 // runs
)

const controlPlane = "node-role.kubernetes.io/control-plane"

// packing is such a search.
type packing struct {
	ctx      context.Context
	f        *Fleet
	of       PackOf
	progress func(int)

	before []Wait
	least  map[string]int // healthy minus desired of budgets before
	atMost int
	best   []string
	kept   map[string]Block
	moves  int // of best
	runs   int
	cut    bool
	seen   map[string]bool
}

// Pack looks for the most nodes that can be emptied one after the other, each by a drain that ends. Of up to 8 nodes
// every order is tried as long as there are runs for it; of more the emptiest is drained first. progress (may be nil)
// is called with the number of runs.
func (f *Fleet) Pack(ctx context.Context, of PackOf, progress func(runs int)) (Packed, error) {
	s := &packing{ctx: ctx, f: f, of: of, progress: progress, kept: map[string]Block{}, seen: map[string]bool{}}
	r := f.begin(ctx, 1, 0)
	s.before, s.least = r.without(), r.slacks()
	r.slack = map[string]int{}
	nodes, err := s.candidates(r)
	if err != nil {
		return Packed{}, err
	}
	s.atMost = s.bound(r, nodes)
	if len(nodes) <= allOrders {
		s.allOrders(r, nodes, nil, 0)
	} else {
		s.emptiestFirst(r, nodes)
	}
	out := s.again()
	out.Goal, out.AtMost, out.Runs = "pack", s.atMost, s.runs
	out.Exact = len(s.best) == s.atMost || len(nodes) <= allOrders && !s.cut && ctx.Err() == nil
	for _, n := range nodes {
		block, known := s.kept[n]
		switch {
		case slices.Contains(s.best, n):
		case len(s.best) == s.atMost:
			out.Kept = append(out.Kept, Kept{n, Block{"room", n, "the others have no room for its pods too"}})
		case known && s.seen[n]:
			out.Kept = append(out.Kept, Kept{n, block})
		default:
			out.Unseen++
		}
	}
	if len(s.best) == 0 {
		out.Verdict = Blocked
	}
	return out, ctx.Err()
}

func (s *packing) count() {
	if s.runs++; s.progress != nil {
		s.progress(s.runs)
	}
}

// candidates are the nodes that may be emptied, the emptiest first.
func (s *packing) candidates(r *run) ([]string, error) {
	load := map[string]int64{}
	pods := map[string]int{}
	var all []string
	for _, n := range r.state().Snapshot().Nodes {
		if n.API == nil {
			continue
		}
		if _, control := n.API.Labels[controlPlane]; len(s.of.Nodes) == 0 && !control || slices.Contains(s.of.Nodes, n.Name) {
			all = append(all, n.Name)
		}
		for _, p := range n.Pods {
			if stays, _ := filter(p.API, Drain{}); stays == "" {
				pods[n.Name]++
			}
		}
		if n.Allocatable.MilliCPU > 0 {
			load[n.Name] = 1000 * n.Requested.MilliCPU / n.Allocatable.MilliCPU
		}
	}
	for _, n := range s.of.Nodes {
		if !slices.Contains(all, n) {
			return nil, phrase.Errorf("there is no node %q here%s", n, spelling.HintName(n, r.state().Snapshot().Names))
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(pods[a], pods[b]), cmp.Compare(load[a], load[b]), strings.Compare(a, b))
	})
	return slices.Compact(all), nil
}

// bound is how many of some nodes can be emptied at most: the others have to hold what all pods request, and a node
// with a pod that a drain does not evict is not emptied.
func (s *packing) bound(r *run, nodes []string) int {
	names := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}
	demand, may := make([]int64, len(names)), make([][]int64, len(names))
	can, least := 0, map[string][]int64{} // of its replicas the smallest: another one may be made like it
	r.state().EachPod(func(p *cluster.Pod) bool {
		mine, owner := amountsOf(names, &p.Requests, 1), ownerName(p.API)
		for k, other := range least[owner] {
			mine[k] = min(mine[k], other)
		}
		least[owner] = mine
		return true
	})
	for _, n := range r.state().Snapshot().Nodes {
		if n.API == nil {
			continue
		}
		has, whole := amountsOf(names, &n.Allocatable, n.Allocatable.Pods), true
		for _, p := range n.Pods {
			stays, block := filter(p.API, Drain{Force: s.of.Force, EmptyDir: s.of.EmptyDir})
			whole = whole && block == nil
			if cluster.Finished(p.API) || p.Terminating() || stays == "" && s.of.Force && isUnmanaged(p.API) {
				continue
			}
			for k, amount := range least[ownerName(p.API)] {
				if stays != "" {
					has[k] -= amount
				} else {
					demand[k] += amount
				}
			}
		}
		if whole && slices.Contains(nodes, n.Name) {
			can++
			for k := range names {
				may[k] = append(may[k], has[k])
			}
			continue
		}
		for k := range names {
			demand[k] -= has[k]
		}
	}
	keep := 0
	for k := range names {
		slices.SortFunc(may[k], func(a, b int64) int { return cmp.Compare(b, a) })
		for n, left := 0, demand[k]; left > 0 && n < len(may[k]); n++ {
			left -= may[k][n]
			keep = max(keep, n+1)
		}
	}
	return can - keep
}

// allOrders empties nodes in every order.
func (s *packing) allOrders(r *run, left, done []string, moves int) {
	if len(done) > len(s.best) || len(done) == len(s.best) && moves < s.moves {
		s.best, s.moves = slices.Clone(done), moves
	}
	for i, n := range left {
		if len(s.best) >= s.atMost || len(done)+len(left) <= len(s.best) || !s.mayRun() {
			return
		}
		next, moved, block := s.empty(r, n)
		if block != nil {
			if len(done) >= len(s.best) || s.kept[n].Code == "" {
				s.kept[n] = *block
			}
			continue
		}
		s.allOrders(next, slices.Concat(left[:i], left[i+1:]), append(slices.Clone(done), n), moves+moved)
	}
}

// emptiestFirst empties the emptiest node that can be, again and again.
func (s *packing) emptiestFirst(r *run, nodes []string) {
	for _, n := range nodes {
		if len(s.best) >= s.atMost || !s.mayRun() {
			return
		}
		next, moved, block := s.empty(r, n)
		if block != nil {
			s.kept[n] = *block
			continue
		}
		r, s.best, s.moves = next, append(s.best, n), s.moves+moved
	}
}

func (s *packing) mayRun() bool {
	if s.runs >= mostDrain {
		s.cut = true
	}
	return s.runs < mostDrain && s.ctx.Err() == nil
}

// empty drains a node in a course of its own; a block when it cannot be emptied.
func (s *packing) empty(r *run, node string) (next *run, moves int, block *Block) {
	s.count()
	next, p := r.fork(), Plan{Verdict: Done}
	p.cordon(next, node)
	p.drainNode(next, s.drain(), node)
	if p.finish(next); s.ctx.Err() != nil {
		return next, 0, &Block{"stopped", node, "the search was stopped"}
	}
	s.seen[node] = true
	return next, p.Moves.Found, s.blockOf(next, &p, node)
}

func (s *packing) drain() Drain { return Drain{Force: s.of.Force, EmptyDir: s.of.EmptyDir} }

// blockOf is what is against a plan that empties a node; nil: nothing.
func (s *packing) blockOf(r *run, p *Plan, node string) *Block {
	for i := range p.Steps {
		if b := p.Steps[i].Refused; b != nil {
			return b
		}
	}
	for _, w := range minus(r.without(), s.before) {
		return &Block{"room", w.Pod, phrase.Verbatim(w.Message)}
	}
	for i := range p.Steps {
		for _, m := range p.Steps[i].Moves {
			if m.To == "" {
				return &Block{"not-made-again", m.Pod, "its controller does not make it again"}
			}
		}
	}
	if len(r.gone) > 0 {
		return &Block{"preempts", r.gone[0], "it would have to go for others"}
	}
	if budget, is := r.broken(s.least); is {
		return &Block{"budget", budget, "the budget would be broken"}
	}
	if n, is := r.state().Node(node); is {
		for _, on := range n.Pods {
			if stays, _ := filter(on.API, s.drain()); stays == "" && !cluster.Finished(on.API) {
				return &Block{"stays", on.Key, "it is still there"}
			}
		}
	}
	return nil
}

// again runs the whole plan: node by node, and with all the nodes cordoned first, whichever moves fewer pods.
func (s *packing) again() Packed {
	ctx := context.WithoutCancel(s.ctx)
	one := func(ahead bool, times int, seed uint64) (Plan, []Emptied) {
		s.count()
		r := s.f.begin(ctx, times, seed)
		p := Plan{Verdict: Done, Before: s.before, Assumed: r.manager.Assumed()}
		r.slack = map[string]int{}
		if ahead {
			p.cordon(r, s.best...)
		}
		emptied := []Emptied{}
		for _, n := range s.best {
			if !ahead {
				p.cordon(r, n)
			}
			from := len(p.Steps)
			p.drainNode(r, s.drain(), n)
			e := Emptied{Node: n}
			for _, step := range p.Steps[from:] {
				e.Moves += len(step.Moves)
			}
			emptied = append(emptied, e)
		}
		p.finish(r)
		for _, n := range s.best {
			if b := s.blockOf(r, &p, n); b != nil && p.Verdict == Done {
				p.Verdict = Blocked
			}
		}
		return p, emptied
	}
	p, emptied := one(false, 1, 0)
	ahead := false
	if len(s.best) > 1 {
		if other, each := one(true, 1, 0); other.Verdict == Done && other.Moves.Found < p.Moves.Found {
			p, emptied, ahead = other, each, true
		}
	}
	otherRuns(usualTrials.moving(len(p.Steps)), p.hasTie, func(times int, seed uint64, because Sure) (isNew, goOn bool) {
		other, _ := one(ahead, times, seed)
		return p.weaken(&other, because), true
	})
	return Packed{Plan: p, Emptied: emptied}
}

// cordon adds steps that cordon nodes, and carries them out.
func (p *Plan) cordon(r *run, nodes ...string) {
	for _, n := range nodes {
		q := request.Cordon(n)
		step := p.step(r, q)
		if err := r.send(q); err != nil {
			step.Refused = blockOf(n, err)
		}
	}
	r.settle()
}
