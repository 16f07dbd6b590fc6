package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/request"
)

// UpgradeOf is how the nodes of a pool are replaced.
type UpgradeOf struct {
	Nodes       []string // in the order in which they are replaced
	Surge       int      // nodes that the pool may have more than now
	Unavailable int      // nodes that it may have fewer
	New         NewNode
	Starts      time.Duration // until a new node is there
	Force       bool          // pods without a controller too, which are lost
	EmptyDir    bool          // pods with an emptyDir too, whose data is lost
}

// Upgraded is the result of an upgrade. Its JSON is stable.
type Upgraded struct {
	Plan
	Waves  []Wave     `json:"waves"`
	Left   []string   `json:"left,omitempty"` // nodes that are not replaced
	Others []OtherWay `json:"otherWays,omitempty"`
}

// Wave is nodes that are drained together.
type Wave struct {
	N       int       `json:"n"`
	Nodes   []string  `json:"nodes"`         // that are drained and deleted
	New     []string  `json:"new,omitempty"` // that are there before
	Begins  float64   `json:"begins"`        // seconds of virtual time
	Ends    float64   `json:"ends"`
	Moves   int       `json:"moves"`
	Waits   []Waiting `json:"waits,omitempty"`
	Blocked *Block    `json:"blockedBy,omitempty"`
}

// Waiting is a pod that has no node for a time.
type Waiting struct {
	Pod     string  `json:"pod"`
	Seconds float64 `json:"seconds"` // negative: until the end
}

// OtherWay is what another order of the same steps comes to.
type OtherWay struct {
	Way     string  `json:"way"`
	Verdict Verdict `json:"verdict"`
	Moves   int     `json:"moves"`
}

// cordonedFirst names the way in which all old nodes are cordoned before the first is drained.
const cordonedFirst = "all old nodes cordoned first"

// shortWait is how long a pod may have no node without being named.
const shortWait = time.Second

// Upgrade runs the replacement of nodes, wave by wave: new nodes join, as many old ones are drained at once as surge
// and unavailable allow, and are deleted. It ends at the first wave that is blocked. progress (may be nil) is called
// with the number of runs.
func (f *Fleet) Upgrade(ctx context.Context, of UpgradeOf, progress func(runs int)) (Upgraded, error) {
	for _, n := range of.Nodes {
		node, is := f.Player.Scheduler().State().Node(n)
		if !is || node.API == nil {
			return Upgraded{}, phrase.Errorf("there is no node %q here%s", n, f.meantNode(n))
		}
	}
	if of.Surge < 0 || of.Unavailable < 0 || of.Surge+of.Unavailable == 0 {
		return Upgraded{}, phrase.Errorf("an upgrade needs a surge or unavailable nodes, of 1 or more together")
	}
	usual := false
	if of.New.Like != nil {
		var err error
		if of.New.Like, usual, err = wholeNode(of.New.Like); err != nil {
			return Upgraded{}, err
		}
	}
	count := func(p *Plan) {
		if p.Runs++; progress != nil {
			progress(p.Runs)
		}
	}
	d := Drain{Force: of.Force, EmptyDir: of.EmptyDir}
	first := f.upgradeOnce(ctx, of, d, 1, 0, false)
	if ctx.Err() != nil {
		return Upgraded{}, ctx.Err() // a run that was stopped shows nothing
	}
	if _, sized := of.New.Size[corev1.ResourcePods]; usual && !sized {
		first.Assumed = append(slices.Clone(first.Assumed), assumedPods(1))
	}
	count(&first.Plan)
	again := func(times int, seed uint64, ahead bool) (Upgraded, bool) {
		other := f.upgradeOnce(ctx, of, d, times, seed, ahead)
		count(&first.Plan)
		return other, ctx.Err() == nil
	}
	if other, whole := again(1, 0, true); whole {
		first.Others = []OtherWay{{cordonedFirst, other.Verdict, other.Moves.Found}}
	}
	runs := usualTrials.moving(len(first.Steps))
	otherRuns(runs, first.hasTie, func(times int, seed uint64, because Sure) (isNew, goOn bool) {
		other, whole := again(times, seed, false)
		return whole && first.weaken(&other.Plan, because), whole
	})
	if first.Verdict != Done {
		f.unlock(ctx, d, &first.Plan, func(d Drain) Plan { return f.upgradeOnce(ctx, of, d, 1, 0, false).Plan }, count)
	}
	return first, ctx.Err()
}

// upgradeOnce is one run.
func (f *Fleet) upgradeOnce(ctx context.Context, of UpgradeOf, d Drain, times int, seed uint64, ahead bool) Upgraded {
	r := f.begin(ctx, times, seed)
	out := Upgraded{
		Plan:  Plan{Goal: "upgrade", Verdict: Done, Assumed: r.manager.Assumed(), Before: r.without()},
		Waves: []Wave{},
	}
	for _, q := range d.before {
		if err := r.send(q); err != nil {
			out.step(r, q).Refused = blockOf(q.On.Key(), err)
			out.Verdict, out.Left = Blocked, of.Nodes
			return out
		}
		r.settle()
	}
	r.slack = map[string]int{}
	if ahead {
		out.cordon(r, of.Nodes...)
	}
	u := &upgrading{run: r, out: &out, of: of, drain: d, ahead: ahead, old: map[string]*corev1.Node{}}
	for _, n := range of.Nodes {
		if node, is := r.state().Node(n); is {
			u.old[n] = node.API
		}
	}
	for len(u.left()) > 0 && ctx.Err() == nil {
		if !u.wave() {
			break
		}
	}
	out.Left = u.left()
	out.finish(r)
	return out
}

// upgrading is one run of an upgrade.
type upgrading struct {
	run   *run
	out   *Upgraded
	of    UpgradeOf
	drain Drain
	ahead bool
	old   map[string]*corev1.Node
	made  int // new nodes
	done  int // old nodes that are replaced
}

func (u *upgrading) left() []string { return u.of.Nodes[u.done:] }

// wave replaces the next nodes; false when that is blocked.
func (u *upgrading) wave() bool {
	r, all := u.run, len(u.of.Nodes)
	w := Wave{N: len(u.out.Waves) + 1, Begins: r.seconds()}
	w.New = u.grow(min(u.of.Surge-(u.made-u.done), all-u.made))
	left := u.left()
	w.Nodes = left[:min(u.of.Unavailable+u.made-u.done, len(left))]
	from, begun := len(u.out.Steps), r.now()
	if !u.ahead {
		u.out.cordon(r, w.Nodes...)
	}
	var pods []*corev1.Pod
	whole := true
	for _, n := range w.Nodes {
		on, is := u.out.gather(r, u.drain, n)
		pods, whole = append(pods, on...), whole && is
	}
	if whole {
		r.order(pods)
		u.out.evictAtOnce(r, pods, u.drain.commands(w.Nodes...))
	}
	for i := range u.out.Steps[from:] {
		s := &u.out.Steps[from+i]
		if w.Moves += len(s.Moves); s.Refused != nil && w.Blocked == nil {
			w.Blocked = s.Refused
		}
	}
	if w.Blocked == nil {
		for _, n := range w.Nodes {
			u.out.step(r, request.Delete(request.Object{Kind: cluster.KindNode, Name: n}))
		}
		r.remove(w.Nodes)
		r.settle()
		u.done += len(w.Nodes)
		w.New = append(w.New, u.grow(u.done-u.made)...)
	}
	w.Waits, w.Ends = r.waited(begun), r.seconds()
	u.out.Waves = append(u.out.Waves, w)
	return w.Blocked == nil
}

// grow adds new nodes, each like the old one that it replaces. They start at the same moment.
func (u *upgrading) grow(more int) []string {
	if more <= 0 {
		return nil
	}
	u.run.wait(u.run.now().Add(u.of.Starts))
	var names []string
	for _, old := range u.of.Nodes[u.made : u.made+more] {
		like, name := u.old[old], u.run.freeNode(old+"-new")
		u.out.step(u.run, request.Remark(phrase.Textf("new node %s in the place of %s", name, old)))
		if u.of.New.Like != nil {
			like = u.of.New.Like
		}
		u.run.join(u.old[old], nodeLike(like, name, u.of.New))
		names = append(names, name)
	}
	u.made += more
	u.run.settle()
	return names
}

// waited are the pods that were made since a moment and had no node for more than shortWait, the longest first.
func (r *run) waited(since time.Time) []Waiting {
	var all []Waiting
	for _, births := range r.births {
		for _, b := range births {
			live, is := r.state().Pod(b.key)
			switch {
			case b.at.Before(since):
			case !b.bound.IsZero() && b.bound.Sub(b.at) > shortWait:
				all = append(all, Waiting{b.key, b.bound.Sub(b.at).Seconds()})
			case b.bound.IsZero() && is && live.NodeName == "":
				all = append(all, Waiting{b.key, -1})
			}
		}
	}
	slices.SortFunc(all, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(min(a.Seconds, 0), min(b.Seconds, 0)), cmp.Compare(b.Seconds, a.Seconds),
			strings.Compare(a.Pod, b.Pod))
	})
	return all
}
