package volumebinding

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// selectorText is a node selector in words: terms joined by "or", requirements by "and".
func selectorText(s *corev1.NodeSelector) string {
	terms := make([]string, 0, len(s.NodeSelectorTerms))
	for i := range s.NodeSelectorTerms {
		t := &s.NodeSelectorTerms[i]
		var parts []string
		for _, r := range t.MatchExpressions {
			parts = append(parts, requirementText(&r))
		}
		for _, r := range t.MatchFields {
			parts = append(parts, requirementText(&r))
		}
		if len(parts) > 0 {
			terms = append(terms, strings.Join(parts, " and "))
		}
	}
	if len(terms) == 0 {
		return "no node at all"
	}
	return strings.Join(terms, " or ")
}

func requirementText(r *corev1.NodeSelectorRequirement) string {
	switch {
	case r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1:
		return r.Key + "=" + r.Values[0]
	case len(r.Values) == 0:
		return r.Key + " " + string(r.Operator)
	}
	return r.Key + " " + string(r.Operator) + " (" + strings.Join(r.Values, ", ") + ")"
}

// topologyText is allowed topologies in the same words.
func topologyText(terms []corev1.TopologySelectorTerm) string {
	var s corev1.NodeSelector
	for _, t := range terms {
		var term corev1.NodeSelectorTerm
		for _, r := range t.MatchLabelExpressions {
			term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{
				Key: r.Key, Operator: corev1.NodeSelectorOpIn, Values: r.Values,
			})
		}
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, term)
	}
	return selectorText(&s)
}
