package room

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Stranded is what is left of a resource on a node and is of use to no pod without a node: for some of them that much
// would do, but the node has too little of another resource for each. Free is in the smallest unit, as in Amounts.
type Stranded struct {
	Node     string   `json:"node"`
	Resource string   `json:"resource"`
	Free     int64    `json:"free"`
	Pods     int      `json:"pods"`  // without a node, for which it would do
	Lacks    []string `json:"lacks"` // what the node has too little of for them, for the most pods first
}

// Amount is what is free, as it is written.
func (s Stranded) Amount() string { return Written(s.Resource, s.Free) }

// Pending are the pods that have no node, are on their way to none, and are not being deleted, in the order of keys.
func Pending(s *cluster.State) []*cluster.Pod {
	var pods []*cluster.Pod
	s.EachPod(func(p *cluster.Pod) bool {
		_, assumed := s.Assumed(p.Key)
		if p.NodeName == "" && !assumed && !p.Terminating() && !cluster.Finished(p.API) {
			pods = append(pods, p)
		}
		return true
	})
	return pods
}

// StrandedOn is what is stranded on a node, with pods that have none. It is about resources alone: other reasons that
// keep a pod off the node do not count.
func StrandedOn(n *cluster.Node, pending []*cluster.Pod) []Stranded {
	var all []Stranded
	names := Resources(n)
	for _, name := range names {
		free := Of(n, name).Free()
		if name == "pods" || free == 0 {
			continue
		}
		s := Stranded{Node: n.API.Name, Resource: name, Free: free}
		lacks := map[string]int{}
		useful := false
		for _, p := range pending {
			if want := wantOf(p, name); want == 0 || want > free {
				continue
			}
			s.Pods++
			short := shortFor(n, p, names)
			useful = useful || len(short) == 0
			for _, other := range short {
				lacks[other]++
			}
		}
		if s.Pods == 0 || useful {
			continue
		}
		for _, other := range names {
			if lacks[other] > 0 {
				s.Lacks = append(s.Lacks, other)
			}
		}
		slices.SortStableFunc(s.Lacks, func(a, b string) int { return cmp.Compare(lacks[b], lacks[a]) })
		all = append(all, s)
	}
	return all
}

// Resources are those of a node: what every node has, then its own by name.
func Resources(n *cluster.Node) []string {
	names := Always()
	for _, scalar := range n.Allocatable.Scalars {
		if scalar.Value > 0 {
			names = append(names, string(scalar.Name))
		}
	}
	return names
}

// shortFor are the resources of which a node has less left than a pod wants.
func shortFor(n *cluster.Node, p *cluster.Pod, names []string) []string {
	var short []string
	for _, name := range names {
		if wantOf(p, name) > Of(n, name).Free() {
			short = append(short, name)
		}
	}
	return short
}

// wantOf is how much a pod requests of a resource.
func wantOf(p *cluster.Pod, resource string) int64 {
	name := corev1.ResourceName(resource)
	if name == corev1.ResourcePods {
		return 1
	}
	return p.Requests.Amount(name)
}
