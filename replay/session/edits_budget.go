package session

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/request"
)

// BudgetsOver are the disruption budgets over a pod, with what they allow: as in their status or, where no controller
// has written one, by the pods that are there.
func BudgetsOver(state *cluster.State, p *cluster.Pod) []*policyv1.PodDisruptionBudget {
	var all []*policyv1.PodDisruptionBudget
	state.Objects().DisruptionBudgets.EachIn(p.Namespace(), func(b *policyv1.PodDisruptionBudget) bool {
		if request.Covers(b, p.API) {
			all = append(all, settled(state, b))
		}
		return true
	})
	return all
}

// settled is a budget with a status.
func settled(state *cluster.State, b *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		return b
	}
	var pods []*corev1.Pod
	state.EachPodIn(b.Namespace, func(p *cluster.Pod) bool {
		if selector.Matches(labels.Set(p.API.Labels)) && !p.Terminating() && !cluster.Finished(p.API) {
			pods = append(pods, p.API)
		}
		return true
	})
	return request.Settled(b, pods)
}

// draw has an eviction draw on the budget over the pod, or is why the API server refuses it.
func (c *change) draw(p *cluster.Pod) error {
	budget, err := request.Draws(BudgetsOver(c.state(), p), p.API)
	if err != nil {
		return err
	}
	if budget != nil {
		c.do(cluster.Update, request.Spent(budget))
	}
	return nil
}

// SetBudget sets a field of a disruption budget: how many of its pods must be there, or may be gone.
func SetBudget(budget, field string, to intstr.IntOrString) Edit {
	return doing("budget", budget, field+"="+to.String())
}

func (c *change) budget(key, setting string) error {
	found, ok := c.state().Objects().DisruptionBudgets.Find(key)
	field, value, _ := strings.Cut(setting, "=")
	to := intstr.Parse(value)
	n, err := intstr.GetScaledValueFromIntOrPercent(&to, 100, true)
	switch {
	case !ok:
		return phrase.Errorf("set budget: there is no disruption budget %q here", key)
	case field != request.MinAvailable && field != request.MaxUnavailable:
		return phrase.Errorf("set budget: %q is neither minAvailable nor maxUnavailable", field)
	case err != nil || n < 0:
		return phrase.Errorf("set budget: %q is neither a number of pods nor a percentage of them", value)
	}
	after, err := request.Budgeted(settled(c.state(), found), field, to)
	if err != nil {
		return err
	}
	c.do(cluster.Update, after)
	c.said = phrase.New("the budget %[1]s has %[2]s %[3]s and allows %[4]d evictions", key, field, to.String(),
		after.Status.DisruptionsAllowed)
	return nil
}
