package templates

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

// workload is what all kinds of workloads have in common.
type workload struct {
	object                cluster.Object
	source                string
	kind, namespace, name string
	template              *corev1.PodTemplateSpec
	selector              labels.Selector
	want                  int    // pods; of a DaemonSet the nodes decide
	applied               bool   // an API server has seen it
	scheduled             bool   // a scheduler reads the object itself
	refused               string // why an API server does not store it; "": it does, or has
}

// workloadOf is nil for an object that is none.
func workloadOf(object cluster.Object) *workload {
	w := &workload{object: object}
	var selector *metav1.LabelSelector
	var status any
	switch x := object.(type) {
	case *appsv1.Deployment:
		w.template, selector, status = &x.Spec.Template, x.Spec.Selector, x.Status
		w.want = int(ptr.Deref(x.Spec.Replicas, 1))
	case *appsv1.ReplicaSet:
		w.template, selector, status = &x.Spec.Template, x.Spec.Selector, x.Status
		w.want, w.scheduled = int(ptr.Deref(x.Spec.Replicas, 1)), true
	case *appsv1.StatefulSet:
		w.template, selector, status = &x.Spec.Template, x.Spec.Selector, x.Status
		w.want, w.scheduled = int(ptr.Deref(x.Spec.Replicas, 1)), true
	case *corev1.ReplicationController:
		w.template, status = x.Spec.Template, x.Status
		w.want, w.scheduled = int(ptr.Deref(x.Spec.Replicas, 1)), true
		if len(x.Spec.Selector) > 0 {
			selector = &metav1.LabelSelector{MatchLabels: x.Spec.Selector}
		}
	case *appsv1.DaemonSet:
		w.template, selector, status = &x.Spec.Template, x.Spec.Selector, x.Status
	case *batchv1.Job:
		w.template, selector, status = &x.Spec.Template, x.Spec.Selector, x.Status
		w.want = podsOfJob(&x.Spec, &x.Status)
	case *batchv1.CronJob:
		w.template, status = &x.Spec.JobTemplate.Spec.Template, x.Status
		w.want = podsOfRun(x)
	default:
		return nil
	}
	w.kind, w.name = object.GetObjectKind().GroupVersionKind().Kind, object.GetName()
	if w.name == "" {
		w.name = object.GetGenerateName() + "00001"
	}
	w.namespace = namespaceOf(object)
	w.selector = w.selectorOf(selector)
	w.applied = object.GetUID() != "" || object.GetResourceVersion() != "" || !reflect.ValueOf(status).IsZero()
	if w.template != nil && !w.applied {
		w.refused = w.unselected(selector)
	}
	return w
}

// unselected is the API server's message about a selector that is missing or does not select the pods of the template;
// "" where it has none (pkg/apis/apps/validation and pkg/apis/core/validation, 1.37). The selector of a Job and that of
// a ReplicationController without one are made by the API server.
func (w *workload) unselected(written *metav1.LabelSelector) string {
	switch w.kind {
	case "Job", "CronJob":
		return ""
	case "ReplicationController":
		if written == nil && len(w.template.Labels) > 0 {
			return ""
		}
	}
	switch {
	case written == nil:
		return "spec.selector: Required value"
	case len(written.MatchLabels)+len(written.MatchExpressions) == 0:
		return "spec.selector: Invalid value: {}: empty selector is invalid"
	case !w.selector.Matches(labels.Set(w.template.Labels)):
		return "spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`"
	}
	return ""
}

// selectorOf matches nothing where it cannot be read. That of a ReplicationController is the template's labels where it
// is left out. Manifests of old versions have got theirs when they were decoded.
func (w *workload) selectorOf(written *metav1.LabelSelector) labels.Selector {
	if written == nil && w.template != nil && len(w.template.Labels) > 0 && w.kind == "ReplicationController" {
		return labels.SelectorFromSet(w.template.Labels)
	}
	selector, err := metav1.LabelSelectorAsSelector(written)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// podsOfJob is how many pods of a Job run at once.
func podsOfJob(spec *batchv1.JobSpec, status *batchv1.JobStatus) int {
	if ptr.Deref(spec.Suspend, false) {
		return 0
	}
	for i := range status.Conditions {
		c := &status.Conditions[i]
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return 0
		}
	}
	parallel := int(ptr.Deref(spec.Parallelism, 1))
	if spec.Completions == nil {
		return parallel
	}
	return min(parallel, max(int(*spec.Completions)-int(status.Succeeded), 0))
}

// podsOfRun is how many pods one run of a CronJob has at once. The runs of one that was applied come by its schedule:
// none of them is missing.
func podsOfRun(c *batchv1.CronJob) int {
	if ptr.Deref(c.Spec.Suspend, false) || c.UID != "" {
		return 0
	}
	return podsOfJob(&c.Spec.JobTemplate.Spec, &batchv1.JobStatus{})
}

func namespaceOf(object cluster.Object) string {
	if object.GetNamespace() == "" {
		return metav1.NamespaceDefault
	}
	return object.GetNamespace()
}

func labelsOf(pod *corev1.Pod) labels.Set { return labels.Set(pod.Labels) }
