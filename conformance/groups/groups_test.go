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
	resourcev1 "k8s.io/api/resource/v1"
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
	"github.com/schedstep/schedstep/internal/build"
)

var cases = flag.Uint64("cases", 150, "how many clusters each test draws")

const gates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"

var epoch = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// drawing is a cluster while it is drawn.
type drawing struct {
	*rand.Rand
	groups.Cluster
}

// draw makes a small cluster and a group that waits. With zones, each node is a zone of its own, and the group may want
// to be within one: kube-scheduler tries zones in the order of a map, which then decides only about which zone it
// reports.
func draw(r *rand.Rand, zones bool) groups.Cluster {
	d := &drawing{Rand: r}
	for i := range 1 + r.IntN(4) {
		d.node(fmt.Sprint("n", i), zones)
	}
	members := 1 + r.IntN(5)
	d.train(members, zones)
	all, single := d.group("all", int32(r.IntN(14))), d.group("single", int32(r.IntN(14)))
	all.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
	for i := range r.IntN(7) {
		node := d.Nodes[r.IntN(len(d.Nodes))].Name
		switch r.IntN(4) {
		case 0:
			d.pod(fmt.Sprint("a", i), node, "all", *all.Spec.Priority, 1+r.Int64N(4))
		case 1:
			d.pod(fmt.Sprint("s", i), node, "single", *single.Spec.Priority, 1+r.Int64N(4))
		default:
			d.pod(fmt.Sprint("p", i), node, "", int32(r.IntN(14)), 1+r.Int64N(4))
		}
	}
	for i := range members {
		p := d.pod(fmt.Sprint("t", i), "", "train", 10, 1+r.Int64N(5))
		if r.IntN(6) == 0 {
			build.Apart(corev1.PodAffinityTerm{
				LabelSelector: &metav1.LabelSelector{MatchLabels: build.Labels("app", []string{"t", "p"}[r.IntN(2)])},
				TopologyKey:   corev1.LabelHostname,
			})(p)
		}
	}
	return d.Cluster
}

func (d *drawing) node(name string, zones bool) {
	n := build.Node(name, build.NodeLabels(corev1.LabelHostname, name))
	if zones && d.IntN(5) > 0 {
		n.Labels["rack"] = name
	}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(1+d.Int64N(4), resource.DecimalSI),
		corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	d.Nodes = append(d.Nodes, n)
}

func (d *drawing) group(name string, priority int32) *schedulingv1beta1.PodGroup {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	g.Spec.Priority = ptr.To(priority)
	d.Groups = append(d.Groups, g)
	return g
}

// train is the group that waits.
func (d *drawing) train(members int, zones bool) {
	g := d.group("train", 10)
	if d.IntN(4) > 0 {
		g.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(1 + d.IntN(members))}
	} else {
		g.Spec.SchedulingPolicy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
	}
	if zones && d.IntN(3) > 0 {
		g.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{
			Topology: []schedulingv1beta1.TopologyConstraint{{Key: "rack"}},
		}
	}
}

// pod adds a pod of a group, or of none, that requests cpu times 500 millicores; it started a minute before the pod
// added last.
func (d *drawing) pod(name, node, of string, priority int32, cpu int64) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: name, UID: types.UID(name), Labels: build.Labels("app", name[:1]), ResourceVersion: "1",
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
		p.Status.StartTime = &metav1.Time{Time: epoch.Add(-time.Duration(len(d.Pods)+1) * time.Minute)}
	}
	d.Pods = append(d.Pods, p)
	return p
}

// ours runs the same cycle here; the cycle records what was left to chance.
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
	fill(s, c)
	effects, facts, ok := s.Schedule()
	if !ok {
		t.Fatal("the group is not ready")
	}
	o := groups.Outcome{
		Bound: map[string]string{}, Failed: map[string]string{}, Nominated: map[string]string{}, Claims: map[string]string{},
	}
	for _, claim := range c.Claims {
		o.Claims[claim.Name] = groups.DevicesOf(claim)
	}
	for _, e := range effects {
		switch e := e.(type) {
		case core.Bind:
			o.Bound[e.Pod.Name()] = e.Node
		case core.Write:
			claim := e.Object.(*resourcev1.ResourceClaim)
			o.Claims[claim.Name] = groups.DevicesOf(claim)
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

// fill applies everything in the cluster, the pods last.
func fill(s *core.Scheduler, c groups.Cluster) {
	for _, n := range c.Nodes {
		s.Apply(cluster.Event{Object: n.DeepCopy()})
	}
	for _, g := range c.Groups {
		s.Apply(cluster.Event{Object: g.DeepCopy()})
	}
	for _, o := range c.Classes {
		s.Apply(cluster.Event{Object: o.DeepCopy()})
	}
	for _, o := range c.Slices {
		s.Apply(cluster.Event{Object: o.DeepCopy()})
	}
	for _, claim := range c.Claims {
		s.Apply(cluster.Event{Object: claim.DeepCopy()})
	}
	for _, p := range c.Pods {
		s.Apply(cluster.Event{Object: p.DeepCopy()})
	}
}

// byChance reports whether kube-scheduler leaves the outcome to chance: which of several placements it reports, which
// of equal ones it takes, or where the pods of victims were tried.
func byChance(c *trace.Cycle) bool {
	g := c.Group
	return g.Selected != nil && len(g.Selected.Tied) > 1 || g.Selected == nil && len(g.Placements) > 1
}

// agree counts a cluster, and reports where the two outcomes differ; false: kube-scheduler had none.
func agree(t *testing.T, run *compare.Run, seed uint64, mine, yours groups.Outcome, err error) bool {
	t.Helper()
	run.Tally.Cases++
	run.Tally.Cycles++
	if err != nil {
		t.Errorf("seed %d: %v\nours: %+v", seed, err, mine)
		return false
	}
	if diff := cmp.Diff(yours, mine); diff != "" {
		run.Differences["group"]++
		t.Errorf("seed %d (-kube-scheduler +schedstep):\n%s", seed, diff)
	}
	return true
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
				yours, err := groups.Theirs(c, len(mine.Evicted))
				if !agree(t, &run, seed, mine, yours, err) {
					continue
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
