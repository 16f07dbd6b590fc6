package build

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Crowd is 5,000 nodes in 3 zones with so many pods that a function makes, and as many pods of 50 other apps.
func Crowd(pods int, make func(name, on string) *corev1.Pod) *cluster.State {
	s := cluster.NewState()
	add := func(o cluster.Object) { s.Apply(cluster.Event{Action: cluster.Add, Object: o}) }
	const nodes = 5000
	for i := range nodes {
		name := fmt.Sprintf("node-%d", i)
		add(Node(name, NodeLabels(
			corev1.LabelTopologyZone, fmt.Sprintf("zone-%d", i%3), corev1.LabelHostname, name,
			"kubernetes.io/os", "linux", "pool", "general",
		)))
	}
	for i := range pods {
		add(make(fmt.Sprintf("web-%d", i), fmt.Sprintf("node-%d", i%nodes)))
		add(Pod(
			fmt.Sprintf("other-%d", i), On(fmt.Sprintf("node-%d", (i*7)%nodes)),
			PodLabels("app", fmt.Sprintf("app-%d", i%50)),
		))
	}
	return s
}

// FilterEach is a benchmark that has a plugin filter every node for a pod.
func FilterEach(b *testing.B, plugin framework.FilterPlugin, pod *cluster.Pod, snapshot *cluster.Snapshot) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		check := plugin.PreFilter(pod, snapshot).Check
		for _, node := range snapshot.Nodes {
			if check.Filter(node).Code == trace.Error {
				b.Fatal("error")
			}
		}
	}
}
