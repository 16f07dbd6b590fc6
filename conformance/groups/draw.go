package groups

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/build"
)

// Epoch is when the cycle of a drawn cluster runs.
var Epoch = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// drawing is a cluster while it is drawn.
type drawing struct {
	*rand.Rand
	Cluster
}

// Draw makes a small cluster and a group that waits. With zones, each node is a zone of its own, and the group may want
// to be within one: kube-scheduler tries zones in the order of a map, which then decides only about which zone it
// reports.
func Draw(r *rand.Rand, zones bool) Cluster {
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
		p.Status.StartTime = &metav1.Time{Time: Epoch.Add(-time.Duration(len(d.Pods)+1) * time.Minute)}
	}
	d.Pods = append(d.Pods, p)
	return p
}
