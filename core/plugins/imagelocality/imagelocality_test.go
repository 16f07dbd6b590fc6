package imagelocality_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/imagelocality"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

const mebibyte = 1024 * 1024

func image(name string, mebibytes int64) corev1.ContainerImage {
	return corev1.ContainerImage{Names: []string{name}, SizeBytes: mebibytes * mebibyte}
}

func node(name string, images ...corev1.ContainerImage) *corev1.Node {
	return build.Node(name, func(n *corev1.Node) { n.Status.Images = images })
}

func pod(images ...string) *corev1.Pod {
	return build.Pod("p", func(p *corev1.Pod) {
		for _, image := range images {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Image: image})
		}
	})
}

func scores(s *cluster.State, p *corev1.Pod) []int64 {
	snapshot := s.Snapshot()
	scorer := imagelocality.New(imagelocality.Ways{}).PreScore(s.ParsePod(p), snapshot, snapshot.Nodes).Scorer
	raw := make([]int64, len(snapshot.Nodes))
	for i := range raw {
		raw[i] = 99
	}
	scorer.Score(snapshot.Nodes, raw)
	scorer.Normalize(snapshot.Nodes, raw)
	return raw
}

func withInit() *corev1.Pod {
	p := pod("nginx")
	p.Spec.InitContainers = []corev1.Container{{Image: "redis:7"}}
	return p
}

func withVolume() *corev1.Pod {
	p := pod("nginx")
	p.Spec.Volumes = []corev1.Volume{
		{VolumeSource: corev1.VolumeSource{Image: &corev1.ImageVolumeSource{Reference: "redis:7"}}}, {Name: "other"},
	}
	return p
}

var imageScores = []struct {
	name  string
	nodes []cluster.Object
	pod   *corev1.Pod
	want  []int64
}{
	// 100 * (500/2 - 23) / (1000 - 23)
	{
		"half the nodes have it",
		[]cluster.Object{node("a", image("nginx:latest", 500)), node("b")},
		pod("nginx"),
		[]int64{23, 0},
	},
	// 100 * (500 - 23) / (1000 - 23)
	{
		"all have it",
		[]cluster.Object{node("a", image("nginx:latest", 500)), node("b", image("nginx:latest", 500))},
		pod("nginx"),
		[]int64{48, 48},
	},
	{"nobody has it", []cluster.Object{node("a", image("redis:7", 500))}, pod("nginx"), []int64{0}},
	{"too small to count", []cluster.Object{node("a", image("nginx:latest", 23))}, pod("nginx"), []int64{0}},
	{"beyond the most that counts", []cluster.Object{node("a", image("nginx:latest", 3000))}, pod("nginx"), []int64{100}},
	{"another tag is another image", []cluster.Object{node("a", image("nginx:1", 500))}, pod("nginx:2"), []int64{0}},
	{
		"a port is no tag",
		[]cluster.Object{node("a", image("host:5000/nginx:latest", 1000))},
		pod("host:5000/nginx"),
		[]int64{100},
	},
	{
		"a digest is left alone",
		[]cluster.Object{node("a", image("nginx@sha256:00", 1000))},
		pod("nginx@sha256:00"),
		[]int64{100},
	},
	// 100 * (900 - 23) / (2000 - 23)
	{
		"init containers count",
		[]cluster.Object{node("a", image("nginx:latest", 400), image("redis:7", 500))},
		withInit(),
		[]int64{44},
	},
	{
		"image volumes count, other volumes do not",
		[]cluster.Object{node("a", image("nginx:latest", 400), image("redis:7", 500))},
		withVolume(),
		[]int64{44},
	},
	{
		"an image named twice counts twice",
		[]cluster.Object{node("a", image("nginx:latest", 450))},
		pod("nginx", "nginx"),
		[]int64{44},
	},
	// both: 100 * (500 - 23) / 977
	{
		"the first node to name an image says its size",
		[]cluster.Object{node("a", image("nginx:latest", 500)), node("b", image("nginx:latest", 900))},
		pod("nginx"),
		[]int64{48, 48},
	},
}

func TestNodesWithThePodsImagesScoreHigher(t *testing.T) {
	for _, test := range imageScores {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, scores(build.State(test.nodes...), test.pod)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhyNamesTheImagesThatAreThere(t *testing.T) {
	s := build.State(node("a", image("nginx:latest", 500)), node("b"))
	snapshot := s.Snapshot()
	scorer := imagelocality.New(imagelocality.Ways{}).PreScore(
		s.ParsePod(pod("nginx", "redis:7")), snapshot, snapshot.Nodes,
	).Scorer.(framework.Reasoner)
	var got []string
	for _, e := range scorer.Why(snapshot.Nodes[0]) {
		got = append(got, e.String())
	}
	want := []string{
		"image nginx:latest on 1 of 2 nodes: has 250Mi, capacity 500Mi",
		"image bytes that count, from 23Mi on: has 250Mi, capacity 2000Mi",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestANodeKeepsUpWithItsImages(t *testing.T) {
	s := build.State(node("a", image("nginx:latest", 1000)))
	s.Apply(cluster.Event{Action: cluster.Update, Object: node("a", image("redis:7", 1000))})
	if got := scores(s, pod("nginx")); got[0] != 0 {
		t.Errorf("the old image still scores %d", got[0])
	}
	if got := scores(s, pod("redis:7")); got[0] != 100 {
		t.Errorf("the new image scores %d, want 100", got[0])
	}
}

func TestLargerImagesNeverScoreLess(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(0, 3000).Draw(t, "size")
		larger := rapid.Int64Range(size, 3000).Draw(t, "larger")
		of := func(mebibytes int64) int64 {
			return scores(build.State(node("a", image("nginx:latest", mebibytes)), node("b")), pod("nginx"))[0]
		}
		a, b := of(size), of(larger)
		if b < a || a < 0 || b > framework.MaxNodeScore {
			t.Fatalf("%d MiB scores %d, %d MiB scores %d", size, a, larger, b)
		}
	})
}

func BenchmarkScore500(b *testing.B) {
	s := cluster.NewState()
	for i := range 500 {
		images := make([]corev1.ContainerImage, 50)
		for k := range images {
			images[k] = corev1.ContainerImage{Names: []string{
				fmt.Sprintf("registry.example.com/app-%d@sha256:%064d", k+i%2, k),
				fmt.Sprintf("registry.example.com/app-%d:v1", k+i%2),
			}, SizeBytes: 100 * mebibyte}
		}
		s.Apply(cluster.Event{Object: node(fmt.Sprintf("n%03d", i), images...)})
	}
	snapshot := s.Snapshot()
	p := s.ParsePod(pod("registry.example.com/app-0:v1", "registry.example.com/app-7:v1"))
	raw := make([]int64, len(snapshot.Nodes))
	b.ReportAllocs()
	for b.Loop() {
		imagelocality.New(imagelocality.Ways{}).PreScore(p, snapshot, snapshot.Nodes).Scorer.Score(snapshot.Nodes, raw)
	}
}
