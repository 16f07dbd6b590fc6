package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/owner"
)

// victim is a pod that may be evicted.
type victim struct {
	key, node string
	cost      int
	requests  []int64 // of the resources that room is wanted of
	pod       *cluster.Pod
}

// What the eviction of a pod costs beside another one. Fewer evictions always come first.
const (
	costOfPeer = 100 // its priority is not lower than that of the pods that room is made for
	costOfJob  = 30  // it begins anew
	costOfSet  = 10  // its replacement comes only when it is gone
)

func victimOf(p *cluster.Pod, lowest int32) victim {
	v := victim{key: p.Key, node: p.NodeName, pod: p}
	if p.Priority >= lowest {
		v.cost += costOfPeer
	}
	switch c := metav1.GetControllerOf(p.API); cluster.Kind(c.Kind) {
	case owner.KindJob:
		v.cost += costOfJob
	case cluster.KindReplicaSet, cluster.KindReplicationController:
	default:
		v.cost += costOfSet
	}
	return v
}

// compareVictims sorts the cheapest first; of a StatefulSet the highest ordinal.
func compareVictims(a, b victim) int {
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(ordinal(b.pod.API), ordinal(a.pod.API)),
		strings.Compare(a.key, b.key))
}

func compareHeld(a, b Held) int {
	return cmp.Or(cmp.Compare(b.Pods, a.Pods), strings.Compare(a.Why.String(), b.Why.String()))
}

// rooms is what nodes have left for pods, by resources alone. Where it finds no room there is none: a pod that is not
// evicted stays, and one that is evicted leaves at most what it requests.
type rooms struct {
	names  []corev1.ResourceName
	need   []int64 // the least that one of the pods wants of each
	pods   int     // that room is wanted for
	nodes  []shelf // that may take one of them
	byName map[string]int
}

// shelf is one node.
type shelf struct {
	name string
	free []int64
	held [][]int64 // by resource, what the pods hold that may be evicted, the most first
}

// amountsOf are the amounts of resources in the order of names; pods are counted as what one pod takes.
func (r *rooms) amountsOf(of *cluster.Resources, pods int64) []int64 {
	all := make([]int64, len(r.names))
	for i, name := range r.names {
		switch name {
		case corev1.ResourceCPU:
			all[i] = of.MilliCPU
		case corev1.ResourceMemory:
			all[i] = of.Memory
		case corev1.ResourceEphemeralStorage:
			all[i] = of.EphemeralStorage
		case corev1.ResourcePods:
			all[i] = pods
		default:
			all[i] = of.Scalar(name)
		}
	}
	return all
}

// roomsOf works out what nodes have left for pods. It fills in the requests of the victims.
func roomsOf(state *cluster.State, wanted []*cluster.Pod, movable []victim) rooms {
	r := rooms{pods: len(wanted), byName: map[string]int{}, names: []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods,
	}}
	for _, p := range wanted {
		for _, s := range p.Requests.Scalars {
			if !slices.Contains(r.names, s.Name) {
				r.names = append(r.names, s.Name)
			}
		}
	}
	for i, p := range wanted {
		amounts := r.amountsOf(&p.Requests, 1)
		if i == 0 {
			r.need = amounts
		}
		for k := range amounts {
			r.need[k] = min(r.need[k], amounts[k])
		}
	}
	for _, n := range state.Snapshot().Nodes {
		if n.API == nil || !slices.ContainsFunc(wanted, func(p *cluster.Pod) bool { return mayTake(n, p) }) {
			continue
		}
		s := shelf{name: n.Name, free: r.amountsOf(&n.Allocatable, n.Allocatable.Pods), held: make([][]int64, len(r.names))}
		for i, used := range r.amountsOf(&n.Requested, int64(len(n.Pods))) {
			s.free[i] -= used
		}
		r.byName[n.Name] = len(r.nodes)
		r.nodes = append(r.nodes, s)
	}
	for i := range movable {
		v := &movable[i]
		v.requests = r.amountsOf(&v.pod.Requests, 1)
		if at, is := r.byName[v.node]; is {
			for k, amount := range v.requests {
				r.nodes[at].held[k] = append(r.nodes[at].held[k], amount)
			}
		}
	}
	for i := range r.nodes {
		for k := range r.nodes[i].held {
			slices.SortFunc(r.nodes[i].held[k], func(a, b int64) int { return cmp.Compare(b, a) })
		}
	}
	return r
}

// mayTake reports whether a node takes a pod by what never changes in a plan: its taints, its labels, its name.
func mayTake(n *cluster.Node, p *cluster.Pod) bool {
	if matches, err := p.NodeSelection.Match(n.API); err != nil || !matches {
		return false
	}
	tolerates := func(t *corev1.Taint) bool {
		return corev1helpers.TolerationsTolerateTaint(logr.Discard(), p.API.Spec.Tolerations, t, true)
	}
	if n.API.Spec.Unschedulable && !tolerates(&corev1.Taint{
		Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
	}) {
		return false
	}
	return !slices.ContainsFunc(n.Taints, func(t corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule && !tolerates(&t)
	})
}

// slots is how many of the pods a node takes at most, when more of each resource is free.
func (r *rooms) slots(at int, more []int64) int {
	most := int64(r.pods)
	for k, need := range r.need {
		if need > 0 {
			most = min(most, max(r.nodes[at].free[k]+more[k], 0)/need)
		}
	}
	return int(most)
}

// top is what the evictions of so many pods of a node free at most, of each resource.
func (r *rooms) top(at, evictions int) []int64 {
	sum := make([]int64, len(r.names))
	for k := range sum {
		for _, amount := range r.nodes[at].held[k][:min(evictions, len(r.nodes[at].held[k]))] {
			sum[k] += amount
		}
	}
	return sum
}

// least is the lowest number of evictions after which there may be room; most+1 when so many do not suffice.
func (r *rooms) least(most int) int {
	best := make([]int, most+1) // slots by evictions, over the nodes so far
	for at := range r.nodes {
		here := make([]int, most+1)
		for e := range here {
			here[e] = r.slots(at, r.top(at, e))
		}
		for e := most; e >= 0; e-- {
			sum := 0
			for own := range e + 1 {
				sum = max(sum, best[e-own]+here[own])
			}
			best[e] = sum
		}
	}
	for e, slots := range best {
		if slots >= r.pods {
			return e
		}
	}
	return most + 1
}

// mayDo reports whether there may be room once some pods are evicted.
func (r *rooms) mayDo(evicted []victim) bool {
	if r.pods == 0 {
		return true
	}
	more := map[int][]int64{}
	for i := range evicted {
		at, is := r.byName[evicted[i].node]
		if !is {
			continue
		}
		if more[at] == nil {
			more[at] = make([]int64, len(r.names))
		}
		for k, amount := range evicted[i].requests {
			more[at][k] += amount
		}
	}
	sum, none := 0, make([]int64, len(r.names))
	for at := range r.nodes {
		free := none
		if more[at] != nil {
			free = more[at]
		}
		if sum += r.slots(at, free); sum >= r.pods {
			return true
		}
	}
	return false
}

// podsOf are the pods of victims.
func podsOf(set []victim) []*corev1.Pod {
	all := make([]*corev1.Pod, len(set))
	for i := range set {
		all[i] = set[i].pod.API
	}
	return all
}
