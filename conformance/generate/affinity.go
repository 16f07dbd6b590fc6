package generate

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// topologies are the keys of pod affinity and spreading.
var topologies = []string{corev1.LabelHostname, corev1.LabelTopologyZone, "pool", corev1.LabelTopologyRegion}

func (w *world) affinity(pod *corev1.Pod) {
	affinity := &corev1.Affinity{NodeAffinity: w.nodeAffinity()}
	if w.has(NodeSelectors) {
		key := pick(&w.dice, nodeLabelKeys[:3])
		pod.Spec.NodeSelector = map[string]string{key: pick(&w.dice, nodeLabels[key])}
	}
	attract, repel := &corev1.PodAffinity{}, &corev1.PodAntiAffinity{}
	if w.percent(w.weights[PodAffinity] / 2) {
		for range w.between(1, 2) {
			attract.RequiredDuringSchedulingIgnoredDuringExecution = append(
				attract.RequiredDuringSchedulingIgnoredDuringExecution, w.podTerm(),
			)
		}
	}
	if w.percent(w.weights[PodAntiAffinity] / 2) {
		for range w.between(1, 2) {
			repel.RequiredDuringSchedulingIgnoredDuringExecution = append(
				repel.RequiredDuringSchedulingIgnoredDuringExecution, w.podTerm(),
			)
		}
	}
	for range 2 {
		if w.has(PreferredPodAffinity) {
			attract.PreferredDuringSchedulingIgnoredDuringExecution = append(
				attract.PreferredDuringSchedulingIgnoredDuringExecution, w.weightedPodTerm(),
			)
		}
		if w.has(PreferredPodAffinity) {
			repel.PreferredDuringSchedulingIgnoredDuringExecution = append(
				repel.PreferredDuringSchedulingIgnoredDuringExecution, w.weightedPodTerm(),
			)
		}
	}
	if len(attract.RequiredDuringSchedulingIgnoredDuringExecution)+
		len(attract.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		affinity.PodAffinity = attract
	}
	if len(repel.RequiredDuringSchedulingIgnoredDuringExecution)+
		len(repel.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		affinity.PodAntiAffinity = repel
	}
	if *affinity != (corev1.Affinity{}) {
		pod.Spec.Affinity = affinity
	}
}

func (w *world) nodeAffinity() *corev1.NodeAffinity {
	affinity := &corev1.NodeAffinity{}
	if w.has(NodeAffinity) {
		required := &corev1.NodeSelector{}
		for range w.between(1, 2) {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, w.nodeTerm())
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	if w.has(MatchFields) && len(w.nodes) > 0 {
		// One term per node, as the DaemonSet controller writes it; sometimes two
		// fields that no node satisfies, sometimes a node that is gone.
		required := &corev1.NodeSelector{}
		for range w.between(1, 2) {
			term := corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{w.nodeField()}}
			if w.percent(15) {
				term.MatchFields = append(term.MatchFields, w.nodeField())
			}
			if w.percent(15) {
				term.MatchExpressions = w.nodeTerm().MatchExpressions
			}
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, term)
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	for range 2 {
		if w.has(PreferredNodeAffinity) {
			affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
				affinity.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.PreferredSchedulingTerm{Weight: int32(w.between(1, 100)), Preference: w.nodeTerm()})
		}
	}
	if affinity.RequiredDuringSchedulingIgnoredDuringExecution == nil &&
		affinity.PreferredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return affinity
}

func (w *world) nodeField() corev1.NodeSelectorRequirement {
	name := "gone"
	if !w.percent(10) {
		name = pick(&w.dice, w.nodes).Name
	}
	operator := corev1.NodeSelectorOpIn
	if w.percent(15) {
		operator = corev1.NodeSelectorOpNotIn
	}
	return corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: operator, Values: []string{name}}
}

func (w *world) nodeTerm() corev1.NodeSelectorTerm {
	var term corev1.NodeSelectorTerm
	for range w.between(1, 2) {
		key := pick(&w.dice, append(nodeLabelKeys, corev1.LabelTopologyZone))
		requirement := corev1.NodeSelectorRequirement{Key: key}
		switch {
		case key == "cores":
			requirement.Operator = pick(&w.dice, []corev1.NodeSelectorOperator{corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt})
			requirement.Values = []string{pick(&w.dice, []string{"3", "8"})}
		case w.percent(20):
			requirement.Operator = pick(
				&w.dice, []corev1.NodeSelectorOperator{corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist},
			)
		default:
			values := zones
			if known, ok := nodeLabels[key]; ok {
				values = known
			}
			requirement.Operator = pick(&w.dice, []corev1.NodeSelectorOperator{
				corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn,
			})
			requirement.Values = some(&w.dice, values, 2)
		}
		term.MatchExpressions = append(term.MatchExpressions, requirement)
	}
	return term
}

func (w *world) weightedPodTerm() corev1.WeightedPodAffinityTerm {
	return corev1.WeightedPodAffinityTerm{Weight: int32(w.between(1, 100)), PodAffinityTerm: w.podTerm()}
}

func (w *world) podTerm() corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{LabelSelector: w.selector(), TopologyKey: pick(&w.dice, topologies)}
	if w.percent(4) {
		term.LabelSelector = nil // selects nothing
	}
	if w.percent(4) {
		term.LabelSelector = &metav1.LabelSelector{} // selects everything
	}
	if w.has(Namespaces) {
		switch w.below(4) {
		case 0:
			term.Namespaces = some(&w.dice, w.spaces, 2)
		case 1:
			term.NamespaceSelector = &metav1.LabelSelector{}
		case 2:
			term.NamespaceSelector = &metav1.LabelSelector{
				MatchLabels: map[string]string{"team": pick(&w.dice, []string{"a", "b"})},
			}
		}
	}
	if term.LabelSelector != nil && w.percent(10) {
		if w.percent(50) {
			term.MatchLabelKeys = []string{"release"}
		} else {
			term.MismatchLabelKeys = []string{"release"}
		}
	}
	return term
}

func (w *world) spread(pod *corev1.Pod) {
	used := map[string]bool{}
	for i := range 4 {
		action, feature := corev1.DoNotSchedule, Spread
		if i%2 == 1 {
			action, feature = corev1.ScheduleAnyway, SoftSpread
		}
		if !w.percent(w.weights[feature] * 2 / 3) {
			continue
		}
		constraint := w.spreadConstraint(action)
		if id := constraint.TopologyKey + string(action); !used[id] {
			used[id] = true
			pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
		}
	}
	if (len(used) > 0 || pod.Spec.Affinity != nil) && w.percent(50) {
		pod.Labels["release"] = pick(&w.dice, []string{"r1", "r2"})
	}
}

func (w *world) spreadConstraint(action corev1.UnsatisfiableConstraintAction) corev1.TopologySpreadConstraint {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: int32(w.between(1, 3)), TopologyKey: pick(&w.dice, topologies), WhenUnsatisfiable: action,
		LabelSelector: w.selector(),
	}
	if w.percent(4) {
		constraint.LabelSelector = nil
	}
	if action == corev1.DoNotSchedule && w.percent(35) {
		domains := int32(w.between(1, 5))
		constraint.MinDomains = &domains
	}
	policies := []corev1.NodeInclusionPolicy{corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore}
	if w.percent(40) {
		policy := pick(&w.dice, policies)
		constraint.NodeAffinityPolicy = &policy
	}
	if w.percent(40) {
		policy := pick(&w.dice, policies)
		constraint.NodeTaintsPolicy = &policy
	}
	if constraint.LabelSelector != nil && w.percent(20) {
		constraint.MatchLabelKeys = []string{"release"}
	}
	return constraint
}

// mergeLabelKeys writes matchLabelKeys and mismatchLabelKeys into the
// selectors, as the API server does when a pod is created.
func mergeLabelKeys(pod *corev1.Pod) {
	merge := func(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator) {
		for _, key := range keys {
			if value, ok := pod.Labels[key]; ok && selector != nil {
				selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
					Key: key, Operator: operator, Values: []string{value},
				})
			}
		}
	}
	term := func(t *corev1.PodAffinityTerm) {
		merge(t.LabelSelector, t.MatchLabelKeys, metav1.LabelSelectorOpIn)
		merge(t.LabelSelector, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		merge(constraint.LabelSelector, constraint.MatchLabelKeys, metav1.LabelSelectorOpIn)
	}
	if pod.Spec.Affinity == nil {
		return
	}
	if attract := pod.Spec.Affinity.PodAffinity; attract != nil {
		for i := range attract.RequiredDuringSchedulingIgnoredDuringExecution {
			term(&attract.RequiredDuringSchedulingIgnoredDuringExecution[i])
		}
		for i := range attract.PreferredDuringSchedulingIgnoredDuringExecution {
			term(&attract.PreferredDuringSchedulingIgnoredDuringExecution[i].PodAffinityTerm)
		}
	}
	if repel := pod.Spec.Affinity.PodAntiAffinity; repel != nil {
		for i := range repel.RequiredDuringSchedulingIgnoredDuringExecution {
			term(&repel.RequiredDuringSchedulingIgnoredDuringExecution[i])
		}
		for i := range repel.PreferredDuringSchedulingIgnoredDuringExecution {
			term(&repel.PreferredDuringSchedulingIgnoredDuringExecution[i].PodAffinityTerm)
		}
	}
}
