package importer

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// selectByTemplate gives an owner of a beta version the selector the API server would have taken from its template.
func selectByTemplate(object cluster.Object) {
	var selector **metav1.LabelSelector
	var template *corev1.PodTemplateSpec
	switch o := object.(type) {
	case *appsv1.Deployment:
		selector, template = &o.Spec.Selector, &o.Spec.Template
	case *appsv1.DaemonSet:
		selector, template = &o.Spec.Selector, &o.Spec.Template
	case *appsv1.ReplicaSet:
		selector, template = &o.Spec.Selector, &o.Spec.Template
	case *appsv1.StatefulSet:
		selector, template = &o.Spec.Selector, &o.Spec.Template
	default:
		return
	}
	if *selector == nil && len(template.Labels) > 0 {
		*selector = &metav1.LabelSelector{MatchLabels: template.Labels}
	}
}

// emptySelectorLabel stands in selectors for a meaning that changed with policy/v1: an empty selector matched no pod in
// v1beta1 and matches every pod in v1 (apis/policy, 1.22).
const emptySelectorLabel = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"

// keepEmptySelector keeps the meaning of an empty selector.
func keepEmptySelector(object cluster.Object) {
	budget, ok := object.(*policyv1.PodDisruptionBudget)
	if !ok || budget.Spec.Selector == nil {
		return
	}
	s := budget.Spec.Selector
	switch {
	case len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0:
		s.MatchExpressions = []metav1.LabelSelectorRequirement{
			{Key: emptySelectorLabel, Operator: metav1.LabelSelectorOpExists},
		}
	case isMatchAll(s):
		s.MatchExpressions = nil
	}
}

func isMatchAll(s *metav1.LabelSelector) bool {
	if len(s.MatchLabels) != 0 || len(s.MatchExpressions) != 1 {
		return false
	}
	only := s.MatchExpressions[0]
	return only.Key == emptySelectorLabel && only.Operator == metav1.LabelSelectorOpDoesNotExist
}

// tree is a JSON object whose members are not decoded yet.
type tree map[string]json.RawMessage

// within rewrites the value under a path of keys; a path that is not there changes nothing.
func within(raw []byte, path []string, rewrite func([]byte) ([]byte, error)) ([]byte, error) {
	if len(path) == 0 {
		return rewrite(raw)
	}
	var t tree
	if err := json.Unmarshal(raw, &t); err != nil || t[path[0]] == nil {
		return raw, err
	}
	changed, err := within(t[path[0]], path[1:], rewrite)
	if err != nil {
		return nil, err
	}
	t[path[0]] = changed
	return json.Marshal(t)
}

// each rewrites every object of an array.
func each(rewrite func(tree) error) func([]byte) ([]byte, error) {
	return func(raw []byte) ([]byte, error) {
		var list []tree
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		for _, t := range list {
			if err := rewrite(t); err != nil {
				return nil, err
			}
		}
		return json.Marshal(list)
	}
}

// adaptSlice lifts what v1beta1 kept under a device's "basic".
func adaptSlice(version string, raw []byte) ([]byte, error) {
	if version != "v1beta1" && version != "v1alpha3" {
		return raw, nil
	}
	return within(raw, []string{"spec", "devices"}, each(liftBasic))
}

func liftBasic(device tree) error {
	var basic tree
	if device["basic"] == nil {
		return nil
	}
	if err := json.Unmarshal(device["basic"], &basic); err != nil {
		return err
	}
	delete(device, "basic")
	for key, value := range basic {
		device[key] = value
	}
	if device["capacity"] == nil {
		return nil
	}
	var capacity tree
	if err := json.Unmarshal(device["capacity"], &capacity); err != nil {
		return err
	}
	for key, value := range capacity {
		if value[0] != '{' { // v1alpha3: the quantity itself
			capacity[key] = append(append([]byte(`{"value":`), value...), '}')
		}
	}
	var err error
	device["capacity"], err = json.Marshal(capacity)
	return err
}

// adaptClaim moves what v1beta1 kept in a request itself under its "exactly".
func adaptClaim(version string, raw []byte) ([]byte, error) {
	if version != "v1beta1" && version != "v1alpha3" {
		return raw, nil
	}
	return within(raw, []string{"spec", "devices", "requests"}, each(wrapExactly))
}

// adaptTemplate is adaptClaim for the claim inside a template.
func adaptTemplate(version string, raw []byte) ([]byte, error) {
	return within(raw, []string{"spec"}, func(spec []byte) ([]byte, error) { return adaptClaim(version, spec) })
}

func wrapExactly(request tree) error {
	exactly := tree{}
	for key, value := range request {
		if key != "name" && key != "firstAvailable" && key != "exactly" {
			exactly[key] = value
			delete(request, key)
		}
	}
	if len(exactly) == 0 {
		return nil
	}
	var err error
	request["exactly"], err = json.Marshal(exactly)
	return err
}
