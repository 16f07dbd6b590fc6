package noderesources_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
	"github.com/schedstep/schedstep/internal/law"
)

const (
	gpu  = "example.com/gpu"
	fpga = "example.com/fpga"
	nic  = "other.io/nic"
)

// room is what the node of most tests has.
var room = amounts{
	"cpu": "4", "memory": "8Gi", "ephemeral-storage": "10Gi", "pods": "3", gpu: "2", fpga: "1",
	"hugepages-2Mi": "64Mi",
}

var fits = []struct {
	name     string
	node     amounts
	present  []*corev1.Pod
	requests amounts
	verdict  string
	evidence []string
}{
	{
		name: "what fits exactly passes", node: room,
		present:  []*corev1.Pod{pod("a", amounts{"cpu": "3", "memory": "7Gi"})},
		requests: amounts{"cpu": "1", "memory": "1Gi"},
		verdict:  "Success",
	},
	{
		name: "too little left may be resolved by preemption", node: room,
		present:  []*corev1.Pod{pod("a", amounts{"cpu": "3500m"})},
		requests: amounts{"cpu": "1"},
		verdict:  "Unschedulable: Insufficient cpu",
		evidence: []string{"cpu: wants 1, has 500m, used 3500m, capacity 4"},
	},
	{
		name: "more than the whole node may not", node: room,
		requests: amounts{"memory": "9Gi"},
		verdict:  "UnschedulableAndUnresolvable: Insufficient memory",
		evidence: []string{"memory: wants 9Gi, has 8Gi, used 0, capacity 8Gi"},
	},
	{
		name: "one unresolvable shortage makes the verdict unresolvable", node: room,
		present:  []*corev1.Pod{pod("a", amounts{"cpu": "4"})},
		requests: amounts{"cpu": "1", "ephemeral-storage": "11Gi"},
		verdict:  "UnschedulableAndUnresolvable: Insufficient cpu, Insufficient ephemeral-storage",
		evidence: []string{
			"cpu: wants 1, has 0, used 4, capacity 4",
			"ephemeral-storage: wants 11Gi, has 10Gi, used 0, capacity 10Gi",
		},
	},
	{
		name: "a node that admits no pod is full for pods without requests too", node: amounts{"cpu": "4"},
		verdict:  "Unschedulable: Too many pods",
		evidence: []string{"pods: wants 1, has 0, used 0, capacity 0"},
	},
	{
		name: "every shortage is told, scalars by name last", node: room,
		present: []*corev1.Pod{
			pod("a", amounts{"cpu": "4", "memory": "8Gi", "ephemeral-storage": "10Gi", gpu: "2", fpga: "1"}),
			pod("b"), pod("c"),
		},
		requests: amounts{"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", gpu: "1", fpga: "1"},
		verdict: "Unschedulable: Too many pods, Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, " +
			"Insufficient example.com/fpga, Insufficient example.com/gpu",
		evidence: []string{
			"pods: wants 1, has 0, used 3, capacity 3",
			"cpu: wants 1, has 0, used 4, capacity 4",
			"memory: wants 1Gi, has 0, used 8Gi, capacity 8Gi",
			"ephemeral-storage: wants 1Gi, has 0, used 10Gi, capacity 10Gi",
			"example.com/fpga: wants 1, has 0, used 1, capacity 1",
			"example.com/gpu: wants 1, has 0, used 2, capacity 2",
		},
	},
	{
		name: "a scalar the node does not have is unresolvable", node: room,
		requests: amounts{nic: "1"},
		verdict:  "UnschedulableAndUnresolvable: Insufficient other.io/nic",
		evidence: []string{"other.io/nic: wants 1, has 0, used 0, capacity 0"},
	},
	{
		name: "huge pages are told in bytes", node: room,
		requests: amounts{"hugepages-2Mi": "128Mi"},
		verdict:  "UnschedulableAndUnresolvable: Insufficient hugepages-2Mi",
		evidence: []string{"hugepages-2Mi: wants 128Mi, has 64Mi, used 0, capacity 64Mi"},
	},
	{
		name: "a request of nothing asks nothing", node: amounts{"cpu": "1", "pods": "1"},
		requests: amounts{"memory": "0", gpu: "0"},
		verdict:  "Success",
	},
	{
		name: "an overcommitted node has less than nothing left", node: amounts{"cpu": "1", "pods": "9"},
		present:  []*corev1.Pod{pod("a", amounts{"cpu": "3"})},
		requests: amounts{"cpu": "1"},
		verdict:  "Unschedulable: Insufficient cpu",
		evidence: []string{"cpu: wants 1, has -2, used 3, capacity 1"},
	},
}

func TestFitRejectsWithNumbers(t *testing.T) {
	for _, test := range fits {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n", test.node))
			for _, p := range test.present {
				s.Apply(cluster.Event{Object: on("n", p)})
			}
			got := filter(fit(configv1.LeastAllocated), s, pod("new", test.requests))
			build.WantVerdict(t, got, test.verdict, test.evidence)
		})
	}
}

func TestFitIgnoresExtendedResourcesItIsToldTo(t *testing.T) {
	plugin := noderesources.NewFit(configv1.NodeResourcesFitArgs{
		IgnoredResources: []string{gpu, "hugepages-2Mi"}, IgnoredResourceGroups: []string{"other.io"},
		ScoringStrategy: &configv1.ScoringStrategy{Type: configv1.LeastAllocated, Resources: cpuAndMemory},
	}, noderesources.Ways{})
	s := build.State(node("n", amounts{"pods": "9"}))
	for resource, want := range map[string]string{
		gpu:             "Success",
		nic:             "Success",
		fpga:            "UnschedulableAndUnresolvable: Insufficient example.com/fpga",
		"hugepages-2Mi": "UnschedulableAndUnresolvable: Insufficient hugepages-2Mi",
	} {
		if got := filter(plugin, s, pod("new", amounts{resource: "1"})); got.String() != want {
			t.Errorf("%s: got %s, want %s", resource, got, want)
		}
	}
}

func class(name, extended string, age int64) *resourcev1.DeviceClass {
	c := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.Unix(age, 0)}}
	if extended != "" {
		c.Spec.ExtendedResourceName = &extended
	}
	return c
}

func TestFitLeavesResourcesOfDeviceClassesToDynamicResources(t *testing.T) {
	const implicit = resourcev1.ResourceDeviceClassPrefix + "fpgas"
	s := build.State(class("gpus", gpu, 1), class("fpgas", "", 1), node("n", amounts{"pods": "9"}))
	for resource, want := range map[string]string{
		gpu:      "Success",
		implicit: "Success",
		nic:      "UnschedulableAndUnresolvable: Insufficient other.io/nic",
		fpga:     "UnschedulableAndUnresolvable: Insufficient example.com/fpga",
	} {
		if got := filter(fit(configv1.LeastAllocated), s, pod("new", amounts{resource: "1"})); got.String() != want {
			t.Errorf("%s: got %s, want %s", resource, got, want)
		}
	}
	s = build.State(class("gpus", gpu, 1), node("n", amounts{"pods": "9", gpu: "1"}))
	if got := filter(fit(configv1.LeastAllocated), s, pod("new", amounts{gpu: "2"})); got.OK() {
		t.Error("a node that offers the resource itself is not DynamicResources' affair, and the pod does not fit it")
	}
}

func TestFitHonoursPodLevelRequests(t *testing.T) {
	p := pod("new", amounts{"cpu": "1"})
	p.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts{"cpu": "5"}.list()}
	got := filter(fit(configv1.LeastAllocated), build.State(node("n", amounts{"cpu": "4", "pods": "9"})), p)
	if want := "UnschedulableAndUnresolvable: Insufficient cpu"; got.String() != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFitDoesNotHeedWhatTheStatusReports(t *testing.T) {
	p := pod("new", amounts{"cpu": "1"})
	p.Spec.Containers[0].Name = "c"
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", AllocatedResources: amounts{"cpu": "8"}.list()}}
	s := build.State(node("n", amounts{"cpu": "4", "pods": "9"}))
	if got := s.ParsePod(p).Requests.MilliCPU; got != 8000 {
		t.Fatalf("the status counts for %d millicores on a node, want 8000", got)
	}
	if got := filter(fit(configv1.LeastAllocated), s, p); !got.OK() {
		t.Errorf("got %s, want Success", got)
	}
}

func TestFitNeverSkips(t *testing.T) {
	s := build.State(node("n", amounts{"pods": "1"}))
	study := fit(configv1.LeastAllocated).PreFilter(s.ParsePod(pod("new")), s.Snapshot())
	if !study.Verdict.OK() || study.Nodes != nil {
		t.Errorf("got %s with nodes %v, want Success with all nodes", study.Verdict, study.Nodes)
	}
}

// A verdict must stay as it is when the check goes on to reject other nodes.
func TestFitVerdictsDoNotShareEvidence(t *testing.T) {
	s := cluster.NewState()
	for _, cpus := range []string{"1", "2", "3"} {
		s.Apply(cluster.Event{Object: node("n"+cpus, amounts{"cpu": cpus, "pods": "9"})})
	}
	snapshot := s.Snapshot()
	check := fit(configv1.LeastAllocated).PreFilter(s.ParsePod(pod("new", amounts{"cpu": "4"})), snapshot).Check
	var verdicts []trace.Verdict
	for range 50 {
		for _, n := range snapshot.Nodes {
			verdicts = append(verdicts, check.Filter(n))
		}
	}
	for i, v := range verdicts {
		v.Evidence = append(v.Evidence, trace.Evidence{What: "appended by a reader"})
		if got, _ := verdicts[i].Evidence[0].Capacity.Number(); got != int64(1000*(i%3+1)) || len(verdicts[i].Evidence) != 1 {
			t.Fatalf("verdict %d now says %v", i, build.Texts(verdicts[i].Evidence))
		}
	}
}

func TestFitPassesExactlyWhatFits(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 8)
		have, used, want := amount.Draw(t, "have"), amount.Draw(t, "used"), amount.Draw(t, "want")
		one := func(n int64) amounts { return amounts{gpu: trace.Count(n).String()} }
		s := build.State(node("n", amounts{"pods": "2", gpu: trace.Count(have).String()}), on("n", pod("a", one(used))))
		got := filter(fit(configv1.LeastAllocated), s, pod("new", one(want)))
		code := trace.Success
		switch {
		case want > 0 && want > have:
			code = trace.UnschedulableAndUnresolvable
		case want > 0 && want > have-used:
			code = trace.Unschedulable
		}
		if got.Code != code {
			t.Fatalf("have %d, used %d, want %d: got %s, want %s", have, used, want, got.Code, code)
		}
	})
}

func TestFitSaysTheSameBriefly(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 3)
		some := func(label string) amounts {
			a := amounts{}
			for _, name := range []string{"cpu", "memory", "ephemeral-storage", gpu} {
				a[name] = trace.Count(amount.Draw(t, label+" "+name)).String()
			}
			return a
		}
		have := some("have")
		have["pods"] = trace.Count(amount.Draw(t, "pods")).String()
		s := build.State(node("n", have), on("n", pod("a", some("used"))))
		snapshot := s.Snapshot()
		check := fit(configv1.LeastAllocated).PreFilter(s.ParsePod(pod("new", some("want"))), snapshot).Check
		full, brief := check.Filter(snapshot.Nodes[0]), check.(framework.Brief).Brief().Filter(snapshot.Nodes[0])
		if full.Code != brief.Code || !slices.Equal(full.Reasons, brief.Reasons) {
			t.Fatalf("got %s, briefly %s", full, brief)
		}
	})
}

func TestUsersAreTheThreeLargest(t *testing.T) {
	s := build.State(node("n", amounts{"cpu": "4", "pods": "5"}),
		on("n", pod("d", amounts{"cpu": "500m"})), on("n", pod("c", amounts{"cpu": "1"})),
		on("n", pod("b", amounts{"cpu": "2"})),
		on("n", pod("a", amounts{"cpu": "500m"})), on("n", pod("idle")))
	snapshot := s.Snapshot()
	check := fit(configv1.LeastAllocated).PreFilter(s.ParsePod(pod("new", amounts{"cpu": "1"})), snapshot).Check
	var got []string
	for _, u := range check.(framework.Accountant).Users(snapshot.Nodes[0], check.Filter(snapshot.Nodes[0])) {
		got = append(got, u.What+" "+u.Pod+" "+u.Amount.String())
	}
	want := []string{
		"pods default/a 1", "pods default/b 1", "pods default/c 1",
		"cpu default/b 2", "cpu default/c 1", "cpu default/a 500m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestChangesDoWhatTheySay makes every proposed change and filters again: a pod that requests no more than the change
// proposes, or a node on which so much was freed, passes. No change proposes a request below zero.
func TestChangesDoWhatTheySay(t *testing.T) {
	names := []string{"cpu", "memory", "example.com/gpu"}
	lessTold, freeTold := 0, 0
	law.Check(t, func(t *rapid.T) {
		have, want := amounts{"pods": "10"}, amounts{}
		used := map[string]int{}
		for _, name := range names {
			have[name] = strconv.Itoa(rapid.IntRange(0, 8).Draw(t, "has "+name))
			want[name] = strconv.Itoa(rapid.IntRange(0, 6).Draw(t, "wants "+name))
			used[name] = rapid.IntRange(0, 9).Draw(t, "used "+name) // more than there is, at times
		}
		judge := func(want amounts, used map[string]int) (framework.Check, *cluster.Node) {
			held := amounts{}
			for name, n := range used {
				held[name] = strconv.Itoa(n)
			}
			s := build.State(node("n", have), on("n", pod("a", held)))
			snapshot := s.Snapshot()
			return fit(configv1.LeastAllocated).PreFilter(s.ParsePod(pod("new", want)), snapshot).Check, snapshot.Nodes[0]
		}
		check, n := judge(want, used)
		for _, change := range check.(framework.Adviser).Changes(n, check.Filter(n)) {
			wants, uses := maps.Clone(want), maps.Clone(used)
			for _, part := range change.Parts {
				if change.Kind == trace.FreeOnNode {
					by, _ := strconv.Atoi(part.By.String())
					uses[part.What] -= by
					freeTold++
					continue
				}
				had := resource.MustParse(want[part.What])
				if by := resource.MustParse(part.By.String()); by.Cmp(had) >= 0 {
					t.Fatalf("%s less %s is told to a pod that requests %s", part.By, part.What, &had)
				}
				wants[part.What] = part.To.String()
				lessTold++
			}
			if after, n := judge(wants, uses); !after.Filter(n).OK() {
				t.Fatalf("%v does not help: %s", change, after.Filter(n))
			}
		}
	})
	law.Met(t, lessTold > 0 && freeTold > 0, "only %d and %d changes were told", lessTold, freeTold)
}
