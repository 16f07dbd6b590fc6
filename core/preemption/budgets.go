package preemption

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
)

// budgets finds the pods whose eviction a PodDisruptionBudget does not allow. A selector is evaluated once for each
// LabelSet.
type budgets struct {
	objects *cluster.Objects
	all     []budget
	found   map[*policyv1.PodDisruptionBudget]int32 // the place in all
	bySet   map[int32][]int32                       // by LabelSet.ID: places in all
	touched []int32                                 // of all: those whose left is not what is allowed
	every   bool                                    // budgets after one that is exceeded count the pod too
	// pods are not counted: a budget is exceeded that allows no pod to go
	unaccounted bool
}

type budget struct {
	api      *policyv1.PodDisruptionBudget
	selector labels.Selector // nil: selects no pod
	left     int32           // disruptions that are still allowed
}

// mark goes through the pods in order, as if they were evicted one after the other, and marks those that a budget does
// not allow any more. A pod may be under several budgets: they are checked in the order of their names, and the first
// that is exceeded is the last that counts the pod, unless every budget does. kube-scheduler checks in the order of a
// map.
func (b *budgets) mark(leaving []Victim) {
	if b.objects.DisruptionBudgets.Len() == 0 {
		return
	}
	b.reset()
	for i := range leaving {
		leaving[i].Budget = b.exceeded(leaving[i].Pod)
		leaving[i].Violates = leaving[i].Budget != nil
	}
}

// reset forgets the counted pods.
func (b *budgets) reset() {
	for _, i := range b.touched {
		b.all[i].left = b.all[i].api.Status.DisruptionsAllowed
	}
	b.touched = b.touched[:0]
}

// exceeded counts one pod and returns the budget that does not allow it to go; nil when all do. One that the API server
// has counted already, in disruptedPods, is not counted again.
func (b *budgets) exceeded(p *cluster.Pod) *policyv1.PodDisruptionBudget {
	if len(p.Labels.Labels) == 0 {
		return nil
	}
	var first *policyv1.PodDisruptionBudget
	for _, i := range b.of(p.Labels) {
		own := &b.all[i]
		if b.unaccounted {
			if own.api.Status.DisruptionsAllowed <= 0 {
				return own.api
			}
			continue
		}
		if _, counted := own.api.Status.DisruptedPods[p.Name()]; counted {
			continue
		}
		own.left--
		b.touched = append(b.touched, i)
		if own.left >= 0 || first != nil {
			continue
		}
		first = own.api
		if !b.every {
			break
		}
	}
	return first
}

// of are the budgets that select pods of a LabelSet.
func (b *budgets) of(set *cluster.LabelSet) []int32 {
	if list, known := b.bySet[set.ID]; known {
		return list
	}
	if b.bySet == nil {
		b.bySet, b.found = map[int32][]int32{}, map[*policyv1.PodDisruptionBudget]int32{}
	}
	var list []int32
	b.objects.DisruptionBudgets.EachIn(set.Namespace, func(api *policyv1.PodDisruptionBudget) bool {
		i := b.place(api)
		if s := b.all[i].selector; s != nil && s.Matches(set.Labels) {
			list = append(list, i)
		}
		return true
	})
	b.bySet[set.ID] = list
	return list
}

// place is where a budget is in all. One without a selector, with an empty one, or with one that cannot be parsed
// selects no pod.
func (b *budgets) place(api *policyv1.PodDisruptionBudget) int32 {
	if i, known := b.found[api]; known {
		return i
	}
	own := budget{api: api, left: api.Status.DisruptionsAllowed}
	if s, err := metav1.LabelSelectorAsSelector(api.Spec.Selector); err == nil && !s.Empty() {
		own.selector = s
	}
	i := int32(len(b.all))
	b.all = append(b.all, own)
	b.found[api] = i
	return i
}

// count evicts the pods of a unit one after the other, after those of earlier calls, and returns which budget protects
// each of them.
func (b *budgets) count(u *unit) {
	u.violating, u.protected = 0, nil
	if b.objects.DisruptionBudgets.Len() == 0 {
		return
	}
	u.protected = make([]*policyv1.PodDisruptionBudget, len(u.pods))
	for i, p := range u.pods {
		if u.protected[i] = b.exceeded(p); u.protected[i] != nil {
			u.violating++
		}
	}
}
