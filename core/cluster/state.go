package cluster

import (
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/internal/phrase"
)

// State is everything a scheduler believes. A pod is in it once as the API server last showed it, and, when it was
// assumed, a second time on the node it was assumed on:
//
//	unscheduled --Assume--> assumed --event with nodeName--> assigned --event--> gone
//	     ^                     |
//	     +-------Forget--------+
//
// A State is used by one goroutine. Fork copies it at a cost that does not grow with the number of pods.
type State struct {
	owner   *owner
	reading *Reading

	pods    table[*Pod] // by key, as the API server shows them; finished ones are not in it
	assumed table[assumedPod]
	sets    table[*LabelSet]

	nodes table[*Node]
	zones zones
	order []*Node  // the snapshot's order; nil when it has to be made again
	names []string // of order; replaced, never written

	settled []string // names as the last cycle saw them; replaced, never written

	generation int64 // how often nodes have changed
	newest     int64 // the highest generation of a node that is there; 0: it has to be looked for
	taken      int64 // newest when the last cycle took its snapshot
	journal    journal

	affinities table[*AffinitySet]
	where      whereabouts
	serials    int32       // how many nodes there have been
	positions  []int32     // Node.index by Node.serial; replaced, never written
	topologies []*Topology // of order; nil when nodes changed

	images  images
	objects Objects
	members table[struct{}] // of pod groups, by Compound of the keys of group and pod

	preempting table[lastVictim] // by UID of the pod that gains

	companion Companion // nil: none

	doubted bool // an object came of which something is assumed
}

// Companion is what lives beside a State and knows things of its own about the same cluster: the memory of plugins that
// have one. The State carries it, so that a plugin that is handed the State finds it.
type Companion interface {
	// Beside marks what a State may carry.
	Beside()
}

// Attend makes c the companion of the State. A fork of the State has the same, until it is given another.
func (s *State) Attend(c Companion) { s.companion = c }

// Companion is what was given to Attend; nil: nothing was.
func (s *State) Companion() Companion { return s.companion }

// Companion is that of the State.
func (v *Snapshot) Companion() Companion { return v.state.companion }

type assumedPod struct {
	pod   *Pod      // on its node
	until time.Time // when the belief ends; zero: never
}

// NewState is an empty cluster.
func NewState() *State { return NewStateFor(Reading{}) }

// NewStateFor is an empty cluster of which a scheduler makes what its release makes.
func NewStateFor(reading Reading) *State {
	return &State{owner: &owner{}, reading: &reading, objects: Objects{namesAre: reading.NoClassForResource}}
}

// ResizesCount reports whether pods are resized in place as this state is read (gate InPlacePodVerticalScaling, on
// since 1.33).
func (s *State) ResizesCount() bool { return s.reading.Requests.Resize != AsSpecified }

// Fork is an independent copy.
func (s *State) Fork() *State {
	s.owner = &owner{}
	return &State{
		owner: &owner{}, reading: s.reading,
		pods: s.pods.copy(), assumed: s.assumed.copy(), sets: s.sets.copy(),
		nodes: s.nodes.copy(), zones: s.zones.copy(), order: slices.Clone(s.order), names: s.names, settled: s.settled,
		images: images{byName: s.images.byName.copy()}, objects: s.objects.copy(),
		members:    s.members.copy(),
		affinities: s.affinities.copy(), where: s.where.copy(),
		generation: s.generation, newest: s.newest, taken: s.taken, journal: s.journal.fork(),
		serials: s.serials, positions: s.positions, topologies: s.topologies,
		preempting: s.preempting.copy(), companion: s.companion, doubted: s.doubted,
	}
}

// Pod is a live pod as the API server last showed it.
func (s *State) Pod(key string) (*Pod, bool) { return s.pods.Get(key) }

// Assumed is a pod on the node it is assumed on; false when it is not assumed.
func (s *State) Assumed(key string) (*Pod, bool) {
	a, ok := s.assumed.Get(key)
	return a.pod, ok
}

// Node is a node with the pods that are believed to be on it, between cycles; false when it has no Node object.
func (s *State) Node(name string) (*Node, bool) {
	n, ok := s.nodes.Get(name)
	return n, ok && n.API != nil
}

// EachPod calls f with every live pod in the order of keys until f returns false.
func (s *State) EachPod(f func(*Pod) bool) {
	s.pods.Scan(func(_ string, p *Pod) bool { return f(p) })
}

// EachPodIn calls f with every live pod of a namespace in the order of names until f returns false.
func (s *State) EachPodIn(namespace string, f func(*Pod) bool) {
	s.pods.Ascend(namespace+"/", func(_ string, p *Pod) bool { return p.Namespace() == namespace && f(p) })
}

// PodCount is the number of live pods, placed or not.
func (s *State) PodCount() int { return s.pods.Len() }

// Objects is everything besides pods and nodes.
func (s *State) Objects() *Objects { return &s.objects }

// Apply takes in one event and returns what it changed. An update that brings another UID is a deletion and an
// addition; so is one of a pod that leaves its node or its group.
func (s *State) Apply(e Event) []Change {
	s.doubted = s.doubted || GuessOf(e.Object) != ""
	switch o := e.Object.(type) {
	case *corev1.Pod:
		return s.applyPod(e.Action, o)
	case *corev1.Node:
		return []Change{s.applyNode(e.Action, o)}
	}
	kind, known := KindOf(e.Object)
	c := Change{Kind: kind, Action: e.Action, New: e.Object}
	if !known || kind == KindEvent || slices.Contains(s.reading.Unread, kind) {
		c.Ignored = "not a kind the scheduler reads"
		return []Change{c}
	}
	var tainted []*resourcev1.ResourceSlice
	if kind == KindDeviceTaintRule {
		tainted = s.objects.TaintedSlices()
	}
	c.Old = s.objects.apply(e.Action, e.Object)
	switch {
	case e.Action == Delete && c.Old == nil:
		c.Ignored = "not known"
	case e.Action == Delete:
		c.New = nil
	case c.Old == nil:
		c.Action = Add
	default:
		c.Action = Update
	}
	if kind == KindDeviceTaintRule {
		return append([]Change{c}, s.objects.retainted(tainted)...)
	}
	return []Change{c}
}

func (s *State) applyPod(action Action, api *corev1.Pod) []Change {
	key := api.Namespace + "/" + api.Name
	old, had := s.pods.Get(key)
	gone := action == Delete || Finished(api)
	if !gone && had && old.API.UID != api.UID {
		return []Change{s.removePod(old), s.addPod(api)}
	}
	if odd := another(old, api); !gone && had && odd != "" {
		removed, added := s.removePod(old), s.addPod(api)
		removed.Odd = odd
		return []Change{removed, added}
	}
	switch {
	case gone && had:
		return []Change{s.removePod(old)}
	case gone:
		return []Change{{Kind: KindPod, Action: Delete, New: api, Ignored: "not known"}}
	case had:
		return []Change{s.updatePod(old, api)}
	}
	return []Change{s.addPod(api)}
}

// another explains what in a new version of a pod makes it another pod; "": nothing does. kube-scheduler ends its
// process when a pod leaves its node, to begin anew; the group of a pod does not change in a cluster.
func another(old *Pod, api *corev1.Pod) phrase.Text {
	switch {
	case old == nil:
	case old.NodeName != "" && old.NodeName != api.Spec.NodeName:
		return phrase.Textf("it is not on %s any more; taken as deleted and added", old.NodeName)
	case old.Group != groupKey(api):
		return "it is not in the same group any more; taken as deleted and added"
	}
	return ""
}

func (s *State) addPod(api *corev1.Pod) Change {
	p := s.ParsePod(api)
	s.pods.Set(p.Key, p)
	if p.NodeName != "" {
		s.place(p)
	}
	return Change{Kind: KindPod, Action: Add, NewPod: p, New: api}
}

func (s *State) updatePod(old *Pod, api *corev1.Pod) Change {
	p := s.ParsePod(api)
	s.pods.Set(p.Key, p)
	c := Change{Kind: KindPod, Action: Update, OldPod: old, NewPod: p, Old: old.API, New: api}
	if p.Terminating() {
		s.leaves(p)
	}
	if p.NodeName == "" {
		_, c.WasAssumed = s.assumed.Get(p.Key)
		return c
	}
	if a, was := s.assumed.Delete(p.Key); was {
		c.WasAssumed = true
		if s.reading.SeenPodStaysAssumed && a.pod.NodeName == p.NodeName {
			return c
		}
		s.displace(a.pod)
	} else if old.NodeName != "" {
		s.displace(old)
	}
	s.place(p)
	return c
}

// removePod drops a pod. One that was assumed stays on its node until the cycle that assumed it forgets it.
func (s *State) removePod(old *Pod) Change {
	s.pods.Delete(old.Key)
	s.leaves(old)
	s.objects.breaksPromises(old)
	c := Change{Kind: KindPod, Action: Delete, OldPod: old, Old: old.API}
	if old.NodeName != "" {
		s.displace(old)
		return c
	}
	_, c.WasAssumed = s.assumed.Get(old.Key)
	return c
}

// Assume places an unscheduled pod on a node before the API server has confirmed it, and returns it as it is there. A
// pod that is assumed already is a broken invariant.
func (s *State) Assume(p *Pod, node string) *Pod {
	if a, was := s.assumed.Get(p.Key); was {
		panic("pod " + p.Key + " is assumed on " + a.pod.NodeName + " already")
	}
	there := p.On(node)
	s.assumed.Set(p.Key, assumedPod{pod: there})
	s.place(there)
	return there
}

// AssumeUntil has the belief in an assumed pod end at a moment. A pod that is not assumed any more is left alone.
func (s *State) AssumeUntil(key string, until time.Time) {
	if a, is := s.assumed.Get(key); is {
		a.until = until
		s.assumed.Set(key, a)
	}
}

// Forget undoes Assume; false when the pod is not assumed any more.
func (s *State) Forget(key string) (*Pod, bool) {
	a, was := s.assumed.Delete(key)
	if !was {
		return nil, false
	}
	s.displace(a.pod)
	return a.pod, true
}

// Expired lists the assumed pods whose time has come, in the order of keys.
func (s *State) Expired(now time.Time) []*Pod {
	var out []*Pod
	s.assumed.Scan(func(_ string, a assumedPod) bool {
		if !a.until.IsZero() && !now.Before(a.until) {
			out = append(out, a.pod)
		}
		return true
	})
	return out
}

// NextExpiry is when the next belief in an assumed pod ends; false when none ends.
func (s *State) NextExpiry() (time.Time, bool) {
	var next time.Time
	s.assumed.Scan(func(_ string, a assumedPod) bool {
		if !a.until.IsZero() && (next.IsZero() || a.until.Before(next)) {
			next = a.until
		}
		return true
	})
	return next, !next.IsZero()
}

// ParsePod makes a Pod that shares its LabelSet and AffinitySet with the pods of the State; the State does not hold it.
func (s *State) ParsePod(api *corev1.Pod) *Pod {
	api = s.reading.annotated(s.reading.Unstored.stored(api))
	return parsePod(api, s.labelSet(api.Namespace, api.Labels), s.affinitySet(api), s.reading)
}

// LabelSets is how many different LabelSets there have been; every LabelSet.ID is below it.
func (s *State) LabelSets() int { return s.sets.Len() }

func (s *State) labelSet(namespace string, l labels.Set) *LabelSet {
	keys := make([]string, 0, 16)
	size := len(namespace)
	for k, v := range l {
		keys = append(keys, k)
		size += len(k) + len(v) + 2
	}
	slices.Sort(keys)
	var b strings.Builder
	b.Grow(size)
	b.WriteString(namespace)
	for _, k := range keys {
		b.WriteByte(0)
		b.WriteString(k)
		b.WriteByte(1)
		b.WriteString(l[k])
	}
	if set, ok := s.sets.Get(b.String()); ok {
		return set
	}
	set := &LabelSet{ID: int32(s.sets.Len()), Namespace: namespace, Labels: l, namespace: s.where.namespace(namespace)}
	s.sets.Set(b.String(), set)
	return set
}

func (s *State) place(p *Pod) {
	n, ok := s.nodes.Get(p.NodeName)
	if !ok {
		n = s.newNode(p.NodeName)
	}
	n = s.writable(n)
	n.add(p)
	s.changed(n)
	s.where.add(p, n.serial, 1)
}

func (s *State) displace(p *Pod) {
	n, ok := s.nodes.Get(p.NodeName)
	if !ok {
		return
	}
	n = s.writable(n)
	if gone := n.remove(p); gone != nil {
		s.changed(n)
		s.where.add(gone, n.serial, -1)
	}
	if n.API == nil && len(n.Pods) == 0 {
		s.drop(n)
	}
}

// newNode makes a node of which only the name is known.
func (s *State) newNode(name string) *Node {
	s.generation++
	n := &Node{Name: name, index: -1, serial: s.serials, owner: s.owner, generation: s.generation}
	s.newest = s.generation
	s.serials++
	s.nodes.Set(name, n)
	return n
}

// writable is the node for changing in place: itself when this State made it, else a copy that takes its place.
func (s *State) writable(n *Node) *Node {
	if n.owner == s.owner {
		return n
	}
	n = n.clone(s.owner)
	s.nodes.Set(n.Name, n)
	if s.order != nil && n.index >= 0 {
		s.order[n.index] = n
	}
	return n
}

func (s *State) applyNode(action Action, api *corev1.Node) Change {
	n, had := s.nodes.Get(api.Name)
	known := had && n.API != nil
	c := Change{Kind: KindNode, Action: action, New: api, unseen: s.reading.Unseen, first: s.reading.NodeUpdateIsOneEvent}
	if known {
		c.OldNode, c.Old = NewNode(n.API), n.API
	}
	if action == Delete {
		return s.removeNode(n, known, c)
	}
	c.NewNode = NewNode(api)
	if !had {
		n = s.newNode(api.Name)
	}
	n = s.writable(n)
	if !known || !maps.Equal(n.API.Labels, api.Labels) {
		s.topologies = nil
	}
	zone := n.Zone
	s.images.remove(n.API)
	n.describe(api)
	s.changed(n)
	s.images.add(api)
	if s.reading.ImageCountFixedAtUpdate {
		n.seen = s.images.of(n.images)
	}
	switch {
	case !known:
		c.Action = Add
		s.zones.add(n.Zone, n.Name)
		s.order = nil
	case zone != n.Zone:
		c.Action = Update
		s.zones.remove(zone, n.Name)
		s.zones.add(n.Zone, n.Name)
		s.order = nil
	default:
		c.Action = Update
	}
	return c
}

// removeNode drops a node; while pods are on it, it stays as a name that holds them.
func (s *State) removeNode(n *Node, known bool, c Change) Change {
	if !known {
		c.Ignored = "not known"
		return c
	}
	c.New = nil
	s.images.remove(n.API)
	s.zones.remove(n.Zone, n.Name)
	s.order, s.topologies = nil, nil
	if len(n.Pods) == 0 {
		s.drop(n)
		return c
	}
	n = s.writable(n)
	n.forget()
	s.changed(n)
	return c
}
