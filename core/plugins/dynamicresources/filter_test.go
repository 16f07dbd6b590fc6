package dynamicresources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

const cannotAllocate = "UnschedulableAndUnresolvable: " + dynamicresources.ReasonNoDevices

func tainted(d resourcev1.Device) resourcev1.Device {
	d.Taints = []resourcev1.DeviceTaint{{Key: "unhealthy", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	return d
}

func tolerating(r resourcev1.DeviceRequest) resourcev1.DeviceRequest {
	r.Exactly.Tolerations = []resourcev1.DeviceToleration{
		{Key: "unhealthy", Operator: resourcev1.DeviceTolerationOpExists},
	}
	return r
}

func consuming(d resourcev1.Device, memory string) resourcev1.Device {
	d.ConsumesCounters = []resourcev1.DeviceCounterConsumption{
		{CounterSet: "whole", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(memory)}}},
	}
	return d
}

// partitioned is a pool whose devices share 80Gi of memory.
func partitioned(node string, devices ...resourcev1.Device) []cluster.Object {
	parts := slice(node, devices...)
	parts.Spec.Pool.ResourceSliceCount = 2
	counters := slice(node)
	counters.Name += "-counters"
	counters.Spec.Pool.ResourceSliceCount = 2
	counters.Spec.SharedCounters = []resourcev1.CounterSet{
		{Name: "whole", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("80Gi")}}},
	}
	return []cluster.Object{parts, counters}
}

const a100 = `device.attributes["gpu.example.com"].model == "a100"`

var (
	gpus   = class("gpu", `device.driver == "gpu.example.com"`)
	others = class("other", `device.driver == "other.example.com"`)
)

// alike is a claim for two devices of one model.
func alike(name string) *resourcev1.ResourceClaim {
	model := resourcev1.FullyQualifiedName(driver + "/model")
	c := claim(name, exactly("req", "gpu", 2))
	c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &model}}
	return c
}

var allocations = []struct {
	name     string
	objects  []cluster.Object
	verdict  string
	evidence []string
}{
	{
		"a free device",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 1)), slice("n", device("d0", "a100"))},
		"Success",
		nil,
	},
	{
		"no device at all",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 1))},
		cannotAllocate,
		[]string{"claim default/c request req: wants 1, has 0, used 0, capacity 0"},
	},
	{
		"a taken device",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 1)), slice("n", device("d0", "a100")), allocated(
			claim("b"), "n", "d0", "other",
		)},
		cannotAllocate,
		[]string{
			"claim default/c request req: wants 1, has 0, used 1, capacity 1",
			"device gpu.example.com/pool-n/d0: has taken; by default/b",
		},
	},
	{
		"too few devices",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 2)), slice("n", device("d0", "a100"))},
		cannotAllocate,
		[]string{"claim default/c request req: wants 2, has 1, used 0, capacity 1"},
	},
	{
		"the class selects others",
		[]cluster.Object{others, claim("c", exactly("req", "other", 1)), slice("n", device("d0", "a100"))},
		cannotAllocate,
		[]string{
			"claim default/c request req: wants 1, has 0, used 0, capacity 1",
			`device gpu.example.com/pool-n/d0: wants class other: device.driver == "other.example.com", has no match`,
		},
	},
	{
		"the request selects others",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 1, a100)), slice("n", device("d0", "t4"))},
		cannotAllocate,
		[]string{
			"claim default/c request req: wants 1, has 0, used 0, capacity 1",
			"device gpu.example.com/pool-n/d0: wants selector: " + a100 + ", has no match",
		},
	},
	{
		"a tainted device",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 1)), slice("n", tainted(device("d0", "t4")))},
		cannotAllocate,
		[]string{
			"claim default/c request req: wants 1, has 0, used 0, capacity 1",
			"device gpu.example.com/pool-n/d0: wants no taint or a toleration, has taint unhealthy:NoSchedule",
		},
	},
	{
		"a tolerated taint",
		[]cluster.Object{gpus, claim("c", tolerating(exactly("req", "gpu", 1))), slice("n", tainted(device("d0", "t4")))},
		"Success", nil,
	},
	{
		"a rule that taints",
		[]cluster.Object{
			gpus, claim("c", exactly("req", "gpu", 1)), slice("n", device("d0", "t4")),
			&resourcev1.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule"}, Spec: resourcev1.DeviceTaintRuleSpec{
				DeviceSelector: &resourcev1.DeviceTaintSelector{},
				Taint:          resourcev1.DeviceTaint{Key: "recall", Effect: resourcev1.DeviceTaintEffectNoExecute},
			}},
		},
		cannotAllocate,
		[]string{
			"claim default/c request req: wants 1, has 0, used 0, capacity 1",
			"device gpu.example.com/pool-n/d0: wants no taint or a toleration, has taint recall:NoExecute",
		},
	},
	{
		"a constraint over both",
		[]cluster.Object{gpus, alike("c"), slice("n", device("d0", "a100"), device("d1", "t4"))},
		cannotAllocate,
		[]string{"claim default/c request req: wants 2, has 2, used 0, capacity 2"},
	},
	{
		"a constraint that holds",
		[]cluster.Object{gpus, alike("c"), slice("n", device("d0", "a100"), device("d1", "t4"), device("d2", "a100"))},
		"Success", nil,
	},
	{
		"a used up counter", append(
			partitioned("n", consuming(device("d0", "a100"), "60Gi"), consuming(device("d1", "a100"), "40Gi")),
			gpus, claim("c", exactly("req", "gpu", 1)), allocated(claim("b"), "n", "d0", "other"),
		),
		cannotAllocate,
		[]string{
			"claim default/c request req: wants 1, has 0, used 1, capacity 2",
			"device gpu.example.com/pool-n/d0: has taken; by default/b",
			"device gpu.example.com/pool-n/d1: wants 40Gi of counter whole/memory, has 20Gi",
		},
	},
	{
		"a counter that lasts", append(
			partitioned("n", consuming(device("d0", "a100"), "40Gi"), consuming(device("d1", "a100"), "40Gi")),
			gpus, claim("c", exactly("req", "gpu", 1)), allocated(claim("b"), "n", "d0", "other"),
		), "Success", nil,
	},
	{
		"devices of another node",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 1)), slice("m", device("d0", "a100"))},
		cannotAllocate,
		[]string{"claim default/c request req: wants 1, has 0, used 0, capacity 0"},
	},
	{
		"devices of all nodes",
		[]cluster.Object{gpus, claim("c", exactly("req", "gpu", 1)), slice("", device("d0", "a100"))},
		"Success",
		nil,
	},
	{"an allocation here", []cluster.Object{allocated(claim("c"), "n", "d0", "other")}, "Success", nil},
	{
		"an allocation elsewhere",
		[]cluster.Object{allocated(claim("c"), "m", "d0", "other")},
		"UnschedulableAndUnresolvable: " + dynamicresources.ReasonUnavailable,
		[]string{"claim default/c: wants a node that has metadata.name In m, has allocated gpu.example.com/pool-m/d0"},
	},
}

func TestNodesWithoutFreeDevicesReject(t *testing.T) {
	for _, test := range allocations {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(append(test.objects, node("n"))...)
			got := verdicts(t, s, pod("p", "c"))[0]
			build.WantVerdict(t, got, test.verdict, test.evidence)
		})
	}
}

func TestBrokenExpressionIsAnErrorInKubeSchedulersWords(t *testing.T) {
	for _, test := range []struct{ name, expression, says string }{
		{"does not compile", "device.nothing", "claim default/c: selector #0: CEL compile error: "},
		{"does not parse", "device.driver ==", "claim default/c: selector #0: CEL compile error: "},
		{
			"fails on the device", `device.attributes["gpu.example.com"].absent == "x"`,
			"claim default/c: selector #0 on device gpu.example.com/pool-n/d0: CEL runtime error: ",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n"), class("gpu"), claim("c", exactly("req", "gpu", 1, test.expression)), slice(
				"n", device("d0", "a100"),
			))
			got := verdicts(t, s, pod("p", "c"))[0]
			if got.Code != trace.Error || !strings.HasPrefix(got.Message(), test.says) {
				t.Errorf("got %s, want an error that begins %q", got, test.says)
			}
		})
	}
}

func TestAskingTwiceGetsTheSameAnswer(t *testing.T) {
	s := build.State(
		node("n"), node("m"), class("gpu"), claim("c", exactly("req", "gpu", 1)), slice("n", device("d0", "a100")),
	)
	check := study(s, pod("p", "c")).Check
	for _, n := range s.Snapshot().Nodes {
		first := check.Filter(n)
		if diff := cmp.Diff(first, check.Filter(n), cmp.Comparer(func(a, b trace.Value) bool { return a == b })); diff != "" {
			t.Errorf("node %s (-first +second):\n%s", n.Name, diff)
		}
	}
}

func TestPodsHaveToWaitForTheirClaims(t *testing.T) {
	template := "t"
	generated := pod("p")
	generated.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "use", ResourceClaimTemplateName: &template}}
	name := "c"
	foreign := generated.DeepCopy()
	foreign.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "use", ResourceClaimName: &name}}
	leftOut := generated.DeepCopy()
	leftOut.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "use"}}
	going := claim("c", exactly("req", "gpu", 1))
	going.DeletionTimestamp = &metav1.Time{Time: epoch}
	for _, test := range []struct {
		name  string
		pod   *corev1.Pod
		claim *resourcev1.ResourceClaim
		gate  string
		study string
	}{
		{"there", pod("p", "c"), claim("c"), "Success", "Success"},
		{"not there", pod("p", "c"), nil, `UnschedulableAndUnresolvable: could not find ResourceClaim "default/c"`, ""},
		{
			"not made from its template", generated, nil,
			`UnschedulableAndUnresolvable: pod "default/p": ResourceClaim not created yet`, "",
		},
		{"left out on purpose", leftOut, nil, "Success", "Skip"},
		{
			"of another pod", foreign, claim("c"),
			"UnschedulableAndUnresolvable: ResourceClaim default/c was not created for Pod default/p (Pod is not owner)",
			"",
		},
		{"going", pod("p", "c"), going, `UnschedulableAndUnresolvable: resourceclaim "c" is being deleted`, ""},
		{
			"without class", pod("p", "c"), claim("c", exactly("req", "none", 1)), "Success",
			"UnschedulableAndUnresolvable: request req: device class none does not exist",
		},
		{
			"without request", pod("p", "c"), claim("c", resourcev1.DeviceRequest{Name: "req"}), "Success",
			"UnschedulableAndUnresolvable: resource claim default/c, request req: unknown request type",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n"))
			if test.claim != nil {
				s.Apply(cluster.Event{Object: test.claim})
			}
			if got := plugin().PreEnqueue(s.ParsePod(test.pod), s); got.String() != test.gate {
				t.Errorf("PreEnqueue: got %s, want %s", got, test.gate)
			}
			want := test.study
			if want == "" {
				want = test.gate
			}
			if got := study(s, test.pod).Verdict; got.String() != want {
				t.Errorf("PreFilter: got %s, want %s", got, want)
			}
		})
	}
}

func TestPodsWithoutDevicesAreSkipped(t *testing.T) {
	s := build.State(node("n"), class("gpu"), slice("n", device("d0", "a100")))
	for _, p := range []*corev1.Pod{pod("p"), wants(pod("p"), "example.com/widget", "1")} {
		if got := study(s, p).Verdict; got.Code != trace.Skip {
			t.Errorf("got %s, want Skip", got)
		}
	}
}
