package session

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Standing compares what the scheduler believes about a pod and a node with what the API server has.
type Standing uint8

// The standings, in the order in which they are listed.
const (
	Assumed     Standing = iota // counted on the node; the API server has not confirmed it
	Terminating                 // counted on the node until it is gone, though it was asked to go
	Nominated                   // not counted; the node is kept for it, before pods of lower priority
	Lost                        // on the node by the API server, which has no such node; counted nowhere
	Confirmed                   // counted on the node, where the API server has it
)

// NodeBelief is what the scheduler believes of a node at the cursor, beside what the API server has.
type NodeBelief struct {
	Node string
	Gone bool // pods are on it, and there is no such node
	Held []Held
	Sums []Sum
}

// Held is one pod that has to do with a node.
type Held struct {
	Pod         string
	As          Standing
	CPU, Memory trace.Value // that it requests
	Since       time.Time   // Terminating: when it was asked to go; zero: it is not known
	API         string      // the node that the API server has or (Nominated) nominates; "" for none
}

// Sum is how much of a resource pods of each kind request, of those that are counted.
type Sum struct {
	Resource                                     string
	Counted, Confirmed, Assumed, Going, Capacity trace.Value
	Reserved                                     trace.Value // requested by pods that the node is kept for; not in Counted
}

// Believes is what the scheduler believes of a node, beside what the API server has: the answer to "Insufficient cpu,
// and yet it looks free".
func (k *At) Believes(name string) (NodeBelief, error) {
	scheduler := k.player.Scheduler()
	b := NodeBelief{Node: name}
	n, known := scheduler.State().Snapshot().Node(name)
	var there []*cluster.Pod
	scheduler.State().EachPod(func(p *cluster.Pod) bool {
		if p.NodeName == name {
			there = append(there, p)
		}
		return true
	})
	if !known {
		if len(there) == 0 {
			return b, phrase.Errorf("there is no node %q here%s", name, nearestName(name, k.Names().Nodes))
		}
		b.Gone = true
		for _, p := range there {
			b.hold(p, Lost, name)
		}
		return b, nil
	}
	var all []claimant
	for _, p := range n.Pods {
		as, api := standingOf(scheduler, p)
		b.hold(p, as, api)
		all = append(all, claimant{p, as})
	}
	for _, p := range scheduler.Queue().Nominated(name) {
		b.hold(p, Nominated, p.API.Status.NominatedNodeName)
		all = append(all, claimant{p, Nominated})
	}
	slices.SortFunc(b.Held, func(a, c Held) int { return cmp.Or(cmp.Compare(a.As, c.As), cmp.Compare(a.Pod, c.Pod)) })
	for _, r := range roomOf(n) {
		b.Sums = append(b.Sums, sumOf(r, all))
	}
	return b, nil
}

func (b *NodeBelief) hold(p *cluster.Pod, as Standing, api string) {
	h := Held{
		Pod: p.Key, As: as, API: api, CPU: trace.MilliCPU(p.Requests.MilliCPU), Memory: trace.Bytes(p.Requests.Memory),
	}
	if at := p.API.DeletionTimestamp; as == Terminating && at != nil && at.Unix() > 0 {
		h.Since = at.Time
		if grace := p.API.DeletionGracePeriodSeconds; grace != nil { // the timestamp is when the grace is over
			h.Since = h.Since.Add(-time.Duration(*grace) * time.Second)
		}
	}
	b.Held = append(b.Held, h)
}

// standingOf is how a pod that is counted on a node stands beside the API server, and the node that this has.
func standingOf(s *core.Scheduler, p *cluster.Pod) (as Standing, api string) {
	seen, there := s.State().Pod(p.Key)
	if there {
		api = seen.NodeName
	}
	_, assumed := s.State().Assumed(p.Key)
	switch {
	case assumed:
		return Assumed, api
	case there && seen.Terminating():
		return Terminating, api
	}
	return Confirmed, api
}

// claimant is a pod that counts for a node, and its standing.
type claimant struct {
	pod *cluster.Pod
	as  Standing
}

// sumOf is what pods of each standing request of one resource.
func sumOf(r Room, pods []claimant) Sum {
	var of [Confirmed + 1]int64
	for _, c := range pods {
		if r.Resource == string(corev1.ResourcePods) {
			of[c.as]++
			continue
		}
		n, _ := amountOf(&c.pod.Requests, r.Resource).Number()
		of[c.as] += n
	}
	return Sum{
		Resource: r.Resource, Counted: r.Used, Capacity: r.Capacity, Confirmed: r.Used.With(of[Confirmed]),
		Assumed: r.Used.With(of[Assumed]), Going: r.Used.With(of[Terminating]), Reserved: r.Used.With(of[Nominated]),
	}
}
