// Package dependents is the question what depends on a node: pods that only it can run, volumes and devices that are
// reached from it alone, pods that require the company of pods on it. It does not answer what would become of them
// without the node: the edits and plans run that.
package dependents

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/ask"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "dependents", Usage: "NODE", Takes: []ask.Kind{ask.OfNode}, Data: true, Find: find,
		Does: "list what depends on a node: pods, volumes and devices that have no other",
		Help: "Lists what has this node and no other: pods of DaemonSets and of the kubelet, pods that no controller would " +
			"create again, pods with data on its disk, volumes and devices that are reached from it alone with the pods " +
			"that use them, pods that it is kept for, pods that may run on no other node, and pods that require the company of " +
			"pods which are on it and nowhere else. plan drain runs what becomes of them.",
		Command: ask.Piped, Page: ask.OnNoPage,
		Examples: []string{"dependents n1"},
	}
}

// reason is why something depends on the node.
type reason string

// The reasons, in the order in which they are listed.
const (
	daemon    reason = "daemon"    // a DaemonSet or the kubelet runs it there
	bare      reason = "bare"      // no controller creates it again
	data      reason = "data"      // what it wrote is on the disk of the node
	volume    reason = "volume"    // it uses Of, a PersistentVolume that is reached from there alone
	devices   reason = "devices"   // it uses Of, a ResourceClaim with devices of the node
	company   reason = "company"   // Of requires a pod that is there and nowhere else
	pinned    reason = "pinned"    // its node selection matches no other node
	nominated reason = "nominated" // the node is kept for it
)

var reasons = []reason{daemon, bare, data, volume, devices, company, pinned, nominated}

// answer is what depends on a node.
type answer struct {
	Node string      `json:"node"`
	All  []dependent `json:"dependents"` // by reason, then by pod
}

// dependent is a pod, or without one a volume or a claim that no pod uses.
type dependent struct {
	Reason reason `json:"reason"`
	Pod    string `json:"pod,omitempty"`
	Here   bool   `json:"here"` // it is on the node
	Of     string `json:"of,omitempty"`
}

// search is a node with what is found about it.
type search struct {
	state *cluster.State
	node  *cluster.Node
	all   []dependent
}

func find(c ask.Call) (ask.Answer, error) {
	if len(c.Args) != 1 {
		return nil, c.Lang().Errorf("dependents: of which node? (dependents NODE)")
	}
	scheduler := c.At.Player().Scheduler()
	node, there := scheduler.State().Snapshot().Node(c.Args[0])
	if !there || node.API == nil {
		return nil, c.Lang().Errorf("there is no node %q here%s", c.Args[0],
			spelling.HintName(c.Args[0], c.At.Names().Nodes))
	}
	s := search{state: scheduler.State(), node: node}
	s.objects()
	s.pods()
	for _, p := range scheduler.Queue().Nominated(node.API.Name) {
		s.add(nominated, p, "")
	}
	slices.SortStableFunc(s.all, func(a, b dependent) int {
		return cmp.Or(cmp.Compare(slices.Index(reasons, a.Reason), slices.Index(reasons, b.Reason)),
			cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Of, b.Of))
	})
	return answer{node.API.Name, slices.Compact(s.all)}, nil
}

func (s *search) add(why reason, p *cluster.Pod, of string) {
	d := dependent{Reason: why, Of: of}
	if p != nil {
		d.Pod = p.Key
		d.Here = slices.ContainsFunc(s.node.Pods, func(o *cluster.Pod) bool { return o.Key == p.Key })
	}
	s.all = append(s.all, d)
}

// only reports whether a selection matches the node and no other.
func (s *search) only(matches func(*corev1.Node) bool) bool {
	if !matches(s.node.API) {
		return false
	}
	return !slices.ContainsFunc(s.state.Snapshot().Nodes, func(n *cluster.Node) bool {
		return n.API.Name != s.node.API.Name && matches(n.API)
	})
}

// objects finds volumes and allocated claims, each with the pods that use it.
func (s *search) objects() {
	s.state.EachObject(func(_ cluster.Kind, o cluster.Object) bool {
		switch o := o.(type) {
		case *corev1.PersistentVolume:
			if a := o.Spec.NodeAffinity; a != nil && a.Required != nil && s.only(matcher(a.Required)) {
				claim := o.Spec.ClaimRef
				s.users(volume, o.Name, func(p *cluster.Pod) bool {
					return claim != nil && p.Namespace() == claim.Namespace && slices.ContainsFunc(p.Claims,
						func(u cluster.ClaimUse) bool { return u.Name == claim.Name })
				})
			}
		case *resourcev1.ResourceClaim:
			if a := o.Status.Allocation; a != nil && a.NodeSelector != nil && s.only(matcher(a.NodeSelector)) {
				s.users(devices, cluster.Key(o), func(p *cluster.Pod) bool {
					return p.Namespace() == o.Namespace && slices.ContainsFunc(o.Status.ReservedFor,
						func(r resourcev1.ResourceClaimConsumerReference) bool {
							return r.Resource == "pods" && r.Name == p.Name()
						})
				})
			}
		}
		return true
	})
}

// matcher matches nodes as a selector does; one that cannot be read matches none.
func matcher(selector *corev1.NodeSelector) func(*corev1.Node) bool {
	parsed, err := nodeaffinity.NewNodeSelector(selector)
	return func(n *corev1.Node) bool { return err == nil && parsed.Match(n) }
}

// users adds the pods that use an object, or the object alone.
func (s *search) users(why reason, of string, uses func(*cluster.Pod) bool) {
	used := false
	s.state.EachPod(func(p *cluster.Pod) bool {
		if uses(p) {
			used = true
			s.add(why, p, of)
		}
		return true
	})
	if !used {
		s.add(why, nil, of)
	}
}

// pods finds the pods that have to do with the node by themselves. A pod that is being bound is on its node already.
func (s *search) pods() {
	placed := map[string]bool{}
	for _, n := range s.state.Snapshot().Nodes {
		for _, p := range n.Pods {
			placed[p.Key] = true
		}
	}
	s.state.EachPod(func(p *cluster.Pod) bool {
		if !placed[p.Key] && !cluster.Finished(p.API) && len(s.state.Snapshot().Nodes) > 1 &&
			s.only(func(n *corev1.Node) bool { is, _ := p.NodeSelection.Match(n); return is }) {
			s.add(pinned, p, "")
		}
		return true
	})
	for _, p := range s.node.Pods {
		s.resident(p)
		s.companions(p)
	}
}

// resident looks at a pod on the node.
func (s *search) resident(p *cluster.Pod) {
	owner := metav1.GetControllerOf(p.API)
	_, static := p.API.Annotations[corev1.MirrorPodAnnotationKey]
	switch {
	case static || owner != nil && (owner.Kind == "DaemonSet" || owner.Kind == "Node"):
		s.add(daemon, p, "")
		return
	case owner == nil:
		s.add(bare, p, "")
	}
	for i := range p.API.Spec.Volumes {
		if v := &p.API.Spec.Volumes[i]; v.EmptyDir != nil || v.HostPath != nil {
			s.add(data, p, v.Name)
		}
	}
}

// companions finds the pods that require the company of a pod on the node, where no other node has one that would do.
func (s *search) companions(there *cluster.Pod) {
	s.state.EachPod(func(p *cluster.Pod) bool {
		for i := range p.RequiredAffinity {
			term := &p.RequiredAffinity[i]
			fits := func(o *cluster.Pod) bool {
				return o.Key != p.Key && term.Matches(o.Labels, s.state.NamespaceLabels(o.Namespace()))
			}
			if fits(there) && !s.elsewhere(fits) {
				s.add(company, there, p.Key)
			}
		}
		return true
	})
}

// elsewhere reports whether another node has such a pod.
func (s *search) elsewhere(fits func(*cluster.Pod) bool) bool {
	return slices.ContainsFunc(s.state.Snapshot().Nodes, func(n *cluster.Node) bool {
		return n.API.Name != s.node.API.Name && slices.ContainsFunc(n.Pods, fits)
	})
}
