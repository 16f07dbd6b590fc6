package session

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Wish is something that a pod requires of its node, and can do without.
type Wish string

// The wishes. A wish with a name behind it is one of several.
const (
	WishSelector     Wish = "selector" // with the key of a label of nodes
	WishNodeAffinity Wish = "node-affinity"
	WishAffinity     Wish = "pod-affinity"
	WishAntiAffinity Wish = "pod-anti-affinity"
	WishSpread       Wish = "spread"
	WishTainted      Wish = "tainted-domains"
	WishOutside      Wish = "outside-domains"
	WishSkew         Wish = "max-skew" // with a topology key and what constraints over it allow at least: zone=2
	WishMinDomains   Wish = "min-domains"
	WishPort         Wish = "port" // with its number
	WishGate         Wish = "gate" // with its name
)

// Wishes are all of them.
func Wishes() []Wish {
	return []Wish{
		WishSelector, WishNodeAffinity, WishAffinity, WishAntiAffinity, WishSpread, WishTainted, WishOutside, WishSkew,
		WishMinDomains, WishPort, WishGate,
	}
}

// Relax has a pod without a node do without a wish. What it only prefers stays; spread constraints that hold at any
// price become such that are only preferred, leave out nodes whose taints the pod does not tolerate or that its node
// affinity excludes, allow a larger skew, or want no number of domains.
func Relax(key string, wish Wish, name string) Edit { return doing("relax", key, string(wish), name) }

func (c *change) relax(key string, wish Wish, name string) error {
	c.said = phrase.New("%s does without %s", key, strings.TrimSpace(string(wish)+" "+name))
	edit := c.remade
	if wish == WishGate {
		edit = c.pending
	}
	return edit("relax", key, func(api *corev1.Pod) error {
		operations := Relaxed(&api.Spec, wish, name)
		if len(operations) == 0 {
			without := strings.TrimSpace(string(wish) + " " + name)
			if has := named(&api.Spec, wish); len(has) > 0 {
				return phrase.Errorf("relax: pod %q has no %s, but: %s", key, without, strings.Join(has, ", "))
			}
			return phrase.Errorf("relax: pod %q has no %s", key, without)
		}
		patched, err := request.Patched(api, operations)
		if err == nil {
			*api = *patched
		}
		return err
	})
}

// named are the wishes of a kind that a pod has, as relax takes them; none where the kind has no names.
func named(spec *corev1.PodSpec, wish Wish) []string {
	var all []string
	switch wish {
	case WishSelector:
		for _, key := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
			all = append(all, string(wish)+" "+key)
		}
	case WishGate:
		for i := range spec.SchedulingGates {
			all = append(all, string(wish)+" "+spec.SchedulingGates[i].Name)
		}
	case WishNodeAffinity, WishAffinity, WishAntiAffinity, WishSpread, WishTainted, WishOutside, WishSkew, WishMinDomains,
		WishPort:
	}
	return all
}

// Relaxed is what has to be patched in a pod so that it does without a wish; empty when it has none like it. Paths
// begin at the pod: "/spec/nodeSelector/disk".
func Relaxed(spec *corev1.PodSpec, wish Wish, name string) []request.Operation {
	const required = "/requiredDuringSchedulingIgnoredDuringExecution"
	a := ptr.Deref(spec.Affinity, corev1.Affinity{})
	remove := func(is bool, path string) []request.Operation {
		if !is {
			return nil
		}
		return []request.Operation{{Op: "remove", Path: path}}
	}
	switch wish {
	case WishSelector:
		_, is := spec.NodeSelector[name]
		return remove(is, "/spec/nodeSelector/"+request.Pointer(name))
	case WishGate:
		i := slices.IndexFunc(spec.SchedulingGates, func(g corev1.PodSchedulingGate) bool { return g.Name == name })
		return remove(i >= 0, "/spec/schedulingGates/"+strconv.Itoa(i))
	case WishNodeAffinity:
		is := a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
		return remove(is, "/spec/affinity/nodeAffinity"+required)
	case WishAffinity:
		is := a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
		return remove(is, "/spec/affinity/podAffinity"+required)
	case WishAntiAffinity:
		is := a.PodAntiAffinity != nil && len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
		return remove(is, "/spec/affinity/podAntiAffinity"+required)
	case WishPort:
		return withoutPort(spec, name)
	}
	var all []request.Operation
	for i := range spec.TopologySpreadConstraints {
		if c := &spec.TopologySpreadConstraints[i]; c.WhenUnsatisfiable == corev1.DoNotSchedule {
			all = append(all, eased(c, fmt.Sprintf("/spec/topologySpreadConstraints/%d/", i), wish, name)...)
		}
	}
	return all
}

// eased is what has to be patched in a spread constraint at a path so that it requires less; empty where it requires no
// more than that. minDomains is for constraints that hold at any price: an API server refuses it beside ScheduleAnyway.
func eased(c *corev1.TopologySpreadConstraint, path string, wish Wish, name string) []request.Operation {
	honor := corev1.NodeInclusionPolicyHonor
	var all []request.Operation
	if (wish == WishSpread || wish == WishMinDomains) && c.MinDomains != nil {
		all = append(all, request.Operation{Op: "remove", Path: path + "minDomains"})
	}
	key, number, _ := strings.Cut(name, "=")
	switch skew, err := strconv.ParseInt(number, 10, 32); {
	case wish == WishSpread:
		preferred := request.Operation{Op: "replace", Path: path + "whenUnsatisfiable", Value: corev1.ScheduleAnyway}
		return append([]request.Operation{preferred}, all...)
	case wish == WishTainted && ptr.Deref(c.NodeTaintsPolicy, "") != honor:
		return []request.Operation{{Op: "add", Path: path + "nodeTaintsPolicy", Value: honor}}
	case wish == WishOutside && ptr.Deref(c.NodeAffinityPolicy, honor) != honor:
		return []request.Operation{{Op: "add", Path: path + "nodeAffinityPolicy", Value: honor}}
	case wish == WishSkew && err == nil && key == c.TopologyKey && int32(skew) > c.MaxSkew:
		return []request.Operation{{Op: "replace", Path: path + "maxSkew", Value: skew}}
	}
	return all
}

// withoutPort takes a port of the node away from every container. A pod in the network of the node leaves it: there the
// ports of its containers are ports of the node.
func withoutPort(spec *corev1.PodSpec, number string) []request.Operation {
	var all []request.Operation
	for i := range spec.Containers {
		for k, port := range spec.Containers[i].Ports {
			if port.HostPort != 0 && strconv.Itoa(int(port.HostPort)) == number {
				path := fmt.Sprintf("/spec/containers/%d/ports/%d/hostPort", i, k)
				all = append(all, request.Operation{Op: "remove", Path: path})
			}
		}
	}
	if len(all) > 0 && spec.HostNetwork {
		all = append(all, request.Operation{Op: "remove", Path: "/spec/hostNetwork"})
	}
	return all
}
