package session

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Tile is one node as a picture of the cluster shows it.
type Tile struct {
	Node     string
	Zone     string // "" where it has none
	Cordoned bool
	CPU      Share
	Memory   Share
	Pods     int

	node *cluster.Node
}

// Block is a pod on a node, with how much of a resource it requests, in the smallest unit.
type Block struct {
	Pod, Name string // with its namespace, and without
	Amount    int64
	Going     bool // it is being deleted
}

// Share is how much of something is requested.
type Share struct{ Used, All int64 }

// Part is the share as a number from 0 to 1; more, where more is requested than there is.
func (s Share) Part() float64 {
	if s.All <= 0 {
		return 0
	}
	return float64(s.Used) / float64(s.All)
}

// tilePods is how many pods a tile names.
const tilePods = 8

// tilesOf are the nodes of a state, in the snapshot's order.
func tilesOf(state *cluster.State) []Tile {
	nodes := state.Snapshot().Nodes
	made := make([]Tile, 0, len(nodes))
	for _, n := range nodes {
		zone, _ := n.Label(corev1.LabelTopologyZone)
		made = append(made, Tile{
			Node: n.API.Name, Zone: zone, Cordoned: n.API.Spec.Unschedulable, Pods: len(n.Pods), node: n,
			CPU:    Share{n.Requested.MilliCPU, n.Allocatable.MilliCPU},
			Memory: Share{n.Requested.Memory, n.Allocatable.Memory},
		})
	}
	return made
}

// Taints are those of the node, as kubectl writes them.
func (t *Tile) Taints() []string { return taintTexts(t.node.API.Spec.Taints) }

// Label is a label of the node; "" where it has none of that key.
func (t *Tile) Label(key string) string {
	value, _ := t.node.Label(key)
	return value
}

// Share is how much of a resource is requested of the node.
func (t *Tile) Share(resource string) Share {
	a := room.Of(t.node, resource)
	return Share{a.Used, a.All}
}

// Resources are what nodes have at the cursor: cpu, memory, pods, then others by name.
func (k *At) Resources() []string {
	known := room.Always()
	for _, t := range k.Tiles() {
		for _, name := range room.Resources(t.node) {
			if !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	slices.Sort(known[len(room.Always()):])
	return known
}

// NodeLabels are the keys of labels by which nodes fall into fewer groups than there are nodes, by name.
func (k *At) NodeLabels() []string {
	tiles := k.Tiles()
	values := map[string]map[string]bool{}
	for i := range tiles {
		for key, value := range tiles[i].node.API.Labels {
			if values[key] == nil {
				values[key] = map[string]bool{}
			}
			values[key][value] = true
		}
	}
	maps.DeleteFunc(values, func(_ string, of map[string]bool) bool { return len(of) >= max(len(tiles), 2) })
	return slices.Sorted(maps.Keys(values))
}

func taintTexts(taints []corev1.Taint) []string {
	var texts []string
	for i := range taints {
		texts = append(texts, taints[i].ToString())
	}
	return texts
}

// Biggest are the pods on the node that request most of a resource, those that request most first; at most tilePods.
func (t *Tile) Biggest(resource string) []Block {
	var largest []Block
	for _, p := range t.node.Pods {
		b := Block{Pod: p.Key, Name: p.Name(), Amount: 1, Going: p.Terminating()}
		if resource != string(corev1.ResourcePods) {
			b.Amount, _ = amountOf(&p.Requests, resource).Number()
		}
		at := len(largest)
		for at > 0 && larger(b, largest[at-1]) {
			at--
		}
		if at == tilePods {
			continue
		}
		largest = slices.Insert(largest, at, b)
		largest = largest[:min(len(largest), tilePods)]
	}
	return largest
}

func larger(a, b Block) bool {
	if a.Amount != b.Amount {
		return a.Amount > b.Amount
	}
	return a.Pod < b.Pod
}
