package framework

import "github.com/schedstep/schedstep/core/cluster"

// Keeper is a plugin that declares which of its answers about a pod may be kept, and given again for pods that are
// alike: pods with the same namespace, labels, owners, spec and requests, whatever has happened in the cluster since.
// Of a plugin that is no Keeper nothing is kept.
type Keeper interface {
	Plugin
	// Keeps returns what may be kept of the answers about the pod. It depends on the same things of the pod.
	Keeps(pod *cluster.Pod) Keep
}

// Keep is a set of answers that may be kept, one bit each.
type Keep uint8

const (
	// KeepStudy keeps what PreFilter and PreScore return. They read nothing but what pods that are alike share, and
	// PreScore reads no node.
	KeepStudy Keep = 1 << iota
	// KeepVerdicts keeps what a Check answers about a node until the node or a pod on it changes. The Check reads nothing
	// but that node and what pods that are alike share, unless it is Footed.
	KeepVerdicts
	// KeepScores keeps the raw score of a node likewise. Normalize must depend on nothing but which raw scores there are,
	// not on how many nodes have them or which, and turn equal ones into equal ones.
	KeepScores

	// KeepAll is all of them.
	KeepAll = KeepStudy | KeepVerdicts | KeepScores
)

// Footed is a Check or a Scorer of a Keeper whose answers about a node rest on more than the node and its pods.
type Footed interface {
	// Footing is all else that the answers rest on: they are kept for as long as it stays the same. false keeps none.
	Footing() (footing string, keeps bool)
}

// Regional is a Check whose answer about a node follows from the region that the node is in. In a cycle it runs on one
// node of each region.
type Regional interface {
	Check
	// Regions has the region of each node, by its index in the snapshot: a number from 0, or -1 for a region of nodes
	// that are in no other. Verdicts on nodes of one region have the same code and the same reasons. count is the
	// number of the regions from 0. nil: the check has to run on each node.
	Regions() (of []int32, count int)
}

// KeptOf is what may be kept of a plugin's answers about a pod.
func KeptOf(p Plugin, pod *cluster.Pod) Keep {
	if k, is := itself(p).(Keeper); is {
		return k.Keeps(pod)
	}
	return 0
}
