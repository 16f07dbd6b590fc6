package workload

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/session"
)

// mostNodes is how many more nodes are thought of.
const mostNodes = 256

// solved is a set with as much of one of its changes as all replicas need: how many nodes, how little of a resource.
// With the next smaller change they do not all fit; those that are smaller still are not all run. nil: there is nothing
// to find out, or the largest change does not do it.
func (f *finder) solved(s *remedy.Set, at int) *remedy.Set {
	if at < 0 {
		return nil
	}
	c := &s.Changes[at]
	var options []remedy.Change // the smallest first; most often those behind one that does it do it too
	switch c.Kind {
	case remedy.AddNode:
		options = f.nodes(c.Like())
	case remedy.Request:
		options = f.amounts(c)
	case remedy.RaiseSkew:
		options = remedy.Skews(f.pods[0], c.Skew())
	}
	if len(options) < 2 {
		return nil
	}
	rest := &remedy.Set{}
	for i, other := range s.Changes {
		if i != at {
			rest = rest.With(other)
		}
	}
	fits := func(i int) bool {
		o := f.tried(rest.With(options[i]))
		return o.fits()
	}
	if c.Kind == remedy.AddNode {
		options = f.enough(rest, options)
	}
	if !fits(len(options) - 1) {
		return nil
	}
	if last := len(options) - 1; last > 0 && !fits(last-1) {
		return rest.With(options[last])
	}
	least := sort.Search(len(options), fits)
	return rest.With(options[min(least, len(options)-1)])
}

// enough cuts off what is more than needed, by what the first node gains: most often each other one gains as much.
// Where it gains nothing, because others take it, nothing is known of the next ones.
func (f *finder) enough(rest *remedy.Set, options []remedy.Change) []remedy.Change {
	one := f.tried(rest.With(options[0]))
	without := f.tried(rest)
	if one.player == nil || without.player == nil || one.fits() {
		return options[:1]
	}
	gain := one.of.Fit() - without.of.Fit()
	if gain <= 0 {
		return options
	}
	missing := one.of.Want - without.of.Fit()
	for n := (missing + gain - 1) / gain; n < len(options) && f.ctx.Err() == nil; n *= 2 {
		if o := f.tried(rest.With(options[n-1])); o.fits() {
			return options[:n]
		}
	}
	return options
}

// nodes are one more node like another, two, and so on: at most one for every pod without a node, pods of other
// workloads included.
func (f *finder) nodes(like string) []remedy.Change {
	state := f.base.player.Scheduler().State()
	most := f.of.Want - f.base.of.Fit()
	state.EachPod(func(p *cluster.Pod) bool {
		if session.HostOf(state, p) == "" && !cluster.Finished(p.API) && !f.of.has(p) {
			most++
		}
		return true
	})
	most = min(most, mostNodes)
	all := make([]remedy.Change, 0, most)
	for n := 1; n <= most; n++ {
		all = append(all, remedy.AddNodes(state, like, n))
	}
	return all
}

// requests are changes to request less of what the first pod without a node is short of, of any amount.
func (f *finder) requests() []remedy.Change {
	e := f.answer.First
	var all []remedy.Change
	seen := map[string]bool{}
	for i := range e.Nearest {
		for _, broken := range e.Nearest[i].Failures {
			for _, short := range broken.Verdict.Evidence {
				if _, lacking := short.Short(); !lacking || short.Topic != trace.OfResource || seen[short.Name()] {
					continue
				}
				seen[short.Name()] = true
				wants := f.pods[0].Requests.Amount(corev1.ResourceName(short.Name()))
				if c, can := remedy.Requesting(f.pods[0], short.Name(), short.Want.With(1), wants); can {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// amounts are the requests of a resource that can make a difference, the largest first: what is free of it on a node
// without the pods of the workload, divided by how many of them may be there.
func (f *finder) amounts(c *remedy.Change) []remedy.Change {
	pod := f.pods[0]
	name := c.Template[0].Path[strings.LastIndex(c.Template[0].Path, "/")+1:]
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	wants := pod.Requests.Amount(corev1.ResourceName(name))
	state := f.base.player.Scheduler().State()
	seen := map[int64]bool{}
	var amounts []int64
	for _, n := range state.Snapshot().Nodes {
		free := n.Allocatable.Amount(corev1.ResourceName(name)) - n.Requested.Amount(corev1.ResourceName(name))
		for _, p := range n.Pods {
			if live, is := state.Pod(p.Key); is && f.of.has(live) {
				free += live.Requests.Amount(corev1.ResourceName(name))
			}
		}
		for pods := int64(1); pods <= int64(f.of.Want); pods++ {
			amount := rounded(name, free/pods)
			if amount <= 0 {
				break
			}
			if amount < wants && !seen[amount] {
				seen[amount] = true
				amounts = append(amounts, amount)
			}
		}
	}
	slices.SortFunc(amounts, func(a, b int64) int { return cmp.Compare(b, a) })
	var all []remedy.Change
	for _, amount := range amounts {
		less := trace.Bytes(wants - amount)
		if name == string(corev1.ResourceCPU) {
			less = trace.MilliCPU(wants - amount)
		}
		if change, can := remedy.Requesting(pod, name, less, wants); can {
			all = append(all, change)
		}
	}
	return all
}

// rounded is an amount that a person would write: of memory and storage whole mebibytes.
func rounded(name string, amount int64) int64 {
	const mebi = 1 << 20
	switch corev1.ResourceName(name) {
	case corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		if amount >= mebi {
			return amount / mebi * mebi
		}
	}
	return amount
}
