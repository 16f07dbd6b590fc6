package cluster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Keyframe is a State as data, from which the same State can be made again: a scheduler with it takes the same steps.
// What decides by its order is in its order: the pods of a node, nodes by zone, the numbers of LabelSets, AffinitySets
// and namespaces (those without pods included). What follows from the rest is not in it.
type Keyframe struct {
	Namespaces []string         `json:"namespaces"` // by number
	Sets       []storedSet      `json:"sets"`       // by ID
	Affinities [][]byte         `json:"affinities"` // by ID: what an AffinitySet is known by
	Pods       []int            `json:"pods"`       // numbers of the Packer, in the order of keys
	Assumed    []storedAssumed  `json:"assumed,omitempty"`
	Nodes      []storedNode     `json:"nodes"`
	Serials    int32            `json:"serials"`
	Zones      []storedZone     `json:"zones"`
	Settled    []string         `json:"settled,omitempty"`
	Images     []storedImage    `json:"images,omitempty"`
	Objects    []Stored         `json:"objects,omitempty"`
	Beliefs    []storedBelief   `json:"beliefs,omitempty"`
	Members    []string         `json:"members,omitempty"`
	Preempting []storedPreempts `json:"preempting,omitempty"`
	Generation int64            `json:"generation"`
	Taken      int64            `json:"taken"`
	Doubted    bool             `json:"doubted,omitempty"`
}

type storedSet struct {
	Namespace string     `json:"namespace"`
	Labels    labels.Set `json:"labels,omitempty"`
}

type storedAssumed struct {
	Key   string    `json:"key"`
	Pod   int       `json:"pod"`
	Until time.Time `json:"until"`
}

type storedZone struct {
	Zone  string   `json:"zone"`
	Nodes []string `json:"nodes"`
}

type storedImage struct {
	Name string `json:"name"`
	Image
}

type storedBelief struct {
	Object Stored `json:"object"`
	Grip   Grip   `json:"grip"`
	Others int    `json:"others,omitempty"` // that share it
}

type storedPreempts struct {
	By     string `json:"by"`
	Victim string `json:"victim"`
	UID    string `json:"uid"`
}

// storedNode is a node with its pods. The lists of some of its pods are places in the list of all of them.
type storedNode struct {
	Name     string     `json:"name"`
	Object   *Stored    `json:"object,omitempty"` // nil: nobody described it
	Serial   int32      `json:"serial"`
	Pods     []int      `json:"pods,omitempty"`
	Affinity []int      `json:"affinity,omitempty"`
	Anti     []int      `json:"anti,omitempty"`
	InPorts  []int      `json:"inPorts,omitempty"`
	Volumes  []int      `json:"volumes,omitempty"`
	Scalars  []Scalar   `json:"scalars,omitempty"` // requested ones; one that nobody requests any more stays, with 0
	Sets     []int32    `json:"sets,omitempty"`    // the IDs
	Ports    []HostPort `json:"ports,omitempty"`
	Seen     []Image    `json:"seen,omitempty"`

	Generation int64 `json:"generation"`
	Changes    int64 `json:"changes"`
}

// Keyframe packs the State. The error names what cannot be packed.
func (s *State) Keyframe(p *Packer) (*Keyframe, error) {
	k := &Keyframe{
		Serials: s.serials, Settled: s.settled, Generation: s.generation, Taken: s.taken, Doubted: s.doubted,
	}
	k.Namespaces = make([]string, s.where.namespaces.Len())
	s.where.namespaces.Scan(func(name string, n int32) bool { k.Namespaces[n] = name; return true })
	k.Sets = make([]storedSet, s.sets.Len())
	s.sets.Scan(func(_ string, l *LabelSet) bool { k.Sets[l.ID] = storedSet{l.Namespace, l.Labels}; return true })
	k.Affinities = make([][]byte, s.affinities.Len())
	s.affinities.Scan(func(key string, a *AffinitySet) bool { k.Affinities[a.ID] = []byte(key); return true })
	s.EachPod(func(pod *Pod) bool { k.Pods = append(k.Pods, p.Pod(pod)); return true })
	s.assumed.Scan(func(key string, a assumedPod) bool {
		k.Assumed = append(k.Assumed, storedAssumed{key, p.Pod(a.pod), a.until})
		return true
	})
	s.nodes.Scan(func(_ string, n *Node) bool { k.Nodes = append(k.Nodes, n.stored(p)); return true })
	for i, zone := range s.zones.keys {
		k.Zones = append(k.Zones, storedZone{zone, s.zones.names[i]})
	}
	s.images.byName.Scan(func(name string, i Image) bool {
		k.Images = append(k.Images, storedImage{name, i})
		return true
	})
	s.members.Scan(func(at string, _ struct{}) bool { k.Members = append(k.Members, at); return true })
	s.preempting.Scan(func(by string, v lastVictim) bool {
		k.Preempting = append(k.Preempting, storedPreempts{by, v.key, v.uid})
		return true
	})
	return k, s.objects.keyframe(k, p)
}

func (n *Node) stored(p *Packer) storedNode {
	places := func(some []*Pod) []int {
		at := make([]int, len(some))
		for i, pod := range some {
			at[i] = slices.Index(n.Pods, pod)
		}
		return at
	}
	out := storedNode{
		Name: n.Name, Serial: n.serial, Pods: p.podsOf(n.Pods), Affinity: places(n.WithAffinity),
		Anti: places(n.WithRequiredAntiAffinity), InPorts: places(n.WithPorts), Volumes: places(n.WithVolumes),
		Scalars: n.Requested.Scalars, Ports: n.Ports, Seen: n.seen,
		Generation: n.generation, Changes: n.changes,
	}
	for _, set := range n.Sets {
		out.Sets = append(out.Sets, set.Set.ID)
	}
	if n.API != nil {
		object := p.Object(n.API)
		out.Object = &object
	}
	return out
}

// stocks are the stores, in a fixed order.
func (s *Objects) stocks() []*stock {
	return []*stock{
		&s.Namespaces.stock, &s.Services.stock, &s.ReplicationControllers.stock, &s.ReplicaSets.stock,
		&s.StatefulSets.stock, &s.PriorityClasses.stock, &s.DisruptionBudgets.stock, &s.Volumes.stock,
		&s.VolumeClaims.stock, &s.StorageClasses.stock, &s.CSINodes.stock, &s.CSIDrivers.stock,
		&s.CSIStorageCapacities.stock, &s.volumeAttachments.stock, &s.ResourceClaims.stock, &s.resourceSlices.stock,
		&s.DeviceClasses.stock, &s.deviceTaintRules.stock, &s.podGroups.stock,
	}
}

func (s *Objects) keyframe(k *Keyframe, p *Packer) error {
	for _, stock := range s.stocks() {
		stock.byKey.Scan(func(_ string, o Object) bool { k.Objects = append(k.Objects, p.Object(o)); return true })
		stock.assumed.Scan(func(_ string, b belief) bool {
			k.Beliefs = append(k.Beliefs, storedBelief{p.Object(b.object), b.grip, b.sharers - min(b.sharers, 1)})
			return true
		})
	}
	s.custom.Scan(func(_ string, o Object) bool { k.Objects = append(k.Objects, p.Object(o)); return true })
	var again deviceIndex
	s.ResourceClaims.Each(func(claim *resourcev1.ResourceClaim) bool {
		again.claim(nil, claim)
		return true
	})
	if !again.taken.equals(s.devices.taken) {
		return fmt.Errorf("who holds a device depends on the order in which claims were allocated")
	}
	return nil
}

// equals reports whether the same claims hold the same devices.
func (t *TakenDevices) equals(o *TakenDevices) bool {
	if t == nil {
		t = newTakenDevices()
	}
	if o == nil {
		o = newTakenDevices()
	}
	return maps.Equal(t.holders, o.holders) && t.State.AllocatedDevices.Equal(o.State.AllocatedDevices) &&
		t.State.AllocatedSharedDeviceIDs.Equal(o.State.AllocatedSharedDeviceIDs) &&
		reflect.DeepEqual(t.State.AggregatedCapacity, o.State.AggregatedCapacity)
}

// Unpacker has the pods of a Packer again, as one State parsed them.
type Unpacker struct{ pods []*Pod }

// Pod is the pod with a number.
func (u *Unpacker) Pod(number int) (*Pod, error) {
	if number < 0 || number >= len(u.pods) {
		return nil, fmt.Errorf("there is no pod %d", number)
	}
	return u.pods[number], nil
}

func (u *Unpacker) list(numbers []int) ([]*Pod, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	pods := make([]*Pod, len(numbers))
	for i, n := range numbers {
		pod, err := u.Pod(n)
		if err != nil {
			return nil, err
		}
		pods[i] = pod
	}
	return pods, nil
}

// Unpack makes the State again that was packed, of the same release, with the pods of its Packer. What does not go
// together is an error, and is never put right.
func (k *Keyframe) Unpack(reading Reading, pods []Stored) (*State, *Unpacker, error) {
	s := NewStateFor(reading)
	if err := k.numbers(s); err != nil {
		return nil, nil, err
	}
	u := &Unpacker{pods: make([]*Pod, len(pods))}
	for i, stored := range pods {
		api, err := unpacked[*corev1.Pod](stored)
		if err != nil {
			return nil, nil, fmt.Errorf("pod %d: %w", i, err)
		}
		u.pods[i] = s.ParsePod(api)
	}
	if s.sets.Len() != len(k.Sets) || s.affinities.Len() != len(k.Affinities) ||
		s.where.namespaces.Len() != len(k.Namespaces) {
		return nil, nil, fmt.Errorf("pods have labels, affinities or namespaces that are not among those stored")
	}
	for _, n := range k.Pods {
		pod, err := u.Pod(n)
		if err != nil {
			return nil, nil, err
		}
		s.pods.Set(pod.Key, pod)
	}
	for _, a := range k.Assumed {
		pod, err := u.Pod(a.Pod)
		if err != nil {
			return nil, nil, err
		}
		s.assumed.Set(a.Key, assumedPod{pod, a.Until})
	}
	if err := k.nodes(s, u); err != nil {
		return nil, nil, err
	}
	for _, at := range k.Members {
		s.members.Set(at, struct{}{})
	}
	for _, p := range k.Preempting {
		s.preempting.Set(p.By, lastVictim{p.Victim, p.UID})
	}
	return s, u, k.objects(s)
}

// numbers gives namespaces, labels and affinities the numbers they had.
func (k *Keyframe) numbers(s *State) error {
	for i, name := range k.Namespaces {
		if s.where.namespace(name) != int32(i) {
			return fmt.Errorf("namespace %q is stored twice", name)
		}
	}
	for i, set := range k.Sets {
		if s.labelSet(set.Namespace, set.Labels).ID != int32(i) {
			return fmt.Errorf("labels %d are stored twice", i)
		}
	}
	for i, key := range k.Affinities {
		namespace, affinity, err := readAffinityKey(key)
		if err != nil {
			return fmt.Errorf("affinity %d: %w", i, err)
		}
		pod := &corev1.Pod{Spec: corev1.PodSpec{Affinity: affinity}}
		pod.Namespace = namespace
		if set := s.affinitySet(pod); set == nil || set.ID != int32(i) {
			return fmt.Errorf("affinity %d is stored twice, or is none", i)
		}
	}
	return nil
}

// readAffinityKey takes apart what affinitySet puts together.
func readAffinityKey(key []byte) (namespace string, a *corev1.Affinity, err error) {
	before, rest, found := bytes.Cut(key, []byte{0})
	if !found {
		return "", nil, fmt.Errorf("it has no namespace")
	}
	a = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{}, PodAntiAffinity: &corev1.PodAntiAffinity{}}
	for _, part := range []interface{ Unmarshal([]byte) error }{a.PodAffinity, a.PodAntiAffinity} {
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) {
			return "", nil, fmt.Errorf("it is cut")
		}
		rest = rest[n:]
		if err := part.Unmarshal(rest[:size]); err != nil {
			return "", nil, err
		}
		rest = rest[size:]
	}
	return string(before), a, nil
}

// nodes makes the nodes with their pods, their zones and their images.
func (k *Keyframe) nodes(s *State, u *Unpacker) error {
	sets := make([]*LabelSet, s.sets.Len())
	s.sets.Scan(func(_ string, l *LabelSet) bool { sets[l.ID] = l; return true })
	for i := range k.Nodes {
		n, err := k.Nodes[i].unpack(u, sets)
		if err != nil {
			return fmt.Errorf("node %s: %w", k.Nodes[i].Name, err)
		}
		n.owner = s.owner
		s.nodes.Set(n.Name, n)
		for _, p := range n.Pods {
			s.where.add(p, n.serial, 1)
		}
	}
	s.serials, s.settled = k.Serials, k.Settled
	s.generation, s.taken, s.doubted = k.Generation, k.Taken, k.Doubted
	for _, z := range k.Zones {
		for _, name := range z.Nodes {
			if n, ok := s.nodes.Get(name); !ok || n.API == nil || n.Zone != z.Zone {
				return fmt.Errorf("node %s is not in zone %q", name, z.Zone)
			}
			s.zones.add(z.Zone, name)
		}
	}
	for _, i := range k.Images {
		s.images.byName.Set(i.Name, i.Image)
	}
	return nil
}

func (n *storedNode) unpack(u *Unpacker, sets []*LabelSet) (*Node, error) {
	out := &Node{
		Name: n.Name, index: -1, serial: n.Serial, Ports: n.Ports, seen: n.Seen,
		generation: n.Generation, changes: n.Changes,
	}
	if n.Object != nil {
		api, err := unpacked[*corev1.Node](*n.Object)
		if err != nil {
			return nil, err
		}
		out.describe(api)
	}
	var err error
	if out.Pods, err = u.list(n.Pods); err != nil {
		return nil, err
	}
	for _, list := range []struct {
		at   []int
		into *[]*Pod
	}{
		{n.Affinity, &out.WithAffinity},
		{n.Anti, &out.WithRequiredAntiAffinity},
		{n.InPorts, &out.WithPorts},
		{n.Volumes, &out.WithVolumes},
	} {
		for _, at := range list.at {
			if at < 0 || at >= len(out.Pods) {
				return nil, fmt.Errorf("it has no pod %d", at)
			}
			*list.into = append(*list.into, out.Pods[at])
		}
	}
	for _, id := range n.Sets {
		if id < 0 || int(id) >= len(sets) {
			return nil, fmt.Errorf("there are no labels %d", id)
		}
		out.Sets = append(out.Sets, SetCount{Set: sets[id]})
	}
	for _, scalar := range n.Scalars {
		out.Requested.Scalars = append(out.Requested.Scalars, Scalar{Name: scalar.Name})
	}
	for _, p := range out.Pods {
		out.count(p, 1)
	}
	empty := slices.ContainsFunc(out.Sets, func(c SetCount) bool { return c.Count == 0 })
	if empty || len(out.Sets) != len(n.Sets) || !slices.Equal(out.Requested.Scalars, n.Scalars) {
		return nil, fmt.Errorf("its pods have other labels or requests than it counts")
	}
	return out, nil
}

// objects fills the stores. Assumptions come last, so that nothing is news about them.
func (k *Keyframe) objects(s *State) error {
	for i := range k.Objects {
		o, err := k.Objects[i].Unpack()
		if err != nil {
			return err
		}
		s.objects.apply(Add, o)
	}
	for i := range k.Beliefs {
		o, err := k.Beliefs[i].Object.Unpack()
		if err != nil {
			return err
		}
		stock := s.objects.assumable(o)
		if stock == nil {
			return fmt.Errorf("%T is assumed", o)
		}
		b := belief{object: o, grip: k.Beliefs[i].Grip}
		if others := k.Beliefs[i].Others; others > 0 || b.grip == UntilDropped {
			b.sharers = others + 1
		}
		stock.assumed.Set(Key(o), b)
	}
	return nil
}
