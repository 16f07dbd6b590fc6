package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/play/request"
)

// BuyOf is what nodes are wanted for.
type BuyOf struct {
	Workload string // its pods that have no node; "": all such pods
	Want     int    // so many more replicas of Workload
	Offers   []Offer
	Nodes    bool // the fewest nodes are wanted; else the cheapest
}

// Bought is the nodes after which every pod has one. Its JSON is stable.
type Bought struct {
	Goal    string        `json:"goal"`
	Verdict Verdict       `json:"verdict"`
	Kubectl []string      `json:"kubectl,omitempty"` // that goes before
	Quotas  []string      `json:"quotas,omitempty"`  // messages of the API server for which quotas are raised there
	Denied  []Denied      `json:"denied,omitempty"`  // whose pods a quota still does not let be made
	Pods    int           `json:"pods"`              // that nodes are wanted for
	Nodes   []BoughtNodes `json:"nodes"`
	Count   int           `json:"count"` // of nodes
	Price   string        `json:"price"`
	AtLeast AtLeast       `json:"atLeast"`
	Exact   bool          `json:"exact"` // no mix of the offers is better
	Lands   []Move        `json:"lands,omitempty"`
	Pending []Wait        `json:"pending,omitempty"` // that no mix of the offers was found for
	Assumed []phrase.Text `json:"assumed,omitempty"`
	Seconds float64       `json:"seconds"`
	Mixes   int           `json:"mixes"` // that were run
	Runs    int           `json:"runs"`

	course *course.Course
}

// BoughtNodes is how many of an offer.
type BoughtNodes struct {
	Offer string `json:"offer"`
	Count int    `json:"count"`
	Each  string `json:"price"` // of one
}

// AtLeast is a bound: no mix has fewer nodes, or is cheaper.
type AtLeast struct {
	Nodes   int     `json:"nodes"`
	Price   string  `json:"price"`
	Percent float64 `json:"gapPercent"` // that the answer is above the bound
}

// The bounds of a search for nodes.
const (
	mostMixes  = 300 // that are run
	mostPopped = 200_000
)

// mix is how many of each offer.
type mix []int

// buying is a search for nodes.
type buying struct {
	ctx      context.Context
	of       BuyOf
	progress func(int)

	r       *run // settled, with the replicas that are wanted; runs are forks of it
	wanted  wanted
	targets []string
	before  []Wait
	bound   *demand

	best   mix
	near   mix               // the one that was run with which the fewest pods wait
	waits  int               // with near
	says   map[string]string // the last message about a target, of any mix
	lower  int64             // no mix is better than this, in the unit of cost
	mixes  int
	runs   int
	tried  map[string]outcome
	closed bool // the best-first search went through
}

// outcome is the result of running with a mix of nodes.
type outcome struct {
	waits []string // targets without a node
	other bool     // another pod has lost its node, or waits
}

func (o *outcome) done() bool { return len(o.waits) == 0 && !o.other }

// Buy looks for the fewest or the cheapest nodes. Each mix of offers is run: its nodes join at the same moment, pods of
// DaemonSets come to them first, then kube-scheduler places what waits. progress (may be nil) is called with the number
// of runs.
func (f *Fleet) Buy(ctx context.Context, of BuyOf, progress func(runs int)) (Bought, error) {
	s := &buying{ctx: ctx, of: of, progress: progress, tried: map[string]outcome{}, says: map[string]string{}}
	if err := s.begin(f); err != nil {
		return Bought{}, err
	}
	s.bound = demandOf(s.r, s.targets, of.Offers)
	s.near, s.waits = make(mix, len(of.Offers)), len(s.targets)
	if len(s.targets) > 0 {
		s.byGuess()
		s.improve()
		s.bestFirst()
	}
	return s.answer(f), ctx.Err()
}

// begin settles the cluster, and adds the replicas that are wanted.
func (s *buying) begin(f *Fleet) error {
	if s.of.Workload == "" {
		s.r = f.readied(s.ctx, 1, 0)
		for _, w := range s.r.without() {
			s.targets = append(s.targets, w.Pod)
		}
		return nil
	}
	wanted, err := f.wantedOf(s.ctx, s.of.Workload, s.of.Want)
	if err != nil {
		return err
	}
	r, pods := f.readied(s.ctx, 1, 0), wanted.waiting(f.Player.Scheduler().State())
	if s.r, s.wanted = r, wanted; wanted.more != nil {
		if pods, err = wanted.grow(r); err != nil {
			return err
		}
		r.backOff()
	}
	for _, w := range r.missing(pods) {
		s.targets = append(s.targets, w.Pod)
	}
	s.before = minus(r.without(), waitsOf(s.targets))
	return nil
}

// cost of a mix, by which mixes are compared; ties by the other of price and number.
func (s *buying) cost(m mix) (first, second int64) {
	var price, count int64
	for i, n := range m {
		price += int64(n) * s.of.Offers[i].Price
		count += int64(n)
	}
	if s.of.Nodes {
		return count, price
	}
	return price, count
}

// less compares mixes: the better first, then the one with more of the first offers.
func (s *buying) less(a, b mix) int {
	a1, a2 := s.cost(a)
	b1, b2 := s.cost(b)
	return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2), slices.Compare(b, a))
}

func (s *buying) mayRun() bool { return s.mixes < mostMixes && s.ctx.Err() == nil }

// within reports whether there are as many of each offer as a mix has.
func (s *buying) within(m mix) bool {
	for i, n := range m {
		if most := s.of.Offers[i].Most; n < 0 || most > 0 && n > most {
			return false
		}
	}
	return true
}

// run tries a mix, once.
func (s *buying) run(m mix) outcome {
	id := fmt.Sprint(m)
	if o, is := s.tried[id]; is {
		return o
	}
	s.mixes++
	r := s.r.fork()
	s.grow(r, m)
	o := s.outcome(r)
	if s.ctx.Err() != nil {
		return outcome{waits: s.targets, other: true} // a run that was stopped shows nothing
	}
	s.tried[id] = o
	if o.done() && (s.best == nil || s.less(m, s.best) < 0) {
		s.best = slices.Clone(m)
	}
	if n := len(o.waits); !o.other && (n < s.waits || n == s.waits && s.less(m, s.near) < 0) {
		s.near, s.waits = slices.Clone(m), n
	}
	return o
}

// grow adds the nodes of a mix: cordoned until pods of DaemonSets are there.
func (s *buying) grow(r *run, m mix) {
	if s.runs++; s.progress != nil {
		s.progress(s.runs)
	}
	var names []string
	for i, n := range m {
		o := &s.of.Offers[i]
		for k := range n {
			node := nodeLike(o.Node, r.freeNode(o.nodeName(k)), NewNode{})
			node.Spec.Unschedulable = true
			from := o.Node
			if o.like != nil {
				from = o.like
			}
			r.join(from, node)
			names = append(names, node.Name)
		}
	}
	r.settle()
	for _, n := range names {
		if err := r.send(request.Uncordon(n)); err != nil {
			panic(err) // the node was added here
		}
	}
	r.settle()
	r.tryAgain(s.targets)
}

// nodeName is the name that a new node has here.
func (o *Offer) nodeName(n int) string {
	return "new-" + strings.ReplaceAll(o.Name, " ", "-") + "-" + strconv.Itoa(n+1)
}

// outcome is what has come of a run.
func (s *buying) outcome(r *run) outcome {
	o := outcome{other: len(r.gone) > 0}
	for _, w := range r.missing(s.targets) {
		o.waits = append(o.waits, w.Pod)
		s.says[w.Pod] = cmp.Or(w.Message, s.says[w.Pod])
	}
	for _, w := range minus(r.without(), s.before) {
		o.other = o.other || !slices.Contains(s.targets, w.Pod)
	}
	return o
}

// answer runs the best mix once more, with other draws of the scheduler.
func (s *buying) answer(f *Fleet) Bought {
	out := Bought{
		Goal: "capacity", Verdict: Done, Pods: len(s.targets), Nodes: []BoughtNodes{}, Mixes: s.mixes,
		Assumed: s.r.manager.Assumed(), Price: "0", AtLeast: AtLeast{Price: "0"}, Exact: true,
	}
	written := 0
	for i := range s.of.Offers {
		if s.of.Offers[i].usualPods {
			written++
		}
	}
	if written > 0 {
		out.Assumed = append(slices.Clone(out.Assumed), assumedPods(written))
	}
	if s.of.Workload != "" {
		out.Goal += " " + s.of.Workload
	}
	s.scaled(&out)
	if len(s.targets) == 0 {
		out.Runs = s.runs
		return out
	}
	m := s.best
	if m == nil {
		m, out.Verdict = s.near, Pending
	}
	r := s.r.fork()
	r.ctx, r.start = context.WithoutCancel(s.ctx), r.now()
	r.watch(s.targets)
	s.grow(r, m)
	out.course = r.taken()
	out.Seconds, out.Lands = r.seconds(), r.landed(s.targets)
	for _, w := range r.missing(s.targets) {
		w.Message = cmp.Or(w.Message, s.says[w.Pod])
		out.Pending = append(out.Pending, w)
	}
	for seed := range uint64(seeds) {
		other := s.r.fork()
		other.ctx = r.ctx
		other.p.Reseed(seed + 1)
		s.grow(other, m)
		if o := s.outcome(other); !o.done() && out.Verdict == Done {
			out.Verdict = Pending
			out.Pending = minus(other.without(), s.before)
		}
		for i, there := range other.landed(s.targets) {
			out.Lands[i].among(&there, tie)
		}
	}
	for i, n := range m {
		if out.Count += n; n > 0 {
			out.Nodes = append(out.Nodes, BoughtNodes{s.of.Offers[i].Name, n, Price(s.of.Offers[i].Price)})
		}
	}
	s.fill(&out, m)
	return out
}

// scaled is what goes before for the replicas that are wanted, and what quotas make of it.
func (s *buying) scaled(out *Bought) {
	if s.wanted.more == nil {
		return
	}
	for _, q := range append(slices.Clone(s.wanted.before), *s.wanted.more) {
		out.Kubectl = append(out.Kubectl, q.Kubectl())
	}
	if out.Quotas, out.Denied = s.wanted.quotas, s.r.denied(); Unmade(out.Denied) > 0 {
		out.Verdict = Pending
	}
}

// fill returns how good the answer is.
func (s *buying) fill(out *Bought, m mix) {
	price := int64(0)
	for i, n := range m {
		price += int64(n) * s.of.Offers[i].Price
	}
	out.Price, out.Runs = Price(price), s.runs
	nodes, least := s.bound.nodes(), s.bound.price()
	switch {
	case s.best == nil:
	case s.closed && s.of.Nodes:
		nodes = out.Count
	case s.closed:
		least = price
	case s.of.Nodes:
		nodes = max(nodes, int(s.lower))
	default:
		least = max(least, s.lower)
	}
	out.AtLeast = AtLeast{Nodes: nodes, Price: Price(least)}
	found, bound := float64(price), float64(least)
	if s.of.Nodes {
		found, bound = float64(out.Count), float64(nodes)
	}
	if out.Exact = s.best != nil && found <= bound; bound > 0 && s.best != nil {
		out.AtLeast.Percent = 100 * (found - bound) / bound
	}
}
