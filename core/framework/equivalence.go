package framework

import "github.com/schedstep/schedstep/core/cluster"

// Equivalence says what a release keeps of the answers that filters give about the pods of a class, so that it need not
// ask them again (the equivalence cache, 1.10 with EnableEquivalenceClassCache).
type Equivalence interface {
	// Class is the class of a pod; false: nothing is kept of what is said of it.
	Class(pod *cluster.Pod, objects *cluster.Objects) (EquivalenceClass, bool)
	// Changed is what is not kept any longer after a change of the cluster.
	Changed(change *cluster.Change) []Outdated
	// Placed is the same for a pod that was assumed on its node.
	Placed(pod *cluster.Pod) []Outdated
	// Supposed is the same for objects that a plugin supposes for a pod.
	Supposed() []Outdated
}

// EquivalenceClass is pods of which filters say the same, as a release sees it.
type EquivalenceClass struct {
	Key  string // the same for all of them, and for no others
	Name string // to be read
}

// Outdated is answers that are not kept any longer, whatever class they are about.
type Outdated struct {
	Node   string // ""; every node
	Filter string // "": every filter
}
