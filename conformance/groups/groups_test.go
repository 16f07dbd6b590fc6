package groups_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/groups"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

var cases = flag.Uint64("cases", 150, "how many clusters each test draws")

const gates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"

var epoch = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// draw makes a small cluster and a group that waits. With zones, each node is a zone of its own, and the group may want
// to be within one: kube-scheduler tries zones in the order of a map, which then makes no difference but to whom it
// tells of.
func draw(r *rand.Rand, zones bool) groups.Cluster {
	var c groups.Cluster
	for i := range 1 + r.IntN(4) {
		name := fmt.Sprint("n", i)
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
		if zones && r.IntN(5) > 0 {
			n.Labels["rack"] = name
		}
		n.Status.Allocatable = corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewQuantity(1+r.Int64N(4), resource.DecimalSI),
			corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
		}
		c.Nodes = append(c.Nodes, n)
	}
	members := 1 + r.IntN(5)
	group := func(name string, priority int32) *schedulingv1beta1.PodGroup {
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
		g.Spec.Priority = ptr.To(priority)
		c.Groups = append(c.Groups, g)
		return g
	}
	g := group("train", 10)
	if r.IntN(4) > 0 {
		g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(1 + r.IntN(members))}
	} else {
		g.Spec.SchedulingPolicy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
	}
	if zones && r.IntN(3) > 0 {
		g.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
			Topology: []schedulingv1beta1.TopologyConstraint{{Key: "rack"}},
		}
	}
	others := []*schedulingv1beta1.PodGroup{group("all", int32(r.IntN(14))), group("single", int32(r.IntN(14)))}
	others[0].Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
	pod := func(name, node, of string, priority int32, cpu int64) {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: name, UID: types.UID(name), Labels: map[string]string{"app": name[:1]},
			ResourceVersion: "1",
		}}
		p.Spec = corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, NodeName: node, Priority: &priority, Containers: []corev1.Container{{
				Name: "c", Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(500*cpu, resource.DecimalSI)},
				},
			}},
		}
		if of != "" {
			p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &of}
		}
		if node != "" {
			p.Status.StartTime = &metav1.Time{Time: epoch.Add(-time.Duration(len(c.Pods)+1) * time.Minute)}
		}
		c.Pods = append(c.Pods, p)
	}
	for i := range r.IntN(7) {
		node := c.Nodes[r.IntN(len(c.Nodes))].Name
		switch r.IntN(4) {
		case 0:
			pod(fmt.Sprint("a", i), node, "all", *others[0].Spec.Priority, 1+r.Int64N(4))
		case 1:
			pod(fmt.Sprint("s", i), node, "single", *others[1].Spec.Priority, 1+r.Int64N(4))
		default:
			pod(fmt.Sprint("p", i), node, "", int32(r.IntN(14)), 1+r.Int64N(4))
		}
	}
	for i := range members {
		pod(fmt.Sprint("t", i), "", "train", 10, 1+r.Int64N(5))
		p := c.Pods[len(c.Pods)-1]
		if r.IntN(6) == 0 {
			p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": []string{"t", "p"}[r.IntN(2)]}},
				TopologyKey:   corev1.LabelHostname,
			}}}}
		}
	}
	return c
}

// ours runs the same cycle here; the cycle tells what was left to chance.
func ours(t *testing.T, c groups.Cluster) (groups.Outcome, *trace.Cycle) {
	t.Helper()
	g, err := config.ParseGates(gates)
	if err != nil {
		t.Fatal(err)
	}
	made := config.DefaultWith(config.Options{Gates: g})
	s := core.New(core.Options{
		Profiles: made.Profiles, InitialBackoff: made.InitialBackoff, MaxBackoff: made.MaxBackoff, Groups: made.Groups,
		Start: epoch, Detail: trace.Summary,
	})
	for _, n := range c.Nodes {
		s.Apply(cluster.Event{Object: n.DeepCopy()})
	}
	for _, g := range c.Groups {
		s.Apply(cluster.Event{Object: g.DeepCopy()})
	}
	for _, p := range c.Pods {
		s.Apply(cluster.Event{Object: p.DeepCopy()})
	}
	effects, facts, ok := s.Schedule()
	if !ok {
		t.Fatal("the group is not ready")
	}
	o := groups.Outcome{Bound: map[string]string{}, Failed: map[string]string{}, Nominated: map[string]string{}}
	for _, e := range effects {
		switch e := e.(type) {
		case core.Bind:
			o.Bound[e.Pod.Name()] = e.Node
		case core.Evict:
			o.Evicted = append(o.Evicted, e.Pod.Name())
		case core.Report:
			if e.Reason == "FailedScheduling" {
				o.Failed[e.Pod.Name()] = e.Message
			}
		case core.Conclude:
			status := "False"
			if e.True {
				status = "True"
			}
			o.Condition = strings.TrimSpace(fmt.Sprintf("%s %s: %s", status, e.Reason, e.Message))
		}
	}
	cycle, _ := trace.Fold(facts)
	for _, m := range cycle.Group.Settled {
		if m.NominatedNode != "" {
			o.Nominated[m.Pod.Name] = m.NominatedNode
		}
	}
	slices.Sort(o.Evicted)
	return o, cycle
}

// byChance says whether kube-scheduler leaves to chance what the outcome is: which of several placements it tells of,
// which of equal ones it takes, or where the pods of victims were tried.
func byChance(c *trace.Cycle) bool {
	g := c.Group
	return g.Selected != nil && len(g.Selected.Tied) > 1 || g.Selected == nil && len(g.Placements) > 1
}

func TestGroupsEndAsInKubeScheduler(t *testing.T) {
	if err := groups.Gates(gates); err != nil {
		t.Fatal(err)
	}
	for _, zones := range []bool{false, true} {
		t.Run(fmt.Sprint("zones=", zones), func(t *testing.T) {
			run := compare.Run{Test: t.Name(), To: int(*cases), Differences: map[string]int{}}
			kinds := map[trace.Outcome]int{}
			evicting, chance := 0, 0
			for seed := range *cases {
				c := draw(rand.New(rand.NewPCG(seed, 1)), zones)
				mine, cycle := ours(t, c)
				if byChance(cycle) {
					chance++
					continue
				}
				run.Tally.Cases++
				run.Tally.Cycles++
				yours, err := groups.Theirs(c, len(mine.Evicted))
				if err != nil {
					t.Errorf("seed %d: %v\nours: %+v", seed, err, mine)
					continue
				}
				if diff := cmp.Diff(yours, mine); diff != "" {
					run.Differences["group"]++
					t.Errorf("seed %d (-kube-scheduler +schedstep):\n%s", seed, diff)
				}
				kinds[cycle.Ended.Outcome]++
				if len(mine.Evicted) > 0 {
					evicting++
				}
			}
			if err := run.Save(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %d with evictions, %d left to chance", kinds, evicting, chance)
			if kinds[trace.Scheduled] == 0 || kinds[trace.NotSchedulable] == 0 || evicting == 0 && !zones {
				t.Errorf("the clusters show too little: %v, %d with evictions", kinds, evicting)
			}
		})
	}
}
