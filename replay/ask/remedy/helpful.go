package remedy

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/session"
)

// concerns are the kinds of changes that can change the answer of a plugin. It saves runs and decides nothing: every
// offered change was run. A plugin that is not here can only be disabled.
var concerns = map[string][]Kind{
	"NodeUnschedulable": {Uncordon, Tolerate},
	"TaintToleration":   {Tolerate, Untaint},
	"NodeAffinity":      {LabelNode, DropSelector, DropNodeAffinity},
	"NodePorts":         {DropPort, EvictPod, ScaleDown, Prioritize},
	"NodeResourcesFit":  {Request, UndoResize, EvictPod, ScaleDown, Prioritize},
	"InterPodAffinity":  {DropAffinity, DropAntiAffinity, RelabelPod, EvictPod, ScaleDown, Prioritize},
	"PodTopologySpread": {
		HonorTaints, HonorNodeAffinity, RaiseSkew, DropMinDomains, Soften, LabelNode, EvictPod, Prioritize,
	},
	"NodeVolumeLimits":   {EvictPod, ScaleDown, Prioritize},
	"VolumeRestrictions": {EvictPod, ScaleDown, Prioritize},
	"VolumeBinding":      {NameClass, MarkClass, RenewKeys, AddVolume, LabelNode},
	"VolumeZone":         {LabelNode},
	"DynamicResources":   {EvictPod, ScaleDown, Prioritize},
	"NodeName":           {},
}

// at is a pod and a node that rejects it, with the first plugin that does.
type at struct {
	here   *session.At
	state  *cluster.State
	pod    *cluster.Pod
	node   *cluster.Node // nil: a PreFilter plugin rejects all nodes
	plugin string
	broken session.Broken
}

// helpful is what may bring the pod nearer to the nodes that are nearest to taking it; with add, also one more node.
// What was changed of a node before holds for another like it.
func (f *finder) helpful(p *play.Player, t *trace.Try, near []int, add bool) []Change {
	state := p.Scheduler().State()
	pod := pending(state, f.pod)
	if pod == nil {
		return nil
	}
	var all []Change
	for _, pre := range t.PreFilters {
		if pre.Verdict.Code.Rejects() {
			all = append(all, changesAt(at{f.here, state, pod, nil, pre.Plugin, session.Broken{Verdict: pre.Verdict}})...)
		}
	}
	f.answer.Considered = max(f.answer.Considered, len(near))
	for _, i := range near {
		node, ok := state.Snapshot().Node(t.Matrix.Nodes[i])
		if !ok {
			continue
		}
		f.answer.note(node)
		for _, broken := range session.BrokenOn(t.Matrix, i) {
			found := changesAt(at{f.here, state, pod, node, broken.Plugin, broken})
			all = append(all, found...)
			if !onlyAround(found) {
				break
			}
		}
	}
	if add {
		all = append(all, f.moreNodes(state)...)
	}
	return all
}

// nearest are the nodes whose reasons are looked at, by their places in a matrix: the nearest of each combination of
// plugins, then others.
func nearest(m *trace.Matrix) []int {
	var chosen, rest []int
	seen := map[string]bool{}
	var id []byte
	for _, node := range session.NearestNodes(m) {
		id = id[:0]
		for _, f := range m.OnNode(node) {
			id = binary.NativeEndian.AppendUint16(id, uint16(f.Plugin))
		}
		if !seen[string(id)] {
			seen[string(id)] = true
			chosen = append(chosen, node)
		} else if len(rest) < mostNodes {
			rest = append(rest, node)
		}
	}
	chosen = append(chosen, rest...)
	return chosen[:min(mostNodes, len(chosen))]
}

// changesAt are the changes that can change the answer of the plugin about the node.
func changesAt(a at) []Change {
	kinds, known := concerns[a.plugin]
	if !known {
		kinds = []Kind{DisablePlugin}
	}
	var all []Change
	for _, k := range kinds {
		all = append(all, a.of(k)...)
	}
	return all
}

// of are the changes of one kind.
func (a at) of(k Kind) []Change {
	switch k {
	case Uncordon, Untaint, LabelNode:
		if a.node == nil || session.IsAdded(a.node) {
			return nil // a node that would be added can be like another one
		}
		return a.ofNode(k)
	case Request:
		return a.requests()
	case EvictPod:
		return a.evictions()
	case ScaleDown:
		return a.scalings()
	case AddVolume:
		return a.volumes()
	case Tolerate:
		return a.tolerations()
	case RaiseSkew:
		return a.skews()
	case Prioritize:
		return a.priorityClasses()
	case NameClass, MarkClass:
		return a.storageClasses(k)
	case RenewKeys:
		return a.oldKeys()
	case UndoResize:
		return a.resizes()
	case DisablePlugin:
		return disabling(a.here, a.plugin)
	}
	return a.ofPod(k)
}

func (a at) ofNode(k Kind) []Change {
	var all []Change
	switch k {
	case Uncordon:
		if a.node.API.Spec.Unschedulable {
			all = append(all, uncordoning(a.node.API.Name))
		}
	case Untaint:
		for _, t := range a.broken.Advice.Changes {
			for _, part := range t.Parts {
				if isOfController(part.What) || taintOf(part.What).Key == corev1.TaintNodeUnschedulable {
					continue // that of a cordon goes with it
				}
				all = append(all, untainting(a.node.API.Name, part.What))
			}
		}
	case LabelNode:
		for _, l := range a.broken.Advice.Changes {
			for _, part := range l.Parts {
				if l.Kind == trace.LabelNode && owner.OfNodeLabel(part.What) == owner.User {
					all = append(all, labelling(a.node.API.Name, part.What, part.To.String()))
				}
			}
		}
	}
	return all
}

func (a at) tolerations() []Change {
	var all []Change
	for _, c := range a.broken.Advice.Changes {
		if c.Kind != trace.TolerateTaint {
			continue
		}
		if slices.ContainsFunc(c.Parts, func(part trace.ChangePart) bool { return isOfController(part.What) }) {
			continue // the other tolerations would not do
		}
		for _, part := range c.Parts {
			all = append(all, tolerating(a.pod, part.What))
		}
	}
	return all
}

// requests are one change for each resource that is short: to request what is free.
func (a at) requests() []Change {
	var all []Change
	for _, e := range a.broken.Verdict.Evidence {
		short, lacking := e.Short()
		have, _ := e.Have.Number()
		if !lacking || have <= 0 || e.Name() == string(corev1.ResourcePods) {
			continue
		}
		by, _ := short.Number()
		want, _ := e.Want.Number()
		if c, can := requesting(a.pod, e.Name(), short, requestCost(by, want)); can {
			if in, may := resizing(a.pod, c.Template); may && a.state.ResizesCount() {
				c.Commands = kubectl(in)
			}
			all = append(all, c)
		}
	}
	return all
}

// mostSkew is how much more than what a constraint allows now is offered as its maxSkew: with more, it spreads no more.
const mostSkew = 4

// skews allow the skew that the node would have with the pod, for each constraint that it breaks.
func (a at) skews() []Change {
	var all []Change
	for _, e := range a.broken.Verdict.Evidence {
		have, is := e.Have.Number()
		about := e.Subject()
		if !is || !strings.HasPrefix(about.Format, "skew of ") || len(about.Values) == 0 {
			continue
		}
		key := fmt.Sprint(about.Values[0])
		if more := have - int64(leastSkew(a.pod, key)); more >= 1 && more <= mostSkew {
			all = append(all, raised(a.pod, key, int32(more)))
		}
	}
	return all
}

// Skews allow constraints over a topology key a skew of one more than now, of two more, and so on.
func Skews(p *cluster.Pod, key string) []Change {
	var all []Change
	for more := int32(1); leastSkew(p, key) > 0 && more <= mostSkew; more++ {
		all = append(all, raised(p, key, more))
	}
	return all
}

// leastSkew is the smallest maxSkew of the constraints of a pod over a topology key that hold at any price; 0: there is
// none.
func leastSkew(p *cluster.Pod, key string) int32 {
	least := int32(0)
	for _, s := range p.API.Spec.TopologySpreadConstraints {
		if s.TopologyKey == key && s.WhenUnsatisfiable == corev1.DoNotSchedule && (least == 0 || s.MaxSkew < least) {
			least = s.MaxSkew
		}
	}
	return least
}

// raised allows these constraints a skew of so many more.
func raised(p *cluster.Pod, key string, more int32) Change {
	number := strconv.Itoa(int(leastSkew(p, key) + more))
	c := relaxing(p, RaiseSkew, session.WishSkew, key+"="+number)
	c.What, c.Cost = phrase.New("%[1]s over %[2]s", number, key), c.Cost+int(more)-1
	return c
}

// ofPod are the changes of a kind that takes a wish away from the pod.
func (a at) ofPod(k Kind) []Change {
	spec := &a.pod.API.Spec
	var all []Change
	switch k {
	case DropSelector:
		for _, key := range sortedKeys(spec.NodeSelector) {
			all = append(all, relaxing(a.pod, k, session.WishSelector, key))
		}
	case RelabelPod:
		for _, key := range sortedKeys(a.pod.API.Labels) {
			if !owner.KeepsLabel(a.state, a.pod, key) {
				all = append(all, relabelling(a.pod, key))
			}
		}
	case DropPort:
		for _, port := range hostPorts(spec) {
			all = append(all, relaxing(a.pod, k, session.WishPort, strconv.Itoa(int(port))))
		}
	case DropNodeAffinity:
		if !owner.IsPinned(a.pod) {
			all = append(all, relaxing(a.pod, k, session.WishNodeAffinity, ""))
		}
	case DropAffinity:
		all = append(all, relaxing(a.pod, k, session.WishAffinity, ""))
	case DropAntiAffinity:
		all = append(all, relaxing(a.pod, k, session.WishAntiAffinity, ""))
	case HonorTaints:
		if spreadsOverTaints(spec.TopologySpreadConstraints, a.state) {
			all = append(all, relaxing(a.pod, k, session.WishTainted, ""))
		}
	case HonorNodeAffinity:
		all = append(all, relaxing(a.pod, k, session.WishOutside, ""))
	case DropMinDomains:
		all = append(all, relaxing(a.pod, k, session.WishMinDomains, ""))
	case Soften:
		all = append(all, relaxing(a.pod, k, session.WishSpread, ""))
	}
	return slices.DeleteFunc(all, func(c Change) bool { return c.Line == "" })
}

// spreadsOverTaints reports whether taints can decide for constraints: there are some of both.
func spreadsOverTaints(constraints []corev1.TopologySpreadConstraint, state *cluster.State) bool {
	tainted := false
	if len(constraints) > 0 {
		state.EachNode(func(n *cluster.Node) bool {
			tainted = len(n.Taints) > 0
			return !tainted
		})
	}
	return tainted
}

// ungating is one change for each gate of the pod.
func (f *finder) ungating(p *play.Player) []Change {
	pod := pending(p.Scheduler().State(), f.pod)
	if pod == nil {
		return nil
	}
	var all []Change
	for _, g := range pod.API.Spec.SchedulingGates {
		if owner.OfGate(g.Name) == owner.User {
			all = append(all, relaxing(pod, Ungate, session.WishGate, g.Name))
		}
	}
	return all
}
