package trace

// Acted is something that a controller of the cluster did by itself, such as making a pod in the place of another.
type Acted struct {
	Controller string // "replicaset", as kube-controller-manager calls it
	Did        string // what, as a verb: "creates", "deletes", "scales to 3"
	Object     string // kind and key
}

func (Acted) Phase() Phase     { return PhaseCluster }
func (f Acted) String() string { return f.Controller + " " + f.Did + " " + f.Object }
func (Acted) fact()            {}
