package session

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/session/cause"
)

// Workload is an object, such as a Deployment, of which pods were made for the replay because it has none of its own.
type Workload struct {
	Kind, Name string
	Pods       []string // that were made, namespace/name, in the order in which they are tried
	There      int      // that the input held
}

// Replicas is how many pods of a workload have a node.
type Replicas struct {
	Workload
	Placed  int
	Without []string // pods that were made and have no node
}

// CountReplicas counts, for each workload, the pods that have a node in a state.
func CountReplicas(of []Workload, state *cluster.State) []Replicas {
	var all []Replicas
	for _, w := range of {
		if len(w.Pods) == 0 {
			continue
		}
		r := Replicas{Workload: w}
		for _, key := range w.Pods {
			if nodeOfPod(state, key).node == "" {
				r.Without = append(r.Without, key)
			} else {
				r.Placed++
			}
		}
		all = append(all, r)
	}
	return all
}

// Workloads are those of which pods were made, and the objects of the input that make pods and that no scheduler reads.
func (k *At) Workloads() (made []Workload, objects []cluster.Object) {
	return k.session.about.Workloads, k.session.about.Objects
}

// Holders are the objects of other programs that hold pods, or what makes pods, until something is so.
func (k *At) Holders() []cause.Holder { return k.session.about.Holders }

// Replicas counts, for each workload of which pods were made, those that have a node at the cursor.
func (k *At) Replicas() []Replicas {
	return CountReplicas(k.session.about.Workloads, k.state())
}
