package scenario

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// requirement is one condition on labels, in the words nodes use; label selectors know all but Gt and Lt.
type requirement struct {
	key      string
	operator corev1.NodeSelectorOperator
	values   []string
}

// requirements reads conditions that must all hold:
//
//	app=web    In [web]           app!=web    NotIn [web]
//	app=a|b    In [a b]           app!=a|b    NotIn [a b]
//	app        Exists             !app        DoesNotExist
//	cores>4    Gt 4               cores<4     Lt 4
func requirements(text string) ([]requirement, error) {
	var all []requirement
	for part := range parts(text, ",") {
		r, err := requirementOf(part)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func requirementOf(text string) (requirement, error) {
	r := requirement{key: text, operator: corev1.NodeSelectorOpExists}
	if key, not := strings.CutPrefix(text, "!"); not {
		r.key, r.operator = key, corev1.NodeSelectorOpDoesNotExist
	}
	for _, sign := range []struct {
		text     string
		operator corev1.NodeSelectorOperator
	}{
		{"!=", corev1.NodeSelectorOpNotIn},
		{"=", corev1.NodeSelectorOpIn},
		{">", corev1.NodeSelectorOpGt},
		{"<", corev1.NodeSelectorOpLt},
	} {
		if key, value, has := strings.Cut(text, sign.text); has {
			r = requirement{key, sign.operator, strings.Split(value, "|")}
			break
		}
	}
	if r.key == "" || strings.ContainsAny(r.key, "!=<>|") {
		return r, phrase.Errorf(
			"%q is no condition on a label (want key=value, key!=value, key=a|b, key, !key, key>1 or key<1)", text,
		)
	}
	return r, nil
}

// labelSelector reads a selector of pods or namespaces; "" selects all.
func labelSelector(text string) (*metav1.LabelSelector, error) {
	all, err := requirements(text)
	if err != nil {
		return nil, err
	}
	s := &metav1.LabelSelector{}
	for _, r := range all {
		switch r.operator {
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			return nil, phrase.Errorf("a selector of labels knows no > and no < (in %q)", text)
		case corev1.NodeSelectorOpIn:
			if len(r.values) == 1 {
				if s.MatchLabels == nil {
					s.MatchLabels = map[string]string{}
				}
				if _, twice := s.MatchLabels[r.key]; !twice {
					s.MatchLabels[r.key] = r.values[0]
					continue
				}
			}
		}
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: r.key, Operator: metav1.LabelSelectorOperator(r.operator), Values: r.values,
		})
	}
	return s, nil
}

// nodeTerm reads one term about nodes: conditions on labels, and on the name as metadata.name.
func nodeTerm(text string) (corev1.NodeSelectorTerm, error) {
	all, err := requirements(text)
	var term corev1.NodeSelectorTerm
	for _, r := range all {
		q := corev1.NodeSelectorRequirement{Key: longLabel(r.key), Operator: r.operator, Values: r.values}
		if r.key == metav1.ObjectNameField {
			term.MatchFields = append(term.MatchFields, q)
		} else {
			term.MatchExpressions = append(term.MatchExpressions, q)
		}
	}
	return term, err
}
