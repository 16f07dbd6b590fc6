package play_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// The cluster of scheduler_perf's SchedulingCSIPVs: 5,000 nodes with a CSI driver that takes 39 volumes, and pods with
// a claim each.

const benchPods = 5000

// storedOn makes a script of the nodes, then of the pods with what each needs first.
func storedOn(pods int, needs func(i int) []cluster.Object) source.Script {
	var script source.Script
	add := func(o cluster.Object) {
		script = append(script, source.Timed{At: start, Event: cluster.Event{Object: o}})
	}
	add(class("fast", "csi.example.com", storagev1.VolumeBindingWaitForFirstConsumer))
	for i := range 5000 {
		name := fmt.Sprintf("n%04d", i)
		add(&corev1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name:   name,
				Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprint(i % 3)},
			},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("32Gi"),
				corev1.ResourcePods: resource.MustParse("110"),
			}},
		})
		limit := int32(39)
		add(&storagev1.CSINode{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{
				{Name: "csi.example.com", NodeID: name, Allocatable: &storagev1.VolumeNodeResources{Count: &limit}},
			}},
		})
	}
	for i := range pods {
		name := fmt.Sprintf("p%05d", i)
		var p *corev1.Pod
		if objects := needs(i); len(objects) > 0 {
			for _, o := range objects {
				add(o)
			}
			p = pod(uses(name))
		} else {
			p = pod(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
		}
		p.Name = name
		p.Spec.Containers = []corev1.Container{{
			Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("500Mi"),
			}},
		}}
		add(p)
	}
	return script
}

// boundClaim is a claim with its volume.
func boundClaim(i int) []cluster.Object {
	name := fmt.Sprintf("p%05d", i)
	c := claim(name, "fast")
	c.UID = "uid-" + c.UID
	c.Spec.VolumeName = "pv-" + name
	c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	c.Status.Phase = corev1.ClaimBound
	return []cluster.Object{c, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: "fast", Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")},
			ClaimRef: &corev1.ObjectReference{Namespace: c.Namespace, Name: c.Name, UID: c.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: name},
			},
		},
	}}
}

// Benchmark5000VolumePods places 5,000 pods on 5,000 nodes, which is one operation: without volumes, with a claim that
// is bound, and with one that the simulated provisioner makes a volume for once the node is known.
func Benchmark5000VolumePods(b *testing.B) {
	kinds := []struct {
		name  string
		needs func(i int) []cluster.Object
	}{
		{"none", func(int) []cluster.Object { return nil }},
		{"bound", boundClaim},
		{"first consumer", func(i int) []cluster.Object { return []cluster.Object{claim(fmt.Sprintf("p%05d", i), "fast")} }},
	}
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			for b.Loop() {
				c := config.Default()
				s := core.New(core.Options{
					Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start,
				})
				p := play.NewPlayer(s, play.NewSimulated(), storedOn(benchPods, kind.needs).Log())
				cycles, placed := 0, 0
				var inCycles time.Duration
				for {
					began := time.Now()
					step, ok := p.Step()
					if !ok {
						break
					}
					if step.Kind == play.Tried {
						inCycles += time.Since(began)
						cycles++
					}
					for _, f := range step.Facts {
						if r, is := f.(trace.Recorded); is && r.Reason == "Scheduled" {
							placed++
						}
					}
				}
				if placed != benchPods {
					b.Fatalf("%d pods were placed", placed)
				}
				b.ReportMetric(float64(cycles)/inCycles.Seconds(), "cycles/s")
				var memory runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&memory)
				b.ReportMetric(float64(memory.HeapAlloc)/(1<<20), "MiB")
				runtime.KeepAlive(p)
			}
		})
	}
}
