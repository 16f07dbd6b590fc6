package framework

import "github.com/schedstep/schedstep/core/cluster"

// Equivalence decides what a release keeps of the answers of filters about the pods of a class, so that it need not run
// the filters again (the equivalence cache, 1.10 with EnableEquivalenceClassCache).
type Equivalence interface {
	// Class is the class of a pod; false: no answer about it is kept.
	Class(pod *cluster.Pod, objects *cluster.Objects) (EquivalenceClass, bool)
	// Changed is what is not kept any longer after a change of the cluster.
	Changed(change *cluster.Change) []Outdated
	// Placed is the same for a pod that was assumed on its node.
	Placed(pod *cluster.Pod) []Outdated
	// Supposed is the same for objects that a plugin supposes for a pod.
	Supposed() []Outdated
}

// EquivalenceClass is pods for which filters return the same, as a release sees it.
type EquivalenceClass struct {
	Key  string // the same for all of them, and for no others
	Name string // to be read
}

// Outdated is answers that are not kept any longer, whatever class they are about.
type Outdated struct {
	Node   string // ""; every node
	Filter string // "": every filter
}
