package interpodaffinity

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// topology is the division of the nodes that a term is about. With Ways.OwnNode a term with the key of the host name is
// about single nodes; the affinity terms of a pod only if all of them have that key (1.37, filtering.go,
// classifyTermsBasedOnScope).
func (s *study) topology(why reason, key string) *cluster.Topology {
	if !s.ownNode || key != corev1.LabelHostname || why == attracts && !s.onlyHosts() {
		return s.snapshot.Topology(key)
	}
	if s.nodes == nil {
		s.nodes = eachNode(s.snapshot.Topology(key))
	}
	return s.nodes
}

// eachNode makes every labelled node a domain of its own. The values of the domains are those of the label; two domains
// can have the same one.
func eachNode(shared *cluster.Topology) *cluster.Topology {
	own := &cluster.Topology{Key: shared.Key, Complete: shared.Complete, Of: make([]int32, len(shared.Of))}
	for i, d := range shared.Of {
		if d < 0 {
			own.Of[i] = d
			continue
		}
		own.Of[i] = int32(len(own.Values))
		own.Values = append(own.Values, shared.Values[d])
	}
	return own
}

// onlyHosts reports whether all affinity terms of the pod have the key of the host name. kube-scheduler then counts
// matching pods on every node, also on one without the label.
func (s *study) onlyHosts() bool {
	for i := range s.affinity {
		if s.affinity[i].TopologyKey != corev1.LabelHostname {
			return false
		}
	}
	return true
}

// mayShun reports whether kube-scheduler has to look at each node because some placed pod has required anti-affinity by
// host name, whatever it selects: PreFilter does not skip then.
func (s *study) mayShun() bool {
	if !s.ownNode {
		return false
	}
	found := false
	s.snapshot.EachAffinityAnywhere(func(set *cluster.AffinitySet) bool {
		for i := range set.RequiredAntiAffinity {
			found = found || set.RequiredAntiAffinity[i].TopologyKey == corev1.LabelHostname
		}
		return !found
	})
	return found
}
