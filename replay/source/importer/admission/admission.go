// Package admission does to objects what an API server does before a scheduler sees them. It reads no file, and it does
// nothing that a controller or a kubelet does.
package admission

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// Admit does what an API server (1.37, its default admission plugins) does, as far as scheduling depends on it:
// defaults, priorities, limit ranges, runtime classes, the default tolerations. It fills what is empty, in place. An
// object an API server has handed out, known by its UID or its phase, is only completed; a hand-written one can also be
// refused, and then it is missing from the result and a Problem explains why.
//
// Not done: what controllers and kubelets do (taints of new nodes, hostname labels), service accounts, quotas,
// webhooks, and checks that change no verdict. A namespace that is not among the objects counts as existing.
func Admit(objects []importer.Object, rules Rules) ([]importer.Object, []importer.Problem) {
	a := admission{rules: rules, names: map[importer.Identity]bool{}, named: map[importer.Identity]int{}}
	for _, o := range objects {
		a.setDefaults(o)
	}
	slices.SortStableFunc(a.ranges, func(x, y *corev1.LimitRange) int { return strings.Compare(x.Name, y.Name) })
	var admitted []importer.Object
	for _, o := range objects {
		if a.admit(o) {
			admitted = append(admitted, o)
		}
	}
	return admitted, a.problems
}

// admission holds the objects that decide about others.
type admission struct {
	rules      Rules
	priorities []*schedulingv1.PriorityClass
	runtimes   []*nodev1.RuntimeClass
	storage    []*storagev1.StorageClass
	ranges     []*corev1.LimitRange
	names      map[importer.Identity]bool
	named      map[importer.Identity]int // how many were named after a prefix
	problems   []importer.Problem
}

// setDefaults completes an object by itself and remembers those that decide about others.
func (a *admission) setDefaults(o importer.Object) {
	object, is := o.Object.(cluster.Object)
	if !is {
		return
	}
	if row := cluster.RowOf(cluster.Kind(object.GetObjectKind().GroupVersionKind().Kind)); row != nil && row.Namespaced &&
		object.GetNamespace() == "" {
		object.SetNamespace(metav1.NamespaceDefault)
	}
	if object.GetName() != "" {
		a.names[importer.IdentityOf(object)] = true
	}
	setDefaults(object)
	switch x := object.(type) {
	case *schedulingv1.PriorityClass:
		a.priorities = append(a.priorities, x)
	case *nodev1.RuntimeClass:
		a.runtimes = append(a.runtimes, x)
	case *storagev1.StorageClass:
		a.storage = append(a.storage, x)
	case *corev1.LimitRange:
		a.ranges = append(a.ranges, x)
	}
}

// admit reports whether an object gets in.
func (a *admission) admit(o importer.Object) bool {
	object, is := o.Object.(cluster.Object)
	if !is {
		return true
	}
	a.name(object)
	var err error
	switch x := object.(type) {
	case *corev1.Pod:
		err = a.pod(x, o.Source)
	case *schedulingv1beta1.PodGroup:
		err = a.podGroup(x)
	case *corev1.PersistentVolumeClaim:
		err = a.claim(x)
	}
	if err == nil {
		return true
	}
	kind := strings.ToLower(object.GetObjectKind().GroupVersionKind().Kind)
	a.problems = append(a.problems, importer.Problem{
		Where: o.Source, What: phrase.Textf("%s %q: the API server refuses it: %s", kind, importer.NameOf(object), err),
		Right: rightOf(err),
	})
	return false
}

// name gives an object with a generateName the first free name of the form <generateName>00001, so that every run names
// it alike. API servers take five random letters.
func (a *admission) name(object cluster.Object) {
	if object.GetName() != "" {
		return
	}
	object.SetName(object.GetGenerateName())
	prefix := importer.IdentityOf(object)
	for {
		a.named[prefix]++
		object.SetName(fmt.Sprintf("%s%05d", object.GetGenerateName(), a.named[prefix]))
		if id := importer.IdentityOf(object); !a.names[id] {
			a.names[id] = true
			return
		}
	}
}

// isFresh reports whether no API server has seen a pod yet.
func isFresh(pod *corev1.Pod) bool { return pod.UID == "" && pod.Status.Phase == "" }

// pod goes through the steps in the API server's order: mutating plugins, the pod's strategy, validation, validating
// plugins.
func (a *admission) pod(pod *corev1.Pod, source string) error {
	if !isFresh(pod) {
		a.complete(pod, source)
		return nil
	}
	ranges := a.rangesOf(pod.Namespace)
	for _, r := range ranges {
		fillFromRange(pod, r)
	}
	if err := a.setPriority(pod); err != nil {
		return err
	}
	addTolerations(pod)
	runtime, err := a.setRuntime(pod)
	if err != nil {
		return err
	}
	mergeLabelKeys(pod)
	fillPodResources(pod)
	pod.Status.Phase = corev1.PodPending
	if err := checkRequests(pod); err != nil {
		return err
	}
	if err := checkPodResources(pod); err != nil {
		return err
	}
	if err := a.rules.checkTolerations(pod); err != nil {
		return err
	}
	for _, r := range ranges {
		if err := checkRange(pod, r); err != nil {
			return err
		}
	}
	return checkOverhead(pod, runtime)
}

// complete fills the priority of a pod whose dump lost it. Its class was there when the pod was created.
func (a *admission) complete(pod *corev1.Pod, source string) {
	if pod.Spec.Priority != nil || pod.Spec.PriorityClassName == "" {
		return
	}
	class := a.class(pod.Spec.PriorityClassName)
	if class == nil {
		a.problems = append(a.problems, importer.Problem{
			Severity: importer.Warning, Where: source,
			What: phrase.Textf(
				"pod %q: it has no priority, and no PriorityClass %q tells it; it counts as 0", importer.NameOf(pod),
				pod.Spec.PriorityClassName,
			),
			Right: "add the PriorityClass to the input",
		})
		return
	}
	pod.Spec.Priority = ptr.To(class.Value)
	if pod.Spec.PreemptionPolicy == nil && class.PreemptionPolicy != nil {
		pod.Spec.PreemptionPolicy = ptr.To(*class.PreemptionPolicy)
	}
}

func (a *admission) rangesOf(namespace string) []*corev1.LimitRange {
	var list []*corev1.LimitRange
	for _, r := range a.ranges {
		if r.Namespace == namespace {
			list = append(list, r)
		}
	}
	return list
}

// addTolerations lets a pod stay five minutes on a node that fails (DefaultTolerationSeconds, 1.37).
func addTolerations(pod *corev1.Pod) {
	tolerated := pod.Spec.Tolerations
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		covers := func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		}
		if !slices.ContainsFunc(tolerated, covers) {
			seconds := int64(300)
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
}

// claim gives a hand-written claim the default storage class: the newest of several, then the first by name
// (DefaultStorageClass, 1.37).
func (a *admission) claim(claim *corev1.PersistentVolumeClaim) error {
	if claim.UID == "" && claim.Spec.StorageClassName == nil &&
		claim.Annotations[corev1.BetaStorageClassAnnotation] == "" && claim.Spec.VolumeName == "" {
		if class := a.defaultStorage(); class != nil {
			claim.Spec.StorageClassName = &class.Name
		}
	}
	if claim.UID != "" {
		return nil
	}
	for _, r := range a.rangesOf(claim.Namespace) {
		if err := checkClaim(claim, r); err != nil {
			return err
		}
	}
	return nil
}

func (a *admission) defaultStorage() *storagev1.StorageClass {
	var best *storagev1.StorageClass
	for _, class := range a.storage {
		if !cluster.IsDefaultClass(class) {
			continue
		}
		newer := best != nil && class.CreationTimestamp.After(best.CreationTimestamp.Time)
		twin := best != nil && class.CreationTimestamp.Equal(&best.CreationTimestamp)
		if best == nil || newer || twin && class.Name < best.Name {
			best = class
		}
	}
	return best
}
