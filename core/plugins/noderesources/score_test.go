package noderesources_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

func weighted(name string, weight int64) configv1.ResourceSpec {
	return configv1.ResourceSpec{Name: name, Weight: weight}
}

const (
	least = configv1.LeastAllocated
	most  = configv1.MostAllocated
)

var fitScores = []struct {
	name      string
	strategy  configv1.ScoringStrategyType
	resources []configv1.ResourceSpec
	node      amounts
	present   []amounts
	requests  amounts
	want      int64
}{
	{
		"least: (50 + 62) / 2", least, nil,
		amounts{"cpu": "4", "memory": "8Gi"},
		[]amounts{{"cpu": "1", "memory": "1Gi"}},
		amounts{"cpu": "1", "memory": "2Gi"},
		56,
	},
	{
		"most: (50 + 37) / 2", most, nil,
		amounts{"cpu": "4", "memory": "8Gi"},
		[]amounts{{"cpu": "1", "memory": "1Gi"}},
		amounts{"cpu": "1", "memory": "2Gi"},
		43,
	},
	{
		"weights: (3*50 + 62) / 4", least,
		[]configv1.ResourceSpec{weighted("cpu", 3), weighted("memory", 1)},
		amounts{"cpu": "4", "memory": "8Gi"},
		[]amounts{{"cpu": "1", "memory": "1Gi"}},
		amounts{"cpu": "1", "memory": "2Gi"},
		53,
	},
	{
		"a container without requests counts for 100m and 200Mi", least, nil,
		amounts{"cpu": "1", "memory": "1000Mi"},
		nil,
		amounts{},
		85,
	},
	{"so do those on the node", least, nil, amounts{"cpu": "1", "memory": "1000Mi"}, []amounts{{}}, amounts{}, 70},
	{
		"an explicit zero is zero", least, nil,
		amounts{"cpu": "1", "memory": "1000Mi"},
		nil,
		amounts{"cpu": "0", "memory": "0"},
		100,
	},
	{
		"beyond the node is 0 for least", least, nil,
		amounts{"cpu": "1", "memory": "1Gi"},
		nil,
		amounts{"cpu": "2", "memory": "2Gi"},
		0,
	},
	{"and 100 for most", most, nil, amounts{"cpu": "1", "memory": "1Gi"}, nil, amounts{"cpu": "2", "memory": "2Gi"}, 100},
	{
		"a resource the node lacks is left out", least, nil,
		amounts{"cpu": "4"},
		nil,
		amounts{"cpu": "1", "memory": "1Gi"},
		75,
	},
	{"a node with none scores 0", least, nil, amounts{}, nil, amounts{"cpu": "1"}, 0},
	{
		"a scalar the pod does not request is left out", least,
		[]configv1.ResourceSpec{weighted("cpu", 1), weighted(gpu, 9)},
		amounts{"cpu": "4", gpu: "4"},
		[]amounts{{"cpu": "0", gpu: "4"}},
		amounts{"cpu": "1"},
		75,
	},
	{
		"one that it requests counts: (75 + 9*25) / 10", least,
		[]configv1.ResourceSpec{weighted("cpu", 1), weighted(gpu, 9)},
		amounts{"cpu": "4", gpu: "4"},
		[]amounts{{"cpu": "0", gpu: "1"}},
		amounts{"cpu": "1", gpu: "2"},
		30,
	},
	{
		"ephemeral storage counts even unrequested", least,
		[]configv1.ResourceSpec{weighted("ephemeral-storage", 1)},
		amounts{"ephemeral-storage": "10Gi"},
		[]amounts{{"ephemeral-storage": "4Gi"}},
		amounts{"cpu": "1"},
		60,
	},
}

func TestFitScores(t *testing.T) {
	for _, test := range fitScores {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n", test.node))
			for i, requests := range test.present {
				s.Apply(cluster.Event{Object: on("n", pod(string(rune('a'+i)), requests))})
			}
			got := scores(t, fit(test.strategy, test.resources...), s, pod("new", test.requests))
			if got[0] != test.want {
				t.Errorf("got %d, want %d", got[0], test.want)
			}
		})
	}
}

func ratio(shape ...configv1.UtilizationShapePoint) *noderesources.Fit {
	return noderesources.NewFit(configv1.NodeResourcesFitArgs{ScoringStrategy: &configv1.ScoringStrategy{
		Type: configv1.RequestedToCapacityRatio, Resources: cpuAndMemory,
		RequestedToCapacityRatio: &configv1.RequestedToCapacityRatioParam{Shape: shape},
	}}, noderesources.Ways{})
}

func TestRequestedToCapacityRatioFollowsItsShape(t *testing.T) {
	packing := ratio(
		configv1.UtilizationShapePoint{Utilization: 0, Score: 0},
		configv1.UtilizationShapePoint{Utilization: 100, Score: 10},
	)
	spreading := ratio(
		configv1.UtilizationShapePoint{Utilization: 0, Score: 10},
		configv1.UtilizationShapePoint{Utilization: 100, Score: 0},
	)
	late := ratio(
		configv1.UtilizationShapePoint{Utilization: 50, Score: 0},
		configv1.UtilizationShapePoint{Utilization: 100, Score: 10},
	)
	tests := []struct {
		name     string
		plugin   *noderesources.Fit
		requests amounts
		want     int64
	}{
		{"the mean is rounded: (50 + 37) / 2 = 43.5", packing, amounts{"cpu": "2", "memory": "3Gi"}, 44},
		{"falling: (50 + 63) / 2 = 56.5", spreading, amounts{"cpu": "2", "memory": "3Gi"}, 57},
		{"a resource that scores 0 does not count: 50, not 25", late, amounts{"cpu": "3", "memory": "2Gi"}, 50},
		{"nothing that counts is 0", late, amounts{"cpu": "1", "memory": "1Gi"}, 0},
		{"beyond the node is full", packing, amounts{"cpu": "5", "memory": "9Gi"}, 100},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := scores(
				t, test.plugin, build.State(node("n", amounts{"cpu": "4", "memory": "8Gi"})), pod("new", test.requests),
			)
			if got[0] != test.want {
				t.Errorf("got %d, want %d", got[0], test.want)
			}
		})
	}
}

func podLevel(requests amounts) *corev1.Pod {
	p := pod("new", amounts{})
	p.Spec.Resources = &corev1.ResourceRequirements{Requests: requests.list()}
	return p
}

func TestFitScoringIgnoresPodLevelRequestsAndBalancedAllocationDoesNot(t *testing.T) {
	s := build.State(node("n", amounts{"cpu": "4", "memory": "8Gi"}))
	p := podLevel(amounts{"cpu": "2", "memory": "1Gi"})
	if got := scores(t, fit(configv1.LeastAllocated), s, p); got[0] != 97 {
		t.Errorf("NodeResourcesFit: got %d, want 97 as for 100m and 200Mi", got[0])
	}
	if got := scores(t, balanced(), s, p); got[0] != 65 {
		t.Errorf("NodeResourcesBalancedAllocation: got %d, want 65 as for 2 CPUs and 1Gi", got[0])
	}
}

var three = []configv1.ResourceSpec{weighted("cpu", 1), weighted("memory", 1), weighted(gpu, 1)}

var balances = []struct {
	name      string
	resources []configv1.ResourceSpec
	node      amounts
	present   amounts
	requests  amounts
	want      int64
}{
	{
		"an empty node loses its balance: 50 + (50 + 81 - 100) / 2", nil,
		amounts{"cpu": "4", "memory": "8Gi"},
		nil,
		amounts{"cpu": "2", "memory": "1Gi"},
		65,
	},
	{
		"a node finds it: 50 + (50 + 100 - 75) / 2", nil,
		amounts{"cpu": "4", "memory": "8Gi"},
		amounts{"cpu": "2"},
		amounts{"memory": "4Gi"},
		87,
	},
	{
		"no change is 75", nil,
		amounts{"cpu": "4", "memory": "8Gi"},
		amounts{"cpu": "1", "memory": "2Gi"},
		amounts{"cpu": "1", "memory": "2Gi"},
		75,
	},
	{
		"three resources: 50 + (50 + 79 - 100) / 2", three,
		amounts{"cpu": "4", "memory": "8Gi", gpu: "4"},
		nil,
		amounts{"cpu": "2", "memory": "2Gi", gpu: "3"},
		64,
	},
	{
		"a scalar the pod does not request is left out", three,
		amounts{"cpu": "4", "memory": "8Gi", gpu: "4"},
		nil,
		amounts{"cpu": "2", "memory": "1Gi"},
		65,
	},
	{"one resource has no balance to lose", nil, amounts{"cpu": "4"}, nil, amounts{"cpu": "3"}, 75},
	{"more than full is full", nil, amounts{"cpu": "1", "memory": "1Gi"}, nil, amounts{"cpu": "9", "memory": "1Gi"}, 75},
	{
		"containers without requests count for nothing", nil,
		amounts{"cpu": "4", "memory": "8Gi"},
		amounts{},
		amounts{"cpu": "2", "memory": "1Gi"},
		65,
	},
}

func TestBalancedAllocationScores(t *testing.T) {
	for _, test := range balances {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n", test.node))
			if test.present != nil {
				s.Apply(cluster.Event{Object: on("n", pod("a", test.present))})
			}
			if got := scores(t, balanced(test.resources...), s, pod("new", test.requests)); got[0] != test.want {
				t.Errorf("got %d, want %d", got[0], test.want)
			}
		})
	}
}

func TestBalancedAllocationSkipsPodsThatRequestNothingOfIt(t *testing.T) {
	s := build.State(node("n", amounts{"cpu": "4", "memory": "8Gi"}))
	for _, requests := range []amounts{{}, {"cpu": "0"}, {"ephemeral-storage": "1Gi", gpu: "1"}} {
		scoring := balanced().PreScore(s.ParsePod(pod("new", requests)), s.Snapshot(), nil)
		if scoring.Verdict.Code != trace.Skip {
			t.Errorf("%v: got %s, want Skip", requests, scoring.Verdict)
		}
	}
}

func TestFitWithoutResourcesToScoreByIsAnError(t *testing.T) {
	plugin := noderesources.NewFit(
		configv1.NodeResourcesFitArgs{ScoringStrategy: &configv1.ScoringStrategy{Type: configv1.LeastAllocated}},
		noderesources.Ways{},
	)
	s := build.State(node("n", amounts{}))
	scorer := plugin.PreScore(s.ParsePod(pod("new")), s.Snapshot(), nil).Scorer
	if got := scorer.Score(s.Snapshot().Nodes, make([]int64, 1)).String(); got != "Error: resources not found" {
		t.Errorf("got %s", got)
	}
}

func TestScorersSayWhatTheirScoresRestOn(t *testing.T) {
	s := build.State(
		node("n", amounts{"cpu": "4", "memory": "8Gi"}), on("n", pod("a", amounts{"cpu": "1", "memory": "1Gi"})),
	)
	p := s.ParsePod(pod("new", amounts{"cpu": "1", "memory": "2Gi"}))
	snapshot := s.Snapshot()
	why := func(plugin framework.ScorePlugin) []string {
		return build.Texts(plugin.PreScore(p, snapshot, snapshot.Nodes).Scorer.(framework.Reasoner).Why(snapshot.Nodes[0]))
	}
	want := []string{
		"cpu: wants 1, has 3, used 1, capacity 4",
		"cpu by LeastAllocated, weight 1: has 50",
		"memory: wants 2Gi, has 7Gi, used 1Gi, capacity 8Gi",
		"memory by LeastAllocated, weight 1: has 62",
	}
	if diff := cmp.Diff(want, why(fit(configv1.LeastAllocated))); diff != "" {
		t.Errorf("NodeResourcesFit (-want +got):\n%s", diff)
	}
	want = []string{
		"cpu: wants 1, has 3, used 1, capacity 4",
		"memory: wants 2Gi, has 7Gi, used 1Gi, capacity 8Gi",
		"balance with the pod: has 93",
		"balance without the pod: has 93",
		"score of the two: has 50 + (50 + 93 - 93) / 2 = 75",
	}
	if diff := cmp.Diff(want, why(balanced())); diff != "" {
		t.Errorf("NodeResourcesBalancedAllocation (-want +got):\n%s", diff)
	}
}

// cpus is a node with so many CPUs, of which some are in use.
func cpus(have, used int64) *cluster.State {
	milli := func(n int64) amounts { return amounts{"cpu": trace.MilliCPU(n).String(), "memory": "0"} }
	return build.State(node("n", milli(have)), on("n", pod("a", milli(used))))
}

func TestMoreFreeNeverScoresLess(t *testing.T) {
	law.Check(t, func(rt *rapid.T) {
		have := rapid.Int64Range(1, 64000).Draw(rt, "have")
		used := rapid.Int64Range(0, 64000).Draw(rt, "used")
		freed := rapid.Int64Range(0, used).Draw(rt, "freed")
		p := pod("new", amounts{"cpu": trace.MilliCPU(rapid.Int64Range(1, 8000).Draw(rt, "request")).String()})
		before, after := cpus(have, used), cpus(have, used-freed)
		if a, b := scores(
			t, fit(configv1.LeastAllocated), before, p,
		)[0], scores(t, fit(configv1.LeastAllocated), after, p)[0]; b < a {
			rt.Fatalf("LeastAllocated fell from %d to %d", a, b)
		}
		if a, b := scores(
			t, fit(configv1.MostAllocated), before, p,
		)[0], scores(t, fit(configv1.MostAllocated), after, p)[0]; b > a {
			rt.Fatalf("MostAllocated rose from %d to %d", a, b)
		}
	})
}

func TestScoresStayInRange(t *testing.T) {
	law.Check(t, func(rt *rapid.T) {
		milli := func(name string) string { return trace.MilliCPU(rapid.Int64Range(0, 9000).Draw(rt, name)).String() }
		s := build.State(
			node("n", amounts{"cpu": milli("cpu"), "memory": milli("memory"), gpu: "4"}),
			on("n", pod("a", amounts{"cpu": milli("used cpu"), "memory": milli("used memory")})))
		p := pod("new", amounts{"cpu": "1", "memory": milli("request"), gpu: "1"})
		all := []configv1.ResourceSpec{weighted("cpu", 1), weighted("memory", 7), weighted(gpu, 100)}
		for _, plugin := range []framework.ScorePlugin{
			fit(configv1.LeastAllocated, all...), fit(configv1.MostAllocated, all...), balanced(all...),
			ratio(
				configv1.UtilizationShapePoint{Utilization: 20, Score: 3},
				configv1.UtilizationShapePoint{Utilization: 70, Score: 9},
			),
		} {
			if got := scores(t, plugin, s, p)[0]; got < 0 || got > framework.MaxNodeScore {
				rt.Fatalf("%s scored %d", plugin.Name(), got)
			}
		}
	})
}
