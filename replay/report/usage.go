package report

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// fullFrom is the percentage of a resource from which a node counts as full.
const fullFrom = 95

// amounts are what is requested and what there is of one resource on one node.
type amounts struct{ used, all int64 }

func (a amounts) free() int64 { return max(a.all-a.used, 0) }

// of is how a node is used.
func of(n *cluster.Node, resource string) amounts {
	switch corev1.ResourceName(resource) {
	case corev1.ResourceCPU:
		return amounts{n.Requested.MilliCPU, n.Allocatable.MilliCPU}
	case corev1.ResourceMemory:
		return amounts{n.Requested.Memory, n.Allocatable.Memory}
	case corev1.ResourcePods:
		return amounts{int64(len(n.Pods)), n.Allocatable.Pods}
	case corev1.ResourceEphemeralStorage:
		return amounts{n.Requested.EphemeralStorage, n.Allocatable.EphemeralStorage}
	}
	name := corev1.ResourceName(resource)
	return amounts{n.Requested.Scalar(name), n.Allocatable.Scalar(name)}
}

// always are the resources that every report has, and that a node can be full of.
var always = []string{"cpu", "memory", "pods"}

// isFull says whether a node is full of another resource than this one.
func isFull(n *cluster.Node, but string) bool {
	return slices.ContainsFunc(always, func(name string) bool {
		a := of(n, name)
		return name != but && a.all > 0 && percent(a.used, a.all) > fullFrom
	})
}

// usage works out how nodes, resources and zones are used.
func (r *Report) usage(nodes []*cluster.Node) {
	names := slices.Clone(always)
	byZone := map[string]*zoneUse{}
	for _, n := range nodes {
		r.Nodes.All++
		if len(n.Pods) == 0 {
			r.Nodes.Empty++
		}
		if n.API.Spec.Unschedulable {
			r.Nodes.Closed++
		}
		for _, scalar := range n.Allocatable.Scalars {
			if name := string(scalar.Name); scalar.Value > 0 && !slices.Contains(names, name) {
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
	slices.Sort(names[len(always):])
	for _, name := range names {
		r.Resources = append(r.Resources, resourceOf(nodes, name))
	}
	for name, z := range byZone {
		r.Zones = append(r.Zones, Zone{
			Name: name, Nodes: z.nodes, Pods: z.pods, CPU: percent(z.cpu.used, z.cpu.all),
			Memory: percent(z.memory.used, z.memory.all),
		})
	}
	slices.SortFunc(r.Zones, func(a, b Zone) int { return strings.Compare(a.Name, b.Name) })
}

type zoneUse struct {
	nodes, pods int
	cpu, memory amounts
}

func (z *zoneUse) add(n *cluster.Node) {
	z.nodes++
	z.pods += len(n.Pods)
	cpu, memory := of(n, "cpu"), of(n, "memory")
	z.cpu = amounts{z.cpu.used + cpu.used, z.cpu.all + cpu.all}
	z.memory = amounts{z.memory.used + memory.used, z.memory.all + memory.all}
}

func resourceOf(nodes []*cluster.Node, name string) Resource {
	r := Resource{Name: name}
	first := true
	for _, n := range nodes {
		a := of(n, name)
		if a.all == 0 {
			continue
		}
		r.Requested, r.Capacity = r.Requested+a.used, r.Capacity+a.all
		r.Free, r.LargestFree = r.Free+a.free(), max(r.LargestFree, a.free())
		share := percent(a.used, a.all)
		if first || share < r.Lowest {
			r.Lowest = share
		}
		first, r.Highest = false, max(r.Highest, share)
		if isFull(n, name) {
			r.Stranded += a.free()
		}
	}
	if r.Free > 0 {
		r.Fragmentation = 100 - percent(r.LargestFree, r.Free)
	}
	return r
}
