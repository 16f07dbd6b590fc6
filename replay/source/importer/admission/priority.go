package admission

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// refusal is the API server's answer, and what would make it another.
type refusal struct {
	what  string // the words of the API server
	right phrase.Text
}

func (r refusal) Error() string { return r.what }

func rightOf(err error) phrase.Text {
	var r refusal
	if errors.As(err, &r) {
		return r.right
	}
	return ""
}

// systemClasses are the priority classes every cluster has (apis/scheduling, 1.37).
var systemClasses = []schedulingv1.PriorityClass{
	{ObjectMeta: metav1.ObjectMeta{Name: "system-cluster-critical"}, Value: 2000000000},
	{ObjectMeta: metav1.ObjectMeta{Name: "system-node-critical"}, Value: 2000001000},
}

// class finds a priority class; nil if there is none.
func (a *admission) class(name string) *schedulingv1.PriorityClass {
	for _, class := range a.priorities {
		if class.Name == name {
			return class
		}
	}
	for i := range systemClasses {
		if systemClasses[i].Name == name {
			class := systemClasses[i].DeepCopy()
			class.PreemptionPolicy = ptr.To(corev1.PreemptLowerPriority)
			return class
		}
	}
	return nil
}

// establish resolves a class name as the Priority plugin does: no name means the global default, the lowest of several,
// and without one priority 0.
func (a *admission) establish(name string) (schedulingv1.PriorityClass, error) {
	if name != "" {
		if class := a.class(name); class != nil {
			return *class, nil
		}
		return schedulingv1.PriorityClass{}, refusal{
			what:  fmt.Sprintf("no PriorityClass with name %s was found", name),
			right: "add the PriorityClass to the input",
		}
	}
	best := schedulingv1.PriorityClass{PreemptionPolicy: ptr.To(corev1.PreemptLowerPriority)}
	found := false
	for _, class := range a.priorities {
		if class.GlobalDefault && (!found || class.Value < best.Value) {
			best, found = *class, true
		}
	}
	return best, nil
}

// setPriority is the Priority plugin for pods.
func (a *admission) setPriority(pod *corev1.Pod) error {
	class, err := a.establish(pod.Spec.PriorityClassName)
	if err != nil {
		return err
	}
	if pod.Spec.Priority != nil && *pod.Spec.Priority != class.Value {
		return refusal{
			what: fmt.Sprintf(
				"the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d "+
					"from the given PriorityClass name",
				*pod.Spec.Priority, class.Value,
			),
			right: "name a PriorityClass of that value in priorityClassName",
		}
	}
	if own := pod.Spec.PreemptionPolicy; own != nil && class.PreemptionPolicy != nil && *own != *class.PreemptionPolicy {
		return refusal{
			what: fmt.Sprintf(
				"the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller "+
					"computed %s from the given PriorityClass name",
				*own, *class.PreemptionPolicy,
			),
			right: "name a PriorityClass with that preemptionPolicy",
		}
	}
	pod.Spec.PriorityClassName = class.Name
	pod.Spec.Priority = &class.Value
	pod.Spec.PreemptionPolicy = ptr.To(*class.PreemptionPolicy)
	return nil
}

// podGroup is the Priority plugin for pod groups. The policy of a group is an alpha field and stays as it is written.
func (a *admission) podGroup(group *schedulingv1beta1.PodGroup) error {
	if group.UID != "" {
		return nil
	}
	class, err := a.establish(group.Spec.PriorityClassName)
	if err != nil {
		return err
	}
	if group.Spec.Priority != nil && *group.Spec.Priority != class.Value {
		return refusal{what: fmt.Sprintf(
			"priority set in the pod group (%d) must match the priority computed (%d) based on the priority class set "+
				"in the spec",
			*group.Spec.Priority, class.Value,
		)}
	}
	group.Spec.PriorityClassName = class.Name
	group.Spec.Priority = &class.Value
	return nil
}
