package recording_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// TestRecordingIsDecidedAsTheOriginal plays a cluster in which every plugin has something to decide, as it is and as it
// is read back from a redacted recording: every fact of every cycle must be the same.
func TestRecordingIsDecidedAsTheOriginal(t *testing.T) {
	events := contested()
	entries, err := open(t, write(t, recording.Header{Start: morning}, recording.Options{}, events)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var original, read source.Script
	for i, e := range events {
		original = append(original, source.Timed{At: e.at, Event: e.event})
		read = append(read, source.Timed{At: entries[i].At, Event: entries[i].Event})
	}
	want, got := played(original), played(read)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-original +recording):\n%s", diff)
	}
	for _, outcome := range []string{"Successfully assigned", "nodes are available"} {
		if !strings.Contains(want, outcome) {
			t.Errorf("the script shows nothing: no %q in\n%s", outcome, want)
		}
	}
}

// played is every fact of a replay in a simulated world.
func played(script source.Script) string {
	c := config.Default()
	s := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: morning, Seed: 1,
		Detail: trace.Full,
	})
	player := play.NewPlayer(s, play.NewSimulated(), script.Log())
	var b strings.Builder
	for {
		step, ok := player.Step()
		if !ok {
			return b.String()
		}
		for _, f := range step.Facts {
			fmt.Fprintf(&b, "%s\n", f)
		}
	}
}

// contested is nodes and pods that meet taints, ports, affinity, spreading, images, selectors and full nodes.
func contested() []timed {
	var events []timed
	add := func(o cluster.Object) { events = append(events, timed{morning, cluster.Event{Object: o}}) }
	for i := range 9 {
		n := largeNode(i)
		n.Annotations = map[string]string{"note": "private"}
		n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("2")
		if i%3 == 0 {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
		}
		n.Spec.Unschedulable = i == 8
		add(n)
	}
	add(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "team-1"},
		Spec:       corev1.ServiceSpec{ClusterIP: "10.3.3.3", Selector: map[string]string{"app": "web-1"}},
	})
	for i := range 40 {
		p := largePod(i, 0)
		p.Namespace, p.UID, p.Spec.NodeName = fmt.Sprintf("team-%d", i%2), "", ""
		p.Status = corev1.PodStatus{Phase: corev1.PodPending}
		p.Labels["app"] = fmt.Sprintf("web-%d", i%4)
		selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}
		switch i % 6 {
		case 1:
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists})
		case 2:
			p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		case 3:
			build.Apart(corev1.PodAffinityTerm{LabelSelector: selector, TopologyKey: "topology.kubernetes.io/zone"})(p)
		case 4:
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
				{
					MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.DoNotSchedule,
					LabelSelector: selector,
				},
			}
		case 5:
			p.Spec.NodeSelector = map[string]string{"topology.kubernetes.io/zone": "zone-1"}
			p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("1500m")
		}
		add(p)
	}
	return events
}
