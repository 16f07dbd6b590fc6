package recording_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// BenchmarkRead reads a large cluster: 5,000 nodes and 50,000 pods.
func BenchmarkRead(b *testing.B) {
	data := write(b, recording.Header{Start: morning}, recording.Options{}, largeCluster(5000, 50000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := open(b, data)
		entries, err := r.ReadAll()
		if err != nil || len(entries) != 55000 {
			b.Fatalf("%d events, %v", len(entries), err)
		}
	}
}

// BenchmarkWrite writes the cluster that BenchmarkRead reads.
func BenchmarkWrite(b *testing.B) {
	events := largeCluster(5000, 50000)
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(write(b, recording.Header{Start: morning}, recording.Options{}, events))))
	}
}

// BenchmarkSeek goes to events all over a large recording.
func BenchmarkSeek(b *testing.B) {
	r := open(b, write(b, recording.Header{Start: morning}, recording.Options{}, largeCluster(1000, 10000)))
	number := 0
	for b.Loop() {
		number = (number + 7919) % 11000
		if err := r.Seek(number); err != nil {
			b.Fatal(err)
		}
		if e, err := r.Next(); err != nil || e.Number != number {
			b.Fatalf("event %d is %d, %v", number, e.Number, err)
		}
	}
}

// largeCluster is nodes and then pods as an API server shows them, some ten to a node.
func largeCluster(nodes, pods int) []timed {
	var events []timed
	for i := range nodes {
		events = append(events, timed{morning, cluster.Event{Object: largeNode(i)}})
	}
	for i := range pods {
		at := morning.Add(time.Duration(i) * 20 * time.Millisecond)
		events = append(events, timed{at, cluster.Event{Object: largePod(i, i%nodes)}})
	}
	return events
}

func largeNode(i int) *corev1.Node {
	list := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("32"), corev1.ResourceMemory: resource.MustParse("131917708Ki"),
		corev1.ResourceEphemeralStorage: resource.MustParse("495646592Ki"), corev1.ResourcePods: resource.MustParse("110"),
	}
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("node-%05d", i), UID: "5a2d4c8e-0000-4000-8000-000000000000",
			CreationTimestamp: metav1.NewTime(morning),
			Labels: map[string]string{
				"kubernetes.io/hostname": fmt.Sprintf("node-%05d", i), "topology.kubernetes.io/zone": fmt.Sprintf("zone-%d", i%3),
				"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": "m5.8xlarge",
			},
		},
		Spec: corev1.NodeSpec{ProviderID: fmt.Sprintf("cloud:///%d", i)},
		Status: corev1.NodeStatus{
			Capacity: list, Allocatable: list,
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}},
		},
	}
	for _, c := range []corev1.NodeConditionType{
		corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady,
	} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: c, Status: corev1.ConditionFalse, Reason: "KubeletHas", Message: "kubelet has enough",
			LastHeartbeatTime: metav1.NewTime(morning), LastTransitionTime: metav1.NewTime(morning),
		})
	}
	for k := range 20 {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{
			Names: []string{fmt.Sprintf("registry.example/team/app-%d:v%d", k, i%7)}, SizeBytes: int64(1e8 + k),
		})
	}
	return n
}

func largePod(i, node int) *corev1.Pod {
	controller := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("web-%05d-abcde", i), Namespace: fmt.Sprintf("team-%d", i%40),
			UID:               "00000000-1111-4222-8333-444444444444",
			CreationTimestamp: metav1.NewTime(morning),
			Labels:            map[string]string{"app": fmt.Sprintf("web-%d", i%200), "pod-template-hash": "6d4cf56db6"},
			Annotations:       map[string]string{"prometheus.io/scrape": "true"},
			OwnerReferences: []metav1.OwnerReference{
				{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: fmt.Sprintf("web-%d", i%200), UID: "1", Controller: &controller},
			},
		},
		Spec: corev1.PodSpec{
			SchedulerName: "default-scheduler", ServiceAccountName: "default", NodeName: fmt.Sprintf("node-%05d", node),
			Containers: []corev1.Container{{
				Name: "app", Image: "registry.example/team/app:v1", Command: []string{"/app"},
				Env: []corev1.EnvVar{{Name: "PASSWORD", Value: "hunter2"}, {Name: "MODE", Value: "fast"}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{
						corev1.ResourceCPU:    resource.MustParse("250m"),
						corev1.ResourceMemory: resource.MustParse("512Mi"),
					},
					Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")},
				},
				VolumeMounts: []corev1.VolumeMount{
					{Name: "token", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true},
				},
			}},
			Tolerations: []corev1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
				{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
			},
			Volumes: []corev1.Volume{
				{Name: "token", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "default-token"}}},
			},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, PodIP: "10.1.2.3",
			Conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(morning)},
			},
		},
	}
}

// morning is when every recording of these tests begins.
var morning = time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC)

// timed is an event to write.
type timed struct {
	at    time.Time
	event cluster.Event
}

// write is a whole recording.
func write(t testing.TB, h recording.Header, o recording.Options, events []timed) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := recording.NewWriter(&out, h, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Write(e.at, e.event); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open is a reader of a recording that must have a header.
func open(t testing.TB, data []byte) *recording.Reader {
	t.Helper()
	r, err := recording.NewReader(bytes.NewReader(data), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}
