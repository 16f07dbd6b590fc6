package manager

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
)

// burst is how many pods one sync creates or deletes at most (BurstReplicas, pkg/controller/replicaset, 1.37).
const burst = 500

// syncReplicas has a ReplicaSet, or a ReplicationController, as many pods as it wants. Those that are being deleted do
// not count: the replacement comes when the deletion begins (pkg/controller/replicaset, 1.37).
func (m *Manager) syncReplicas(kind cluster.Kind, key string, by *play.Client) {
	var set cluster.Object
	var template *corev1.PodTemplateSpec
	version, want := appsv1.SchemeGroupVersion.String(), 0
	if kind == cluster.KindReplicaSet {
		rs, is := found[*appsv1.ReplicaSet](m, by.State(), kind, key)
		if !is {
			return
		}
		set, template, want = rs, &rs.Spec.Template, int(ptr.Deref(rs.Spec.Replicas, 1))
	} else {
		rc, is := found[*corev1.ReplicationController](m, by.State(), kind, key)
		if !is || rc.Spec.Template == nil {
			return
		}
		set, template, want, version = rc, rc.Spec.Template, int(ptr.Deref(rc.Spec.Replicas, 1)), "v1"
	}
	id, controller := idOf(kind, key), "replicaset"
	has := active(m.podsOf(id, by.State()))
	for range min(want-len(has), burst) {
		sibling := m.siblingOf(id, by)
		name := m.name(id, set.GetName(), by, set.GetNamespace())
		var p *corev1.Pod
		if sibling != nil {
			p = like(sibling)
			p.Name = name
		} else {
			p = of(template, refTo(set, version, kind), set.GetNamespace(), name, nil, by)
		}
		if !m.create(controller, p, by) {
			break
		}
	}
	if more := min(len(has)-want, burst); more > 0 {
		for _, p := range owner.LeastMissed(has, by.Now())[:more] {
			m.delete(controller, p, by)
		}
	}
}

// syncUnknown makes a pod of another program's controller again, under its name, when it is gone.
func (m *Manager) syncUnknown(id string, by *play.Client) {
	last, is := m.last.get(id)
	p, typed := last.(*corev1.Pod)
	if !is || !typed || cluster.Finished(p) {
		return
	}
	m.last.delete(id)
	kind, _ := split(id)
	if _, exists := by.State().Pod(cluster.Key(p)); exists || kind == cluster.KindNode {
		return
	}
	if !m.create(fmt.Sprintf("the controller of %s", kind), like(p), by) {
		m.last.set(id, p)
	}
}
