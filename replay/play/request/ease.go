package request

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/core/cluster"
)

// The fields of a disruption budget that limit how many pods may go. One of them is set.
const (
	MinAvailable   = "minAvailable"
	MaxUnavailable = "maxUnavailable"
)

// Settled is a disruption budget with the status that the disruption controller gives it. A budget whose status was
// written, or whose spec sets no limit, stays as it is. Else pods are those that are there: all of them are expected.
func Settled(b *policyv1.PodDisruptionBudget, pods []*corev1.Pod) *policyv1.PodDisruptionBudget {
	s := &b.Status
	if s.ObservedGeneration != 0 || s.ExpectedPods != 0 || s.DisruptionsAllowed != 0 || len(s.Conditions) > 0 ||
		b.Spec.MinAvailable == nil && b.Spec.MaxUnavailable == nil {
		return b
	}
	settled := b.DeepCopy()
	settled.Status.ObservedGeneration, settled.Status.ExpectedPods = b.Generation, int32(len(pods)) //nolint:gosec // pods
	for _, p := range pods {
		if IsReady(p) {
			settled.Status.CurrentHealthy++
		}
	}
	resettle(settled)
	return settled
}

// resettle works out what a budget allows by its spec and its counts of pods. Where the controller could not, all of
// its pods have to stay.
func resettle(b *policyv1.PodDisruptionBudget) {
	s := &b.Status
	desired, err := DesiredHealthy(&b.Spec, s.ExpectedPods)
	if err != nil {
		desired = s.ExpectedPods
	}
	s.DesiredHealthy, s.DisruptionsAllowed = desired, Allowed(s.CurrentHealthy, desired, s.ExpectedPods)
}

// DesiredHealthy is how many of the expected pods a budget wants healthy. Percentages are rounded up
// (getExpectedPodCount, pkg/controller/disruption, 1.37). It fails for a text that is no percentage.
func DesiredHealthy(spec *policyv1.PodDisruptionBudgetSpec, expected int32) (int32, error) {
	share, most := spec.MinAvailable, spec.MaxUnavailable != nil
	if most {
		share = spec.MaxUnavailable
	}
	if share == nil {
		return 0, nil
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(share, int(expected), true)
	if most {
		return max(expected-int32(n), 0), err //nolint:gosec // a cluster has fewer pods
	}
	return int32(n), err //nolint:gosec // likewise
}

// Allowed is how many disruptions a budget allows by its counts of pods (updatePdbStatus, pkg/controller/disruption,
// 1.37): none where no pod is expected.
func Allowed(healthy, desired, expected int32) int32 {
	if expected <= 0 {
		return 0
	}
	return max(healthy-desired, 0)
}

// Easing is the smallest change of a disruption budget with which one more of its pods may be evicted than can be
// spared now.
type Easing struct {
	Field   string             // that is changed
	To      intstr.IntOrString // its new value
	Stay    int32              // pods that have to stay healthy then
	Allowed int32              // evictions that it allows then
	Less    int32              // pods fewer than before that have to stay healthy
}

// EasingOf is the easing of a budget whose status is written; false where there is none: no pod is healthy, the budget
// was not synced, or its spec sets no limit.
func EasingOf(b *policyv1.PodDisruptionBudget) (e Easing, can bool) {
	s := &b.Status
	stay := min(s.DesiredHealthy, s.CurrentHealthy) - 1
	if stay < 0 || s.ExpectedPods == 0 || s.ObservedGeneration < b.Generation || failedSync(b) != nil {
		return e, false
	}
	eased := b.DeepCopy()
	switch {
	case b.Spec.MaxUnavailable != nil:
		e.Field, e.To = MaxUnavailable, shareOf(b.Spec.MaxUnavailable, s.ExpectedPods-stay, s.ExpectedPods, true)
		eased.Spec.MaxUnavailable = &e.To
	case b.Spec.MinAvailable != nil:
		e.Field, e.To = MinAvailable, shareOf(b.Spec.MinAvailable, stay, s.ExpectedPods, false)
		eased.Spec.MinAvailable = &e.To
	default:
		return e, false
	}
	resettle(eased)
	e.Stay, e.Allowed = eased.Status.DesiredHealthy, eased.Status.DisruptionsAllowed
	e.Less = s.DesiredHealthy - e.Stay
	return e, e.Allowed > 0
}

// shareOf writes so many of the expected pods as the field was written: as a number, or as a percentage that is rounded
// up to it. The least such percentage is taken of what may be unavailable, else the largest.
func shareOf(was *intstr.IntOrString, pods, expected int32, least bool) intstr.IntOrString {
	if was.Type == intstr.Int {
		return intstr.FromInt32(pods)
	}
	percent := pods * 100 / expected
	if least {
		percent = (pods-1)*100/expected + 1
	}
	return intstr.FromString(fmt.Sprintf("%d%%", percent))
}

// failedSync is the condition that the disruption controller could not work a budget out; nil: it could.
func failedSync(b *policyv1.PodDisruptionBudget) *metav1.Condition {
	for i, c := range b.Status.Conditions {
		if c.Type == policyv1.DisruptionAllowedCondition && c.Reason == policyv1.SyncFailedReason {
			return &b.Status.Conditions[i]
		}
	}
	return nil
}

// Budgeting sets a field of a disruption budget by a JSON patch, which takes the other field away.
func Budgeting(b *policyv1.PodDisruptionBudget, field string, to intstr.IntOrString) Request {
	other, is := MaxUnavailable, b.Spec.MaxUnavailable != nil
	if field == MaxUnavailable {
		other, is = MinAvailable, b.Spec.MinAvailable != nil
	}
	operations := []Operation{{Op: "add", Path: "/spec/" + field, Value: to}}
	if is {
		operations = append([]Operation{{Op: "remove", Path: "/spec/" + other}}, operations...)
	}
	return Patch(budgetNamed(b), operations...)
}

// Budgeted is a budget after that request, and after the disruption controller has seen it.
func Budgeted(
	b *policyv1.PodDisruptionBudget, field string, to intstr.IntOrString,
) (*policyv1.PodDisruptionBudget, error) {
	after, err := Patched(b, Budgeting(b, field, to).operations)
	if err != nil {
		return nil, err
	}
	resettle(after)
	return after, nil
}

// Spent is a budget after a healthy pod of it was evicted, and the disruption controller has seen that it is gone.
func Spent(b *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	after := b.DeepCopy()
	after.Status.DisruptionsAllowed = max(after.Status.DisruptionsAllowed-1, 0)
	after.Status.CurrentHealthy = max(after.Status.CurrentHealthy-1, 0)
	return after
}

// AwaitDisruptions waits until the disruption controller lets a budget allow so many evictions: until then the API
// server refuses each.
func AwaitDisruptions(b *policyv1.PodDisruptionBudget, allowed int32) Request {
	return Request{On: budgetNamed(b), do: await, replicas: allowed}
}

func budgetNamed(b *policyv1.PodDisruptionBudget) Object {
	return Object{Kind: cluster.KindDisruptionBudget, Namespace: b.Namespace, Name: b.Name}
}

// awaited is the answer to a wait: nothing changes, or the time is over.
func (r Request) awaited(found cluster.Object) ([]cluster.Event, error) {
	if b, is := found.(*policyv1.PodDisruptionBudget); is && b.Status.DisruptionsAllowed == r.replicas {
		return nil, nil
	}
	return nil, &Refused{Code: timedOut, Message: "timed out waiting for the condition"}
}
