package trace

import "github.com/schedstep/schedstep/internal/phrase"

// Acted is something that a controller of the cluster did by itself, such as making a pod in the place of another.
type Acted struct {
	Controller string      // "replicaset", as kube-controller-manager calls it
	Did        phrase.Text // what, as a verb: "creates", "deletes", "scales to 3"
	Object     string      // kind and key
}

func (Acted) Phase() Phase { return PhaseCluster }
func (f Acted) Phrase() phrase.Phrase {
	return phrase.New("%s %s %s", f.Controller, f.Did, f.Object)
}
func (f Acted) String() string { return f.Phrase().String() }
func (Acted) fact()            {}
