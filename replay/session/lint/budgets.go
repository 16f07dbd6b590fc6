package lint

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// under are the pods of a budget, and how many pods its namespace has.
func (o *objects) under(b *policyv1.PodDisruptionBudget) (pods []*corev1.Pod, there int) {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	for _, p := range o.pods {
		if p.Namespace != b.Namespace {
			continue
		}
		there++
		if err == nil && selector.Matches(labels.Set(p.Labels)) {
			pods = append(pods, p)
		}
	}
	return pods, there
}

func ofBudget(b *policyv1.PodDisruptionBudget, says phrase.Text) Finding {
	return Finding{Object: "PodDisruptionBudget " + cluster.Key(b), Says: says}
}

// budgets looks at budgets over pods that are there. One whose status allows a disruption counts more pods than the
// input holds.
func (o *objects) budgets() []Finding {
	var found []Finding
	for _, b := range o.pdbs {
		pods, _ := o.under(b)
		if len(pods) == 0 || b.Status.DisruptionsAllowed > 0 {
			continue
		}
		if why := never(b, len(pods)); why != "" {
			found = append(found, ofBudget(b, phrase.Textf(
				"%s: none of its pods may be evicted (there are %d)", why, len(pods),
			)))
		}
	}
	return found
}

// never is what of a budget's spec forbids every eviction of so many pods, however healthy they are; "" when nothing
// does. Percentages are rounded up, as the disruption controller rounds them (pkg/controller/disruption, 1.37).
func never(b *policyv1.PodDisruptionBudget, pods int) string {
	if most := b.Spec.MaxUnavailable; most != nil {
		if n, err := intstr.GetScaledValueFromIntOrPercent(most, pods, true); err == nil && n == 0 {
			return "maxUnavailable is " + most.String()
		}
		return ""
	}
	if least := b.Spec.MinAvailable; least != nil {
		if n, err := intstr.GetScaledValueFromIntOrPercent(least, pods, true); err == nil && n >= pods {
			return "minAvailable is " + least.String()
		}
	}
	return ""
}

// twice looks at all pods, whether they have a node or not: the eviction subresource takes no pod of two budgets
// (pkg/registry/core/pod/storage, 1.37).
func (o *objects) twice() []Finding {
	budgets := map[*corev1.Pod][]string{}
	for _, b := range o.pdbs {
		pods, _ := o.under(b)
		for _, p := range pods {
			budgets[p] = append(budgets[p], b.Name)
		}
	}
	var found []Finding
	for _, p := range o.pods {
		if of := budgets[p]; len(of) > 1 && (o.only == "" || o.only == cluster.Key(p)) {
			found = append(found, about(p, phrase.Textf(
				"is under %d budgets (%s): the API server refuses to evict it", len(of), strings.Join(of, ", "),
			)))
		}
	}
	return found
}

// idle finds budgets over nothing. An empty selector means all pods, and a namespace without pods shows nothing.
func (o *objects) idle() []Finding {
	var found []Finding
	for _, b := range o.pdbs {
		if pods, there := o.under(b); len(pods) == 0 && there > 0 && b.Status.ExpectedPods == 0 {
			found = append(found, ofBudget(b, phrase.Textf("no pod of its namespace has labels %s",
				metav1.FormatLabelSelector(b.Spec.Selector))))
		}
	}
	return found
}
