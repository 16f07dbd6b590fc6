package session

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session/room"
)

// NodeExplanation is what is known about one node at the cursor.
type NodeExplanation struct {
	Language      words.Language // that the person reads
	Node          string
	Zone          string
	Unschedulable bool
	Taints        []string // as kubectl writes them
	Room          []Room
	Pods          []Resident // the most important first
	Nominated     []string   // pods it is kept for
	Belief        NodeBelief // beside what the API server says
	Waiting       []Refused  // waiting pods that it rejects or would take, by the queue's order
	Stranded      []room.Stranded

	// Guesses are the node and pods on it of which something is assumed: the first of each, and how many more there are.
	Guesses []trace.Guessed
	More    int

	Fate   room.Fate // what cycles made of it; Session.Fate tells it
	Cycles int64     // of which Fate is
}

// Room is one resource of a node.
type Room struct {
	Resource             string
	Used, Capacity, Free trace.Value
}

// Resident is a pod on a node, assumed ones included.
type Resident struct {
	Pod      string
	Priority int32
	CPU      trace.Value
	Memory   trace.Value
	Assumed  bool
}

// Refused is a waiting pod, and the plugins that reject one node for it.
type Refused struct {
	Pod    string
	Broken []Broken // every plugin that rejects it there; none: it would fit
}

// waitingAsked is how many waiting pods a node is tried for.
const waitingAsked = 20

// ExplainNode returns what a node holds, and which waiting pods it rejects or would take.
func (k *At) ExplainNode(name string) (NodeExplanation, error) {
	scheduler := k.player.Scheduler()
	n, ok := scheduler.State().Snapshot().Node(name)
	if !ok {
		return NodeExplanation{}, phrase.Errorf("there is no node %q here%s", name, nearestName(name, k.Names().Nodes))
	}
	e := NodeExplanation{
		Language: k.session.language, Node: name, Unschedulable: n.API.Spec.Unschedulable, Room: roomOf(n),
	}
	e.Belief, _ = k.Believes(name) // the node is there
	e.Stranded = room.StrandedOn(n, room.Pending(scheduler.State()))
	e.Zone, _ = n.Label(corev1.LabelTopologyZone)
	e.Taints = taintTexts(n.API.Spec.Taints)
	if why := cluster.GuessOf(n.API); why != "" {
		e.Guesses = append(e.Guesses, trace.Guessed{Kind: string(cluster.KindNode), Key: name, Why: why})
	}
	pods := 0
	for _, p := range n.Pods {
		if why := cluster.GuessOf(p.API); why != "" {
			if pods++; pods == 1 {
				e.Guesses = append(e.Guesses, trace.Guessed{Kind: string(cluster.KindPod), Key: p.Key, Why: why})
			}
		}
		_, assumed := scheduler.State().Assumed(p.Key)
		e.Pods = append(e.Pods, Resident{
			p.Key, p.Priority, trace.MilliCPU(p.Requests.MilliCPU), trace.Bytes(p.Requests.Memory), assumed,
		})
	}
	e.More = max(pods-1, 0)
	slices.SortFunc(e.Pods, func(a, b Resident) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Pod, b.Pod))
	})
	for _, p := range scheduler.Queue().Nominated(name) {
		e.Nominated = append(e.Nominated, p.Key)
	}
	q := queueOf(scheduler.Queue(), scheduler.State(), nil)
	for _, row := range slices.Concat(q.Active, q.Backoff, q.Unschedulable) {
		if len(e.Waiting) == waitingAsked {
			break
		}
		preview, err := k.Preview(row.Pod, name)
		if err != nil {
			continue
		}
		e.Waiting = append(e.Waiting, Refused{row.Pod, preview.Broken})
	}
	return e, nil
}

func roomOf(n *cluster.Node) []Room {
	names := []string{"cpu", "memory", "pods"}
	if n.Allocatable.EphemeralStorage > 0 && n.Requested.EphemeralStorage > 0 {
		names = append(names, "ephemeral-storage")
	}
	for _, scalar := range n.Allocatable.Scalars {
		names = append(names, string(scalar.Name))
	}
	var rooms []Room
	for _, name := range names {
		used, capacity := amountOf(&n.Requested, name), amountOf(&n.Allocatable, name)
		if name == "pods" {
			used = trace.Count(int64(len(n.Pods)))
		}
		u, _ := used.Number()
		c, _ := capacity.Number()
		rooms = append(rooms, Room{name, used, capacity, capacity.With(c - u)})
	}
	return rooms
}

// PairExplanation is what is known about one pod on one node at the cursor.
type PairExplanation struct {
	Language  words.Language // that the person reads
	Pod, Node string
	Asked     bool       // no cycle has tried the pod: what follows is what a cycle would do now
	Cycle     *trace.Try // what it rests on
	Index     int        // of the node in Cycle.Matrix
	Broken    []Broken   // every plugin that rejects it there, also those behind the first
}

// ExplainPair returns what the last cycle about a pod, or one now, makes of one node.
func (k *At) ExplainPair(pod, node string) (PairExplanation, error) {
	key, err := k.PodKey(pod)
	if err != nil {
		return PairExplanation{}, err
	}
	e := PairExplanation{Language: k.session.language, Pod: key, Node: node, Index: -1}
	if e.Cycle, e.Asked, err = k.lastTry(key); err != nil {
		return e, err
	}
	if e.Cycle.Matrix == nil {
		return e, nil
	}
	e.Index = slices.Index(e.Cycle.Matrix.Nodes, node)
	if e.Index < 0 {
		return e, phrase.Errorf(
			"cycle %d of %s knew no node %q%s", e.Cycle.Number, key, node, nearestName(node, e.Cycle.Matrix.Nodes),
		)
	}
	e.Broken = BrokenOn(e.Cycle.Matrix, e.Index)
	return e, nil
}

// Wants is what a pod requires of a node, and the node it is on; "" for none.
func (k *At) Wants(pod string) (w Wants, node string) {
	p, there := k.state().Pod(pod)
	if !there {
		return Wants{}, ""
	}
	return wantsOf(p), nodeOfPod(k.state(), pod).node
}

// LastTry is what the last cycle about a pod made of it, or what a cycle would now. pod is its key.
func (k *At) LastTry(pod string) (*trace.Try, error) {
	t, _, err := k.lastTry(pod)
	return t, err
}

func (k *At) lastTry(key string) (t *trace.Try, now bool, err error) {
	if _, t = k.lastCycleOf(key); t != nil {
		return t, false, nil
	}
	facts, err := k.player.ForPod(key).Examine(key)
	if err != nil {
		return nil, true, err
	}
	c, _ := trace.Fold(facts)
	t, _ = c.Try(key)
	return t, true, nil
}

// LastCycle is the number of the last cycle up to the cursor that tried a pod; false: none did.
func (k *At) LastCycle(pod string) (number int64, tried bool) {
	c, _ := k.lastCycleOf(pod)
	if c == nil {
		return 0, false
	}
	return c.Number, true
}
