package generate

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// apps are the values of the app label, with which every selector works.
var apps = []string{"web", "db", "cache"}

func (w *world) namespaces() {
	w.spaces = []string{"default"}
	if w.weights[Namespaces] > 0 {
		w.spaces = append(w.spaces, "team-a", "team-b")
	}
	for _, name := range w.spaces {
		space := &corev1.Namespace{ObjectMeta: w.meta("", name)}
		space.Labels[corev1.LabelMetadataName] = name
		if w.percent(50) {
			space.Labels["team"] = pick(&w.dice, []string{"a", "b"})
		}
		w.add(stored(space))
	}
}

func (w *world) space() string {
	if w.has(Namespaces) {
		return pick(&w.dice, w.spaces)
	}
	return w.spaces[0]
}

// workloads draws what makes default spreading and pod ownership.
func (w *world) workloads() {
	for _, app := range apps {
		if !w.has(Owners) {
			continue
		}
		selector := map[string]string{"app": app}
		switch w.below(4) {
		case 0:
			service := &corev1.Service{ObjectMeta: w.meta(w.space(), app)}
			service.Spec = corev1.ServiceSpec{
				Selector: selector, ClusterIP: corev1.ClusterIPNone, Ports: []corev1.ServicePort{{Port: 80}},
			}
			w.add(stored(service))
		case 1:
			set := &appsv1.ReplicaSet{ObjectMeta: w.meta(w.space(), app)}
			set.Spec = appsv1.ReplicaSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: selector}, Template: template(selector),
			}
			w.add(stored(set))
		case 2:
			set := &appsv1.StatefulSet{ObjectMeta: w.meta(w.space(), app)}
			set.Spec = appsv1.StatefulSetSpec{
				ServiceName: app, Selector: &metav1.LabelSelector{MatchLabels: selector}, Template: template(selector),
			}
			w.add(stored(set))
		default:
			pods := template(selector)
			controller := &corev1.ReplicationController{ObjectMeta: w.meta(w.space(), app)}
			controller.Spec = corev1.ReplicationControllerSpec{Selector: selector, Template: &pods}
			w.add(stored(controller))
		}
	}
}

func template(labels map[string]string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: images[0]}}},
	}
}

// own makes a pod the child of the workload object with its app label, if one
// exists in its namespace.
func (w *world) own(pod *corev1.Pod) {
	controller := true
	for _, object := range w.others {
		var reference metav1.OwnerReference
		switch o := object.(type) {
		case *appsv1.ReplicaSet:
			reference = metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: o.Name, UID: o.UID}
		case *appsv1.StatefulSet:
			reference = metav1.OwnerReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: o.Name, UID: o.UID}
		case *corev1.ReplicationController:
			reference = metav1.OwnerReference{APIVersion: "v1", Kind: "ReplicationController", Name: o.Name, UID: o.UID}
		default:
			continue
		}
		space := object.(metav1.Object).GetNamespace()
		if reference.Name == pod.Labels["app"] && space == pod.Namespace && w.percent(80) {
			reference.Controller, reference.BlockOwnerDeletion = &controller, &controller
			pod.OwnerReferences = []metav1.OwnerReference{reference}
			return
		}
	}
}

// budgets draws disruption budgets, some of them used up.
func (w *world) budgets() {
	for range 3 {
		if !w.has(Budgets) {
			continue
		}
		budget := &policyv1.PodDisruptionBudget{ObjectMeta: w.meta(w.space(), w.name("pdb"))}
		minimum := intstr.FromInt32(1)
		budget.Spec.MinAvailable = &minimum
		budget.Spec.Selector = w.selector()
		if w.percent(8) {
			budget.Spec.Selector = &metav1.LabelSelector{}
		}
		budget.Status.DisruptionsAllowed = int32(w.below(3))
		if len(w.running) > 0 && w.percent(15) {
			budget.Status.DisruptedPods = map[string]metav1.Time{pick(&w.dice, w.running).Name: {Time: epoch}}
		}
		w.add(stored(budget))
	}
}

// selector draws a label selector over pod labels that often matches.
func (w *world) selector() *metav1.LabelSelector {
	switch w.below(5) {
	case 0:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "app", Operator: metav1.LabelSelectorOpIn, Values: some(&w.dice, apps, 2),
		}}}
	case 1:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "app", Operator: pick(&w.dice, []metav1.LabelSelectorOperator{
				metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist,
			}),
		}}}
	case 2:
		return &metav1.LabelSelector{
			MatchLabels: map[string]string{"app": pick(&w.dice, apps)},
			MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: "version", Operator: metav1.LabelSelectorOpNotIn, Values: []string{pick(&w.dice, versions)},
			}},
		}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(&w.dice, apps)}}
}

func quantity(format string, arguments ...any) resource.Quantity {
	return resource.MustParse(fmt.Sprintf(format, arguments...))
}
