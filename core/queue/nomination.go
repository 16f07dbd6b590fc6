package queue

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// nomination is a node that the queue keeps for a pod, usually because preemption makes room there. While it is kept,
// pods of the same or a lower priority are filtered on that node as if this pod were on it already.
type nomination struct {
	pod  *cluster.Pod // as it was when it was nominated
	node string
}

// Nominate keeps a node for a pod instead of the one that was kept before; "" keeps none. The node in the pod's status
// is pod.Nominated. A pod that is not known any more, or has a node, is not nominated. The pod goes to the end of its
// node's list even when the node stays; there is a fact only when the node changes (AddNominatedPod, 1.37).
func (q *Queue) Nominate(pod *cluster.Pod, node string, known *cluster.State) []trace.Fact {
	before := q.dropNomination(pod.UID())
	if node != "" && known != nil {
		if now, ok := known.Pod(pod.Key); !ok || now.NodeName != "" {
			node = ""
		}
	}
	if node != "" {
		n := nomination{pod, node}
		q.nominations.Set(pod.UID(), n)
		list, _ := q.nominatedOn.Get(node)
		q.nominatedOn.Set(node, append(slices.Clip(list), n))
	}
	if node == before {
		return nil
	}
	return []trace.Fact{trace.Nominated{Pod: pod.Key, Node: node}}
}

// ClearNomination keeps no node for the pod any more.
func (q *Queue) ClearNomination(pod *cluster.Pod) []trace.Fact {
	return q.Nominate(pod, "", nil)
}

// Nominated lists the pods a node is kept for, in the order they were nominated, each in the version that is queued
// or in flight.
func (q *Queue) Nominated(node string) []*cluster.Pod {
	if q.nominatedOn.Len() == 0 {
		return nil
	}
	list, _ := q.nominatedOn.Get(node)
	if len(list) == 0 {
		return nil
	}
	pods := make([]*cluster.Pod, len(list))
	for i, n := range list {
		pods[i] = n.pod
		if item, _, ok := q.queued(n.pod.Key); ok {
			pods[i] = item.Pod
		} else if turn, ok := q.flightOf.Get(n.pod.UID()); ok {
			item, _ := q.flights.Get(turn)
			pods[i] = item.Pod
		}
	}
	return pods
}

// NominatedNode is the node kept for a pod; "" when there is none. It may differ from the one in the pod's status.
func (q *Queue) NominatedNode(pod *cluster.Pod) string {
	n, _ := q.nominations.Get(pod.UID())
	return n.node
}

// renominate takes over the nomination of an update. Where neither version names a node, the nomination made here
// stays: the update may have been on its way when the node was nominated (UpdateNominatedPod, 1.37).
func (q *Queue) renominate(old, updated *cluster.Pod, known *cluster.State) []trace.Fact {
	node := updated.Nominated
	if old.Nominated == "" && node == "" {
		node = q.NominatedNode(old)
	}
	if old.UID() == updated.UID() {
		return q.Nominate(updated, node, known)
	}
	return append(q.Nominate(old, "", nil), q.Nominate(updated, node, known)...)
}

// dropNomination removes the nomination of a pod and returns its node; "" when there was none.
func (q *Queue) dropNomination(uid string) string {
	n, ok := q.nominations.Delete(uid)
	if !ok {
		return ""
	}
	list, _ := q.nominatedOn.Get(n.node)
	rest := make([]nomination, 0, len(list))
	for _, other := range list {
		if other.pod.UID() != uid {
			rest = append(rest, other)
		}
	}
	if len(rest) == 0 {
		q.nominatedOn.Delete(n.node)
	} else {
		q.nominatedOn.Set(n.node, rest)
	}
	return n.node
}

// EachNominated calls f with the name of each node that is kept for some pod, in the order of names.
func (q *Queue) EachNominated(f func(node string)) {
	q.nominatedOn.Scan(func(node string, list []nomination) bool {
		if len(list) > 0 {
			f(node)
		}
		return true
	})
}
