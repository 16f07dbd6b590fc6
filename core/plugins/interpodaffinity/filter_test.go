package interpodaffinity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

// everywhere is one answer on each node of twoZones.
func everywhere(code trace.Code) map[string]trace.Code {
	return map[string]trace.Code{"a1": code, "a2": code, "b1": code, "x1": code}
}

func newPod() *corev1.Pod { return pod("new", "", "app", "new") }

var requiredTerms = []struct {
	name    string
	objects []cluster.Object
	pod     *corev1.Pod
	want    map[string]trace.Code
}{
	{
		"affinity by zone", twoZones(), near(newPod(), term("web", zone)),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": never, "x1": never},
	},
	{
		"affinity by host", twoZones(), near(newPod(), term("web", host)),
		map[string]trace.Code{"a1": ok, "a2": never, "b1": never, "x1": never},
	},
	{
		"one pod has to match all affinity terms", twoZones(), near(newPod(), term("web", zone), term("db", zone)),
		everywhere(never),
	},
	{
		"one pod matches both terms, each in its own topology",
		twoZones(pod("both", "a2", "app", "web", "tier", "front")),
		near(newPod(), term("web", zone), corev1.PodAffinityTerm{
			TopologyKey: host, LabelSelector: selector("tier", "front"),
		}),
		map[string]trace.Code{"a1": never, "a2": ok, "b1": never, "x1": never},
	},
	{
		"the first pod of a group may start anywhere with the key", twoZones(), near(newPod(), term("new", zone)),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": ok, "x1": never},
	},
	{
		"the second may not", twoZones(pod("first", "b1", "app", "new")), near(newPod(), term("new", zone)),
		map[string]trace.Code{"a1": never, "a2": never, "b1": ok, "x1": never},
	},
	{
		"a match on a node without the key is no match", twoZones(pod("first", "x1", "app", "new")),
		near(newPod(), term("new", zone)),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": ok, "x1": never},
	},
	{
		"anti-affinity by zone", twoZones(), away(newPod(), term("web", zone)),
		map[string]trace.Code{"a1": here, "a2": here, "b1": ok, "x1": ok},
	},
	{
		"any anti-affinity term is enough", twoZones(), away(newPod(), term("web", host), term("db", zone)),
		map[string]trace.Code{"a1": here, "a2": ok, "b1": here, "x1": ok},
	},
	{
		"an existing pod's anti-affinity", twoZones(away(pod("shy", "b1"), term("new", zone))), newPod(),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": here, "x1": ok},
	},
	{
		"an existing pod of another namespace does not mean this one",
		twoZones(in("other", away(pod("shy", "b1"), term("new", zone)))),
		near(newPod(), term("web", zone)),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": never, "x1": never},
	},
	{
		"unless it says so",
		twoZones(in("other", away(pod("shy", "b1"), term("new", zone, ofNamespaces("default"))))), newPod(),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": here, "x1": ok},
	},
	{
		"or selects it by its labels",
		twoZones(namespace(
			"default", "team", "a",
		), in("other", away(pod("shy", "b1"), term("new", zone, ofNamespacesWith("team", "a"))))), newPod(),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": here, "x1": ok},
	},
	{
		"the pod's own terms select namespaces by labels",
		twoZones(namespace("other", "team", "a"), in("other", pod("far", "b1", "app", "web"))),
		near(newPod(), term("web", zone, ofNamespacesWith("team", "a"))),
		map[string]trace.Code{"a1": never, "a2": never, "b1": ok, "x1": never},
	},
	{
		"the selector of everything takes namespaces nobody described",
		twoZones(in("other", pod("far", "b1", "app", "web"))), near(newPod(), term("web", zone, ofNamespacesWith())),
		map[string]trace.Code{"a1": ok, "a2": ok, "b1": ok, "x1": never},
	},
}

func TestRequiredTermsDecideWhereThePodMayBe(t *testing.T) {
	for _, test := range requiredTerms {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.objects...)
			v := s.Snapshot()
			study := plugin().PreFilter(s.ParsePod(test.pod), v)
			if !study.Verdict.OK() {
				t.Fatalf("PreFilter: %v", study.Verdict)
			}
			if diff := cmp.Diff(test.want, build.Codes(study.Check, v)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEvidenceNamesTermDomainAndPod(t *testing.T) {
	tests := []struct {
		name    string
		objects []cluster.Object
		pod     *corev1.Pod
		node    string
		reason  string
		want    []string
	}{
		{
			"affinity", twoZones(), near(pod("new", ""), term("web", zone)), "b1",
			"node(s) didn't match pod affinity rules",
			[]string{"affinity to app=web in topology topology.kubernetes.io/zone=b: wants at least 1 pod, has 0"},
		},
		{
			"affinity without the key", twoZones(), near(pod("new", ""), term("web", zone)), "x1",
			"node(s) didn't match pod affinity rules",
			[]string{"affinity to app=web in topology topology.kubernetes.io/zone: wants topology label, has no such label"},
		},
		{
			"anti-affinity", twoZones(pod("web2", "a2", "app", "web")), away(pod("new", ""), term("web", zone)), "a2",
			"node(s) didn't match pod anti-affinity rules",
			[]string{"anti-affinity to app=web in topology topology.kubernetes.io/zone=a: wants no pod, has 2; by default/web"},
		},
		{
			"an existing pod", twoZones(away(pod("shy", "b1"), term("new", host))), pod("new", "", "app", "new"), "b1",
			"node(s) didn't satisfy existing pods anti-affinity rules",
			[]string{
				"anti-affinity of an existing pod to app=new in topology kubernetes.io/hostname=b1: wants no pod, has 1; by default/shy",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.objects...)
			v := s.Snapshot()
			n, _ := v.Node(test.node)
			got := plugin().PreFilter(s.ParsePod(test.pod), v).Check.Filter(n)
			if got.Message() != test.reason {
				t.Errorf("says %q, want %q", got.Message(), test.reason)
			}
			if diff := cmp.Diff(test.want, build.Texts(got.Evidence)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPodNobodyCaresForIsSkipped(t *testing.T) {
	s := build.State(twoZones(
		away(pod("shy", "b1"), term("somebody", zone)),
		away(pod("keyless", "x1"), term("new", zone)), // on a node that is in no zone
		dislikes(pod("fussy", "a1"), 5, term("new", zone)),
	)...)
	got := plugin().PreFilter(s.ParsePod(pod("new", "", "app", "new")), s.Snapshot())
	if got.Verdict.Code != trace.Skip {
		t.Errorf("got %v, want Skip", got.Verdict)
	}
	a1, _ := s.Snapshot().Node("a1")
	check := got.Check.(framework.Disturbable)
	if said := check.Filter(a1); !said.OK() {
		t.Errorf("where nobody skips: %v", said)
	}
	coming := s.ParsePod(away(pod("coming", "a1"), term("new", zone)))
	if said := check.With(coming, a1).Filter(a1); said.Code != here {
		t.Errorf("with a nominated pod that shuns it: %v", said)
	}
}

func TestUnparsableTermRejectsThePodForGood(t *testing.T) {
	bad := corev1.PodAffinityTerm{TopologyKey: zone, LabelSelector: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}},
	}}
	s := build.State(twoZones()...)
	got := plugin().PreFilter(s.ParsePod(near(pod("new", ""), bad)), s.Snapshot()).Verdict
	want := `UnschedulableAndUnresolvable: parsing pod: requiredAffinityTerms: "Near" is not a valid label selector operator`
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWithoutMakesRoomAndWithTakesIt(t *testing.T) {
	s := build.State(twoZones(away(pod("shy", "b1", "app", "shy"), term("new", zone)))...)
	v := s.Snapshot()
	b1, _ := v.Node("b1")
	shy := b1.Pods[1]
	check := plugin().PreFilter(s.ParsePod(pod("new", "", "app", "new")), v).Check.(framework.Disturbable)
	gone := check.Without(shy, b1).(framework.Disturbable)
	if got := gone.Filter(b1); !got.OK() {
		t.Errorf("with the shy pod gone: %v", got)
	}
	if got := gone.With(shy, b1).Filter(b1); got.Code != here || len(got.Evidence[0].By) != 1 {
		t.Errorf("with it back: %v %v", got, got.Evidence)
	}
	other := s.ParsePod(away(pod("hostile", "b1"), term("new", host)))
	if got := gone.With(other, b1).Filter(b1); got.Code != here || len(got.Evidence[0].By) != 0 {
		t.Errorf("with a pod that shuns by a key nobody used: %v %v", got, got.Evidence)
	}
	if got := check.Filter(b1); got.Code != here {
		t.Errorf("the check itself changed: %v", got)
	}
	if check.Without(b1.Pods[0], b1) != framework.Check(check) {
		t.Error("a pod that does not matter costs another check")
	}
}

// TestABriefCheckHasNoEvidence holds for each of the three rules.
func TestABriefCheckHasNoEvidence(t *testing.T) {
	for name, p := range map[string]*corev1.Pod{
		"affinity":      near(pod("new", ""), term("db", zone)),
		"anti-affinity": away(pod("new", ""), term("web", zone)),
		"existing":      pod("new", "", "app", "shunned"),
	} {
		s := build.State(node("n", zone, "a"), away(pod("p", "n", "app", "web"), term("shunned", zone)))
		snapshot := s.Snapshot()
		check := plugin().PreFilter(s.ParsePod(p), snapshot).Check
		full, brief := check.Filter(snapshot.Nodes[0]), check.(framework.Brief).Brief().Filter(snapshot.Nodes[0])
		if full.OK() || len(full.Evidence) == 0 || len(brief.Evidence) > 0 || full.String() != brief.String() {
			t.Errorf("%s: %v with %d pieces of evidence, briefly %v with %d",
				name, full, len(full.Evidence), brief, len(brief.Evidence))
		}
	}
}
