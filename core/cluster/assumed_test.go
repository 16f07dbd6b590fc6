package cluster_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// TestAPodStaysAsItWasAssumed checks what a node holds of a pod that the API server shows where it was assumed. In 1.37
// it is the pod as shown, after all others. In 1.19 it is the pod as assumed, without its start time and at its place,
// until the next update.
func TestAPodStaysAsItWasAssumed(t *testing.T) {
	for _, stays := range []bool{false, true} {
		s := cluster.NewStateFor(cluster.Reading{SeenPodStaysAssumed: stays})
		s.Apply(cluster.Event{Action: cluster.Add, Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}})
		seen := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a", UID: "a"}}
		s.Apply(cluster.Event{Action: cluster.Add, Object: seen})
		pod, _ := s.Pod("default/a")
		s.Assume(pod, "n")
		other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "b", UID: "b"}}
		other.Spec.NodeName = "n"
		s.Apply(cluster.Event{Action: cluster.Add, Object: other})

		for update, still := range []bool{stays, false} {
			seen = seen.DeepCopy()
			seen.Spec.NodeName = "n"
			seen.Status.StartTime = &metav1.Time{Time: time.Unix(1, 0)}
			s.Apply(cluster.Event{Action: cluster.Update, Object: seen})
			n, _ := s.Node("n")
			at, started := 1, true
			if still {
				at, started = 0, false
			}
			if len(n.Pods) != 2 || n.Pods[at].UID() != "a" || (n.Pods[at].API.Status.StartTime != nil) != started {
				t.Errorf("stays %t, update %d: %s is at place %d of %d", stays, update, n.Pods[at].UID(), at, len(n.Pods))
			}
			if _, assumed := s.Assumed("default/a"); assumed {
				t.Errorf("stays %t, update %d: still assumed", stays, update)
			}
		}
	}
}
