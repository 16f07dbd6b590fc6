package cluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// serviceIndex finds the Services that select a pod without testing all of them: each is filed under its namespace and
// the first label of its selector, so that only those under one of the pod's labels can match.
type serviceIndex struct {
	byLabel table[*corev1.Service] // shelf + name
}

// shelf is where the Services of a namespace are filed whose selector has this label first; no label: those with an
// empty selector.
func shelf(namespace, key, value string) string {
	return filed(namespace, key, value, "")
}

// shelfOf is where a Service is filed; false for one without selector, which selects nothing.
func shelfOf(s *corev1.Service) (string, bool) {
	if s.Spec.Selector == nil {
		return "", false
	}
	first := ""
	for key := range s.Spec.Selector {
		if first == "" || key < first {
			first = key
		}
	}
	return shelf(s.Namespace, first, s.Spec.Selector[first]) + s.Name, true
}

// replace files a Service in place of what was known of it; either may be nil.
func (x *serviceIndex) replace(old, new *corev1.Service) {
	if old != nil {
		if at, filed := shelfOf(old); filed {
			x.byLabel.Delete(at)
		}
	}
	if new != nil {
		if at, filed := shelfOf(new); filed {
			x.byLabel.Set(at, new)
		}
	}
}

// ServicesOf lists the Services of a namespace whose selector matches these labels, in no meaningful but in a fixed
// order. A Service without selector matches nothing, one with an empty selector everything.
func (s *Objects) ServicesOf(namespace string, pod labels.Set) []*corev1.Service {
	var found []*corev1.Service
	look := func(at string) {
		s.services.byLabel.Ascend(at, func(key string, service *corev1.Service) bool {
			if !strings.HasPrefix(key, at) {
				return false
			}
			if asksFor(service.Spec.Selector, pod) {
				found = append(found, service)
			}
			return true
		})
	}
	look(shelf(namespace, "", ""))
	keys := make([]string, 0, 16)
	for key := range pod {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		look(shelf(namespace, key, pod[key]))
	}
	return found
}

// ServiceLabels merges the selectors of the Services that select these labels of a pod.
func (s *Objects) ServiceLabels(namespace string, pod labels.Set) labels.Set {
	merged := labels.Set{}
	for _, service := range s.ServicesOf(namespace, pod) {
		merged = labels.Merge(merged, service.Spec.Selector)
	}
	return merged
}

// asksFor reports whether the selector's labels are all among the pod's.
func asksFor(selector, pod map[string]string) bool {
	for key, value := range selector {
		if v, has := pod[key]; !has || v != value {
			return false
		}
	}
	return true
}
