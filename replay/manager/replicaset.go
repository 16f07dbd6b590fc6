package manager

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/request"
)

// burst is how many pods one sync creates or deletes at most (BurstReplicas, pkg/controller/replicaset, 1.37).
const burst = 500

// syncReplicas has a ReplicaSet, or a ReplicationController, as many pods as it wants. Those that are being deleted do
// not count: the replacement comes when the deletion begins (pkg/controller/replicaset, 1.37).
func (m *Manager) syncReplicas(kind cluster.Kind, key string, by *replay.Client) {
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
		m.create(controller, p, by)
	}
	if more := min(len(has)-want, burst); more > 0 {
		for _, p := range m.leastMissed(has, by.Now())[:more] {
			m.delete(controller, p, by)
		}
	}
}

// leastMissed are pods in the order in which a ReplicaSet gives them up (ActivePodsWithRanks,
// pkg/controller/controller_utils.go, 1.37).
func (m *Manager) leastMissed(pods []*corev1.Pod, now time.Time) []*corev1.Pod {
	ready := map[string]int{}
	for _, p := range pods {
		if request.IsReady(p) {
			ready[p.Spec.NodeName]++
		}
	}
	sorted := slices.Clone(pods)
	slices.SortStableFunc(sorted, func(a, b *corev1.Pod) int {
		return cmp.Or(
			flag(a.Spec.NodeName != "", b.Spec.NodeName != ""),
			cmp.Compare(phaseRank(a), phaseRank(b)),
			flag(request.IsReady(a), request.IsReady(b)),
			cmp.Compare(deletionCost(a), deletionCost(b)),
			cmp.Compare(ready[b.Spec.NodeName], ready[a.Spec.NodeName]),
			youngest(readySince(a), readySince(b), now),
			cmp.Compare(restarts(b), restarts(a)),
			youngest(a.CreationTimestamp.Time, b.CreationTimestamp.Time, now),
			cmp.Compare(a.UID, b.UID),
		)
	})
	return sorted
}

// flag sorts false before true.
func flag(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func phaseRank(p *corev1.Pod) int {
	switch p.Status.Phase {
	case corev1.PodPending:
		return 0
	case corev1.PodUnknown:
		return 1
	}
	return 2
}

func deletionCost(p *corev1.Pod) int {
	n, _ := strconv.Atoi(p.Annotations[corev1.PodDeletionCost]) // 0 where it is none
	return n
}

func restarts(p *corev1.Pod) (most int32) {
	for i := range p.Status.ContainerStatuses {
		most = max(most, p.Status.ContainerStatuses[i].RestartCount)
	}
	return most
}

// youngest sorts later moments first, by powers of two of how long they are ago: those that are of about one age are
// equal. A moment that is not known comes first.
func youngest(a, b, now time.Time) int {
	age := func(t time.Time) int64 {
		if t.IsZero() {
			return -1
		}
		return int64(math.Log2(float64(max(now.Sub(t), 1))))
	}
	return cmp.Compare(age(a), age(b))
}

// syncUnknown makes a pod of another program's controller again, under its name, when it is gone.
func (m *Manager) syncUnknown(id string, by *replay.Client) {
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
	m.create(fmt.Sprintf("the controller of %s", kind), like(p), by)
}
