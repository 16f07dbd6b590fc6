package recording

import (
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/address"
)

// Redactor takes out of objects what Rules and Annotations list. It may be used by several goroutines.
type Redactor struct {
	places map[cluster.Kind][]place
}

// NewRedactor is a Redactor of all Rules.
func NewRedactor() *Redactor {
	r := &Redactor{places: make(map[cluster.Kind][]place)}
	for _, rule := range Rules() {
		p, err := placeOf(reflect.TypeOf(blank(rule.Kind)), rule.Field)
		if err != nil {
			panic(fmt.Sprintf("redaction of %s: %v", rule.Kind, err))
		}
		r.places[rule.Kind] = append(r.places[rule.Kind], p)
	}
	return r
}

// Redact is a copy of an object with what may be private taken out. No verdict of kube-scheduler's default profile
// changes by it. Redacting twice is redacting once.
func (r *Redactor) Redact(o cluster.Object) cluster.Object {
	kind, known := cluster.KindOf(o)
	if !known {
		panic(fmt.Sprintf("redaction: no rules for %T", o))
	}
	redacted := copyOf(o)
	if custom, is := redacted.(*unstructured.Unstructured); is {
		redactCustom(custom)
		return redacted
	}
	value := reflect.ValueOf(redacted)
	for _, p := range r.places[kind] {
		p.empty(value)
	}
	redacted.SetAnnotations(keptAnnotations(redacted.GetAnnotations()))
	redactTemplates(redacted)
	if pod, is := redacted.(*corev1.Pod); is {
		redactConditions(pod.Status.Conditions)
	}
	return redacted
}

// redactCustom leaves of an object of a CustomResourceDefinition what it is and how it is called: what a plugin reads
// of the rest is not known.
func redactCustom(o *unstructured.Unstructured) {
	kept := unstructured.Unstructured{}
	kept.SetGroupVersionKind(o.GroupVersionKind())
	kept.SetName(o.GetName())
	kept.SetNamespace(o.GetNamespace())
	kept.SetUID(o.GetUID())
	kept.SetLabels(o.GetLabels())
	o.Object = kept.Object
}

// redactTemplates redacts the annotations of what an object makes others from.
func redactTemplates(o cluster.Object) {
	switch o := o.(type) {
	case *corev1.Pod:
		redactVolumeTemplates(&o.Spec)
	case *corev1.ReplicationController:
		if o.Spec.Template != nil {
			redactPodTemplate(o.Spec.Template)
		}
	case *appsv1.ReplicaSet:
		redactPodTemplate(&o.Spec.Template)
	case *appsv1.StatefulSet:
		redactPodTemplate(&o.Spec.Template)
		for i := range o.Spec.VolumeClaimTemplates {
			claim := &o.Spec.VolumeClaimTemplates[i]
			claim.Annotations = keptAnnotations(claim.Annotations)
			claim.ManagedFields = nil
		}
	}
}

func redactPodTemplate(t *corev1.PodTemplateSpec) {
	t.Annotations = keptAnnotations(t.Annotations)
	redactVolumeTemplates(&t.Spec)
}

func redactVolumeTemplates(spec *corev1.PodSpec) {
	for i := range spec.Volumes {
		ephemeral := spec.Volumes[i].Ephemeral
		if ephemeral != nil && ephemeral.VolumeClaimTemplate != nil {
			ephemeral.VolumeClaimTemplate.Annotations = keptAnnotations(ephemeral.VolumeClaimTemplate.Annotations)
		}
	}
}

// redactConditions keeps of the conditions of a pod only the verdict of its scheduler: it is compared with the verdict
// here. An error that its scheduler met keeps its words but not the addresses in them.
func redactConditions(conditions []corev1.PodCondition) {
	for i := range conditions {
		switch c := &conditions[i]; {
		case c.Type != corev1.PodScheduled:
			c.Message = ""
		case c.Reason == corev1.PodReasonSchedulerError:
			c.Message = address.Hide(c.Message)
		}
	}
}

// keptAnnotations are those whose names begin with a prefix of the table annotations; nil when none does.
func keptAnnotations(all map[string]string) map[string]string {
	var kept map[string]string
	for key, value := range all {
		for _, a := range annotations {
			if !strings.HasPrefix(key, a.prefix) {
				continue
			}
			if kept == nil {
				kept = make(map[string]string)
			}
			kept[key] = value
			break
		}
	}
	return kept
}

// copyOf is a deep copy with its kind and version filled in.
func copyOf(o cluster.Object) cluster.Object {
	kind, known := cluster.KindOf(o)
	if !known {
		panic(fmt.Sprintf("recording: %T is of no kind a recording holds", o))
	}
	c, is := o.DeepCopyObject().(cluster.Object)
	if !is {
		panic(fmt.Sprintf("recording: a copy of %T is no API object", o))
	}
	if kind.IsCustom() { // it knows its own
		return c
	}
	c.GetObjectKind().SetGroupVersionKind(cluster.RowOf(kind).GroupVersion().WithKind(string(kind)))
	return c
}
