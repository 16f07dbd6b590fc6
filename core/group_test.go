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
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

// gangs is a scheduler with pod groups, and with placements where the gates have them.
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

// drawnGang is a gang on a small cluster: how many pods it has and needs, and whether all must be in one zone.
type drawnGang struct {
	pods, need int
	zonal      bool
}

// drawGang adds nodes of one to four cpu, a gang and its pods, which request one to three each.
func drawGang(t *rapid.T, s *core.Scheduler) drawnGang {
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		n := build.Node(fmt.Sprint("n", i), build.NodeLabels("zone", rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone")))
		n.Status.Allocatable = corev1.ResourceList{
			corev1.ResourceCPU:  *resource.NewQuantity(rapid.Int64Range(1, 4).Draw(t, "cpu"), resource.DecimalSI),
			corev1.ResourcePods: resource.MustParse("110"),
		}
		s.Apply(cluster.Event{Object: n})
	}
	g := drawnGang{pods: rapid.IntRange(1, 6).Draw(t, "pods")}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g"}}
	g.need = rapid.IntRange(1, g.pods).Draw(t, "minCount")
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(g.need)}
	if g.zonal = rapid.Bool().Draw(t, "zonal"); g.zonal {
		group.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
			Topology: []schedulingv1beta1.TopologyConstraint{{Key: "zone"}},
		}
	}
	s.Apply(cluster.Event{Object: group})
	for i := range g.pods {
		p := build.Pod(fmt.Sprint("p", i), build.Containers(build.Requests(corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewQuantity(rapid.Int64Range(1, 3).Draw(t, "asks"), resource.DecimalSI),
		})))
		p.Namespace, p.Spec.SchedulerName = "ns", "default-scheduler"
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To("g")}
		s.Apply(cluster.Event{Object: p})
	}
	return g
}

// boundIn is how many pods these effects bind, and in which zones.
func boundIn(s *core.Scheduler, effects []core.Effect) (bound int, zones map[string]bool) {
	zones = map[string]bool{}
	for _, e := range effects {
		if b, is := e.(core.Bind); is {
			bound++
			n, _ := s.State().Snapshot().Node(b.Node)
			zones[n.Labels()["zone"]] = true
		}
	}
	return bound, zones
}

// TestAGroupGetsWhatItNeedsOrNothing draws small clusters and gangs, some with a wish for one zone: minCount pods are
// placed or none, no node is filled beyond what it has, all are in one zone where that is wished for, and a cycle that
// places no pod leaves the nodes as they were.
func TestAGroupGetsWhatItNeedsOrNothing(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s := gangs(t, "GenericWorkload=true,TopologyAwareWorkloadScheduling=true")
		gang := drawGang(t, s)
		before := portrait(s)
		effects, facts, ok := s.Schedule()
		if !ok {
			t.Fatal("the group is not ready")
		}
		bound, zones := boundIn(s, effects)
		c, _ := trace.Fold(facts)
		switch {
		case bound > 0 && bound < gang.need:
			t.Fatalf("%d of %d pods are bound", bound, gang.need)
		case bound == 0 && portrait(s) != before:
			t.Fatalf("nobody is bound, and the nodes went from\n%sto\n%s", before, portrait(s))
		case bound > 0 != (c.Ended.Outcome == trace.Scheduled):
			t.Fatalf("%d pods are bound and the cycle ended %s", bound, c.Ended.Outcome)
		case gang.zonal && len(zones) > 1:
			t.Fatalf("the group is in %d zones", len(zones))
		case len(c.Group.Settled) != gang.pods:
			t.Fatalf("%d of %d members have an end", len(c.Group.Settled), gang.pods)
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
