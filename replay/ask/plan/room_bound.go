package plan

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/owner"
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

// roomsOf works out what nodes have left for pods. It fills in the requests of the victims.
func (r *run) roomsOf(wanted []*cluster.Pod, movable []victim) rooms {
	all := rooms{pods: len(wanted), byName: map[string]int{}, names: namesOf(wanted)}
	judges := r.judgesOf(wanted, all.names)
	for i := range judges {
		if i == 0 {
			all.need = slices.Clone(judges[i].wants)
		}
		for k, want := range judges[i].wants {
			all.need[k] = min(all.need[k], want)
		}
	}
	for _, n := range r.state().Snapshot().Nodes {
		if n.API == nil || !slices.ContainsFunc(judges, func(j judge) bool { return j.mayTake(n) }) {
			continue
		}
		s := shelf{name: n.Name, free: freeOf(all.names, n), held: make([][]int64, len(all.names))}
		all.byName[n.Name] = len(all.nodes)
		all.nodes = append(all.nodes, s)
	}
	for i := range movable {
		v := &movable[i]
		v.requests = amountsOf(all.names, &v.pod.Requests, 1)
		if at, is := all.byName[v.node]; is {
			for k, amount := range v.requests {
				all.nodes[at].held[k] = append(all.nodes[at].held[k], amount)
			}
		}
	}
	for i := range all.nodes {
		for k := range all.nodes[i].held {
			slices.SortFunc(all.nodes[i].held[k], func(a, b int64) int { return cmp.Compare(b, a) })
		}
	}
	return all
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
