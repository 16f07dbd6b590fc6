package podtopologyspread_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

const (
	ok   = trace.Success
	skew = trace.Unschedulable
	key  = trace.UnschedulableAndUnresolvable
)

func ptr[T any](v T) *T { return &v }

func webPod(cs ...corev1.TopologySpreadConstraint) *corev1.Pod {
	return spreading(pod("new", "", "app", "web", "version", "2"), cs...)
}

func edited(
	c corev1.TopologySpreadConstraint, f func(*corev1.TopologySpreadConstraint),
) corev1.TopologySpreadConstraint {
	f(&c)
	return c
}

var skews = []struct {
	name    string
	objects []cluster.Object
	pod     *corev1.Pod
	want    map[string]trace.Code
}{
	{
		"max skew 1 leaves the emptiest zone", threeZones(), webPod(hard(zone, 1)),
		map[string]trace.Code{"a1": skew, "a2": skew, "b1": skew, "c1": ok},
	},
	{
		"max skew 2 leaves the two emptier zones", threeZones(), webPod(hard(zone, 2)),
		map[string]trace.Code{"a1": skew, "a2": skew, "b1": ok, "c1": ok},
	},
	{
		"a pod that does not match itself adds nothing", threeZones(), spreading(pod("new", ""), hard(zone, 1)),
		map[string]trace.Code{"a1": skew, "a2": skew, "b1": ok, "c1": ok},
	},
	{
		"pods that are going, or in another namespace, do not count",
		threeZones(terminating(pod("w4", "c1", "app", "web")), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "w5", Labels: map[string]string{"app": "web"}},
			Spec:       corev1.PodSpec{NodeName: "c1"},
		}),
		webPod(hard(zone, 1)),
		map[string]trace.Code{"a1": skew, "a2": skew, "b1": skew, "c1": ok},
	},
	{
		"a node without the key is rejected for good and is no domain", threeZones(node("x1", host, "x1")),
		webPod(hard(zone, 2)),
		map[string]trace.Code{"a1": skew, "a2": skew, "b1": ok, "c1": ok, "x1": key},
	},
	{
		"pods on nodes without one of two keys count in neither", // zone b's only pod is on a node without host
		[]cluster.Object{
			node("a1", zone, "a", host, "a1"), node("b1", zone, "b"), node("b2", zone, "b", host, "b2"),
			pod("w1", "b1", "app", "web"), pod("w2", "a1", "app", "web"),
		},
		webPod(hard(zone, 1), hard(host, 1)),
		map[string]trace.Code{"a1": skew, "b1": key, "b2": ok},
	},
	{
		"fewer domains than minDomains make the minimum 0",
		threeZones(pod("w4", "c1", "app", "web")),
		webPod(edited(hard(zone, 1), func(c *corev1.TopologySpreadConstraint) { c.MinDomains = ptr(int32(4)) })),
		map[string]trace.Code{"a1": skew, "a2": skew, "b1": skew, "c1": skew},
	},
	{
		"as many domains as minDomains do not",
		threeZones(pod("w4", "c1", "app", "web")),
		webPod(edited(hard(zone, 1), func(c *corev1.TopologySpreadConstraint) { c.MinDomains = ptr(int32(3)) })),
		map[string]trace.Code{"a1": skew, "a2": skew, "b1": ok, "c1": ok},
	},
	{
		"matchLabelKeys narrow the selector to the pod's own values",
		threeZones(pod("v2", "c1", "app", "web", "version", "2")),
		webPod(edited(hard(zone, 1), func(c *corev1.TopologySpreadConstraint) {
			c.MatchLabelKeys = []string{"version", "absent"}
		})),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": ok, "c1": skew},
	},
	{
		"an empty selector counts nobody but the pod itself",
		threeZones(),
		webPod(edited(hard(zone, 1), func(c *corev1.TopologySpreadConstraint) { c.LabelSelector = &metav1.LabelSelector{} })),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": ok, "c1": ok},
	},
	{
		"no selector matches nothing",
		threeZones(),
		webPod(edited(hard(zone, 1), func(c *corev1.TopologySpreadConstraint) { c.LabelSelector = nil })),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": ok, "c1": ok},
	},
}

func TestNodesAreRejectedWhereTheSkewWouldBeTooGreat(t *testing.T) {
	for _, test := range skews {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.objects...)
			v := s.Snapshot()
			study := system(t).PreFilter(s.ParsePod(test.pod), v)
			if !study.Verdict.OK() {
				t.Fatalf("PreFilter: %v", study.Verdict)
			}
			if diff := cmp.Diff(test.want, build.Codes(study.Check, v)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, codesBySpread(study.Check, v)); diff != "" {
				t.Errorf("codes by what the domains are said to hold (-want +got):\n%s", diff)
			}
		})
	}
}

// codesBySpread works out the code for every node from the spreads of a check.
func codesBySpread(check framework.Check, v *cluster.Snapshot) map[string]trace.Code {
	codes := map[string]trace.Code{}
	for _, n := range v.Nodes {
		code := ok
		for _, s := range check.(framework.Spreader).Spreads() {
			domain, has := n.Label(s.Topology)
			at := slices.IndexFunc(s.Domains, func(d trace.Domain) bool { return d.Name == domain })
			switch {
			case !has:
				code = key
			case code == ok && at >= 0 && !s.Takes(s.Domains[at]):
				code = skew
			}
		}
		codes[n.API.Name] = code
	}
	return codes
}

func TestSpreadsTellWhatEachDomainHolds(t *testing.T) {
	s := build.State(threeZones()...)
	few := hard(host, 2)
	few.MinDomains = ptr(int32(9))
	got := system(t).PreFilter(s.ParsePod(webPod(hard(zone, 1), few)), s.Snapshot()).Check.(framework.Spreader).Spreads()
	want := []trace.Spread{
		{
			Topology: zone, MaxSkew: 1, MinDomains: 1, Self: 1,
			Domains: []trace.Domain{{Name: "a", Pods: 2}, {Name: "b", Pods: 1}, {Name: "c"}},
		},
		{
			Topology: host, MaxSkew: 2, MinDomains: 9, Self: 1,
			Domains: []trace.Domain{{Name: "a1", Pods: 1}, {Name: "a2", Pods: 1}, {Name: "b1", Pods: 1}, {Name: "c1"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if most := got[0].Most(); most != 1 {
		t.Errorf("a zone may have %d, want 1", most)
	}
}

func TestInclusionPoliciesDecideWhichNodesAreCounted(t *testing.T) {
	tainted := node("c1", zone, "c", host, "c1")
	tainted.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	objects := []cluster.Object{
		node("a1", zone, "a", "disk", "ssd"), node("b1", zone, "b", "disk", "hdd"), tainted,
		pod("w1", "a1", "app", "web"),
	}
	honor, ignore := corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore
	tests := []struct {
		name             string
		affinity, taints *corev1.NodeInclusionPolicy
		tolerate         bool
		selector         map[string]string
		want             trace.Code // on a1, where the only pod is
	}{
		{"by default tainted nodes take part", nil, nil, false, nil, skew},
		{"honoured taints shut out c, b remains", nil, &honor, false, nil, skew},
		{"the node selector shuts out b and c", nil, nil, false, map[string]string{"disk": "ssd"}, ok},
		{"ignored, it does not", &ignore, nil, false, map[string]string{"disk": "ssd"}, skew},
		{"it admits a and c, the taint shuts out c", nil, &honor, false, map[string]string{zone: "a"}, ok},
		{"a tolerated taint does not", &ignore, &honor, true, map[string]string{"disk": "ssd"}, skew},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(objects...)
			c := hard(zone, 1)
			c.NodeAffinityPolicy, c.NodeTaintsPolicy = test.affinity, test.taints
			p := spreading(pod("new", "", "app", "web"), c)
			p.Spec.NodeSelector = test.selector
			if test.tolerate {
				p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			}
			v := s.Snapshot()
			if got := build.Codes(system(t).PreFilter(s.ParsePod(p), v).Check, v)["a1"]; got != test.want {
				t.Errorf("a1: got %v, want %v", got, test.want)
			}
		})
	}
}

func TestEvidenceSaysWhichDomainAndWhatItIsMeasuredAgainst(t *testing.T) {
	s := build.State(threeZones(node("x1", host, "x1"))...)
	v := s.Snapshot()
	got := verdicts(system(t).PreFilter(s.ParsePod(spreading(pod("new", "", "app", "web"), hard(zone, 1))), v).Check, v)

	want := []string{
		"skew of topology.kubernetes.io/zone in domain a: wants at most 1, has 3, used 2",
		"fewest matching pods, in domain c: has 0",
	}
	if diff := cmp.Diff(want, build.Texts(got["a2"].Evidence)); diff != "" {
		t.Errorf("a2 (-want +got):\n%s", diff)
	}
	if got["a2"].Message() != "node(s) didn't match pod topology spread constraints" {
		t.Errorf("a2 says %q", got["a2"].Message())
	}
	if diff := cmp.Diff(
		[]string{"topology label: wants topology.kubernetes.io/zone, has no such label"}, build.Texts(got["x1"].Evidence),
	); diff != "" {
		t.Errorf("x1 (-want +got):\n%s", diff)
	}
	if got["x1"].Message() != "node(s) didn't match pod topology spread constraints (missing required label)" {
		t.Errorf("x1 says %q", got["x1"].Message())
	}
}

func TestEvidenceCoversEveryConstraintThatFails(t *testing.T) {
	few := hard(zone, 1)
	few.MinDomains = ptr(int32(5))
	s := build.State(threeZones()...)
	v := s.Snapshot()
	got := system(t).PreFilter(s.ParsePod(spreading(pod("new", "", "app", "web"), few, hard(host, 1))), v).Check.Filter(
		v.Nodes[0],
	)
	want := []string{
		"skew of topology.kubernetes.io/zone in domain a: wants at most 1, has 3, used 2",
		"domains: wants at least 5, has 3",
		"skew of kubernetes.io/hostname in domain a1: wants at most 1, has 2, used 1",
		"fewest matching pods, in domain c1: has 0",
	}
	if diff := cmp.Diff(want, build.Texts(got.Evidence)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPodWithoutHardConstraintsIsSkipped(t *testing.T) {
	s := build.State(threeZones()...)
	for name, p := range map[string]*corev1.Pod{"none": pod("new", ""), "soft": spreading(pod("new", ""), soft(zone, 1))} {
		if got := system(t).PreFilter(s.ParsePod(p), s.Snapshot()).Verdict.Code; got != trace.Skip {
			t.Errorf("%s: got %v, want Skip", name, got)
		}
	}
}

func TestUnparsableSelectorIsAnErrorInKubeSchedulersWords(t *testing.T) {
	c := hard(zone, 1)
	c.LabelSelector = &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}},
	}
	s := build.State(threeZones()...)
	got := system(t).PreFilter(s.ParsePod(spreading(pod("new", ""), c)), s.Snapshot()).Verdict
	want := `Error: get constraints from pod: obtaining pod's hard topology spread constraints: "Near" is not a valid label selector operator`
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestListDefaultsTakeTheSelectorOfThePodsService(t *testing.T) {
	c := hard(zone, 1)
	c.LabelSelector = nil
	p := plugin(t, configv1.PodTopologySpreadArgs{
		DefaultingType: configv1.ListDefaulting, DefaultConstraints: []corev1.TopologySpreadConstraint{c},
	})
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}},
	}
	s := build.State(threeZones(service)...)
	v := s.Snapshot()
	if got := p.PreFilter(s.ParsePod(pod("db", "", "app", "db")), v).Verdict.Code; got != trace.Skip {
		t.Errorf("a pod of no Service: got %v, want Skip", got)
	}
	want := map[string]trace.Code{"a1": skew, "a2": skew, "b1": skew, "c1": ok}
	if diff := cmp.Diff(want, build.Codes(p.PreFilter(s.ParsePod(pod("new", "", "app", "web")), v).Check, v)); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

func TestWithoutMakesRoomAndWithTakesIt(t *testing.T) {
	s := build.State(threeZones()...)
	v := s.Snapshot()
	check := system(t).PreFilter(
		s.ParsePod(spreading(pod("new", "", "app", "web"), hard(zone, 1))), v,
	).Check.(framework.Disturbable)
	b1, _ := v.Node("b1")
	gone := check.Without(b1.Pods[0], b1).(framework.Disturbable)
	if got := gone.Filter(b1); !got.OK() {
		t.Errorf("with b's pod gone: %v", got)
	}
	if got := gone.With(b1.Pods[0], b1).Filter(b1); got.Code != skew {
		t.Errorf("with it back: got %v, want %v", got, skew)
	}
	if got := check.Filter(b1); got.Code != skew {
		t.Errorf("the check itself changed: %v", got)
	}
	if other := s.ParsePod(pod("db", "b1", "app", "db")); check.Without(other, b1) != framework.Check(check) {
		t.Error("a pod that does not matter costs another check")
	}
}
