package podtopologyspread_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

// drawn is a random cluster and a random pod to place in it.
type drawn struct {
	state *cluster.State
	pod   *cluster.Pod
}

func draw(t *rapid.T) drawn {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
	var objects []cluster.Object
	nodes := 1 + pick(8)
	for i := range nodes {
		n := node(fmt.Sprintf("n%d", i))
		if pick(6) > 0 {
			n.Labels[zone] = []string{"", "a", "b", "c"}[pick(4)]
		}
		if pick(6) > 0 {
			n.Labels[host] = n.Name
		}
		n.Labels["disk"] = []string{"ssd", "hdd"}[pick(2)]
		if pick(4) == 0 {
			n.Spec.Taints = []corev1.Taint{
				{Key: "t", Effect: []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule}[pick(2)]},
			}
		}
		objects = append(objects, n)
	}
	for i := range pick(20) {
		p := pod(
			fmt.Sprintf("p%d", i), fmt.Sprintf("n%d", pick(nodes)), "app", []string{"web", "db"}[pick(2)], "v",
			fmt.Sprint(pick(2)),
		)
		if pick(5) == 0 {
			p.Namespace = "other"
		}
		if pick(5) == 0 {
			terminating(p)
		}
		objects = append(objects, p)
	}
	if pick(2) == 0 {
		objects = append(objects, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "s"},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}},
		})
	}
	s := build.State(objects...)
	return drawn{s, s.ParsePod(drawPod(pick))}
}

func drawPod(pick func(int) int) *corev1.Pod {
	p := pod("new", "", "app", []string{"web", "db"}[pick(2)], "v", fmt.Sprint(pick(2)))
	if pick(3) == 0 {
		p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	}
	if pick(3) == 0 {
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	policies := []*corev1.NodeInclusionPolicy{
		nil, ptr(corev1.NodeInclusionPolicyHonor), ptr(corev1.NodeInclusionPolicyIgnore),
	}
	for range pick(4) {
		c := corev1.TopologySpreadConstraint{
			TopologyKey: []string{zone, host, "disk"}[pick(3)], MaxSkew: int32(1 + pick(3)),
			WhenUnsatisfiable:  []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}[pick(2)],
			NodeAffinityPolicy: policies[pick(3)], NodeTaintsPolicy: policies[pick(3)],
		}
		switch pick(5) {
		case 0:
		case 1:
			c.LabelSelector = &metav1.LabelSelector{}
		default:
			c.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		}
		if pick(3) == 0 {
			c.MatchLabelKeys = []string{"v"}
		}
		if c.WhenUnsatisfiable == corev1.DoNotSchedule && pick(3) == 0 {
			c.MinDomains = ptr(int32(1 + pick(4)))
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
	return p
}

// plain is the plugin's rule in the plainest way: maps, every pod, no memory between nodes.
type plain struct {
	nodes       []*cluster.Node
	pod         *cluster.Pod
	constraints []corev1.TopologySpreadConstraint
	everyKey    bool
}

func (b plain) with(action corev1.UnsatisfiableConstraintAction) plain {
	var of []corev1.TopologySpreadConstraint
	for _, c := range b.constraints {
		if c.WhenUnsatisfiable == action {
			of = append(of, c)
		}
	}
	b.constraints = of
	return b
}

func (b plain) selector(c corev1.TopologySpreadConstraint) labels.Selector {
	selector, _ := metav1.LabelSelectorAsSelector(c.LabelSelector)
	requirements, selectable := selector.Requirements()
	if len(c.MatchLabelKeys) == 0 || !selectable {
		return selector
	}
	return labels.SelectorFromSet(labels.Set{"v": b.pod.API.Labels["v"]}).Add(requirements...)
}

func (b plain) matches(c corev1.TopologySpreadConstraint, p *cluster.Pod) bool {
	return p.Namespace() == b.pod.Namespace() && b.selector(c).Matches(labels.Set(p.API.Labels))
}

func (b plain) hasKeys(n *cluster.Node) bool {
	for _, c := range b.constraints {
		if _, has := n.Label(c.TopologyKey); !has {
			return false
		}
	}
	return true
}

func (b plain) takesPart(c corev1.TopologySpreadConstraint, n *cluster.Node) bool {
	if b.everyKey && !b.hasKeys(n) {
		return false
	}
	if c.NodeAffinityPolicy == nil || *c.NodeAffinityPolicy == corev1.NodeInclusionPolicyHonor {
		for k, v := range b.pod.API.Spec.NodeSelector {
			if n.API.Labels[k] != v {
				return false
			}
		}
	}
	if c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor &&
		len(b.pod.API.Spec.Tolerations) == 0 {
		return !slices.ContainsFunc(n.API.Spec.Taints, func(t corev1.Taint) bool {
			return t.Effect != corev1.TaintEffectPreferNoSchedule
		})
	}
	return true
}

// counts is the matching pods by value of the key, with the values of all nodes that take part.
func (b plain) counts(c corev1.TopologySpreadConstraint) map[string]int {
	out := map[string]int{}
	for _, n := range b.nodes {
		if !b.takesPart(c, n) {
			continue
		}
		out[n.API.Labels[c.TopologyKey]] += b.on(c, n)
	}
	return out
}

func (b plain) on(c corev1.TopologySpreadConstraint, n *cluster.Node) int {
	count := 0
	for _, p := range n.Pods {
		if !b.selector(c).Empty() && !p.Terminating() && b.matches(c, p) {
			count++
		}
	}
	return count
}

// filter is the codes by node; moved are pods that came (+1) or went (-1) on a node.
func (b plain) filter(moved map[*cluster.Pod]move) map[string]trace.Code {
	b = b.with(corev1.DoNotSchedule)
	b.everyKey = true
	out := map[string]trace.Code{}
	for _, n := range b.nodes {
		out[n.Name] = b.judge(n, moved)
	}
	return out
}

type move struct {
	node  *cluster.Node
	delta int
}

func (b plain) judge(n *cluster.Node, moved map[*cluster.Pod]move) trace.Code {
	for _, c := range b.constraints {
		value, has := n.Label(c.TopologyKey)
		if !has {
			return trace.UnschedulableAndUnresolvable
		}
		counts := b.counts(c)
		for p, m := range moved {
			if b.matches(c, p) && b.takesPart(c, m.node) {
				counts[m.node.API.Labels[c.TopologyKey]] += m.delta
			}
		}
		least := math.MaxInt32
		for _, count := range counts {
			least = min(least, count)
		}
		if c.MinDomains != nil && len(counts) < int(*c.MinDomains) || len(counts) == 0 {
			least = 0
		}
		self := 0
		if b.matches(c, b.pod) {
			self = 1
		}
		if counts[value]+self-least > int(c.MaxSkew) {
			return trace.Unschedulable
		}
	}
	return trace.Success
}

func TestVerdictsEqualAPlainRecount(t *testing.T) {
	p := system(t)
	law.Check(t, func(t *rapid.T) {
		d := draw(t)
		v := d.state.Snapshot()
		study := p.PreFilter(d.pod, v)
		if study.Verdict.Code == trace.Skip {
			return
		}
		b := plain{nodes: v.Nodes, pod: d.pod, constraints: d.pod.API.Spec.TopologySpreadConstraints}
		if diff := cmp.Diff(b.filter(nil), build.Codes(study.Check, v)); diff != "" {
			t.Fatalf("codes (-plain +got):\n%s", diff)
		}

		// Pods leave and come on any nodes, and each derived check is the recount with these moves.
		check := study.Check
		moved := map[*cluster.Pod]move{}
		for range rapid.IntRange(0, 4).Draw(t, "moves") {
			n := rapid.SampledFrom(v.Nodes).Draw(t, "node")
			if len(n.Pods) > 0 && rapid.Bool().Draw(t, "leaves") {
				gone := rapid.SampledFrom(n.Pods).Draw(t, "pod")
				if _, was := moved[gone]; was {
					continue
				}
				moved[gone] = move{n, -1}
				check = check.(framework.Disturbable).Without(gone, n)
				continue
			}
			comes := d.state.ParsePod(pod("more", "", "app", "web", "v", "1"))
			moved[comes] = move{n, 1}
			check = check.(framework.Disturbable).With(comes, n)
		}
		if diff := cmp.Diff(b.filter(moved), build.Codes(check, v)); diff != "" {
			t.Fatalf("codes after %d moves (-plain +got):\n%s", len(moved), diff)
		}
		for p, m := range moved { // taking every move back in any order is the check at first
			if m.delta > 0 {
				check = check.(framework.Disturbable).Without(p, m.node)
			} else {
				check = check.(framework.Disturbable).With(p, m.node)
			}
		}
		if diff := cmp.Diff(verdictTexts(study.Check, v), verdictTexts(check, v)); diff != "" {
			t.Fatalf("verdicts after every move was taken back (-first +last):\n%s", diff)
		}
	})
}

func verdictTexts(check framework.Check, v *cluster.Snapshot) map[string][]string {
	out := map[string][]string{}
	for name, verdict := range verdicts(check, v) {
		out[name] = append(build.Texts(verdict.Evidence), verdict.String())
	}
	return out
}

// score is the normalised scores of the nodes, by name.
func (b plain) score(feasible []*cluster.Node) map[string]int64 {
	raw := map[string]int64{}
	for _, n := range feasible {
		if b.everyKey && !b.hasKeys(n) {
			continue
		}
		raw[n.Name] = b.rawScore(n, feasible)
	}
	out := map[string]int64{}
	for _, n := range feasible {
		score, counted := raw[n.Name]
		if !counted {
			out[n.Name] = 0
			continue
		}
		values := slices.Collect(maps.Values(raw))
		highest, lowest := slices.Max(values), slices.Min(values)
		out[n.Name] = 100
		if highest > 0 {
			out[n.Name] = 100 * (highest + lowest - score) / highest
		}
	}
	return out
}

func (b plain) rawScore(n *cluster.Node, feasible []*cluster.Node) int64 {
	var score float64
	for _, c := range b.constraints {
		value, has := n.Label(c.TopologyKey)
		if !has {
			continue
		}
		domains := map[string]bool{}
		for _, f := range feasible {
			if b.everyKey && !b.hasKeys(f) {
				continue
			}
			if c.TopologyKey == host {
				domains[f.Name] = true
			} else {
				domains[f.API.Labels[c.TopologyKey]] = true
			}
		}
		count := b.counts(c)[value]
		if c.TopologyKey == host {
			count = b.on(c, n)
		}
		score += float64(count)*math.Log(float64(len(domains)+2)) + float64(c.MaxSkew-1)
	}
	return int64(math.Round(score))
}

func TestScoresEqualAPlainRecount(t *testing.T) {
	p := system(t)
	law.Check(t, func(t *rapid.T) {
		d := draw(t)
		v := d.state.Snapshot()
		feasible := rapid.SliceOfNDistinct(rapid.SampledFrom(v.Nodes), 1, len(v.Nodes), func(n *cluster.Node) string {
			return n.Name
		}).Draw(t, "feasible")
		b := plain{nodes: v.Nodes, pod: d.pod, constraints: d.pod.API.Spec.TopologySpreadConstraints, everyKey: true}
		if len(b.constraints) == 0 {
			b.everyKey = false
			own := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
			b.constraints = []corev1.TopologySpreadConstraint{
				{TopologyKey: host, MaxSkew: 3, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: own},
				{TopologyKey: zone, MaxSkew: 5, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: own},
			}
		}
		b = b.with(corev1.ScheduleAnyway)
		scoring := p.PreScore(d.pod, v, feasible)
		if scoring.Verdict.Code == trace.Skip {
			return
		}
		raw := make([]int64, len(feasible))
		scoring.Scorer.Score(feasible, raw)
		scoring.Scorer.Normalize(feasible, raw)
		got := map[string]int64{}
		for i, n := range feasible {
			got[n.Name] = raw[i]
		}
		if diff := cmp.Diff(b.score(feasible), got); diff != "" {
			t.Fatalf("scores (-plain +got):\n%s", diff)
		}
	})
}
