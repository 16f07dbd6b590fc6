// Package manager is the controllers of a simulated cluster, one file each: those of workloads and of disruption
// budgets, the node lifecycle, and what a kubelet does for its pods. Each is a pure reaction in virtual time, as
// kube-controller-manager 1.37 reacts: an event is seen, a key is worked off after a delay, and what is done is a write
// and a fact. There is no clock and no goroutine; keys are worked off in the order in which they came.
//
// New pods are held to the quotas of their namespaces, as the API server holds them. There is no autoscaler and no
// operator, and Jobs run on and do not complete.
package manager

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
	"time"

	"github.com/tidwall/btree"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Timing is how long the programs of a cluster take, in virtual time.
type Timing struct {
	Ready time.Duration // until a pod that runs is Ready; of a workload whose pods show it, as long as they took
	Stop  time.Duration // until a pod that is deleted has stopped, at most its grace period
	Times int           // what both are multiplied by
	// Order draws the order in which controllers act that are woken at one moment; 0: as they were woken.
	Order uint64
}

// DefaultTiming is what is taken where nothing shows it.
func DefaultTiming() Timing { return Timing{Ready: 10 * time.Second, Stop: 30 * time.Second, Times: 1} }

// syncDelay is how long a controller takes from an event to what it does about it.
const syncDelay = 10 * time.Millisecond

// Manager is all of them. It implements play.Controllers; a fork costs the same however large the cluster is.
type Manager struct {
	timing Timing

	workloads table    // objects that no scheduler reads, or that the input has not: by kind and key
	begun     table    // of Deployments, as they were at the start: by key
	pods      table    // keys of pods under their controller: "ReplicaSet/shop/web-1\x00shop/web-1-a"
	labelled  table    // keys of pods under their labels that budgets select by: "shop/app=web\x00shop/web-1-a"
	budgets   table    // keys of budgets under one of the labels that they select by: "shop/app=web\x00shop/web"
	placed    table    // keys of pods under their node: "n1\x00shop/web-1-a"
	last      table    // the last pod of a controller that is gone, by the controller
	waiting   table    // when keys are worked off
	silent    table    // moments from which kubelets are silent, by node
	counted   table    // UIDs of pods that their Job has counted
	failed    table    // how many pods of a Job have failed in a row, and when, by the Job
	took      table    // how long the pods of a controller take until they are Ready, by the controller
	claims    table    // specs of claims, by the template that they are made of
	named     table    // how many names of pods a controller has made up
	refused   table    // how many pods of a controller kubelets have refused in a row, by the controller
	denied    table    // what quotas have refused of a controller, by the controller
	lacked    table    // how many pods a controller lacked at the start for a quota, by the controller
	hidden    table    // what quotas have used by what the input does not show, by key
	charged   table    // pods of namespaces with quotas, those included that were made at this moment, by key
	made      int64    // pods
	selects   []string // keys of labels that budgets selected by at the start, sorted
	assumed   []phrase.Text
}

// table is a sorted map whose copies share what neither changed.
type table struct{ tree btree.Map[string, any] }

func (t *table) copy() table                { return table{*t.tree.Copy()} }
func (t *table) get(key string) (any, bool) { return t.tree.Get(key) }
func (t *table) set(key string, value any)  { t.tree.Set(key, value) }
func (t *table) delete(key string)          { t.tree.Delete(key) }
func (t *table) has(key string) bool        { _, is := t.tree.Get(key); return is }

// under calls f with the entries whose keys begin with a prefix, in order.
func (t *table) under(prefix string, f func(key string, value any)) {
	t.tree.Ascend(prefix, func(key string, value any) bool {
		if !strings.HasPrefix(key, prefix) {
			return false
		}
		f(key, value)
		return true
	})
}

// Fork is an independent copy.
func (m *Manager) Fork() play.Controllers {
	f := *m
	f.workloads, f.begun, f.pods, f.last = m.workloads.copy(), m.begun.copy(), m.pods.copy(), m.last.copy()
	f.waiting, f.silent, f.counted = m.waiting.copy(), m.silent.copy(), m.counted.copy()
	f.took, f.claims, f.refused = m.took.copy(), m.claims.copy(), m.refused.copy()
	f.named, f.denied, f.hidden, f.charged = m.named.copy(), m.denied.copy(), m.hidden.copy(), m.charged.copy()
	f.lacked, f.labelled, f.failed = m.lacked.copy(), m.labelled.copy(), m.failed.copy()
	f.placed, f.budgets = m.placed.copy(), m.budgets.copy()
	return &f
}

// Assumed are the sentences about what the input does not show and is taken to be so.
func (m *Manager) Assumed() []phrase.Text { return m.assumed }

// idOf names a controller.
func idOf(kind cluster.Kind, key string) string { return string(kind) + "/" + key }

// ownerOf names the controller of an object; "" where it has none.
func ownerOf(o metav1.Object) string {
	c := metav1.GetControllerOf(o)
	if c == nil {
		return ""
	}
	return idOf(cluster.Kind(c.Kind), o.GetNamespace()+"/"+c.Name)
}

// split is the kind and the key that a name was made of.
func split(id string) (kind cluster.Kind, key string) {
	k, key, _ := strings.Cut(id, "/")
	return cluster.Kind(k), key
}

// Find is an object as the controllers see it, for requests.
func (m *Manager) Find(state *cluster.State, o request.Object) (cluster.Object, bool) {
	if found, is := m.workloads.get(idOf(o.Kind, o.Key())); is {
		object, is := found.(cluster.Object)
		return object, is
	}
	return state.Find(o.Kind, o.Key())
}

func found[T cluster.Object](m *Manager, state *cluster.State, kind cluster.Kind, key string) (T, bool) {
	var none T
	namespace, name, _ := strings.Cut(key, "/")
	o, is := m.Find(state, request.Object{Kind: kind, Namespace: namespace, Name: name})
	if !is {
		return none, false
	}
	typed, is := o.(T)
	return typed, is
}

// enqueue has a key worked off after a delay, once however often it comes; the earliest of its times counts.
func (m *Manager) enqueue(by *play.Client, key string, after time.Duration) {
	if m.timing.Order != 0 && after == syncDelay {
		after += m.jitter(by, key)
	}
	at := by.Now().Add(after)
	if key == "" || m.waiting.has(key) && !at.Before(m.dueAt(key)) {
		return
	}
	m.waiting.set(key, at)
	by.Wait(key, after)
}

// jitter is how much later a key is worked off by the order that is drawn.
func (m *Manager) jitter(by *play.Client, key string) time.Duration {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, m.timing.Order)
	_ = binary.Write(h, binary.LittleEndian, by.Now().UnixNano())
	_, _ = h.Write([]byte(key))
	return time.Duration(h.Sum64() % uint64(syncDelay)) //nolint:gosec // less than syncDelay
}

// dueAt is when a key that waits is worked off; the zero time for another one.
func (m *Manager) dueAt(key string) time.Time {
	one, _ := m.waiting.get(key)
	at, _ := one.(time.Time)
	return at
}

// See takes in an event.
func (m *Manager) See(e cluster.Event, by *play.Client) {
	switch o := e.Object.(type) {
	case *corev1.Pod:
		m.seePod(e.Action, o, by)
	case *corev1.Node:
		m.seeNode(e.Action, o, by)
	case *appsv1.ReplicaSet:
		m.seeAssumed(e, cluster.KindReplicaSet)
		m.enqueue(by, idOf(cluster.KindReplicaSet, cluster.Key(o)), syncDelay)
		m.enqueue(by, ownerOf(o), syncDelay)
	case *corev1.ReplicationController:
		m.enqueue(by, idOf(cluster.KindReplicationController, cluster.Key(o)), syncDelay)
	case *appsv1.StatefulSet:
		m.seeAssumed(e, cluster.KindStatefulSet)
		m.enqueue(by, idOf(cluster.KindStatefulSet, cluster.Key(o)), syncDelay)
	case *policyv1.PodDisruptionBudget:
		m.seeBudget(o)
		m.enqueue(by, idOf(cluster.KindDisruptionBudget, cluster.Key(o)), syncDelay)
	case *appsv1.Deployment:
		m.seeWorkload(e, owner.KindDeployment, by)
	case *appsv1.DaemonSet:
		m.seeWorkload(e, owner.KindDaemonSet, by)
	case *batchv1.Job:
		m.seeWorkload(e, owner.KindJob, by)
	case *corev1.ResourceQuota:
		e.Object = published(o)
		m.seeWorkload(e, request.KindQuota, by)
		m.freed(o.Namespace, by)
	}
}

// seeAssumed keeps the change of a set that the input has not and that was assumed.
func (m *Manager) seeAssumed(e cluster.Event, kind cluster.Kind) {
	if id := idOf(kind, cluster.Key(e.Object)); m.workloads.has(id) {
		m.workloads.set(id, e.Object)
	}
}

// seeWorkload keeps an object that no scheduler reads.
func (m *Manager) seeWorkload(e cluster.Event, kind cluster.Kind, by *play.Client) {
	id := idOf(kind, cluster.Key(e.Object))
	if e.Action == cluster.Delete {
		m.workloads.delete(id)
		return
	}
	m.workloads.set(id, e.Object)
	m.enqueue(by, id, syncDelay)
}

// seePod keeps the pods of each controller, and has those look that a pod concerns.
func (m *Manager) seePod(action cluster.Action, p *corev1.Pod, by *play.Client) {
	id, key := ownerOf(p), cluster.Key(p)
	m.charge(action, p)
	m.label(action, p)
	m.place(action, p)
	if action == cluster.Delete || cluster.Finished(p) {
		m.freed(p.Namespace, by)
	}
	if id != "" {
		gone := action == cluster.Delete || cluster.Finished(p)
		at := id + "\x00" + key
		if gone && m.pods.has(at) || request.IsReady(p) {
			m.countRefused(action, id, p)
		}
		if gone {
			m.pods.delete(at)
			m.last.set(id, p)
			if kind, _ := split(id); kind == cluster.KindStatefulSet {
				m.last.set(at, p)
			}
		} else {
			m.pods.set(at, key)
		}
		m.count(action, id, p)
		m.enqueue(by, id, m.delayOf(id))
		if kind, set := split(id); kind == cluster.KindReplicaSet {
			if rs, is := found[*appsv1.ReplicaSet](m, by.State(), kind, set); is {
				m.enqueue(by, ownerOf(rs), syncDelay)
			}
		}
	}
	m.eachBudget(by.State(), p, func(b *policyv1.PodDisruptionBudget) {
		m.enqueue(by, idOf(cluster.KindDisruptionBudget, cluster.Key(b)), syncDelay)
	})
	m.attend(action, p, by)
	if action != cluster.Delete {
		m.claimsOf(p, by)
		m.repel(p, by)
	}
}

func (m *Manager) delayOf(id string) time.Duration {
	if kind, _ := split(id); kind == owner.KindJob {
		return jobDelay
	}
	if n := m.refusedOf(id) - mostRefused; n > 0 {
		return min(time.Second<<min(n, 20), longestDelay)
	}
	return syncDelay
}

// A controller makes a pod again at once when a kubelet refuses it, without end. Here it goes on more and more slowly
// after so many in a row, so that a day of virtual time ends.
const (
	mostRefused  = 16
	longestDelay = time.Hour
)

// countRefused counts the pods of a controller that kubelets have refused since the last one that got Ready.
func (m *Manager) countRefused(action cluster.Action, id string, p *corev1.Pod) {
	switch {
	case action != cluster.Update:
	case p.Status.Phase == corev1.PodFailed && strings.HasPrefix(p.Status.Reason, "OutOf"):
		m.refused.set(id, m.refusedOf(id)+1)
	case request.IsReady(p) && m.refused.has(id):
		m.refused.delete(id)
	}
}

func (m *Manager) refusedOf(id string) int {
	if n, is := m.refused.get(id); is {
		if count, typed := n.(int); typed {
			return count
		}
	}
	return 0
}

// Wake works a key off.
func (m *Manager) Wake(key string, by *play.Client) {
	if !m.waiting.has(key) || m.dueAt(key).After(by.Now()) {
		return // an earlier time came in between, at which it was worked off, and it may wait again
	}
	m.waiting.delete(key)
	kind, rest := split(key)
	switch kind {
	case cluster.KindReplicaSet, cluster.KindReplicationController:
		m.syncReplicas(kind, rest, by)
	case owner.KindDeployment:
		m.syncDeployment(rest, by)
	case cluster.KindStatefulSet:
		m.syncStatefulSet(rest, by)
	case owner.KindDaemonSet:
		m.syncDaemonSet(rest, by)
	case owner.KindJob:
		m.syncJob(rest, by)
	case cluster.KindDisruptionBudget:
		m.syncBudget(rest, by)
	case request.KindQuota: // it does nothing by itself
	case wakeReady:
		m.getReady(rest, by)
	case wakeStopped:
		m.getStopped(rest, by)
	case wakeNode:
		m.syncNode(rest, by)
	case wakeRepelled:
		m.getRepelled(rest, by)
	case wakeOrphan:
		m.collect(rest, by)
	default:
		m.syncUnknown(key, by)
	}
}

// The keys that are of no kind of object.
const (
	wakeReady    cluster.Kind = "ready"
	wakeStopped  cluster.Kind = "stopped"
	wakeNode     cluster.Kind = "node"
	wakeRepelled cluster.Kind = "repelled"
	wakeOrphan   cluster.Kind = "orphan"
)

// podsOf are the live pods of a controller in the order of their names, those that are being deleted too.
func (m *Manager) podsOf(id string, state *cluster.State) []*corev1.Pod {
	var all []*corev1.Pod
	m.pods.under(id+"\x00", func(_ string, key any) {
		if k, is := key.(string); is {
			if p, live := state.Pod(k); live {
				all = append(all, p.API)
			}
		}
	})
	return all
}

// active are those of some pods that are not being deleted.
func active(pods []*corev1.Pod) []*corev1.Pod {
	var all []*corev1.Pod
	for _, p := range pods {
		if p.DeletionTimestamp == nil {
			all = append(all, p)
		}
	}
	return all
}

// isAvailable reports whether a pod counts as available: it is Ready, for minReady seconds by now.
func isAvailable(p *corev1.Pod, minReady int32, now time.Time) bool {
	if !request.IsReady(p) {
		return false
	}
	at := owner.ReadySince(p)
	return minReady == 0 || at.IsZero() || !at.Add(time.Duration(minReady)*time.Second).After(now)
}

// delete has the API server delete a pod, with its grace period.
func (m *Manager) delete(controller string, p *corev1.Pod, by *play.Client) {
	by.Note(controller, "deletes", "Pod "+cluster.Key(p))
	m.terminate(p, by)
}

// terminate deletes a pod: one without a node is gone at once, others have their grace period.
func (m *Manager) terminate(p *corev1.Pod, by *play.Client) {
	grace := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if g := p.Spec.TerminationGracePeriodSeconds; g != nil {
		grace = *g
	}
	if p.Spec.NodeName == "" || grace == 0 {
		by.Write(cluster.Delete, p)
		return
	}
	until := metav1.Time{Time: by.Now().Add(time.Duration(grace) * time.Second)}
	by.UpdatePod(cluster.Key(p), func(p *corev1.Pod) {
		if p.DeletionTimestamp == nil {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &until, &grace
		}
	})
}
