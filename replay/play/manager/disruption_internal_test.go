package manager

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play/request"
)

// TestABudgetFindsThePodsItSelects is a law: after any history of pods a budget has those that it covers, in order of
// their names, whatever labels they had before.
func TestABudgetFindsThePodsItSelects(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		drawn := func() map[string]string {
			all := map[string]string{}
			for _, key := range []string{"app", "tier"} {
				if value := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, key); value != "" {
					all[key] = value
				}
			}
			return all
		}
		state := cluster.NewState()
		budgets := make([]*policyv1.PodDisruptionBudget, 4)
		for i := range budgets {
			budgets[i] = &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{
				Namespace: []string{"shop", "shop-2"}[i%2], Name: fmt.Sprint(i),
			}}
			if rapid.IntRange(0, 4).Draw(t, "selects") > 0 {
				budgets[i].Spec.Selector = &metav1.LabelSelector{MatchLabels: drawn()}
			}
			if i < 3 { // the last one comes later
				state.Apply(cluster.Event{Action: cluster.Add, Object: budgets[i]})
			}
		}
		m := &Manager{selects: selectedBy(state)}
		live := map[string]*corev1.Pod{}
		for n := range rapid.IntRange(0, 30).Draw(t, "events") {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Namespace: rapid.SampledFrom([]string{"shop", "shop-2"}).Draw(t, "namespace"),
				Name:      rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "name"),
				UID:       types.UID(fmt.Sprint(n)), Labels: drawn(),
			}}
			action := cluster.Add
			if old := live[cluster.Key(p)]; old != nil {
				action = rapid.SampledFrom([]cluster.Action{cluster.Update, cluster.Delete}).Draw(t, "action")
				p.UID = old.UID
			}
			live[cluster.Key(p)] = p
			if action == cluster.Delete {
				delete(live, cluster.Key(p))
			}
			state.Apply(cluster.Event{Action: action, Object: p})
			m.label(action, p)
			for _, b := range budgets {
				requireCovered(t, b, m.under(b, state), live)
			}
		}
	})
}

// requireCovered requires the pods that were found for a budget to be those of the live ones that it covers, in order.
func requireCovered(
	t *rapid.T, b *policyv1.PodDisruptionBudget, found []*corev1.Pod, live map[string]*corev1.Pod,
) {
	var got, want []string
	for _, p := range found {
		got = append(got, cluster.Key(p))
	}
	for _, key := range slices.Sorted(maps.Keys(live)) {
		if p := live[key]; p.Namespace == b.Namespace && request.Covers(b, p) {
			want = append(want, key)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v of %v, want %v", got, b.Spec.Selector, want)
	}
}
