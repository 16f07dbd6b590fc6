package core_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
)

// load is pods of which cycles are measured. i is the number of the pod.
type load struct {
	name   string
	flat   bool // no default spread constraints, so that pods are signed and scores of a batch used again
	change func(i int, p *corev1.Pod)
}

func milliCPU(p *corev1.Pod, n int) {
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(n), resource.DecimalSI)
}

var loads = []load{
	{name: "alike", change: func(int, *corev1.Pod) {}},
	{name: "hundred-templates", change: func(i int, p *corev1.Pod) { milliCPU(p, 10+i%100) }},
	{name: "all-different", change: func(i int, p *corev1.Pod) { milliCPU(p, 10+i) }},
	{name: "default-spread", change: func(_ int, p *corev1.Pod) { p.Labels["app"] = "service" }},
	{name: "zone-spread", change: func(_ int, p *corev1.Pod) {
		p.Labels["app"] = "a"
		spreads(p, corev1.LabelTopologyZone, corev1.DoNotSchedule)
	}},
	{name: "hard-anti-affinity", change: func(_ int, p *corev1.Pod) {
		p.Labels["app"] = "b"
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{near(corev1.LabelHostname)},
		}}
	}},
	{name: "unschedulable", change: func(_ int, p *corev1.Pod) { milliCPU(p, 50000) }},
	{name: "preemption", change: func(_ int, p *corev1.Pod) {
		p.Spec.Priority = ptr.To[int32](10)
		milliCPU(p, 3000)
	}},
	{name: "batch-small", flat: true, change: func(int, *corev1.Pod) {}},
	{name: "batch-saturating", flat: true, change: func(_ int, p *corev1.Pod) { milliCPU(p, 3000) }},
}

// BenchmarkAlike is cycles without the arrival of their pods, which are mostly of one template; without columns it is
// what they would cost if nothing were kept.
func BenchmarkAlike(b *testing.B) {
	for _, of := range loads {
		for _, nodes := range []int{10, 5000} {
			for _, percentage := range []int32{0, 100} {
				for _, d := range []trace.Detail{trace.Summary, trace.Full} {
					for name, use := range map[string]core.Columns{"columns": core.ColumnsOn, "without": core.ColumnsOff} {
						b.Run(fmt.Sprintf("%s/nodes=%d/percent=%d/%s/%s", of.name, nodes, percentage, d, name), func(b *testing.B) {
							benchLoad(b, &of, nodes, percentage, core.Options{Detail: d, Columns: use})
						})
					}
				}
			}
		}
	}
}

func benchLoad(b *testing.B, of *load, nodes int, percentage int32, o core.Options) {
	with := config.Options{Percentage: &percentage}
	c := config.DefaultWith(with)
	if of.flat {
		var err error
		if c, err = config.LoadWith([]byte(flat), "flat", with); err != nil {
			b.Fatal(err)
		}
	}
	o.Profiles, o.InitialBackoff, o.MaxBackoff, o.Start = c.Profiles, c.InitialBackoff, c.MaxBackoff, time.Unix(1e9, 0)
	s := core.New(o)
	add := func(o cluster.Object) { s.Apply(cluster.Event{Action: cluster.Add, Object: o}) }
	add(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "default"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "service"}},
	})
	for i := range nodes {
		add(benchNode(i))
		for k := range 4 {
			if of.name == "preemption" {
				p := benchPod(4*i + k)
				milliCPU(p, 900)
				p.Name, p.Spec.NodeName, p.Spec.Priority = "low-"+p.Name, fmt.Sprintf("n%04d", i), ptr.To[int32](0)
				add(p)
			}
		}
	}
	for i := range b.N + 2 {
		p := benchPod(i)
		of.change(i, p)
		add(p)
	}
	s.Schedule()
	s.Schedule() // the second pod of a template fills its column
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		effects, _, ok := s.Schedule()
		if !ok {
			b.Fatal("nothing to schedule")
		}
		for _, e := range effects {
			if evict, is := e.(core.Evict); is {
				b.StopTimer()
				s.Apply(cluster.Event{Action: cluster.Delete, Object: evict.Pod.API})
				b.StartTimer()
			}
		}
	}
}
