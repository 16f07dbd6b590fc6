package dynamicresources_test

import (
	"fmt"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/internal/build"
)

// finds is what a pod gets on the first node: its verdict, or its devices.
func finds(s *cluster.State, gates dynamicresources.Gates, claims ...string) string {
	p := pluginWith(gates)
	parsed := s.ParsePod(pod("web", claims...))
	study := p.PreFilter(parsed, s.Settle())
	if !study.Verdict.OK() {
		return study.Verdict.String()
	}
	n := s.Snapshot().Nodes[0]
	if v := study.Check.Filter(n); !v.OK() {
		return v.String()
	}
	return p.Reserve(framework.ReserveAsk{Pod: parsed, Node: n, Check: study.Check, Known: s}).Hold.String()
}

// before136 are the gates of releases whose allocator knew neither conditions nor parts of devices.
var before136 = dynamicresources.Gates{Whole: true, Untainted: true, Unconditional: true, Exclusive: true}

// TestPoolsAreSearchedByName looks for two devices of any kind in six pools of three drivers, over and over: gates
// choose between several allocators, and that for the fewest gates searches in the order of a map.
func TestPoolsAreSearchedByName(t *testing.T) {
	for _, c := range []struct {
		name  string
		gates dynamicresources.Gates
	}{
		{"default", dynamicresources.Gates{}},
		{"none", before136},
		{"partitionable devices and taints", dynamicresources.Gates{Unconditional: true, Exclusive: true}},
		{"lists", dynamicresources.Gates{Lists: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 30 {
				objects := []cluster.Object{node("n1"), class("any"), claim("mine", exactly("req", "any", 2))}
				for i := range 6 {
					s := slice("n1", device("gpu-0", "a100"))
					s.Name, s.Spec.Pool.Name = fmt.Sprint("slice-", i), fmt.Sprint("pool-", 9-i)
					s.Spec.Driver = fmt.Sprint("driver-", i%3, ".example.com")
					objects = append(objects, s)
				}
				want := "default/mine: driver-0.example.com/pool-6/gpu-0, driver-0.example.com/pool-9/gpu-0"
				if got := finds(build.State(objects...), c.gates, "mine"); got != want {
					t.Fatalf("it gets %s, want %s", got, want)
				}
			}
		})
	}
}

// TestWhatGatesTurnOffIsNotRead gives pods devices and claims with fields that only others gates have a meaning for.
func TestWhatGatesTurnOffIsNotRead(t *testing.T) {
	attached := device("gpu-0", "a100")
	attached.BindsToNode = new(bool)
	*attached.BindsToNode = true
	attached.BindingConditions = []string{"attached"}
	attached.BindingFailureConditions = []string{"lost"}
	s := slice("n1", attached)
	s.Spec.Pool.Name = "pool-1"
	other := slice("n1", device("gpu-1", "a100"))
	other.Name, other.Spec.Pool.Name = "slice-2", "pool-2"
	part := claim("part", exactly("req", "any", 1))
	part.Spec.Devices.Requests[0].Exactly.Capacity = &resourcev1.CapacityRequirements{
		Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse("500Gi")},
	}
	distinct := claim("distinct", exactly("req", "any", 1))
	attribute := resourcev1.FullyQualifiedName(driver + "/model")
	distinct.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{DistinctAttribute: &attribute}}
	state := build.State(node("n1"), class("any"), s, other, part, distinct, claim("mine", exactly("req", "any", 1)))
	for _, c := range []struct {
		claim, off, on string
	}{
		{"mine", "default/mine: gpu.example.com/pool-1/gpu-0", "default/mine: gpu.example.com/pool-2/gpu-1"},
		{"part", "default/part: gpu.example.com/pool-1/gpu-0", cannotAllocate},
		{
			"distinct",
			"Error: claim default/distinct, constraint #0: empty constraint (unsupported constraint type?)",
			"default/distinct: gpu.example.com/pool-2/gpu-1",
		},
	} {
		if got := finds(state, before136, c.claim); got != c.off {
			t.Errorf("%s without the gates: %s, want %s", c.claim, got, c.off)
		}
		if got := finds(state, dynamicresources.Gates{}, c.claim); got != c.on {
			t.Errorf("%s with the gates: %s, want %s", c.claim, got, c.on)
		}
	}
}
