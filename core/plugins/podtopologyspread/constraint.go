package podtopologyspread

import (
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/schedstep/schedstep/core/cluster"
)

// constraint is a topology spread constraint, parsed and completed with its defaults.
type constraint struct {
	maxSkew       int32
	key           string
	selector      labels.Selector
	minDomains    int32
	honorAffinity bool // only nodes that the pod's node selection admits take part
	honorTaints   bool // only nodes whose taints the pod tolerates take part
	compares      bool // see Ways.Compares
}

// hard are the constraints that forbid nodes to the pod.
func (p *Plugin) hard(pod *cluster.Pod, objects *cluster.Objects) ([]constraint, error) {
	return p.constraints(pod, objects, corev1.DoNotSchedule, "hard")
}

// soft are the constraints by which nodes are scored.
func (p *Plugin) soft(pod *cluster.Pod, objects *cluster.Objects) ([]constraint, error) {
	return p.constraints(pod, objects, corev1.ScheduleAnyway, "soft")
}

// constraints are the pod's own with an action, or the default ones for a pod that has none at all. Errors call them by
// a word.
func (p *Plugin) constraints(
	pod *cluster.Pod, objects *cluster.Objects, action corev1.UnsatisfiableConstraintAction, word string,
) ([]constraint, error) {
	own := pod.API.Spec.TopologySpreadConstraints
	if len(own) == 0 {
		constraints, err := p.defaulted(pod, objects, action)
		if err != nil {
			return nil, fmt.Errorf("setting default %s topology spread constraints: %w", word, err)
		}
		return constraints, nil
	}
	constraints, err := p.ways.parse(own, pod.Labels, action)
	if err != nil {
		return nil, fmt.Errorf("obtaining pod's %s topology spread constraints: %w", word, err)
	}
	return constraints, nil
}

// defaulted are the plugin's default constraints, with one selector found through what the pod belongs to. A pod that
// belongs to nothing has none.
func (p *Plugin) defaulted(
	pod *cluster.Pod, objects *cluster.Objects, action corev1.UnsatisfiableConstraintAction,
) ([]constraint, error) {
	constraints, err := p.ways.parse(p.defaults, pod.Labels, action)
	if err != nil || len(constraints) == 0 {
		return nil, err
	}
	selector := defaultSelector(pod, objects)
	if selector.Empty() {
		return nil, nil
	}
	for i := range constraints {
		constraints[i].selector = selector
	}
	return constraints, nil
}

// parse picks the constraints with that action.
func (w Ways) parse(
	from []corev1.TopologySpreadConstraint, pod *cluster.LabelSet, action corev1.UnsatisfiableConstraintAction,
) ([]constraint, error) {
	var out []constraint
	for i := range from {
		c := &from[i]
		if c.WhenUnsatisfiable != action {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
		if err != nil {
			return nil, err
		}
		if !w.LabelKeysIgnored {
			selector = withPodLabels(selector, c.MatchLabelKeys, pod.Labels)
		}
		parsed := constraint{
			maxSkew: c.MaxSkew, key: c.TopologyKey, selector: selector, minDomains: 1, honorAffinity: true,
			compares: w.TolerationsCompare,
		}
		if c.MinDomains != nil {
			parsed.minDomains = *c.MinDomains
		}
		if c.NodeAffinityPolicy != nil {
			parsed.honorAffinity = *c.NodeAffinityPolicy == corev1.NodeInclusionPolicyHonor
		}
		if c.NodeTaintsPolicy != nil {
			parsed.honorTaints = *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor
		}
		out = append(out, parsed)
	}
	return out, nil
}

// withPodLabels narrows a selector to pods that have the pod's own values of the keys; keys it lacks do not count, and
// a selector that selects nothing stays so.
func withPodLabels(selector labels.Selector, keys []string, pod labels.Set) labels.Selector {
	if len(keys) == 0 {
		return selector
	}
	own := labels.Set{}
	for _, key := range keys {
		if value, has := pod[key]; has {
			own[key] = value
		}
	}
	if len(own) == 0 {
		return selector
	}
	requirements, selectable := selector.Requirements()
	if !selectable {
		return selector
	}
	return labels.SelectorFromSet(own).Add(requirements...)
}

// tolerates reports whether the pod tolerates the node's NoSchedule and NoExecute taints. Unless compares is true,
// tolerations with the operators Lt and Gt tolerate nothing.
func tolerates(pod *cluster.Pod, node *corev1.Node, compares bool) bool {
	if len(node.Spec.Taints) == 0 {
		return true
	}
	repels := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(
		logr.Discard(), node.Spec.Taints, pod.API.Spec.Tolerations, repels, compares,
	)
	return !untolerated
}

// hasKeys reports whether the labels have every constraint's topology key.
func hasKeys(nodeLabels labels.Set, constraints []constraint) bool {
	for i := range constraints {
		if _, has := nodeLabels[constraints[i].key]; !has {
			return false
		}
	}
	return true
}
