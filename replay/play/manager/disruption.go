package manager

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// deletionTimeout is how long a pod counts as disrupted that was evicted and whose deletion is not seen
// (DeletionTimeout, pkg/controller/disruption, 1.37).
const deletionTimeout = 2 * time.Minute

// eachBudget calls f with the budgets over a pod, in the order of their names.
func (m *Manager) eachBudget(state *cluster.State, p *corev1.Pod, f func(*policyv1.PodDisruptionBudget)) {
	var keys []string
	add := func(_ string, budget any) {
		key, _ := budget.(string)
		keys = append(keys, key)
	}
	m.budgets.under(labelled(p.Namespace, "", ""), add)
	for key, value := range p.Labels {
		m.budgets.under(labelled(p.Namespace, key, value), add)
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if b, is := state.Objects().DisruptionBudgets.Find(key); is && request.Covers(b, p) {
			f(b)
		}
	}
}

// seeBudget notes a budget under a label that it selects by. One whose selector has changed is found by both labels:
// its selector is looked at there.
func (m *Manager) seeBudget(b *policyv1.PodDisruptionBudget) {
	if b.Spec.Selector == nil {
		return // it is over no pod
	}
	key, value := "", ""
	for k, v := range b.Spec.Selector.MatchLabels {
		if key == "" || k < key {
			key, value = k, v
		}
	}
	m.budgets.set(labelled(b.Namespace, key, value)+cluster.Key(b), cluster.Key(b))
}

// syncBudget works out how many disruptions a budget allows (updatePdbStatus, pkg/controller/disruption, 1.37).
func (m *Manager) syncBudget(key string, by *play.Client) {
	b, is := by.State().Objects().DisruptionBudgets.Find(key)
	if !is {
		return
	}
	status := m.statusOf(b, by)
	if equality.Semantic.DeepEqual(status, b.Status) {
		return
	}
	after := b.DeepCopy()
	after.Status = status
	by.Note("disruption", phrase.Textf("allows %d disruptions of", int(status.DisruptionsAllowed)),
		"PodDisruptionBudget "+key)
	by.Write(cluster.Update, after)
}

func (m *Manager) statusOf(b *policyv1.PodDisruptionBudget, by *play.Client) policyv1.PodDisruptionBudgetStatus {
	pods := m.under(b, by.State())
	status := policyv1.PodDisruptionBudgetStatus{ObservedGeneration: b.Generation, Conditions: b.Status.Conditions}
	for _, p := range pods {
		since, going := b.Status.DisruptedPods[p.Name]
		going = going && since.Add(deletionTimeout).After(by.Now())
		if p.DeletionTimestamp != nil {
			continue
		}
		if going {
			if status.DisruptedPods == nil {
				status.DisruptedPods = map[string]metav1.Time{}
			}
			status.DisruptedPods[p.Name] = since
			m.enqueue(by, idOf(cluster.KindDisruptionBudget, cluster.Key(b)), since.Add(deletionTimeout).Sub(by.Now()))
			continue
		}
		if request.IsReady(p) {
			status.CurrentHealthy++
		}
	}
	expected, desired, err := m.desired(b, pods, by.State())
	status.Conditions = conditioned(b.Status.Conditions, err)
	if err != nil {
		status.CurrentHealthy, status.DesiredHealthy, status.ExpectedPods =
			b.Status.CurrentHealthy, b.Status.DesiredHealthy, b.Status.ExpectedPods
		return status
	}
	status.ExpectedPods, status.DesiredHealthy = expected, desired
	status.DisruptionsAllowed = request.Allowed(status.CurrentHealthy, desired, expected)
	return status
}

// conditioned are the conditions of a budget, with that of a sync that failed or without it.
func conditioned(before []metav1.Condition, failed error) []metav1.Condition {
	after := slices.DeleteFunc(slices.Clone(before), func(c metav1.Condition) bool {
		return c.Reason == policyv1.SyncFailedReason
	})
	if failed != nil {
		after = append(after, metav1.Condition{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason,
			Message: failed.Error(),
		})
	}
	return after
}

// under are the live pods that a budget selects, by key.
func (m *Manager) under(b *policyv1.PodDisruptionBudget, state *cluster.State) []*corev1.Pod {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil || b.Spec.Selector == nil {
		return nil // without a selector a budget is about no pod
	}
	var all []*corev1.Pod
	add := func(p *cluster.Pod) bool {
		if selector.Matches(labels.Set(p.API.Labels)) {
			all = append(all, p.API)
		}
		return true
	}
	for _, key := range m.selects {
		if value, is := b.Spec.Selector.MatchLabels[key]; is {
			m.labelled.under(labelled(b.Namespace, key, value), func(_ string, pod any) {
				name, _ := pod.(string)
				if p, live := state.Pod(name); live {
					add(p)
				}
			})
			return all
		}
	}
	state.EachPodIn(b.Namespace, add)
	return all
}

// selectedBy are the keys of the labels that budgets select pods by, sorted.
func selectedBy(state *cluster.State) []string {
	var all []string
	state.Objects().DisruptionBudgets.Each(func(b *policyv1.PodDisruptionBudget) bool {
		if b.Spec.Selector != nil {
			all = slices.AppendSeq(all, maps.Keys(b.Spec.Selector.MatchLabels))
		}
		return true
	})
	slices.Sort(all)
	return slices.Compact(all)
}

func labelled(namespace, key, value string) string {
	return namespace + "/" + key + "=" + value + "\x00"
}

// label notes the labels of a pod that budgets select by. A pod whose label has changed is found by both values: its
// labels are looked at there.
func (m *Manager) label(action cluster.Action, p *corev1.Pod) {
	for _, key := range m.selects {
		value, is := p.Labels[key]
		if !is {
			continue
		}
		at := labelled(p.Namespace, key, value) + cluster.Key(p)
		if action == cluster.Delete {
			m.labelled.delete(at)
		} else {
			m.labelled.set(at, cluster.Key(p))
		}
	}
}

// desired is how many pods of a budget there should be, and how many of them must be healthy.
func (m *Manager) desired(
	b *policyv1.PodDisruptionBudget, pods []*corev1.Pod, state *cluster.State,
) (expected, healthy int32, err error) {
	least, most := b.Spec.MinAvailable, b.Spec.MaxUnavailable
	if most == nil && least != nil && least.Type == intstr.Int {
		return int32(len(pods)), least.IntVal, nil //nolint:gosec // a cluster has fewer pods
	}
	seen := map[string]bool{}
	for _, p := range pods {
		id := ownerOf(p)
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		scale, known := m.scaleOf(id, state)
		if !known {
			return 0, 0, phrase.Errorf("%s does not implement the scale subresource", id)
		}
		expected += scale
	}
	healthy, err = request.DesiredHealthy(&b.Spec, expected)
	return expected, healthy, err
}

// scaleOf is how many pods a controller wants; false for one without a scale.
func (m *Manager) scaleOf(id string, state *cluster.State) (int32, bool) {
	kind, key := split(id)
	switch kind {
	case cluster.KindReplicaSet:
		set, is := found[*appsv1.ReplicaSet](m, state, kind, key)
		if !is {
			return 0, false
		}
		if d, is := found[*appsv1.Deployment](m, state, owner.KindDeployment, keyOf(ownerOf(set))); is {
			return ptr.Deref(d.Spec.Replicas, 1), true
		}
		return ptr.Deref(set.Spec.Replicas, 1), true
	case cluster.KindReplicationController:
		rc, is := found[*corev1.ReplicationController](m, state, kind, key)
		if is {
			return ptr.Deref(rc.Spec.Replicas, 1), true
		}
	case cluster.KindStatefulSet:
		set, is := found[*appsv1.StatefulSet](m, state, kind, key)
		if is {
			return ptr.Deref(set.Spec.Replicas, 1), true
		}
	}
	return 0, false
}

func keyOf(id string) string {
	_, key := split(id)
	return key
}
