package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
)

// gangs is a scheduler with pod groups, placements included when asked for.
func gangs(t interface{ Fatal(...any) }, gates string) *core.Scheduler {
	g, err := config.ParseGates(gates)
	if err != nil {
		t.Fatal(err)
	}
	c := config.DefaultWith(config.Options{Gates: g})
	return core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff,
		Groups: c.Groups, Start: time.Unix(1e9, 0),
		Detail: trace.Summary,
	})
}

// portrait is what the nodes of a scheduler hold.
func portrait(s *core.Scheduler) string {
	var b strings.Builder
	for _, n := range s.State().Snapshot().Nodes {
		fmt.Fprintf(&b, "%s %v %d %d %d:", n.Name, n.Requested, n.NonZeroCPU, n.NonZeroMem, len(n.Sets))
		for _, p := range n.Pods {
			b.WriteString(" " + p.Key)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestAGroupGetsWhatItNeedsOrNothing draws small clusters and gangs, some with a wish for one zone: minCount pods are
// placed or none, no node is filled beyond what it has, all are in one zone where that is wished for, and a cycle that
// places nobody leaves the nodes as they were.
func TestAGroupGetsWhatItNeedsOrNothing(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s := gangs(t, "GenericWorkload=true,TopologyAwareWorkloadScheduling=true")
		nodes := rapid.IntRange(1, 5).Draw(t, "nodes")
		for i := range nodes {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
				Name:   fmt.Sprint("n", i),
				Labels: map[string]string{"zone": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone")},
			}}
			n.Status.Allocatable = corev1.ResourceList{
				corev1.ResourceCPU:  *resource.NewQuantity(rapid.Int64Range(1, 4).Draw(t, "cpu"), resource.DecimalSI),
				corev1.ResourcePods: resource.MustParse("110"),
			}
			s.Apply(cluster.Event{Object: n})
		}
		pods := rapid.IntRange(1, 6).Draw(t, "pods")
		group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g"}}
		need := rapid.IntRange(1, pods).Draw(t, "minCount")
		group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(need)}
		zonal := rapid.Bool().Draw(t, "zonal")
		if zonal {
			group.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
				Topology: []schedulingv1beta1.TopologyConstraint{{Key: "zone"}},
			}
		}
		s.Apply(cluster.Event{Object: group})
		for i := range pods {
			p := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("p", i), UID: types.UID(fmt.Sprint("p", i))},
			}
			p.Spec.SchedulerName, p.Spec.SchedulingGroup = "default-scheduler", &corev1.PodSchedulingGroup{PodGroupName: ptr.To(
				"g",
			)}
			p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: *resource.NewQuantity(rapid.Int64Range(1, 3).Draw(t, "asks"), resource.DecimalSI),
			}}}}
			s.Apply(cluster.Event{Object: p})
		}
		before := portrait(s)
		effects, facts, ok := s.Schedule()
		if !ok {
			t.Fatal("the group is not ready")
		}
		zones := map[string]bool{}
		bound := 0
		for _, e := range effects {
			if b, is := e.(core.Bind); is {
				bound++
				n, _ := s.State().Snapshot().Node(b.Node)
				zones[n.Labels()["zone"]] = true
			}
		}
		c, _ := trace.Fold(facts)
		switch {
		case bound > 0 && bound < need:
			t.Fatalf("%d of %d pods are bound", bound, need)
		case bound == 0 && portrait(s) != before:
			t.Fatalf("nobody is bound, and the nodes went from\n%sto\n%s", before, portrait(s))
		case bound > 0 != (c.Ended.Outcome == trace.Scheduled):
			t.Fatalf("%d pods are bound and the cycle ended %s", bound, c.Ended.Outcome)
		case zonal && len(zones) > 1:
			t.Fatalf("the group is in %d zones", len(zones))
		case len(c.Group.Settled) != pods:
			t.Fatalf("%d of %d members have an end", len(c.Group.Settled), pods)
		}
		for _, n := range s.State().Snapshot().Nodes {
			if n.Requested.MilliCPU > n.Allocatable.MilliCPU {
				t.Fatalf("%s has %d of %d millicores in use", n.Name, n.Requested.MilliCPU, n.Allocatable.MilliCPU)
			}
		}
		if err := s.Queue().Check(); err != nil {
			t.Fatal(err)
		}
	})
}
