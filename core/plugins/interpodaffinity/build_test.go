package interpodaffinity_test

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

const (
	zone = corev1.LabelTopologyZone
	host = corev1.LabelHostname

	ok    = trace.Success
	here  = trace.Unschedulable
	never = trace.UnschedulableAndUnresolvable
)

// node has the labels given as key, value, key, value.
func node(name string, pairs ...string) *corev1.Node {
	return build.Node(name, build.NodeLabels(pairs...))
}

// pod is in namespace "default" on a node; "" leaves it unscheduled.
func pod(name, on string, pairs ...string) *corev1.Pod {
	return build.Pod(name, build.On(on), build.PodLabels(pairs...))
}

func namespace(name string, pairs ...string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: build.Labels(pairs...)}}
}

func in(name string, p *corev1.Pod) *corev1.Pod {
	p.Namespace = name
	return p
}

// term is about pods with app=app, in the pod's namespace unless edited.
func term(app, key string, edits ...func(*corev1.PodAffinityTerm)) corev1.PodAffinityTerm {
	t := corev1.PodAffinityTerm{TopologyKey: key, LabelSelector: selector("app", app)}
	for _, edit := range edits {
		edit(&t)
	}
	return t
}

func selector(pairs ...string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: build.Labels(pairs...)}
}

func ofNamespaces(names ...string) func(*corev1.PodAffinityTerm) {
	return func(t *corev1.PodAffinityTerm) { t.Namespaces = names }
}

func ofNamespacesWith(pairs ...string) func(*corev1.PodAffinityTerm) {
	return func(t *corev1.PodAffinityTerm) { t.NamespaceSelector = selector(pairs...) }
}

func affinityOf(p *corev1.Pod) *corev1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{}, PodAntiAffinity: &corev1.PodAntiAffinity{}}
	}
	return p.Spec.Affinity
}

// near, away, likes and dislikes give a pod required and preferred terms.
func near(p *corev1.Pod, terms ...corev1.PodAffinityTerm) *corev1.Pod {
	a := affinityOf(p).PodAffinity
	a.RequiredDuringSchedulingIgnoredDuringExecution = append(a.RequiredDuringSchedulingIgnoredDuringExecution, terms...)
	return p
}

func away(p *corev1.Pod, terms ...corev1.PodAffinityTerm) *corev1.Pod {
	a := affinityOf(p).PodAntiAffinity
	a.RequiredDuringSchedulingIgnoredDuringExecution = append(a.RequiredDuringSchedulingIgnoredDuringExecution, terms...)
	return p
}

func likes(p *corev1.Pod, weight int32, t corev1.PodAffinityTerm) *corev1.Pod {
	a := affinityOf(p).PodAffinity
	a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
		corev1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: t})
	return p
}

func dislikes(p *corev1.Pod, weight int32, t corev1.PodAffinityTerm) *corev1.Pod {
	a := affinityOf(p).PodAntiAffinity
	a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
		corev1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: t})
	return p
}

func plugin() *interpodaffinity.Plugin {
	return interpodaffinity.New(configv1.InterPodAffinityArgs{}, interpodaffinity.Ways{})
}

// twoZones has a1 and a2 in zone a, b1 in zone b, x1 in none; a web pod is on a1 and a db pod on b1.
func twoZones(more ...cluster.Object) []cluster.Object {
	return append([]cluster.Object{
		node("a1", zone, "a", host, "a1"), node("a2", zone, "a", host, "a2"), node("b1", zone, "b", host, "b1"),
		node("x1", host, "x1"),
		pod("web", "a1", "app", "web"), pod("db", "b1", "app", "db"),
	}, more...)
}
