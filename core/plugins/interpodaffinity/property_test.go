package interpodaffinity_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/interpodaffinity"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

// drawState is a random cluster whose pods have affinity terms about each other. They are of three namespaces, one of
// which has no Namespace object.
func drawState(pick func(int) int) *cluster.State {
	objects := []cluster.Object{namespace("default", "team", "a"), namespace("other", "team", "b")}
	nodes := 1 + pick(6)
	for i := range nodes {
		n := node(fmt.Sprintf("n%d", i))
		if pick(5) > 0 {
			n.Labels[zone] = []string{"a", "b"}[pick(2)]
		}
		if pick(5) > 0 {
			n.Labels[host] = n.Name
		}
		objects = append(objects, n)
	}
	for i := range pick(12) {
		objects = append(objects, drawPod(pick, fmt.Sprintf("p%d", i), fmt.Sprintf("n%d", pick(nodes))))
	}
	return build.State(objects...)
}

func drawPod(pick func(int) int, name, on string) *corev1.Pod {
	p := in([]string{"default", "other", "unknown"}[pick(3)], pod(name, on, "app", []string{"web", "db"}[pick(2)]))
	for range pick(3) {
		t := drawTerm(pick)
		switch pick(4) {
		case 0:
			near(p, t)
		case 1:
			away(p, t)
		case 2:
			likes(p, int32(1+pick(5)), t)
		case 3:
			dislikes(p, int32(1+pick(5)), t)
		}
	}
	return p
}

func drawTerm(pick func(int) int) corev1.PodAffinityTerm {
	t := term([]string{"web", "db"}[pick(2)], []string{zone, host}[pick(2)])
	switch pick(8) {
	case 0:
		t.LabelSelector = nil
	case 1:
		t.LabelSelector = &metav1.LabelSelector{}
	}
	if pick(3) == 0 {
		t.Namespaces = []string{"other", "unknown", "other"}
	}
	switch pick(6) {
	case 0:
		t.NamespaceSelector = &metav1.LabelSelector{}
	case 1:
		t.NamespaceSelector = selector("team", "b")
	case 2:
		t.NamespaceSelector = &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: metav1.LabelSelectorOpDoesNotExist}},
		}
	}
	return t
}

// plain is the plugin's rule in the plainest way: every pod, every term, from the API objects.
type plain struct {
	state  *cluster.State
	nodes  []*cluster.Node
	placed []placed
	pod    *cluster.Pod
}

type placed struct {
	pod  *cluster.Pod
	node *cluster.Node
}

func newPlain(s *cluster.State, p *cluster.Pod) plain {
	b := plain{state: s, nodes: s.Snapshot().Nodes, pod: p}
	for _, n := range b.nodes {
		for _, e := range n.Pods {
			b.placed = append(b.placed, placed{e, n})
		}
	}
	return b
}

// about reports whether a term of one pod selects another. A term of the pod to place knows the labels of described
// namespaces only; a term of a placed pod treats an unknown namespace as one without labels.
func (b plain) about(t corev1.PodAffinityTerm, of, other *cluster.Pod) bool {
	selects, _ := metav1.LabelSelectorAsSelector(t.LabelSelector)
	if !selects.Matches(labels.Set(other.API.Labels)) {
		return false
	}
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		return of.Namespace() == other.Namespace()
	}
	for _, n := range t.Namespaces {
		if n == other.Namespace() {
			return true
		}
	}
	namespaces, _ := metav1.LabelSelectorAsSelector(t.NamespaceSelector)
	if of == b.pod && !namespaces.Empty() {
		if _, described := b.state.Objects().Namespaces.Find(other.Namespace()); !described {
			return false
		}
	}
	return namespaces.Matches(b.state.NamespaceLabels(other.Namespace()))
}

func sameDomain(key string, a, b *cluster.Node) bool {
	va, hasA := a.Label(key)
	vb, hasB := b.Label(key)
	return hasA && hasB && va == vb
}

func required(p *cluster.Pod) (affinity, anti []corev1.PodAffinityTerm) {
	if a := p.API.Spec.Affinity; a != nil {
		affinity = a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		anti = a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return affinity, anti
}

func preferred(p *cluster.Pod) (affinity, anti []corev1.WeightedPodAffinityTerm) {
	if a := p.API.Spec.Affinity; a != nil {
		affinity = a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		anti = a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	}
	return affinity, anti
}

func (b plain) aboutAll(terms []corev1.PodAffinityTerm, p *cluster.Pod) bool {
	for _, t := range terms {
		if !b.about(t, b.pod, p) {
			return false
		}
	}
	return true
}

func (b plain) filter() map[string]trace.Verdict {
	out := map[string]trace.Verdict{}
	for _, n := range b.nodes {
		out[n.Name] = b.judge(n)
	}
	return out
}

func (b plain) judge(n *cluster.Node) trace.Verdict {
	affinity, anti := required(b.pod)
	if len(affinity) > 0 && !b.isNear(affinity, n) {
		return trace.Verdict{Code: never, Reasons: []string{"node(s) didn't match pod affinity rules"}}
	}
	for _, e := range b.placed {
		for _, t := range anti {
			if b.about(t, b.pod, e.pod) && sameDomain(t.TopologyKey, n, e.node) {
				return trace.Verdict{Code: here, Reasons: []string{"node(s) didn't match pod anti-affinity rules"}}
			}
		}
	}
	for _, e := range b.placed {
		_, theirs := required(e.pod)
		for _, t := range theirs {
			if b.about(t, e.pod, b.pod) && sameDomain(t.TopologyKey, n, e.node) {
				return trace.Verdict{Code: here, Reasons: []string{"node(s) didn't satisfy existing pods anti-affinity rules"}}
			}
		}
	}
	return trace.Verdict{}
}

func (b plain) isNear(affinity []corev1.PodAffinityTerm, n *cluster.Node) bool {
	nobody, everyTerm := true, true
	for _, t := range affinity {
		if _, has := n.Label(t.TopologyKey); !has {
			return false
		}
		found := false
		for _, e := range b.placed {
			if !b.aboutAll(affinity, e.pod) {
				continue
			}
			found = found || sameDomain(t.TopologyKey, n, e.node)
			if _, has := e.node.Label(t.TopologyKey); has {
				nobody = false
			}
		}
		everyTerm = everyTerm && found
	}
	return everyTerm || nobody && b.aboutAll(affinity, b.pod)
}

func reasons(check framework.Check, nodes []*cluster.Node) map[string]string {
	out := map[string]string{}
	for _, n := range nodes {
		out[n.Name] = check.Filter(n).String()
	}
	return out
}

func said(verdicts map[string]trace.Verdict) map[string]string {
	out := map[string]string{}
	for name, v := range verdicts {
		out[name] = v.String()
	}
	return out
}

func TestVerdictsEqualAPlainRecount(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		s := drawState(pick)
		b := newPlain(s, s.ParsePod(drawPod(pick, "new", "")))
		study := plugin().PreFilter(b.pod, s.Snapshot())
		if study.Verdict.Code == trace.Skip {
			for name, v := range b.filter() {
				if !v.OK() {
					t.Fatalf("skipped, but %s is %v", name, v)
				}
			}
			return
		}
		if diff := cmp.Diff(said(b.filter()), reasons(study.Check, b.nodes)); diff != "" {
			t.Fatalf("verdicts (-plain +got):\n%s", diff)
		}

		// Pods leave and come on any nodes, and each derived check is the recount with these moves.
		check, brief := study.Check, study.Check.(framework.Brief).Brief()
		var back []func(framework.Disturbable) framework.Check
		for i := range pick(5) {
			if len(b.placed) > 0 && pick(2) == 0 {
				k := pick(len(b.placed))
				gone := b.placed[k]
				b.placed = append(append([]placed(nil), b.placed[:k]...), b.placed[k+1:]...)
				check = check.(framework.Disturbable).Without(gone.pod, gone.node)
				brief = brief.(framework.Disturbable).Without(gone.pod, gone.node)
				back = append(back, func(c framework.Disturbable) framework.Check { return c.With(gone.pod, gone.node) })
				continue
			}
			comes := placed{s.ParsePod(drawPod(pick, fmt.Sprintf("more%d", i), "")), b.nodes[pick(len(b.nodes))]}
			b.placed = append(b.placed, comes)
			check = check.(framework.Disturbable).With(comes.pod, comes.node)
			brief = brief.(framework.Disturbable).With(comes.pod, comes.node)
			back = append(back, func(c framework.Disturbable) framework.Check { return c.Without(comes.pod, comes.node) })
		}
		if diff := cmp.Diff(said(b.filter()), reasons(check, b.nodes)); diff != "" {
			t.Fatalf("verdicts after moves (-plain +got):\n%s", diff)
		}
		if diff := cmp.Diff(reasons(check, b.nodes), reasons(brief, b.nodes)); diff != "" {
			t.Fatalf("verdicts after moves, without evidence (-full +brief):\n%s", diff)
		}
		for _, undo := range back {
			check = undo(check.(framework.Disturbable))
		}
		for _, n := range b.nodes {
			first, last := study.Check.Filter(n), check.Filter(n)
			if diff := cmp.Diff(build.Texts(first.Evidence), build.Texts(last.Evidence)); diff != "" ||
				first.String() != last.String() {
				t.Fatalf("%s after every move was taken back: %v, was %v\n%s", n.Name, last, first, diff)
			}
		}
	})
}

// score is the raw scores, nil when nothing came together.
func (b plain) score(hardWeight int64) map[string]int64 {
	out := map[string]int64{}
	found := false
	add := func(t corev1.PodAffinityTerm, weight int64, e placed) {
		if _, has := e.node.Label(t.TopologyKey); !has {
			return
		}
		found = true
		for _, n := range b.nodes {
			if sameDomain(t.TopologyKey, n, e.node) {
				out[n.Name] += weight
			}
		}
	}
	for _, n := range b.nodes {
		out[n.Name] = 0
	}
	for _, e := range b.placed {
		b.prefer(b.pod, e.pod, e, add)
		hard, _ := required(e.pod)
		for _, t := range hard {
			if hardWeight > 0 && b.about(t, e.pod, b.pod) {
				add(t, hardWeight, e)
			}
		}
		b.prefer(e.pod, b.pod, e, add)
	}
	if !found {
		return nil
	}
	return out
}

// prefer adds what a pod would rather have of another; one of the two is the placed one.
func (b plain) prefer(pod, other *cluster.Pod, e placed, add func(corev1.PodAffinityTerm, int64, placed)) {
	near, away := preferred(pod)
	for _, t := range near {
		if b.about(t.PodAffinityTerm, pod, other) {
			add(t.PodAffinityTerm, int64(t.Weight), e)
		}
	}
	for _, t := range away {
		if b.about(t.PodAffinityTerm, pod, other) {
			add(t.PodAffinityTerm, -int64(t.Weight), e)
		}
	}
}

func TestScoresEqualAPlainRecount(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		s := drawState(pick)
		b := newPlain(s, s.ParsePod(drawPod(pick, "new", "")))
		weight := int32(pick(3))
		v := s.Snapshot()
		scoring := interpodaffinity.New(
			configv1.InterPodAffinityArgs{HardPodAffinityWeight: &weight}, interpodaffinity.Ways{},
		).PreScore(
			b.pod, v, v.Nodes,
		)
		want := b.score(int64(weight))
		if skipped := scoring.Verdict.Code == trace.Skip; skipped != (want == nil) {
			t.Fatalf("skipped: %t; plain scores %v", skipped, want)
		}
		if want == nil {
			return
		}
		raw := make([]int64, len(v.Nodes))
		scoring.Scorer.Score(v.Nodes, raw)
		if diff := cmp.Diff(want, byName(v, raw)); diff != "" {
			t.Fatalf("raw scores (-plain +got):\n%s", diff)
		}
	})
}
