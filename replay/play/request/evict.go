package request

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// mostDisrupted is how many evictions of a budget may be under way (MaxDisruptedPodSize, eviction.go, 1.37).
const mostDisrupted = 2000

const violates = "Cannot evict pod as it would violate the pod's disruption budget."

// evicted is an eviction (pkg/registry/core/pod/storage/eviction.go, 1.37): the budget has one disruption less and the
// name of the pod, and the pod is marked and deleted, all at once.
func (r Request) evicted(on Objects, found cluster.Object, now time.Time) ([]cluster.Event, error) {
	pod, is := found.(*corev1.Pod)
	if !is {
		return nil, phrase.Errorf("%s is no pod", r.On.Key())
	}
	var events []cluster.Event
	budget, err := Draws(BudgetsOf(on, pod), pod)
	if err != nil {
		return nil, err
	}
	if budget != nil {
		events = append(events, cluster.Event{Action: cluster.Update, Object: drawn(budget, pod, now)})
	}
	marked := pod.DeepCopy()
	marked.Status.Conditions = append(slices.DeleteFunc(marked.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget
	}), corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reasonOfEviction,
		Message: "Eviction API: evicting", LastTransitionTime: metav1.Time{Time: now},
	})
	return append(events, deleted(marked, now)...), nil
}

// passesBudgets reports whether no budget counts for a pod: it does not run, or is on its way out.
func passesBudgets(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending:
		return true
	}
	return pod.DeletionTimestamp != nil
}

// BudgetsOf are the disruption budgets over a pod, in the order of names.
func BudgetsOf(on Objects, pod *corev1.Pod) []*policyv1.PodDisruptionBudget {
	var all []*policyv1.PodDisruptionBudget
	on.EachBudget(pod.Namespace, func(b *policyv1.PodDisruptionBudget) bool {
		if Covers(b, pod) {
			all = append(all, b)
		}
		return true
	})
	return all
}

// Covers reports whether a disruption budget of its namespace is over a pod.
func Covers(b *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	if b.Spec.Selector == nil {
		return false
	}
	for key, value := range b.Spec.Selector.MatchLabels { // most budgets are about other pods, and this is quick
		if has, is := pod.Labels[key]; !is || has != value {
			return false
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

// Draws is the one budget of those over a pod that its eviction draws on, or the refusal of the API server; nil: none.
// Under two budgets no pod can be evicted.
func Draws(over []*policyv1.PodDisruptionBudget, pod *corev1.Pod) (*policyv1.PodDisruptionBudget, error) {
	if passesBudgets(pod) || len(over) == 0 {
		return nil, nil //nolint:nilnil // a pod without a budget is no error
	}
	if len(over) > 1 {
		return nil, &Refused{
			Code:    internal,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
			Cause:   "They are " + over[0].Name + " and " + over[1].Name + ".",
		}
	}
	if goesUnready(over[0], pod) {
		return nil, nil //nolint:nilnil // likewise
	}
	if refused := exhausted(over[0]); refused != nil {
		return over[0], refused
	}
	return over[0], nil
}

// goesUnready reports whether a pod that is not Ready may go without a disruption of the budget.
func goesUnready(b *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	if IsReady(pod) {
		return false
	}
	policy := b.Spec.UnhealthyPodEvictionPolicy
	return policy != nil && *policy == policyv1.AlwaysAllow ||
		b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
}

// IsReady reports whether a pod has the condition Ready. One that runs and whose status has no such condition counts as
// Ready: its input does not show it.
func IsReady(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == "" && pod.Spec.NodeName != ""
}

// exhausted is the refusal of a budget that allows no disruption; nil: it allows one.
func exhausted(b *policyv1.PodDisruptionBudget) *Refused {
	s := &b.Status
	switch {
	case s.ObservedGeneration < b.Generation:
		return &Refused{tooMany, violates, fmt.Sprintf(
			"The disruption budget %s is still being processed by the server.", b.Name)}
	case len(s.DisruptedPods) > mostDisrupted:
		return &Refused{403, violates, fmt.Sprintf("The disruption budget %s does not allow evicting pods currently: "+
			"too many pending evictions not confirmed by PDB controller", b.Name)}
	case s.DisruptionsAllowed > 0:
		return nil
	}
	if c := failedSync(b); c != nil {
		return &Refused{tooMany, violates, fmt.Sprintf(
			"The disruption budget %s does not allow evicting pods currently because it failed sync: %s", b.Name, c.Message,
		)}
	}
	if s.CurrentHealthy > s.DesiredHealthy {
		return &Refused{
			tooMany, violates, fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", b.Name),
		}
	}
	return &Refused{tooMany, violates, fmt.Sprintf(
		"The disruption budget %s needs %d healthy pods and has %d currently", b.Name, s.DesiredHealthy, s.CurrentHealthy,
	)}
}

// drawn is a budget that allowed the eviction of a pod.
func drawn(b *policyv1.PodDisruptionBudget, pod *corev1.Pod, now time.Time) *policyv1.PodDisruptionBudget {
	less := b.DeepCopy()
	less.Status.DisruptionsAllowed--
	less.Status.DisruptedPods = maps.Clone(less.Status.DisruptedPods)
	if less.Status.DisruptedPods == nil {
		less.Status.DisruptedPods = map[string]metav1.Time{}
	}
	less.Status.DisruptedPods[pod.Name] = metav1.Time{Time: now}
	less.ResourceVersion += "+"
	return less
}

// IsEviction reports whether the request is an eviction.
func (r Request) IsEviction() bool { return r.do == evict }
