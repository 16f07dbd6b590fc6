package room

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Use is how one resource is used over all nodes. Amounts are in its smallest unit: millicores, bytes, pieces.
type Use struct {
	Name      string `json:"name"`
	Requested int64  `json:"requested"`
	Capacity  int64  `json:"capacity"`
	// what of the free amount is on nodes where less than a twentieth of cpu, memory or pods is free
	Stranded int64 `json:"stranded"`
	// how the shares that are requested of each node differ: lowest and highest, in percent
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`

	Free        int64 `json:"free"`
	LargestFree int64 `json:"largestFree"` // on one node
	// what of the free amount is not on the node with the most of it, in percent
	Fragmentation float64 `json:"fragmentation"`
}

// Packing is how much is requested, in percent.
func (u *Use) Packing() float64 { return percent(u.Requested, u.Capacity) }

// Spread is between the nodes with the highest and the lowest share requested, in percent.
func (u *Use) Spread() float64 { return u.Highest - u.Lowest }

// UsesOf is how the resources of nodes are used: cpu, memory, pods, then what nodes have besides, by name.
func UsesOf(nodes []*cluster.Node) []Use {
	names := Always()
	uses := make([]Use, len(names))
	for i, name := range names {
		uses[i].Name = name
	}
	own := map[corev1.ResourceName]*Use{}
	amounts := make([]Amounts, len(names))
	for _, n := range nodes {
		full := 0
		for i, name := range names {
			if amounts[i] = Of(n, name); amounts[i].isFull() {
				full++
			}
		}
		for i, a := range amounts {
			uses[i].add(a, full > 1 || full == 1 && !a.isFull())
		}
		for _, scalar := range n.Allocatable.Scalars {
			if scalar.Value <= 0 {
				continue
			}
			u := own[scalar.Name]
			if u == nil {
				u = &Use{Name: string(scalar.Name)}
				own[scalar.Name] = u
			}
			u.add(Amounts{n.Requested.Scalar(scalar.Name), scalar.Value}, full > 0)
		}
	}
	for _, u := range own {
		uses = append(uses, *u)
	}
	slices.SortFunc(uses[len(names):], func(a, b Use) int { return strings.Compare(a.Name, b.Name) })
	for i := range uses {
		if u := &uses[i]; u.Free > 0 {
			u.Fragmentation = 100 - percent(u.LargestFree, u.Free)
		}
	}
	return uses
}

// add counts a node; lost means that the node is full of another resource.
func (u *Use) add(a Amounts, lost bool) {
	if a.All == 0 {
		return
	}
	share := percent(a.Used, a.All)
	if u.Capacity == 0 || share < u.Lowest {
		u.Lowest = share
	}
	u.Highest = max(u.Highest, share)
	u.Requested, u.Capacity = u.Requested+a.Used, u.Capacity+a.All
	u.Free, u.LargestFree = u.Free+a.Free(), max(u.LargestFree, a.Free())
	if lost {
		u.Stranded += a.Free()
	}
}

// fullFrom is the percentage of a resource from which a node counts as full.
const fullFrom = 95

func (a Amounts) isFull() bool { return a.All > 0 && percent(a.Used, a.All) > fullFrom }

// Zone is how one failure domain is used.
type Zone struct {
	Name   string  `json:"name"` // "" where nodes have no zone
	Nodes  int     `json:"nodes"`
	Pods   int     `json:"pods"`
	CPU    float64 `json:"cpu"` // requested, in percent
	Memory float64 `json:"memory"`
}

// zoneUse is a zone while its nodes are counted.
type zoneUse struct {
	nodes, pods int
	cpu, memory Amounts
}

// ZonesOf is how the zones of nodes are used, by name.
func ZonesOf(nodes []*cluster.Node) []Zone {
	byZone := map[string]*zoneUse{}
	for _, n := range nodes {
		name, _ := n.Label(corev1.LabelTopologyZone)
		z := byZone[name]
		if z == nil {
			z = &zoneUse{}
			byZone[name] = z
		}
		z.nodes++
		z.pods += len(n.Pods)
		z.cpu, z.memory = z.cpu.and(Of(n, "cpu")), z.memory.and(Of(n, "memory"))
	}
	zones := make([]Zone, 0, len(byZone))
	for name, z := range byZone {
		zones = append(zones, Zone{
			Name: name, Nodes: z.nodes, Pods: z.pods, CPU: percent(z.cpu.Used, z.cpu.All),
			Memory: percent(z.memory.Used, z.memory.All),
		})
	}
	slices.SortFunc(zones, func(a, b Zone) int { return cmp.Compare(a.Name, b.Name) })
	return zones
}

func (a Amounts) and(b Amounts) Amounts { return Amounts{a.Used + b.Used, a.All + b.All} }

func percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
