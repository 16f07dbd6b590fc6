package schedulinggates_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/schedulinggates"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func gated(s *cluster.State, gates ...string) *cluster.Pod {
	api := build.Pod("p")
	for _, g := range gates {
		api.Spec.SchedulingGates = append(api.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: g})
	}
	return s.ParsePod(api)
}

func TestGatesHoldAPodBack(t *testing.T) {
	s := cluster.NewState()
	got := schedulinggates.New().PreEnqueue(gated(s, "foo", "bar"), s)
	if want := "UnschedulableAndUnresolvable: waiting for scheduling gates: [foo bar]"; got.String() != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := []string{"scheduling gate foo: wants removed, has present", "scheduling gate bar: wants removed, has present"}
	if diff := cmp.Diff(want, []string{got.Evidence[0].String(), got.Evidence[1].String()}); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

func TestPodWithoutGatesMayWaitForItsTurn(t *testing.T) {
	s := cluster.NewState()
	if got := schedulinggates.New().PreEnqueue(gated(s), s); got.Code != trace.Success {
		t.Errorf("got %s, want Success", got)
	}
}

func TestOnlyTheLastGateGoingWakes(t *testing.T) {
	hints := schedulinggates.New().Hints()
	if len(hints) != 1 || hints[0].Helps != nil {
		t.Fatalf("want one hint that always helps, got %d", len(hints))
	}
	s := cluster.NewState()
	for _, test := range []struct {
		old, now *cluster.Pod
		want     bool
	}{
		{gated(s, "foo", "bar"), gated(s), true},
		{gated(s, "foo", "bar"), gated(s, "bar"), false},
	} {
		events := cluster.PodEvents(test.old, test.now, cluster.TargetPod)
		if got := hints[0].Event.Matches(events[0]); got != test.want {
			t.Errorf("%v: got %t, want %t", events, got, test.want)
		}
	}
}
