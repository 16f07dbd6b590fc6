package plays

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/source"
)

var opening = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// apps have a budget each at most: where several protect one pod, upstream checks them in the order of a map.
var apps = []string{"web", "db", "job", ""}

// crowd draws one cluster.
type crowd struct {
	*rand.Rand
	play  compare.Play
	nodes int
}

// Crowded is a full cluster, into which more important pods come one after the other.
func Crowded(seed int, gates config.Gates) (compare.Play, error) {
	c := &crowd{
		Rand: rand.New(rand.NewPCG(uint64(seed), 7)),
		play: compare.Play{Start: opening, Confirm: seed % 3, Gates: gates},
	}
	c.nodes = 1 + c.IntN(7)
	for i := range c.nodes {
		c.add(0, c.node(i))
	}
	for _, app := range apps[:c.IntN(3)] {
		c.add(0, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app, UID: types.UID("budget-" + app)},
			Spec: policyv1.PodDisruptionBudgetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
			},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(c.IntN(3))},
		})
	}
	for i := range c.nodes * (1 + c.IntN(6)) {
		c.add(0, c.placed(i))
	}
	for i := range 2 + c.IntN(6) {
		c.add(time.Duration(1+i*c.IntN(20))*time.Second, c.pod(fmt.Sprint("new-", i), c.IntN(12)))
	}
	return c.play, nil
}

func (c *crowd) add(after time.Duration, o cluster.Object) {
	at := opening.Add(after)
	if last := len(c.play.Script); last > 0 && c.play.Script[last-1].At.After(at) {
		at = c.play.Script[last-1].At
	}
	c.play.Script = append(c.play.Script, source.Timed{At: at, Event: cluster.Event{Action: cluster.Add, Object: o}})
}

func (c *crowd) node(i int) *corev1.Node {
	name := fmt.Sprint("n", i)
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprint("z", i%2),
		}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewQuantity(int64(2+c.IntN(4)), resource.DecimalSI),
			corev1.ResourceMemory: resource.MustParse("8Gi"),
			corev1.ResourcePods:   *resource.NewQuantity(int64(3+c.IntN(8)), resource.DecimalSI),
		}},
	}
	if c.IntN(6) == 0 {
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
	}
	return n
}

// placed is a pod on a node, started at one of few moments, or not at all.
func (c *crowd) placed(i int) *corev1.Pod {
	p := c.pod(fmt.Sprint("old-", i), c.IntN(8))
	p.Spec.NodeName = fmt.Sprint("n", c.IntN(c.nodes))
	if c.IntN(5) > 0 {
		p.Status.StartTime = &metav1.Time{Time: opening.Add(-time.Duration(1+c.IntN(4)) * time.Hour)}
	}
	if c.IntN(12) == 0 {
		p.DeletionTimestamp = &metav1.Time{Time: opening.Add(time.Hour)}
		p.Finalizers = []string{"example.com/slow"}
	}
	return p
}

func (c *crowd) pod(name string, priority int) *corev1.Pod {
	weight := int32(priority) - 2
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: "1"},
		Spec: corev1.PodSpec{SchedulerName: corev1.DefaultSchedulerName, Priority: &weight, Containers: []corev1.Container{{
			Name: "c", Image: "image", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: *resource.NewMilliQuantity(int64(500*c.IntN(6)), resource.DecimalSI),
			}},
		}}},
	}
	if app := apps[c.IntN(len(apps))]; app != "" {
		p.Labels = map[string]string{"app": app}
	}
	seconds := int64(c.IntN(3) * 5)
	p.Spec.TerminationGracePeriodSeconds = &seconds
	c.wish(&p.Spec)
	return p
}

// wish gives some pods affinity or spreading terms about the others.
func (c *crowd) wish(spec *corev1.PodSpec) {
	selects := &metav1.LabelSelector{MatchLabels: map[string]string{"app": apps[c.IntN(3)]}}
	term := []corev1.PodAffinityTerm{
		{LabelSelector: selects, TopologyKey: []string{corev1.LabelHostname, corev1.LabelTopologyZone}[c.IntN(2)]},
	}
	switch c.IntN(12) {
	case 0:
		spec.Affinity = &corev1.Affinity{
			PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term},
		}
	case 1:
		spec.Affinity = &corev1.Affinity{
			PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term},
		}
	case 2:
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: term[0].TopologyKey, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selects},
		}
	case 3:
		spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
	case 4:
		never := corev1.PreemptNever
		spec.PreemptionPolicy = &never
	}
}
