package manager

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
)

// What the controllers of nodes wait for (pkg/controller/nodelifecycle and podgc, 1.37).
const (
	nodeDelay   = 5 * time.Second         // to see a node whose conditions have changed
	graceOfNode = 50 * time.Second        // until the kubelet of a node counts as silent
	orphanTime  = (40 + 20) * time.Second // until the pods of a node that is gone are deleted, with the period of its look
	perEviction = 10 * time.Second        // between two nodes of a zone whose pods are evicted
	slowRate    = 100 * time.Second       // the same in a zone of which most nodes are not Ready
	largeZone   = 50                      // nodes; a smaller zone is not evicted at all then
)

// Silence has the kubelets of nodes of a player fall silent now, as when their machines are lost.
func Silence(p *play.Player, nodes ...string) {
	p.Control(func(c play.Controllers, by *play.Client) {
		if m, ours := c.(*Manager); ours {
			m.silence(by, nodes)
		}
	})
}

func (m *Manager) silence(by *play.Client, nodes []string) {
	for _, n := range nodes {
		m.silent.set(n, by.Now())
		m.enqueue(by, idOf(wakeNode, n), graceOfNode)
	}
}

// seeNode has the DaemonSets look at a node that is new or changed, and the pods of one that is gone deleted.
func (m *Manager) seeNode(action cluster.Action, n *corev1.Node, by *play.Client) {
	m.seeDaemonSets(by)
	if action == cluster.Delete {
		m.enqueue(by, idOf(wakeOrphan, n.Name), orphanTime)
		return
	}
	if marked := slices.ContainsFunc(n.Spec.Taints, isCordon); marked != n.Spec.Unschedulable {
		m.enqueue(by, idOf(wakeNode, n.Name), syncDelay)
	}
	if node, is := by.State().Node(n.Name); is {
		for _, p := range node.Pods {
			m.repel(p.API, by)
		}
	}
}

func isCordon(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable }

// syncNode gives a node the taints of its conditions and of its cordon.
func (m *Manager) syncNode(name string, by *play.Client) {
	node, is := by.State().Node(name)
	if !is {
		return
	}
	after := node.API.DeepCopy()
	after.Spec.Taints = slices.DeleteFunc(after.Spec.Taints, func(t corev1.Taint) bool {
		return isCordon(t) && !after.Spec.Unschedulable
	})
	if after.Spec.Unschedulable && !slices.ContainsFunc(after.Spec.Taints, isCordon) {
		after.Spec.Taints = append(after.Spec.Taints, corev1.Taint{
			Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &metav1.Time{Time: by.Now()},
		})
	}
	if since, silent := m.silent.get(name); silent && !isUnreachable(after) {
		if at, typed := since.(time.Time); typed && !by.Now().Before(at.Add(graceOfNode)) {
			m.loseNode(after, node, by)
		}
	} else if silent && !evicts(after) && m.mayEvict(name, by) {
		after.Spec.Taints = append(after.Spec.Taints, corev1.Taint{
			Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: by.Now()},
		})
		by.Note("node-lifecycle", "begins to evict the pods of", "Node "+name)
	}
	by.Write(cluster.Update, after)
}

func isUnreachable(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeUnreachable && t.Effect == corev1.TaintEffectNoSchedule
	})
}

func evicts(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeUnreachable && t.Effect == corev1.TaintEffectNoExecute
	})
}

// loseNode marks a silent node and its pods as not Ready.
func (m *Manager) loseNode(after *corev1.Node, node *cluster.Node, by *play.Client) {
	after.Status.Conditions = slices.DeleteFunc(after.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady
	})
	after.Status.Conditions = append(after.Status.Conditions, corev1.NodeCondition{
		Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown",
		Message: "Kubelet stopped posting node status.", LastTransitionTime: metav1.Time{Time: by.Now()},
	})
	after.Spec.Taints = append(after.Spec.Taints, corev1.Taint{
		Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &metav1.Time{Time: by.Now()},
	})
	by.Note("node-lifecycle", "finds silent", "Node "+after.Name)
	for _, p := range node.Pods {
		by.UpdatePod(p.Key, func(p *corev1.Pod) { setReady(p, corev1.ConditionFalse, "NodeNotReady", by.Now()) })
	}
	m.enqueue(by, idOf(wakeNode, after.Name), nodeDelay)
}

// zoneOf is the zone of a node, for the rate of evictions.
func zoneOf(n *corev1.Node) string {
	return n.Labels[corev1.LabelTopologyRegion] + "/" + n.Labels[corev1.LabelTopologyZone]
}

// mayEvict reports whether the pods of a silent node may be evicted now: one node of a zone each 10 s; in a zone of
// which most nodes are silent, but not all, one each 100 s, or none where the zone is small; where all nodes of all
// zones are silent none at all. A node that may not is looked at again.
func (m *Manager) mayEvict(name string, by *play.Client) bool {
	node, _ := by.State().Node(name)
	zone, lost, all, dark := zoneOf(node.API), 0, 0, true
	var last time.Time
	for _, n := range nodesOf(by) {
		dark = dark && m.silent.has(n.Name)
		if zoneOf(n) != zone {
			continue
		}
		all++
		if m.silent.has(n.Name) {
			lost++
		}
		for _, t := range n.Spec.Taints {
			if t.Key == corev1.TaintNodeUnreachable && t.Effect == corev1.TaintEffectNoExecute && t.TimeAdded != nil &&
				t.TimeAdded.After(last) {
				last = t.TimeAdded.Time
			}
		}
	}
	rate := perEviction
	if lost < all && lost > 2 && 100*lost >= 55*all {
		if rate = slowRate; all <= largeZone {
			dark = true
		}
	}
	if dark {
		return false
	}
	if !last.IsZero() && by.Now().Before(last.Add(rate)) {
		m.enqueue(by, idOf(wakeNode, name), last.Add(rate).Sub(by.Now()))
		return false
	}
	return true
}

// repel has a pod deleted when it has tolerated the NoExecute taints of its node for as long as it does
// (pkg/controller/tainteviction, 1.37). No budget counts.
func (m *Manager) repel(p *corev1.Pod, by *play.Client) {
	if p.Spec.NodeName == "" || p.DeletionTimestamp != nil {
		return
	}
	if wait, limited := m.toleratesFor(p, by); limited {
		m.enqueue(by, idOf(wakeRepelled, string(p.UID)+"/"+cluster.Key(p)), max(wait, 0))
	}
}

// toleratesFor is how much longer a pod tolerates the NoExecute taints of its node; false: for ever.
func (m *Manager) toleratesFor(p *corev1.Pod, by *play.Client) (time.Duration, bool) {
	node, is := by.State().Node(p.Spec.NodeName)
	if !is {
		return 0, false
	}
	least, limited := time.Duration(0), false
	for i := range node.API.Spec.Taints {
		t := &node.API.Spec.Taints[i]
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		since := by.Now()
		if t.TimeAdded != nil {
			since = t.TimeAdded.Time
		}
		wait, ends := tolerated(p, t)
		if left := since.Add(wait).Sub(by.Now()); ends && (!limited || left < least) {
			least, limited = left, true
		}
	}
	return least, limited
}

// tolerated is how long a pod tolerates a taint; false: for ever.
func tolerated(p *corev1.Pod, t *corev1.Taint) (time.Duration, bool) {
	least, limited, matched := time.Duration(0), false, false
	for i := range p.Spec.Tolerations {
		o := &p.Spec.Tolerations[i]
		if o.Effect != "" && o.Effect != t.Effect || o.Key != "" && o.Key != t.Key ||
			o.Operator != corev1.TolerationOpExists && o.Value != t.Value {
			continue
		}
		matched = true
		if o.TolerationSeconds == nil {
			continue
		}
		if d := time.Duration(*o.TolerationSeconds) * time.Second; !limited || d < least {
			least, limited = d, true
		}
	}
	return least, limited || !matched
}

func (m *Manager) getRepelled(rest string, by *play.Client) {
	p := podAt(rest, by)
	if p == nil || p.DeletionTimestamp != nil {
		return
	}
	if wait, limited := m.toleratesFor(p, by); limited && wait <= 0 {
		m.delete("taint-eviction", p, by)
	} else if limited {
		m.enqueue(by, idOf(wakeRepelled, rest), wait)
	}
}

// collect deletes the pods of a node that is gone, without grace.
func (m *Manager) collect(node string, by *play.Client) {
	if _, back := by.State().Node(node); back {
		return
	}
	var pods []*cluster.Pod
	m.placed.under(node+"\x00", func(_ string, key any) {
		name, _ := key.(string)
		if p, live := by.State().Pod(name); live && p.NodeName == node {
			pods = append(pods, p)
		}
	})
	for _, p := range pods {
		by.Note("pod-garbage-collector", "deletes", "Pod "+p.Key)
		by.Write(cluster.Delete, p.API)
	}
}

// place notes the node of a pod.
func (m *Manager) place(action cluster.Action, p *corev1.Pod) {
	switch at := p.Spec.NodeName + "\x00" + cluster.Key(p); {
	case p.Spec.NodeName == "":
	case action == cluster.Delete:
		m.placed.delete(at)
	default:
		m.placed.set(at, cluster.Key(p))
	}
}
