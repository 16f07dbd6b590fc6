package request

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

// empty makes an object as if nothing had been read into it.
func empty(o cluster.Object) { reflect.ValueOf(o).Elem().SetZero() }

// allowed is why an API server (1.37) refuses an update; nil: it does not. It knows the fields that scheduling and
// controllers go by: those that are immutable, and those that have to agree with others.
func allowed(before, after cluster.Object) *Refused {
	switch now := after.(type) {
	case *corev1.Pod:
		if was, is := before.(*corev1.Pod); is {
			return allowedPod(was, now)
		}
	case *batchv1.Job:
		if was, is := before.(*batchv1.Job); is {
			return allowedJob(was, now)
		}
	default:
		was, _ := templateIn(before)
		selector, template := templateIn(after)
		if was != nil && template != nil {
			return allowedWorkload(after, was, selector, template)
		}
	}
	return nil
}

// templateIn is the template of pods in a workload whose selector is immutable, with that selector; nil in other
// objects.
func templateIn(o cluster.Object) (*metav1.LabelSelector, *corev1.PodTemplateSpec) {
	switch o := o.(type) {
	case *appsv1.Deployment:
		return o.Spec.Selector, &o.Spec.Template
	case *appsv1.ReplicaSet:
		return o.Spec.Selector, &o.Spec.Template
	case *appsv1.StatefulSet:
		return o.Spec.Selector, &o.Spec.Template
	case *appsv1.DaemonSet:
		return o.Spec.Selector, &o.Spec.Template
	}
	return nil, nil
}

// refusal is the answer about a field of an object that may not be as it is.
func refusal(o cluster.Object, kind, format string, values ...any) *Refused {
	return &Refused{
		Code: invalid, Message: fmt.Sprintf("The %s %q is invalid: %s", kind, o.GetName(), fmt.Sprintf(format, values...)),
	}
}

// updatable are the fields of a pod's spec that may change (pkg/apis/core/validation, updatablePodSpecFields, 1.37).
var updatable = []string{
	"`spec.containers[*].image`", "`spec.initContainers[*].image`", "`spec.activeDeadlineSeconds`",
	"`spec.tolerations` (only additions to existing tolerations)",
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
}

func allowedPod(was, now *corev1.Pod) *Refused {
	for _, t := range was.Spec.Tolerations {
		if !slices.ContainsFunc(now.Spec.Tolerations, func(o corev1.Toleration) bool {
			o.TolerationSeconds = t.TolerationSeconds
			return equality.Semantic.DeepEqual(o, t)
		}) {
			return refusal(now, "Pod", "spec.tolerations: Forbidden: existing toleration can not be modified except its "+
				"tolerationSeconds")
		}
	}
	for _, g := range now.Spec.SchedulingGates {
		if !slices.Contains(was.Spec.SchedulingGates, g) {
			return refusal(now, "Pod", "spec.schedulingGates: Forbidden: only deletion is allowed, but found new "+
				"scheduling gate '%s'", g.Name)
		}
	}
	same := now.Spec.DeepCopy()
	same.Tolerations, same.SchedulingGates = was.Spec.Tolerations, was.Spec.SchedulingGates
	same.ActiveDeadlineSeconds = was.Spec.ActiveDeadlineSeconds
	for i := range same.Containers {
		if i < len(was.Spec.Containers) {
			same.Containers[i].Image = was.Spec.Containers[i].Image
		}
	}
	if !equality.Semantic.DeepEqual(*same, was.Spec) {
		return refusal(now, "Pod", "spec: Forbidden: pod updates may not change fields other than %s",
			strings.Join(updatable, ","))
	}
	return nil
}

// allowedWorkload refuses another selector, and a template whose pods the selector does not match.
func allowedWorkload(o cluster.Object, was, now *metav1.LabelSelector, template *corev1.PodTemplateSpec) *Refused {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1.")
	if !equality.Semantic.DeepEqual(was, now) {
		return refusal(o, kind, "spec.selector: Invalid value: field is immutable")
	}
	if selector, err := metav1.LabelSelectorAsSelector(now); err == nil && !selector.Matches(labels.Set(template.Labels)) {
		return refusal(o, kind, "spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`")
	}
	return allowedTemplate(o, kind, template)
}

// allowedTemplate refuses what no pod may be.
func allowedTemplate(o cluster.Object, kind string, template *corev1.PodTemplateSpec) *Refused {
	for i, c := range template.Spec.TopologySpreadConstraints {
		if c.MinDomains != nil && c.WhenUnsatisfiable != corev1.DoNotSchedule {
			return refusal(o, kind, "spec.template.spec.topologySpreadConstraints[%d].minDomains: Invalid value: %d: can only "+
				"use minDomains if whenUnsatisfiable=DoNotSchedule, not %s", i, *c.MinDomains, c.WhenUnsatisfiable)
		}
	}
	for i := range template.Spec.Containers {
		c := &template.Spec.Containers[i]
		for _, name := range slices.Sorted(maps.Keys(c.Resources.Requests)) {
			request := c.Resources.Requests[name]
			if limit, has := c.Resources.Limits[name]; has && request.Cmp(limit) > 0 {
				return refusal(o, kind, "spec.template.spec.containers[%d].resources.requests: Invalid value: %q: must be less "+
					"than or equal to %s limit of %s", i, request.String(), name, limit.String())
			}
		}
	}
	return nil
}

// allowedJob refuses another template. While a Job is suspended and has no active pod, what its pods want of a node may
// change (pkg/apis/batch/validation, validatePodTemplateUpdate, 1.37).
func allowedJob(was, now *batchv1.Job) *Refused {
	if !equality.Semantic.DeepEqual(was.Spec.Selector, now.Spec.Selector) {
		return refusal(now, "Job", "spec.selector: Invalid value: field is immutable")
	}
	same := now.Spec.Template.DeepCopy()
	if ptr.Deref(was.Spec.Suspend, false) && was.Status.Active == 0 {
		old := was.Spec.Template
		same.Labels, same.Annotations = old.Labels, old.Annotations
		same.Spec.NodeSelector, same.Spec.Tolerations = old.Spec.NodeSelector, old.Spec.Tolerations
		same.Spec.SchedulingGates = old.Spec.SchedulingGates
		keepNodeAffinity(&same.Spec, &old.Spec)
		for i := range same.Spec.Containers {
			if i < len(old.Spec.Containers) {
				same.Spec.Containers[i].Resources = old.Spec.Containers[i].Resources
			}
		}
	}
	if !equality.Semantic.DeepEqual(*same, was.Spec.Template) {
		return refusal(now, "Job", "spec.template: Invalid value: field is immutable")
	}
	return nil
}

// keepNodeAffinity gives a spec the node affinity of another.
func keepNodeAffinity(spec, of *corev1.PodSpec) {
	var keep *corev1.NodeAffinity
	if of.Affinity != nil {
		keep = of.Affinity.NodeAffinity
	}
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	spec.Affinity.NodeAffinity = keep
	if *spec.Affinity == (corev1.Affinity{}) && of.Affinity == nil {
		spec.Affinity = nil
	}
}
