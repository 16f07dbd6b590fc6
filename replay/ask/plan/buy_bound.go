package plan

import (
	"cmp"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/request"
)

// demand is what pods want that wait, and what offers have, by resources alone.
type demand struct {
	names  []corev1.ResourceName
	wants  map[string][]int64 // by pod
	goes   map[string][]bool  // by pod: which offers may take it
	need   []int64            // the least that one of the pods wants of each
	all    []int64            // what the pods want together
	sum    []int64            // what the offers have to have together
	offers []Offer
	has    [][]int64 // by offer, without what DaemonSets take
}

// demandOf works that out. What DaemonSets take of each offer is seen in a run.
func demandOf(r *run, targets []string, offers []Offer) *demand {
	d := &demand{offers: offers, wants: map[string][]int64{}, goes: map[string][]bool{}}
	var pods []*cluster.Pod
	for _, key := range targets {
		if p, is := r.state().Pod(key); is {
			pods = append(pods, p)
		}
	}
	d.names = namesOf(pods)
	judges := r.judgesOf(pods, d.names)
	for i, p := range pods {
		wants := judges[i].wants
		if i == 0 {
			d.need = slices.Clone(wants)
		}
		for k := range wants {
			d.need[k] = min(d.need[k], wants[k])
		}
		d.wants[p.Key] = wants
	}
	nodes := d.probe(r)
	for i, p := range pods {
		goes := make([]bool, len(offers))
		for k := range offers {
			goes[k] = nodes[k] != nil && judges[i].mayTake(nodes[k]) && fits(d.wants[p.Key], d.has[k])
		}
		d.goes[p.Key] = goes
	}
	d.sum = d.short(r, pods, judges)
	return d
}

// probe has one node of each offer join a course of its own, to see what DaemonSets leave of it.
func (d *demand) probe(r *run) []*cluster.Node {
	nodes := make([]*cluster.Node, len(d.offers))
	for i := range d.offers {
		o := &d.offers[i]
		with := r.fork()
		n := nodeLike(o.Node, with.freeNode("new-probe"), NewNode{})
		n.Spec.Unschedulable = true
		from := o.Node
		if o.like != nil {
			from = o.like
		}
		with.join(from, n)
		with.settle()
		d.has = append(d.has, make([]int64, len(d.names)))
		if node, is := with.state().Node(n.Name); is {
			d.has[i] = freeOf(d.names, node)
			d.admit(d.has[i])
		}
		if err := with.send(request.Uncordon(n.Name)); err == nil {
			with.until(with.now())
		}
		if node, is := with.state().Node(n.Name); is {
			bare := *node
			bare.Taints = slices.DeleteFunc(slices.Clone(node.Taints), func(t corev1.Taint) bool { return isCordon(&t) })
			nodes[i] = &bare
		}
	}
	return nodes
}

// admit lowers the number of pods that a node admits to what it can hold of the smallest of them.
func (d *demand) admit(has []int64) {
	at := slices.Index(d.names, corev1.ResourcePods)
	for k, need := range d.need {
		if need > 0 {
			has[at] = min(has[at], max(has[k], 0)/need)
		}
	}
}

// fits reports whether there is enough of what is wanted; nothing of a resource is enough on every node.
func fits(want, has []int64) bool {
	for k := range want {
		if want[k] > max(has[k], 0) {
			return false
		}
	}
	return true
}

// short is what new nodes have to have: what the pods want together beyond what is free, and no less than what those
// want that fit on no node.
func (d *demand) short(r *run, pods []*cluster.Pod, judges []judge) []int64 {
	forced, free := make([]int64, len(d.names)), make([]int64, len(d.names))
	d.all = make([]int64, len(d.names))
	placed := map[string]bool{}
	for _, n := range r.state().Snapshot().Nodes {
		if n.API == nil {
			continue
		}
		left := freeOf(d.names, n)
		d.admit(left)
		takes := false
		for i, p := range pods {
			if judges[i].mayTake(n) && fits(d.wants[p.Key], left) {
				placed[p.Key], takes = true, true
			}
		}
		for k := range left {
			if takes {
				free[k] += max(left[k], 0)
			}
		}
	}
	for _, p := range pods {
		for k, want := range d.wants[p.Key] {
			if d.all[k] += want; !placed[p.Key] {
				forced[k] += want
			}
		}
	}
	sum := make([]int64, len(d.names))
	for k, all := range d.all {
		sum[k] = max(all-free[k], forced[k], 0)
	}
	return sum
}

// mayDo reports whether a mix has enough of each resource.
func (d *demand) mayDo(m mix) bool {
	for k, want := range d.sum {
		has := int64(0)
		for i, n := range m {
			has += int64(n) * max(d.has[i][k], 0)
		}
		if has < want {
			return false
		}
	}
	return true
}

// nodes is a number of nodes that no mix is below.
func (d *demand) nodes() int {
	return int(math.Ceil(d.least(func(int) float64 { return 1 }) - 1e-9))
}

// price is a price that no mix is below.
func (d *demand) price() int64 {
	cheapest := int64(math.MaxInt64)
	for i := range d.offers {
		cheapest = min(cheapest, d.offers[i].Price)
	}
	rate := d.least(func(i int) float64 { return float64(d.offers[i].Price) })
	return max(int64(math.Ceil(rate*(1-1e-12)-1e-6)), int64(d.nodes())*cheapest)
}

// least is a bound from below of the cost of what is wanted: for weights of the resources, what is wanted by weight at
// the best rate of cost for weight. Each resource alone and all together by their shares are taken.
func (d *demand) least(cost func(offer int) float64) float64 {
	most := make([]float64, len(d.names)) // of a resource on one offer
	for i := range d.has {
		for k, has := range d.has[i] {
			most[k] = max(most[k], float64(has))
		}
	}
	best := 0.0
	weigh := func(weights []float64) {
		want, rate := 0.0, math.Inf(1)
		for k, w := range weights {
			want += w * float64(d.sum[k])
		}
		for i := range d.has {
			has := 0.0
			for k, w := range weights {
				has += w * max(float64(d.has[i][k]), 0)
			}
			if has > 0 {
				rate = min(rate, cost(i)/has)
			}
		}
		if want > 0 && !math.IsInf(rate, 1) {
			best = max(best, want*rate)
		}
	}
	shares := func(of ...int) {
		weights := make([]float64, len(d.names))
		for _, k := range of {
			if most[k] > 0 {
				weights[k] = 1 / most[k]
			}
		}
		weigh(weights)
	}
	for k := range d.names {
		shares(k)
		for j := range k {
			shares(j, k)
		}
	}
	return best
}

// packed packs pods on offers by resources, the largest first: offer by offer the one that holds most for its cost.
// left is how many there are of each; negative: any number. nil: none of the pods goes on one.
func (d *demand) packed(pods []string, left []int, fewest bool) mix {
	m := make(mix, len(d.offers))
	left = slices.Clone(left)
	rest := slices.Clone(pods)
	slices.SortStableFunc(rest, func(a, b string) int { return cmp.Compare(d.share(b), d.share(a)) })
	some := false
	for len(rest) > 0 {
		best, rate, taken := -1, 0.0, []string(nil)
		for i := range d.offers {
			if left[i] == 0 {
				continue
			}
			on, worth := d.load(i, rest)
			cost := float64(max(d.offers[i].Price, 1))
			if fewest {
				cost = 1
			}
			if len(on) > 0 && worth/cost > rate {
				best, rate, taken = i, worth/cost, on
			}
		}
		if best < 0 {
			break
		}
		some = true
		m[best]++
		left[best]--
		rest = slices.DeleteFunc(rest, func(key string) bool { return slices.Contains(taken, key) })
	}
	if !some {
		return nil
	}
	return m
}

// load are the pods that one node of an offer holds, first fit, and how much that is.
func (d *demand) load(offer int, pods []string) (on []string, worth float64) {
	has := slices.Clone(d.has[offer])
	for _, key := range pods {
		if !d.goes[key][offer] || !fits(d.wants[key], has) {
			continue
		}
		for k, want := range d.wants[key] {
			has[k] -= want
		}
		on, worth = append(on, key), worth+d.share(key)
	}
	return on, worth
}

// share is the size of a pod beside what all pods want together.
func (d *demand) share(key string) (sum float64) {
	for k, want := range d.wants[key] {
		if d.all[k] > 0 {
			sum += float64(want) / float64(d.all[k])
		}
	}
	return sum
}
