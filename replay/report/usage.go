package report

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/room"
)

// fullFrom is the percentage of a resource from which a node counts as full.
const fullFrom = 95

// isFull says whether a node is full of another resource than this one.
func isFull(n *cluster.Node, but string) bool {
	return slices.ContainsFunc(room.Always(), func(name string) bool {
		a := room.Of(n, name)
		return name != but && a.All > 0 && percent(a.Used, a.All) > fullFrom
	})
}

// usage works out how nodes, resources and zones are used.
func (r *Report) usage(nodes []*cluster.Node) {
	names := room.Always()
	byZone := map[string]*zoneUse{}
	for _, n := range nodes {
		r.Nodes.All++
		if len(n.Pods) == 0 {
			r.Nodes.Empty++
		}
		if n.API.Spec.Unschedulable {
			r.Nodes.Closed++
		}
		for _, name := range room.Resources(n) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		z := byZone[zoneOf(n)]
		if z == nil {
			z = &zoneUse{}
			byZone[zoneOf(n)] = z
		}
		z.add(n)
	}
	slices.Sort(names[len(room.Always()):])
	for _, name := range names {
		r.Resources = append(r.Resources, resourceOf(nodes, name))
	}
	for name, z := range byZone {
		r.Zones = append(r.Zones, Zone{
			Name: name, Nodes: z.nodes, Pods: z.pods, CPU: percent(z.cpu.Used, z.cpu.All),
			Memory: percent(z.memory.Used, z.memory.All),
		})
	}
	slices.SortFunc(r.Zones, func(a, b Zone) int { return strings.Compare(a.Name, b.Name) })
}

type zoneUse struct {
	nodes, pods int
	cpu, memory room.Amounts
}

func (z *zoneUse) add(n *cluster.Node) {
	z.nodes++
	z.pods += len(n.Pods)
	cpu, memory := room.Of(n, "cpu"), room.Of(n, "memory")
	z.cpu = room.Amounts{Used: z.cpu.Used + cpu.Used, All: z.cpu.All + cpu.All}
	z.memory = room.Amounts{Used: z.memory.Used + memory.Used, All: z.memory.All + memory.All}
}

func resourceOf(nodes []*cluster.Node, name string) Resource {
	r := Resource{Name: name}
	first := true
	for _, n := range nodes {
		a := room.Of(n, name)
		if a.All == 0 {
			continue
		}
		r.Requested, r.Capacity = r.Requested+a.Used, r.Capacity+a.All
		r.Free, r.LargestFree = r.Free+a.Free(), max(r.LargestFree, a.Free())
		share := percent(a.Used, a.All)
		if first || share < r.Lowest {
			r.Lowest = share
		}
		first, r.Highest = false, max(r.Highest, share)
		if isFull(n, name) {
			r.Stranded += a.Free()
		}
	}
	if r.Free > 0 {
		r.Fragmentation = 100 - percent(r.LargestFree, r.Free)
	}
	return r
}
