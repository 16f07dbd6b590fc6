package manager

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// syncDaemonSet has one pod on each node that the DaemonSet takes, and rolls out a template that changed: pods that are
// not available first, then as many as may be missing (pkg/controller/daemon, 1.37).
func (m *Manager) syncDaemonSet(key string, by *play.Client) {
	set, is := found[*appsv1.DaemonSet](m, by.State(), owner.KindDaemonSet, key)
	if !is || set.DeletionTimestamp != nil {
		return
	}
	id := idOf(owner.KindDaemonSet, key)
	on := map[string][]*corev1.Pod{}
	for _, p := range m.podsOf(id, by.State()) {
		node := templates.NodeOf(p)
		on[node] = append(on[node], p)
	}
	var sibling *corev1.Pod
	if all := m.podsOf(id, by.State()); len(all) > 0 {
		sibling = all[0]
	}
	missing := 0
	for _, node := range nodesOf(by) {
		p := of(&set.Spec.Template, refTo(set, appsv1.SchemeGroupVersion.String(), owner.KindDaemonSet), set.Namespace,
			"", sibling, by)
		takes, has := templates.Daemon(p, node), on[node.Name]
		switch {
		case takes && len(has) == 0:
			missing++
			p.Name = m.name(id, set.Name, by, set.Namespace)
			if sibling != nil {
				p.Labels[appsv1.ControllerRevisionHashLabelKey] = sibling.Labels[appsv1.ControllerRevisionHashLabelKey]
			}
			if m.rolledOut(set, key) {
				p.Labels[appsv1.ControllerRevisionHashLabelKey] = templateHash(&set.Spec.Template)
			}
			m.create("daemonset", p, by)
		case !takes && len(has) > 0 && !m.staysOn(p, node):
			for _, p := range active(has) {
				m.delete("daemonset", p, by)
			}
		}
	}
	if m.rolledOut(set, key) && set.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
		m.rollDaemons(set, id, missing, by)
	}
}

// nodesOf are the nodes of the cluster, by name.
func nodesOf(by *play.Client) []*corev1.Node {
	var all []*corev1.Node
	for _, n := range by.State().Snapshot().Nodes {
		if n.API != nil {
			all = append(all, n.API)
		}
	}
	slices.SortFunc(all, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// staysOn reports whether a pod that would not be made on a node stays there: only a taint NoSchedule is against it.
func (m *Manager) staysOn(p *corev1.Pod, node *corev1.Node) bool {
	bare := node.DeepCopy()
	bare.Spec.Taints = slices.DeleteFunc(bare.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule
	})
	return templates.Daemon(p.DeepCopy(), bare)
}

// rolledOut reports whether the template is another one than at the start.
func (m *Manager) rolledOut(set *appsv1.DaemonSet, key string) bool {
	begun, is := m.begun.get(idOf(owner.KindDaemonSet, key))
	was, typed := begun.(*corev1.PodTemplateSpec)
	return is && typed && !equality.Semantic.DeepEqual(*was, set.Spec.Template)
}

// rollDaemons deletes pods of a former template. Nodes that get their pod only now count as without one that is up.
func (m *Manager) rollDaemons(set *appsv1.DaemonSet, id string, missing int, by *play.Client) {
	pods := m.podsOf(id, by.State())
	may := 1
	if r := set.Spec.UpdateStrategy.RollingUpdate; r != nil && r.MaxUnavailable != nil {
		if n, err := intstr.GetScaledValueFromIntOrPercent(r.MaxUnavailable, len(pods), true); err == nil {
			may = n
		}
	}
	may -= missing
	revision := templateHash(&set.Spec.Template)
	up := func(p *corev1.Pod) bool {
		return p.DeletionTimestamp == nil && isAvailable(p, set.Spec.MinReadySeconds, by.Now())
	}
	var good []*corev1.Pod
	for _, p := range pods {
		old := p.Labels[appsv1.ControllerRevisionHashLabelKey] != revision
		switch {
		case !up(p) && old && p.DeletionTimestamp == nil:
			m.delete("daemonset", p, by)
			may--
		case !up(p):
			may--
		case old:
			good = append(good, p)
		}
	}
	for _, p := range good[:max(min(may, len(good)), 0)] {
		m.delete("daemonset", p, by)
	}
}

// seeDaemonSets has every DaemonSet look at the nodes.
func (m *Manager) seeDaemonSets(by *play.Client) {
	m.workloads.under(string(owner.KindDaemonSet)+"/", func(id string, _ any) { m.enqueue(by, id, syncDelay) })
}
