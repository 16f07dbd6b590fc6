package remedy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// called is the name of what a change is about, the same in every language.
func called(name string) phrase.Phrase { return phrase.New("%s", name) }

func uncordoning(node string) Change {
	return Change{
		Uncordon, called(node), "uncordon " + node, kubectl(request.Uncordon(node)), costs[Uncordon],
		session.Uncordon(node), Unguarded, false, nil,
	}.around(GuardCordon)
}

func untainting(node, taint string) Change {
	return Change{
		Untaint, phrase.New("%[1]s of %[2]s", taint, node), "taint " + node + " " + taint + "-",
		kubectl(request.Untaint(node, taint)), costs[Untaint],
		session.Taint(node, taint+"-"), Unguarded, false, nil,
	}.around(guardOfTaint(taint))
}

func labelling(node, key, value string) Change {
	label := key + "=" + value
	return Change{
		LabelNode, called(node + " " + label), "label " + node + " " + label,
		kubectl(request.Label(request.Object{Kind: cluster.KindNode, Name: node}, key, value)),
		costs[LabelNode], session.Label(node, label), Unguarded, false, nil,
	}
}

func tolerating(p *cluster.Pod, taint string) Change {
	t, written := session.TolerationOf(taintOf(taint)), owner.WrittenTolerations(p.API.Spec.Tolerations)
	path := "/spec/tolerations/-"
	value := any(t)
	switch {
	case madeHere(p):
		path, value = "/spec/tolerations", append(written, t)
	case len(p.API.Spec.Tolerations) == 0:
		path, value = "/spec/tolerations", []corev1.Toleration{t}
	}
	return Change{
		Tolerate, called(taint), "tolerate " + p.Key + " " + taint,
		kubectl(patchPod(p, patch{Op: "add", Path: path, Value: value})...), costs[Tolerate],
		session.Tolerate(p.Key, taint), Unguarded, false,
		[]patch{{Op: "add", Path: "/spec/tolerations", Value: append(slices.Clip(written), t)}},
	}.around(guardOfTaint(taint))
}

// taintOf reads a taint as trace writes it: KEY[=VALUE]:EFFECT.
func taintOf(text string) corev1.Taint {
	rest, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(rest, "=")
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
}

func relabelling(p *cluster.Pod, key string) Change {
	command := []request.Request{request.Unlabel(itself(p), key)}
	without := patch{Op: "remove", Path: "/metadata/labels/" + request.Pointer(key)}
	if madeHere(p) {
		command = patchTemplate(p, without)
	}
	return Change{
		RelabelPod, called(key), "label " + p.Key + " " + key + "-", kubectl(command...), costs[RelabelPod],
		session.Label(p.Key, key+"-"), Unguarded, false,
		[]patch{without},
	}
}

// requesting has the container that requests most of a resource request so much less; false when it requests less than
// that.
func requesting(p *cluster.Pod, name string, by trace.Value, cost int) (Change, bool) {
	containers := p.API.Spec.Containers
	largest, at := resource.Quantity{}, -1
	for i := range containers {
		if q, has := containers[i].Resources.Requests[corev1.ResourceName(name)]; has && q.Cmp(largest) > 0 {
			largest, at = q.DeepCopy(), i
		}
	}
	n, _ := by.Number()
	less := resource.NewQuantity(n, largest.Format)
	if name == string(corev1.ResourceCPU) {
		less = resource.NewMilliQuantity(n, largest.Format)
	}
	if at < 0 || largest.Cmp(*less) <= 0 {
		return Change{}, false
	}
	was := largest.String()
	largest.Sub(*less)
	amount, container := largest.String(), ""
	line := "set request " + p.Key + " " + name + "=" + amount
	if len(containers) > 1 {
		container = containers[at].Name
		line += " " + container
	}
	path := "/spec/containers/" + strconv.Itoa(at) + "/resources/requests/" + request.Pointer(name)
	set := patch{Op: "replace", Path: path, Value: amount}
	return Change{
		Request, phrase.New("%s of %s instead of %s", amount, name, was), line,
		kubectl(patchTemplate(p, set)...), cost,
		session.SetRequest(p.Key, name, amount, container), Unguarded, false,
		[]patch{set},
	}, true
}

// relaxing takes a wish away from the pod; its line is empty when the pod has no such wish.
func relaxing(p *cluster.Pod, k Kind, wish session.Wish, name string) Change {
	patches := session.Relaxed(&p.API.Spec, wish, name)
	if len(patches) == 0 {
		return Change{}
	}
	c := Change{
		Kind: k, What: called(name), Line: strings.TrimSpace(fmt.Sprintf("relax %s %s %s", p.Key, wish, name)),
		Cost: costs[k], Edit: session.Relax(p.Key, wish, name), Template: slices.Clone(patches),
	}
	if c.Commands = kubectl(patchTemplate(p, patches...)...); wish == session.WishGate {
		c.Commands = kubectl(patchPod(p, patches...)...)
		return c.around(GuardGate)
	}
	return c
}

// hostPorts are the ports of the node that a pod wants, without those it wants because it is in the node's network.
func hostPorts(spec *corev1.PodSpec) []int32 {
	var all []int32
	for i := range spec.Containers {
		for _, port := range spec.Containers[i].Ports {
			if port.HostPort != 0 && !spec.HostNetwork && !slices.Contains(all, port.HostPort) {
				all = append(all, port.HostPort)
			}
		}
	}
	return all
}

// disabling is no change where no configuration of the release can leave the plugin out.
func disabling(k *session.At, plugin string) []Change {
	where := k.Disabling(plugin)
	if where == "" {
		return nil
	}
	return []Change{{
		DisablePlugin, called(plugin), "set plugin " + plugin + " off", kubectl(request.Remark(where)), costs[DisablePlugin],
		session.Disable(plugin), Unguarded, false, nil,
	}}
}

func volumeFor(claim string) Change {
	return Change{
		AddVolume, called(claim), "add-volume " + claim,
		kubectl(request.Remark(phrase.Textf("a PersistentVolume for the claim %s, reachable from every node", claim))),
		costs[AddVolume], session.AddVolume(claim), Unguarded, true, nil,
	}
}

// shapes is how many different nodes one more node may be like.
const shapes = 3

// moreNodes is one more node, like each of the different nodes there are.
func (f *finder) moreNodes(state *cluster.State) []Change {
	var all []Change
	seen := map[int]bool{}
	nodes := f.byName(state.Snapshot())
	for _, tainted := range []bool{false, true} {
		for _, n := range nodes {
			if len(all) == shapes {
				return all
			}
			if n.Index() < 0 || len(n.API.Spec.Taints) > 0 != tainted {
				continue
			}
			shape := f.shapeOf(n)
			if seen[shape] {
				continue
			}
			seen[shape] = true
			all = append(all, AddNodes(state, n.Name, 1))
		}
	}
	return all
}

// byName are the nodes of a snapshot, sorted by name. Most sets of changes leave the names as they are.
func (f *finder) byName(s *cluster.Snapshot) []*cluster.Node {
	if !slices.Equal(f.names, s.Names) {
		f.names, f.order = s.Names, make([]int, len(s.Names))
		for i := range f.order {
			f.order[i] = i
		}
		slices.SortFunc(f.order, func(a, b int) int { return cmp.Compare(s.Names[a], s.Names[b]) })
	}
	nodes := make([]*cluster.Node, len(f.order))
	for i, at := range f.order {
		nodes[i] = s.Nodes[at]
	}
	return nodes
}

// shapeOf is a number for each sort of nodes that are alike for a pod. Most sets of changes leave most nodes as they
// are.
func (f *finder) shapeOf(n *cluster.Node) int {
	shape, known := f.shapes[n.API]
	if !known {
		labels := maps.Clone(n.API.Labels)
		delete(labels, corev1.LabelHostname)
		text := fmt.Sprint(n.API.Status.Allocatable, labels, n.API.Spec.Taints)
		if f.shapes == nil {
			f.shapes, f.kinds = map[*corev1.Node]int{}, map[string]int{}
		}
		if shape, known = f.kinds[text]; !known {
			shape = len(f.kinds)
			f.kinds[text] = shape
		}
		f.shapes[n.API] = shape
	}
	return shape
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
