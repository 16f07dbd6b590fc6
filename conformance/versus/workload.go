package versus

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Workload is what the cluster holds before the measurement and what arrives in it. The shapes are scheduler_perf's:
// nodes of 4 CPUs and 32 GiB in three zones, pods of 100m and 500 MiB.
type Workload struct {
	Name string

	before  int                        // pods on each node
	every   int                        // only every so many nodes has them
	resting func(p *corev1.Pod, i int) // makes a default pod one of those
	service bool                       // a service selects the pods that arrive
	coming  func(p *corev1.Pod)        // makes a default pod one that arrives
	perNode float64                    // at most so many pods arrive for each node; 0: any number
	wave    int                        // pods that arrive together; 0: all
	cycles  int                        // cycles of each pod; the effects of the first are carried out before the second
	nowhere bool                       // the first cycle looks at every node and finds none
}

// Workloads are the rows of the table, each for every number of nodes and both samplings.
func Workloads() []Workload {
	return []Workload{
		{Name: "basic", before: 1, every: 5, cycles: 1},
		{
			Name: "hard anti-affinity", before: 1, every: 5, resting: labelled(hardAntiAffinity),
			coming: hardAntiAffinity, perNode: 0.6, cycles: 1,
		},
		{Name: "soft affinity", before: 1, every: 1, resting: labelled(softAffinity), coming: softAffinity, cycles: 1},
		{Name: "zone spread", before: 1, every: 1, resting: labelled(zoneSpread), coming: zoneSpread, cycles: 1},
		{
			Name: "default spread", before: 1, every: 1, resting: labelled(inService), coming: inService, service: true,
			cycles: 1,
		},
		{Name: "unschedulable", before: 1, every: 5, coming: tooLarge, cycles: 1, nowhere: true},
		{
			Name: "preemption", before: 4, every: 1, resting: lowPriority, coming: highPriority, perNode: 0.5, wave: 1,
			cycles: 2, nowhere: true,
		},
	}
}

// prepared is a workload for a number of nodes: the objects both cores read, made once and changed by neither.
type prepared struct {
	workload Workload
	nodes    []*corev1.Node
	resting  []*corev1.Pod
	services []*corev1.Service
	waves    [][]*corev1.Pod
}

// prepare makes the objects of a row and as many arriving pods as the cycles need.
func (w Workload) prepare(nodes, cycles int) *prepared {
	p := &prepared{workload: w}
	for i := range nodes {
		p.nodes = append(p.nodes, node(i))
		if i%w.every != 0 {
			continue
		}
		for k := range w.before {
			at := pod(fmt.Sprintf("resting-%05d-%d", i, k))
			if w.resting != nil {
				w.resting(at, k)
			}
			at.Spec.NodeName = p.nodes[i].Name
			at.Status = corev1.PodStatus{
				Phase: corev1.PodRunning, StartTime: &metav1.Time{Time: start.Add(-time.Duration(i+k) * time.Minute)},
			}
			p.resting = append(p.resting, at)
		}
	}
	if w.service {
		p.services = append(p.services, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "service", UID: "service", ResourceVersion: "1"},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "served"}},
		})
	}
	pods := w.arrivals(nodes, cycles)
	wave := w.wave
	if wave == 0 {
		wave = pods
	}
	for i := 0; i < pods; i += wave {
		var together []*corev1.Pod
		for k := i; k < min(i+wave, pods); k++ {
			arriving := pod(fmt.Sprintf("coming-%05d", k))
			if w.coming != nil {
				w.coming(arriving)
			}
			together = append(together, arriving)
		}
		p.waves = append(p.waves, together)
	}
	return p
}

// arrivals is how many pods arrive for that many cycles, as far as the nodes have room for them.
func (w Workload) arrivals(nodes, cycles int) int {
	pods := cycles / w.cycles
	if w.perNode > 0 {
		pods = min(pods, int(w.perNode*float64(nodes)))
	}
	return max(pods, 1)
}

// start is the virtual time of the measurement.
var start = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

func node(i int) *corev1.Node {
	name := fmt.Sprintf("node-%05d", i)
	size := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID(name), ResourceVersion: "1",
			Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%3)},
		},
		Status: corev1.NodeStatus{
			Capacity: size, Allocatable: size,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

func pod(name string) *corev1.Pod {
	priority := int32(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: "1",
			CreationTimestamp: metav1.Time{Time: start},
		},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, Priority: &priority,
			Containers: []corev1.Container{{
				Name: "pause", Image: "registry.k8s.io/pause:3.10.2",
				Ports:     []corev1.ContainerPort{{ContainerPort: 80}},
				Resources: corev1.ResourceRequirements{Requests: requests("100m"), Limits: requests("100m")},
			}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func requests(cpu string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("500Mi"),
	}
}

func labelled(shape func(*corev1.Pod)) func(*corev1.Pod, int) {
	return func(p *corev1.Pod, _ int) { shape(p) }
}

func term(key, value, topology string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}, TopologyKey: topology,
		Namespaces: []string{"default", "other"},
	}
}

func hardAntiAffinity(p *corev1.Pod) {
	p.Labels = map[string]string{"color": "green"}
	p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term(
			"color", "green", corev1.LabelHostname,
		)},
	}}
}

func softAffinity(p *corev1.Pod) {
	p.Labels = map[string]string{"color": "red"}
	p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: 1, PodAffinityTerm: term("color", "red", corev1.LabelHostname)},
		},
	}}
}

func zoneSpread(p *corev1.Pod) {
	p.Labels = map[string]string{"color": "blue"}
	p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 5, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"color": "blue"}},
	}}
}

func inService(p *corev1.Pod) { p.Labels = map[string]string{"app": "served"} }

func tooLarge(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = requests("9") }

// lowPriority are pods of three priorities, four of which fill a node.
func lowPriority(p *corev1.Pod, i int) {
	priority := int32(i % 3)
	p.Spec.Priority = &priority
	p.Spec.Containers[0].Resources.Requests = requests("900m")
	p.Labels = map[string]string{"app": "low"}
}

// highPriority has room once three of the four are gone.
func highPriority(p *corev1.Pod) {
	priority := int32(9999)
	p.Spec.Priority = &priority
	p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: requests("3")}
	p.Spec.TerminationGracePeriodSeconds = new(int64)
}
