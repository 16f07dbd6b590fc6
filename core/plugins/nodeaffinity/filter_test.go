package nodeaffinity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/nodeaffinity"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

const (
	rejectedByPod    = "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector"
	rejectedByConfig = "UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity"
)

var ssd = node("n1", labels{"disk": "ssd", "zone": "a", "cores": "16"})

var matches = []struct {
	name     string
	pod      *corev1.Pod
	want     string
	evidence []string
}{
	{"a selector that matches", pod(labels{"disk": "ssd", "zone": "a"}, nil), "Success", nil},
	{
		"a selector tells every key that fails", pod(labels{"zone": "b", "disk": "ssd", "arch": "arm64"}, nil),
		rejectedByPod,
		[]string{"label arch: wants arm64, has absent", "label zone: wants b, has a"},
	},
	{"a term that matches", pod(nil, selector(term(in("disk", "hdd", "ssd")))), "Success", nil},
	{
		"a term tells the first expression that fails",
		pod(nil, selector(term(in("disk", "ssd"), in("zone", "b", "c"), in("arch", "arm64")))),
		rejectedByPod,
		[]string{"label zone: wants in (b, c), has a"},
	},
	{"one term of two is enough", pod(nil, selector(term(in("disk", "hdd")), term(in("zone", "a")))), "Success", nil},
	{
		"all terms failing are told",
		pod(nil, selector(term(in("disk", "hdd")), term(requirement("gpu", corev1.NodeSelectorOpExists)))),
		rejectedByPod,
		[]string{"term 1: label disk: wants in (hdd), has ssd", "term 2: label gpu: wants present, has absent"},
	},
	{
		"selector and affinity are both needed", pod(labels{"disk": "hdd"}, selector(term(in("zone", "a")))), rejectedByPod,
		[]string{"label disk: wants hdd, has ssd"},
	},
	{
		"not in", pod(nil, selector(term(requirement("zone", corev1.NodeSelectorOpNotIn, "a")))), rejectedByPod,
		[]string{"label zone: wants not in (a), has a"},
	},
	{
		"does not exist", pod(nil, selector(term(requirement("zone", corev1.NodeSelectorOpDoesNotExist)))), rejectedByPod,
		[]string{"label zone: wants absent, has a"},
	},
	{"greater", pod(nil, selector(term(requirement("cores", corev1.NodeSelectorOpGt, "8")))), "Success", nil},
	{
		"less", pod(nil, selector(term(requirement("cores", corev1.NodeSelectorOpLt, "8")))), rejectedByPod,
		[]string{"label cores: wants < 8, has 16"},
	},
	{"the node's name", pod(nil, selector(named(in("metadata.name", "n1")))), "Success", nil},
	{
		"another node's name", pod(nil, selector(named(in("metadata.name", "n2")))), rejectedByPod,
		[]string{"field metadata.name: wants in (n2), has n1"},
	},
	{
		"a forbidden name",
		pod(nil, selector(named(requirement("metadata.name", corev1.NodeSelectorOpNotIn, "n1")))), rejectedByPod,
		[]string{"field metadata.name: wants not in (n1), has n1"},
	},
	{
		"no terms match no node", pod(nil, selector()), rejectedByPod,
		[]string{"required node affinity: wants one of its terms to match, has no term that can"},
	},
	{
		"nor do empty ones", pod(nil, selector(term())), rejectedByPod,
		[]string{"required node affinity: wants one of its terms to match, has no term that can"},
	},
	{
		"nor do unreadable ones", pod(nil, selector(named(in("metadata.name", "n1", "n2")))), rejectedByPod,
		[]string{"node selector term: wants a term that can be read, has an operator or value that cannot"},
	},
	{
		"an unreadable term beside a good one",
		pod(nil, selector(term(requirement("cores", "Near", "8")), term(in("disk", "ssd")))), "Success", nil,
	},
}

func TestNodesMustMatch(t *testing.T) {
	for _, test := range matches {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(ssd)
			got := plugin(t, nil).PreFilter(s.ParsePod(test.pod), s.Snapshot()).Check.Filter(s.Snapshot().Nodes[0])
			build.WantVerdict(t, got, test.want, test.evidence)
		})
	}
}

func TestAddedAffinityIsAskedFirst(t *testing.T) {
	added := plugin(
		t, &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector(term(in("pool", "general")))},
	)
	for _, test := range []struct {
		name     string
		node     *corev1.Node
		pod      *corev1.Pod
		want     string
		evidence []string
	}{
		{"both match", node("n", labels{"pool": "general", "zone": "a"}), pod(labels{"zone": "a"}, nil), "Success", nil},
		{
			"the configuration's does not", node("n", labels{"pool": "gpu"}), pod(labels{"zone": "a"}, nil),
			rejectedByConfig,
			[]string{"label pool: wants in (general), has gpu"},
		},
		{
			"the pod's does not", node("n", labels{"pool": "general"}), pod(labels{"zone": "a"}, nil), rejectedByPod,
			[]string{"label zone: wants a, has absent"},
		},
		{
			"a pod that asks nothing is asked for", node("n", nil), pod(nil, nil), rejectedByConfig,
			[]string{"label pool: wants in (general), has absent"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.node)
			study := added.PreFilter(s.ParsePod(test.pod), s.Snapshot())
			if !study.Verdict.OK() {
				t.Errorf("PreFilter: %s, want Success", study.Verdict)
			}
			got := study.Check.Filter(s.Snapshot().Nodes[0])
			build.WantVerdict(t, got, test.want, test.evidence)
		})
	}
}

func TestUnreadableAddedAffinityIsRefused(t *testing.T) {
	for want, added := range map[string]*corev1.NodeAffinity{
		"addedAffinity.requiredDuring": {
			RequiredDuringSchedulingIgnoredDuringExecution: selector(term(requirement("a", "Near", "b"))),
		},
		"addedAffinity.preferredDuring": {PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
			prefer(1, term(requirement("a", "Near", "b"))),
		}},
	} {
		if _, err := nodeaffinity.New(configv1.NodeAffinityArgs{AddedAffinity: added}, nodeaffinity.Ways{}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want an error about %s", err, want)
		}
	}
}

func TestPreFilterNamesTheOnlyNodesThatCanMatch(t *testing.T) {
	name := func(values ...string) corev1.NodeSelectorRequirement { return in("metadata.name", values...) }
	for _, test := range []struct {
		name    string
		pod     *corev1.Pod
		verdict string
		nodes   []string
	}{
		{"nothing asked", pod(nil, nil), "Skip", nil},
		{"an empty selector asks, if nothing", pod(labels{}, nil), "Success", nil},
		{"a selector", pod(labels{"a": "b"}, nil), "Success", nil},
		{"a preference only", pod(nil, nil, prefer(1, term(in("a", "b")))), "Skip", nil},
		{"no terms", pod(nil, selector()), "Success", nil},
		{"labels", pod(nil, selector(term(in("a", "b")))), "Success", nil},
		{
			"names, sorted and once", pod(nil, selector(named(name("n2", "n1")), named(name("n2", "n0")))), "Success",
			[]string{"n0", "n1", "n2"},
		},
		{
			"requirements of a term intersect", pod(nil, selector(named(name("n1", "n2"), name("n2", "n3")))),
			"Success",
			[]string{"n2"},
		},
		{"a term without a name opens all", pod(nil, selector(named(name("n1")), term(in("a", "b")))), "Success", nil},
		{
			"so does one that only forbids",
			pod(nil, selector(named(requirement("metadata.name", corev1.NodeSelectorOpNotIn, "n1")))), "Success", nil,
		},
		{
			"one conflicting term of two", pod(nil, selector(named(name("n1"), name("n2")), named(name("n3")))),
			"Success",
			[]string{"n3"},
		},
		{
			"only conflicting terms", pod(nil, selector(named(name("n1"), name("n2")))),
			"UnschedulableAndUnresolvable: pod affinity terms conflict", nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n", nil))
			got := plugin(t, nil).PreFilter(s.ParsePod(test.pod), s.Snapshot())
			if got.Verdict.String() != test.verdict {
				t.Errorf("got %s, want %s", got.Verdict, test.verdict)
			}
			if diff := cmp.Diff(test.nodes, got.Nodes); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if got.Check == nil && !got.Verdict.Code.Rejects() {
				t.Error("no check")
			}
		})
	}
}

// drawn is any term, broken ones included.
func drawn(t *rapid.T) corev1.NodeSelectorTerm {
	operator := rapid.SampledFrom([]corev1.NodeSelectorOperator{
		corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist,
		corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt, "Near",
	})
	some := func(label, key string) []corev1.NodeSelectorRequirement {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) corev1.NodeSelectorRequirement {
			return corev1.NodeSelectorRequirement{
				Key:      rapid.SampledFrom([]string{key, "k", "bad key"}).Draw(t, "key"),
				Operator: operator.Draw(t, "operator"),
				Values:   rapid.SliceOfN(rapid.SampledFrom([]string{"n", "m", "5", ""}), 0, 2).Draw(t, "values"),
			}
		}), 0, 2).Draw(t, label)
	}
	return corev1.NodeSelectorTerm{
		MatchExpressions: some("expressions", "j"), MatchFields: some("fields", "metadata.name"),
	}
}

func drawnLabels(t *rapid.T, label string) labels {
	return rapid.MapOfN(
		rapid.SampledFrom([]string{"j", "k"}), rapid.SampledFrom([]string{"n", "m", "5", "7", ""}), 0, 2,
	).Draw(t, label)
}

func TestMatchingAgreesWithTheStagingLibrary(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		var required *corev1.NodeSelector
		if rapid.Bool().Draw(t, "affinity") {
			required = selector(rapid.SliceOfN(rapid.Custom(drawn), 0, 3).Draw(t, "terms")...)
		}
		preferred := prefer(7, drawn(t))
		s := build.State(node(rapid.SampledFrom([]string{"n", "m"}).Draw(t, "name"), drawnLabels(t, "labels")))
		p := s.ParsePod(pod(drawnLabels(t, "selector"), required, preferred))
		snapshot := s.Snapshot()
		n := snapshot.Nodes[0]
		none, err := nodeaffinity.New(configv1.NodeAffinityArgs{}, nodeaffinity.Ways{})
		if err != nil {
			t.Fatal(err)
		}

		want, _ := p.NodeSelection.Match(n.API)
		if study := none.PreFilter(p, snapshot); !study.Verdict.Code.Rejects() {
			got := study.Check.Filter(n)
			if got.OK() != want {
				t.Fatalf("got %s, the library says %t", got, want)
			}
			if !want && len(got.Evidence) == 0 {
				t.Fatal("a rejection without evidence")
			}
		} else if want {
			t.Fatalf("PreFilter: %s, and the library matches", study.Verdict)
		}

		scoring := none.PreScore(p, snapshot, snapshot.Nodes)
		if p.PreferredNodesErr != nil {
			if scoring.Verdict.Code != trace.Error || scoring.Verdict.Message() != p.PreferredNodesErr.Error() {
				t.Fatalf("PreScore: %s, want the error %v", scoring.Verdict, p.PreferredNodesErr)
			}
			return
		}
		raw := []int64{-1}
		scoring.Scorer.Score(snapshot.Nodes, raw)
		if want := p.PreferredNodes.Score(n.API); raw[0] != want {
			t.Fatalf("score %d, the library says %d", raw[0], want)
		}
	})
}

func BenchmarkFilter5000(b *testing.B) {
	s := cluster.NewState()
	for i := range 5000 {
		s.Apply(cluster.Event{Object: node(fmt.Sprintf("n%04d", i), labels{
			"kubernetes.io/hostname": fmt.Sprintf("n%04d", i), "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
			"topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "r",
			"node.kubernetes.io/instance-type": "m5", "pool": "general",
		})})
	}
	snapshot := s.Snapshot()
	none := plugin(b, nil)
	for _, test := range []struct {
		name string
		pod  *corev1.Pod
	}{
		{"selector passing", pod(labels{"kubernetes.io/os": "linux"}, nil)},
		{"affinity passing", pod(nil, selector(term(in("kubernetes.io/arch", "amd64", "arm64"), in("pool", "general"))))},
		{"failing", pod(labels{"pool": "gpu"}, nil)},
	} {
		p := s.ParsePod(test.pod)
		b.Run(test.name, func(b *testing.B) { build.FilterEach(b, none, p, snapshot) })
	}
}

func TestChangesAreTheLabelsThatAreMissing(t *testing.T) {
	ssd := node("n1", labels{"disk": "ssd", "zone": "a"})
	for _, test := range []struct {
		name string
		pod  *corev1.Pod
		want []string
	}{
		{
			"every key of a selector", pod(labels{"zone": "b", "disk": "ssd", "arch": "arm64"}, nil),
			[]string{"arch=arm64 zone=b"},
		},
		{
			"each term of two", pod(labels{"arch": "arm64"}, selector(term(in("disk", "hdd", "nvme")), term(in("zone", "b")))),
			[]string{"arch=arm64 disk=hdd", "arch=arm64 zone=b"},
		},
		{
			"a term that asks for less than there is",
			pod(nil, selector(term(requirement("zone", corev1.NodeSelectorOpDoesNotExist)), term(in("zone", "b")))),
			[]string{"zone=b"},
		},
		{"a selector and a term that contradict", pod(labels{"zone": "b"}, selector(term(in("zone", "c")))), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(ssd)
			snapshot := s.Snapshot()
			check := plugin(t, nil).PreFilter(s.ParsePod(test.pod), snapshot).Check
			var got []string
			for _, change := range check.(framework.Adviser).Changes(snapshot.Nodes[0], check.Filter(snapshot.Nodes[0])) {
				var parts []string
				for _, p := range change.Parts {
					parts = append(parts, p.What+"="+p.To.String())
				}
				got = append(got, strings.Join(parts, " "))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
