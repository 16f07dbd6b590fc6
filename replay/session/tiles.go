package session

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Tile is one node as a picture of the cluster shows it.
type Tile struct {
	Node     string
	Zone     string // "" where it has none
	Cordoned bool
	CPU      Share
	Memory   Share
	Pods     int

	pods   []*cluster.Pod
	taints []corev1.Taint
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

// Tiles are the nodes of the cluster at the cursor, in the snapshot's order. They are made when somebody looks.
func (f *Frame) Tiles() []Tile {
	if f.tiles == nil {
		return nil
	}
	return f.tiles()
}

// tilesOf makes the tiles of a state that does not change any more, once.
func tilesOf(state *cluster.State) func() []Tile {
	var made []Tile
	return func() []Tile {
		if made != nil {
			return made
		}
		nodes := state.Snapshot().Nodes
		made = make([]Tile, 0, len(nodes))
		for _, n := range nodes {
			zone, _ := n.Label(corev1.LabelTopologyZone)
			made = append(made, Tile{
				Node: n.API.Name, Zone: zone, Cordoned: n.API.Spec.Unschedulable, Pods: len(n.Pods), pods: n.Pods,
				taints: n.API.Spec.Taints,
				CPU:    Share{n.Requested.MilliCPU, n.Allocatable.MilliCPU},
				Memory: Share{n.Requested.Memory, n.Allocatable.Memory},
			})
		}
		return made
	}
}

// Taints are those of the node, as kubectl writes them.
func (t *Tile) Taints() []string { return taintTexts(t.taints) }

func taintTexts(taints []corev1.Taint) []string {
	var texts []string
	for i := range taints {
		texts = append(texts, taints[i].ToString())
	}
	return texts
}

// Biggest are the names, without their namespaces, of the pods on the node that request most cpu, those that request
// most first; at most tilePods.
func (t *Tile) Biggest() []string {
	var largest []*cluster.Pod
	for _, p := range t.pods {
		at := len(largest)
		for at > 0 && larger(p, largest[at-1]) {
			at--
		}
		if at == tilePods {
			continue
		}
		largest = append(largest, nil)
		copy(largest[at+1:], largest[at:])
		largest[at] = p
		largest = largest[:min(len(largest), tilePods)]
	}
	names := make([]string, len(largest))
	for i, p := range largest {
		names[i] = p.Name()
	}
	return names
}

func larger(a, b *cluster.Pod) bool {
	if a.Requests.MilliCPU != b.Requests.MilliCPU {
		return a.Requests.MilliCPU > b.Requests.MilliCPU
	}
	return a.Key < b.Key
}
