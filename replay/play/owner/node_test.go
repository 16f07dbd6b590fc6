package owner_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/replay/play/owner"
)

func TestANewNodeHasNothingOfTheMachineThatItIsLike(t *testing.T) {
	old := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "1", OwnerReferences: []metav1.OwnerReference{{Name: "machine"}}},
		Spec: corev1.NodeSpec{ProviderID: "aws:///1", Unschedulable: true, Taints: []corev1.Taint{
			{Key: corev1.TaintNodeUnschedulable}, {Key: corev1.TaintNodeNotReady}, {Key: "mine"},
		}},
		Status: corev1.NodeStatus{
			Images: []corev1.ContainerImage{{}}, VolumesInUse: []corev1.UniqueVolumeName{"v"},
			Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionUnknown},
				{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue},
			},
		},
	}
	n := owner.NodeLike(old, "n2", nil)
	ready, pressure := n.Status.Conditions[0].Status, n.Status.Conditions[1].Status
	if n.Labels[corev1.LabelHostname] != "n2" || n.UID != "" || len(n.OwnerReferences)+len(n.Status.Images) > 0 ||
		n.Spec.ProviderID != "" || n.Spec.Unschedulable || len(n.Spec.Taints) != 1 || n.Spec.Taints[0].Key != "mine" ||
		len(n.Status.VolumesInUse) > 0 || ready != corev1.ConditionTrue || pressure != corev1.ConditionFalse {
		t.Errorf("%+v", n)
	}
	if old.Name != "n1" || len(old.Status.Images) != 1 || len(old.Spec.Taints) != 3 {
		t.Errorf("the other one has changed: %+v", old)
	}
}
