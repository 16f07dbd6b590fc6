package interpodaffinity

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// tally is how many pods matter to the pod in each domain of one topology, for one reason.
type tally struct {
	reason   reason
	topology *cluster.Topology
	counts   []int32     // by domain; nil: none
	first    []witness   // by domain, the first pods counted; nil where no verdict names a pod
	anyTerm  phrase.Text // what evidence calls a term with this topology key when it is not known which term it is
}

// reason is why a pod matters.
type reason uint8

const (
	attracts  reason = iota // it matches all affinity terms of the pod
	isShunned               // it matches an anti-affinity term of the pod
	shuns                   // the pod matches an anti-affinity term of it
)

// witness leads to pods that were counted: those of one LabelSet or AffinitySet on one node.
type witness struct{ node, set int32 }

func newTally(why reason, topology *cluster.Topology) tally {
	t := emptyTally(why, topology)
	t.counts = make([]int32, len(topology.Values))
	if why != attracts {
		t.first = make([]witness, len(topology.Values))
	}
	return t
}

// emptyTally counts no pods, and is good for changes only.
func emptyTally(why reason, topology *cluster.Topology) tally {
	return tally{reason: why, topology: topology, anyTerm: phrase.Textf("pods in topology %s", topology.Key)}
}

// add counts pods of a set on a node, and reports whether the node is in a domain at all.
func (t *tally) add(node int, count, set int32) bool {
	d := t.topology.Of[node]
	if d < 0 {
		return false
	}
	if t.counts[d] == 0 && t.first != nil {
		t.first[d] = witness{node: int32(node), set: set}
	}
	t.counts[d] += count
	return true
}

// tallies are few, one for each reason and topology key: going through them beats any map.
type tallies []tally

// of is the position of the tally, -1 when there is none.
func (ts tallies) of(why reason, key string) int {
	for i := range ts {
		if ts[i].reason == why && ts[i].topology.Key == key {
			return i
		}
	}
	return -1
}

// with is the position of the tally, which is made when there is none.
func (ts *tallies) with(s *study, why reason, key string) int {
	i := ts.of(why, key)
	if i < 0 {
		i = len(*ts)
		*ts = append(*ts, newTally(why, s.topology(why, key)))
	}
	return i
}
