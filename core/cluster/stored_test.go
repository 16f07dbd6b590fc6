package cluster_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// TestStoredObjectsKeepTheirTimesToTheNanosecond packs a pod that began between two whole seconds, as pods of a
// simulated world do: preemption compares these times.
func TestStoredObjectsKeepTheirTimesToTheNanosecond(t *testing.T) {
	began := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 600_000_007, time.UTC))
	whole := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", CreationTimestamp: whole}}
	pod.Status.StartTime = &began
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady}, {LastTransitionTime: began}}

	p := cluster.NewPacker(func(o cluster.Object) cluster.Object { return o })
	again, err := p.Object(pod).Unpack()
	if err != nil {
		t.Fatal(err)
	}
	is, _ := again.(*corev1.Pod)
	if is == nil || !is.Status.StartTime.Equal(&began) || !is.Status.Conditions[1].LastTransitionTime.Equal(&began) ||
		!is.CreationTimestamp.Equal(&whole) || !is.Status.Conditions[0].LastTransitionTime.IsZero() {
		t.Errorf("%v was %v", again, pod)
	}
}

// TestAStoredObjectWithTimesItDoesNotHaveIsRefused keeps a text that was changed from being taken for what it was.
func TestAStoredObjectWithTimesItDoesNotHaveIsRefused(t *testing.T) {
	s := cluster.NewPacker(func(o cluster.Object) cluster.Object { return o }).Object(&corev1.Pod{})
	s.Nanos = []int{3, 5}
	if o, err := s.Unpack(); err == nil {
		t.Errorf("%v was unpacked", o)
	}
}
