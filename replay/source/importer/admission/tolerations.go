package admission

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Rules are the settings of an API server that the objects do not show. The zero value is the defaults of 1.37.
type Rules struct {
	comparisons bool // tolerations may have the operators Lt and Gt (TaintTolerationComparisonOperators)
}

// RulesOf are the rules under feature gates.
func RulesOf(on func(gate string) bool) Rules {
	return Rules{comparisons: on("TaintTolerationComparisonOperators")}
}

// checkTolerations holds the operators and values of a new pod's tolerations to the API server's rules
// (ValidateTolerations in pkg/apis/core/validation, 1.37).
func (r Rules) checkTolerations(pod *corev1.Pod) error {
	for i := range pod.Spec.Tolerations {
		if err := r.checkToleration(&pod.Spec.Tolerations[i], field.NewPath("spec", "tolerations").Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (r Rules) checkToleration(t *corev1.Toleration, at *field.Path) error {
	known := []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}
	compares := []corev1.TolerationOperator{corev1.TolerationOpLt, corev1.TolerationOpGt}
	operator := at.Child("operator")
	switch {
	case t.Operator == "" || t.Operator == corev1.TolerationOpEqual:
		if wrong := validation.IsValidLabelValue(t.Value); len(wrong) > 0 {
			return field.Invalid(operator, t.Value, strings.Join(wrong, ";"))
		}
	case t.Operator == corev1.TolerationOpExists:
		if t.Value != "" {
			return field.Invalid(operator, t.Value, "value must be empty when `operator` is 'Exists'")
		}
	case !slices.Contains(compares, t.Operator):
		return field.NotSupported(operator, t.Operator, known)
	case !r.comparisons:
		return refusal{
			what:  field.NotSupported(operator, t.Operator, append(known, compares...)).Error(),
			right: "set --feature-gates TaintTolerationComparisonOperators=true if the cluster has the gate on",
		}
	default:
		return number(at.Child("value"), t.Value)
	}
	if t.Key == "" && t.Operator != corev1.TolerationOpExists {
		return field.Invalid(operator, t.Operator,
			"operator must be Exists when `key` is empty, which means \"match all values and all keys\"")
	}
	return nil
}

// number refuses what is no decimal integer of 64 bits.
func number(at *field.Path, value string) error {
	if wrong := content.IsDecimalInteger(value); len(wrong) > 0 {
		return field.Invalid(at, value, wrong[0])
	}
	if _, err := strconv.ParseInt(value, 10, 64); err != nil {
		return field.Invalid(at, value, err.Error())
	}
	return nil
}
