package cluster

import (
	"strconv"
	"strings"

	"github.com/tidwall/btree"
)

// whereabouts is Node.Sets the other way round: which nodes have pods of a LabelSet or of an AffinitySet. A plugin that
// looks for the few pods a selector matches goes to their nodes and passes by all others.
//
//	sets        namespace, LabelSet      -> pods placed
//	nodesOf     LabelSet, node           -> pods there
//	affinities  namespace, AffinitySet   -> pods placed
//	nodesWith   AffinitySet, node        -> pods there
//	users       claim, node              -> volumes of pods there that come through the claim
//
// Keys are two dense numbers in one, so that placing a pod costs two to four updates of about 100 ns each. Entries
// without pods are dropped: selectors are not evaluated for labels that no pod has any more. Copies share what neither
// changed.
type whereabouts struct {
	namespaces table[int32] // dense numbers in order of first appearance
	sets       btree.Map[uint64, placed]
	nodesOf    btree.Map[uint64, nodeCount]
	affinities btree.Map[uint64, placed]
	nodesWith  btree.Map[uint64, nodeCount]
	users      table[int32]
}

// placed is how many pods with one LabelSet or AffinitySet are placed. One type for both, as nodeCount is for the nodes
// of either: see table.
type placed struct {
	labels   *LabelSet
	affinity *AffinitySet
	pods     int32
}

type nodeCount struct{ count, terminating int32 }

func pair(high, low int32) uint64 { return uint64(uint32(high))<<32 | uint64(uint32(low)) }

func (w *whereabouts) copy() whereabouts {
	return whereabouts{
		namespaces: w.namespaces.copy(), sets: *w.sets.Copy(), nodesOf: *w.nodesOf.Copy(),
		affinities: *w.affinities.Copy(), nodesWith: *w.nodesWith.Copy(),
		users: w.users.copy(),
	}
}

func (w *whereabouts) namespace(name string) int32 {
	if n, ok := w.namespaces.Get(name); ok {
		return n
	}
	n := int32(w.namespaces.Len())
	w.namespaces.Set(name, n)
	return n
}

// add counts a pod on the node with that serial; sign is 1, or -1 for a pod that leaves.
func (w *whereabouts) add(p *Pod, serial, sign int32) {
	at := pair(p.Labels.ID, serial)
	c, _ := w.nodesOf.Get(at)
	c.count += sign
	if p.Terminating() {
		c.terminating += sign
	}
	if c.count == 0 {
		w.nodesOf.Delete(at)
	} else {
		w.nodesOf.Set(at, c)
	}
	at = pair(p.Labels.namespace, p.Labels.ID)
	s, _ := w.sets.Get(at)
	s.labels = p.Labels
	s.pods += sign
	if s.pods == 0 {
		w.sets.Delete(at)
	} else {
		w.sets.Set(at, s)
	}
	if p.Affinity != nil {
		w.addAffinity(p.Affinity, serial, sign)
	}
	for _, use := range p.Claims {
		w.addUser(p.ClaimKey(use), serial, sign)
	}
}

func (w *whereabouts) addAffinity(set *AffinitySet, serial, sign int32) {
	at := pair(set.ID, serial)
	c, _ := w.nodesWith.Get(at)
	if c.count += sign; c.count == 0 {
		w.nodesWith.Delete(at)
	} else {
		w.nodesWith.Set(at, c)
	}
	at = pair(set.reach, set.ID)
	a, _ := w.affinities.Get(at)
	a.affinity = set
	a.pods += sign
	if a.pods == 0 {
		w.affinities.Delete(at)
	} else {
		w.affinities.Set(at, a)
	}
}

func (w *whereabouts) addUser(claim string, serial, sign int32) {
	at := filed(claim, strconv.Itoa(int(serial)))
	count, _ := w.users.Get(at)
	if count += sign; count == 0 {
		w.users.Delete(at)
	} else {
		w.users.Set(at, count)
	}
}

// User is a pod of the snapshot with a volume that comes through the claim; false when there is none.
func (v *Snapshot) User(claim string) (*Pod, bool) {
	var user *Pod
	prefix := filed(claim, "")
	v.state.where.users.Ascend(prefix, func(at string, _ int32) bool {
		serial, ours := strings.CutPrefix(at, prefix)
		if !ours {
			return false
		}
		number, err := strconv.Atoi(serial)
		if err != nil {
			panic("the users of claim " + claim + " are filed under " + at)
		}
		if i := v.state.position(int32(number)); i >= 0 {
			user = v.Nodes[i].userOf(claim)
		}
		return user == nil
	})
	return user, user != nil
}

// userOf is the first of the node's pods with a volume that comes through the claim; nil when there is none.
func (n *Node) userOf(claim string) *Pod {
	for _, p := range n.WithVolumes {
		for _, use := range p.Claims {
			if p.ClaimKey(use) == claim {
				return p
			}
		}
	}
	return nil
}

// EachSet calls f with every LabelSet of a namespace that some pod on a node has, in the order of ID, until f returns
// false.
func (v *Snapshot) EachSet(namespace string, f func(*LabelSet) bool) {
	number, ok := v.state.where.namespaces.Get(namespace)
	if !ok {
		return
	}
	v.state.where.sets.Ascend(pair(number, 0), func(at uint64, s placed) bool {
		return int32(at>>32) == number && f(s.labels)
	})
}

// EachSetAnywhere calls f with every LabelSet that some pod on a node has, namespace by namespace, until f returns
// false.
func (v *Snapshot) EachSetAnywhere(f func(*LabelSet) bool) {
	v.state.where.sets.Scan(func(_ uint64, s placed) bool { return f(s.labels) })
}

// EachNodeOf calls f with the Index of every node of the snapshot that has pods of the set, and how many (all of them,
// and the terminating ones), until f returns false. Nodes come in the order in which they first appeared.
func (v *Snapshot) EachNodeOf(set *LabelSet, f func(index int, count, terminating int32) bool) {
	v.state.where.nodesOf.Ascend(pair(set.ID, 0), func(at uint64, c nodeCount) bool {
		if int32(at>>32) != set.ID {
			return false
		}
		i := v.state.position(int32(uint32(at)))
		return i < 0 || f(i, c.count, c.terminating)
	})
}

// EachAffinity calls f with every AffinitySet that some pod on a node has and that can concern pods of the namespace,
// until f returns false. Those that reach beyond their own namespace come first, each group in the order of ID.
func (v *Snapshot) EachAffinity(namespace string, f func(*AffinitySet) bool) {
	more := true
	group := func(reach int32) {
		v.state.where.affinities.Ascend(pair(reach, 0), func(at uint64, a placed) bool {
			if int32(at>>32) != reach {
				return false
			}
			more = f(a.affinity)
			return more
		})
	}
	group(reachBeyond)
	if number, ok := v.state.where.namespaces.Get(namespace); ok && more {
		group(number + 1)
	}
}

// EachAffinityAnywhere calls f with every AffinitySet that some pod on a node has, until f returns false. Those that
// reach beyond their own namespace come first, then namespace by namespace, each group in the order of ID.
func (v *Snapshot) EachAffinityAnywhere(f func(*AffinitySet) bool) {
	v.state.where.affinities.Ascend(0, func(_ uint64, a placed) bool { return f(a.affinity) })
}

// EachNodeWith calls f with the Index of every node of the snapshot that has pods of the AffinitySet, and how many,
// until f returns false. Nodes come in the order in which they first appeared.
func (v *Snapshot) EachNodeWith(set *AffinitySet, f func(index int, count int32) bool) {
	v.state.where.nodesWith.Ascend(pair(set.ID, 0), func(at uint64, c nodeCount) bool {
		if int32(at>>32) != set.ID {
			return false
		}
		i := v.state.position(int32(uint32(at)))
		return i < 0 || f(i, c.count)
	})
}

// position is the Index of the node with that serial, -1 when it is not in the snapshot's order.
func (s *State) position(serial int32) int {
	if int(serial) >= len(s.positions) {
		return -1
	}
	return int(s.positions[serial])
}
