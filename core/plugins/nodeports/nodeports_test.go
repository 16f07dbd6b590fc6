package nodeports_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/nodeports"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func tcp(port int32) corev1.ContainerPort { return corev1.ContainerPort{HostPort: port} }

func at(ip string, protocol corev1.Protocol, port int32) corev1.ContainerPort {
	return corev1.ContainerPort{HostIP: ip, Protocol: protocol, HostPort: port}
}

func pod(name, node string, ports ...corev1.ContainerPort) *corev1.Pod {
	return build.Pod(name, build.On(node), build.Containers(corev1.Container{Ports: ports}))
}

func study(s *cluster.State, p *corev1.Pod) framework.Study {
	return nodeports.New().PreFilter(s.ParsePod(p), s.Snapshot())
}

const rejected = "Unschedulable: node(s) didn't have free ports for the requested pod ports"

var ports = []struct {
	name     string
	taken    []cluster.Object
	want     []corev1.ContainerPort
	verdict  string
	evidence []string
}{
	{"a free port", []cluster.Object{pod("a", "n", tcp(80))}, []corev1.ContainerPort{tcp(81)}, "Success", nil},
	{
		"a taken port",
		[]cluster.Object{pod("idle", "n"), pod("a", "n", tcp(443)), pod("b", "n", tcp(80))},
		[]corev1.ContainerPort{tcp(80)},
		rejected,
		[]string{"host port: wants 80/TCP, used 80/TCP; by default/b"},
	},
	{
		"another protocol",
		[]cluster.Object{pod("a", "n", at("", corev1.ProtocolUDP, 80))},
		[]corev1.ContainerPort{tcp(80)},
		"Success", nil,
	},
	{
		"another address",
		[]cluster.Object{pod("a", "n", at("10.0.0.1", "", 80))},
		[]corev1.ContainerPort{at("10.0.0.2", "", 80)},
		"Success", nil,
	},
	{
		"one address against all",
		[]cluster.Object{pod("a", "n", at("10.0.0.1", "", 80))},
		[]corev1.ContainerPort{tcp(80)},
		rejected,
		[]string{"host port: wants 80/TCP, used 10.0.0.1:80/TCP; by default/a"},
	},
	{
		"all addresses against one",
		[]cluster.Object{pod("a", "n", tcp(80))},
		[]corev1.ContainerPort{at("10.0.0.1", "", 80)},
		rejected,
		[]string{"host port: wants 10.0.0.1:80/TCP, used 80/TCP; by default/a"},
	},
	{
		"every taken port is told",
		[]cluster.Object{pod("a", "n", tcp(80), tcp(90)), pod("b", "n", tcp(443))},
		[]corev1.ContainerPort{tcp(443), tcp(8080), tcp(80)},
		rejected,
		[]string{
			"host port: wants 443/TCP, used 443/TCP; by default/b",
			"host port: wants 80/TCP, used 80/TCP; by default/a",
		},
	},
}

func TestTakenPortsReject(t *testing.T) {
	for _, test := range ports {
		t.Run(test.name, func(t *testing.T) {
			s := build.StateOfOneNode(test.taken...)
			got := study(s, pod("new", "", test.want...)).Check.Filter(s.Snapshot().Nodes[0])
			build.WantVerdict(t, got, test.verdict, test.evidence)
		})
	}
}

func TestPodWithoutHostPortsIsSkipped(t *testing.T) {
	s := build.StateOfOneNode(pod("a", "n", tcp(80)))
	if got := study(s, pod("new", "", corev1.ContainerPort{ContainerPort: 80})); got.Verdict.Code != trace.Skip {
		t.Errorf("got %s, want Skip", got.Verdict)
	}
	if got := study(s, pod("new", "", tcp(80))); !got.Verdict.OK() {
		t.Errorf("with a port: got %s, want Success", got.Verdict)
	}
}

func TestPortIsFreeOncePodLeft(t *testing.T) {
	holder := pod("a", "n", tcp(80))
	s := build.StateOfOneNode(holder)
	s.Apply(cluster.Event{Action: cluster.Delete, Object: holder})
	if got := study(s, pod("new", "", tcp(80))).Check.Filter(s.Snapshot().Nodes[0]); !got.OK() {
		t.Errorf("got %s, want Success", got)
	}
}

func TestPodsThatGiveAPortBackWake(t *testing.T) {
	nominated := pod("gone", "", tcp(80))
	nominated.Status.NominatedNodeName = "n"
	for _, test := range []struct {
		name string
		gone *corev1.Pod
		want bool
	}{
		{"the wanted port", pod("gone", "n", tcp(80)), true},
		{"the wanted port on one address", pod("gone", "n", at("10.0.0.1", "", 80)), true},
		{"another port", pod("gone", "n", tcp(81)), false},
		{"no port", pod("gone", "n"), false},
		{"a pod that was promised a node", nominated, true},
		{"a pod that waited itself", pod("gone", "", tcp(80)), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.StateOfOneNode(test.gone)
			change := s.Apply(cluster.Event{Action: cluster.Delete, Object: test.gone})[0]
			got, err := nodeports.New().Hints()[0].Helps(s.ParsePod(pod("parked", "", tcp(443), tcp(80))), &change, s)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}

func TestAnyNewNodeWakes(t *testing.T) {
	hints := nodeports.New().Hints()
	if want := (cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}); hints[0].Event != want {
		t.Errorf("the first hint is for %+v, want %+v", hints[0].Event, want)
	}
	if want := (cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}); hints[1].Event != want ||
		hints[1].Helps != nil {
		t.Errorf("the second hint is for %+v, want %+v and always", hints[1].Event, want)
	}
}

func BenchmarkFilter5000(b *testing.B) {
	s := cluster.NewState()
	for i := range 5000 {
		node := fmt.Sprintf("n%04d", i)
		s.Apply(cluster.Event{Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}})
		for k := range 8 {
			s.Apply(cluster.Event{Object: pod(fmt.Sprintf("%s-%d", node, k), node)})
		}
		s.Apply(cluster.Event{Object: pod(node+"-agent", node, tcp(9100))})
	}
	snapshot := s.Snapshot()
	for _, test := range []struct {
		name string
		port int32
	}{{"passing", 80}, {"failing", 9100}} {
		p := s.ParsePod(pod("new", "", tcp(test.port)))
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check := nodeports.New().PreFilter(p, snapshot).Check
				for _, n := range snapshot.Nodes {
					if check.Filter(n).Code == trace.Error {
						b.Fatal("error")
					}
				}
			}
		})
	}
}
