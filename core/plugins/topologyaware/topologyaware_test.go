package topologyaware_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/topologyaware"
)

// TestAPodOnANodeNobodyDescribedHasNoDomain is what no scenario can reach: worlds delete pods with their nodes.
func TestAPodOnANodeNobodyDescribedHasNoDomain(t *testing.T) {
	s := cluster.NewState()
	api := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g"}}
	api.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
		Topology: []schedulingv1beta1.TopologyConstraint{{Key: "rack"}},
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p"}}
	pod.Spec.NodeName, pod.Spec.SchedulingGroup = "gone", &corev1.PodSchedulingGroup{PodGroupName: ptr.To("g")}
	s.Apply(cluster.Event{Object: api})
	s.Join(s.Apply(cluster.Event{Object: pod})[0].NewPod)
	d := topologyaware.New().Placements(framework.Group{API: api}, s.Snapshot())
	want := `Error: cannot determine domain for already scheduled pods: getting node for pod ns/p: nodeinfo not found for node name "gone"`
	if got := d.Verdict.String(); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
