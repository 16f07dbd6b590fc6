package nodename_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/nodename"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func nodes(n int) *cluster.State {
	s := cluster.NewState()
	for i := range n {
		s.Apply(cluster.Event{Object: build.Node(fmt.Sprintf("n%d", i))})
	}
	return s
}

func study(s *cluster.State, node string) framework.Study {
	return nodename.New(nodename.Ways{}).PreFilter(s.ParsePod(build.Pod("p", build.On(node))), s.Snapshot())
}

func TestPodRunsOnTheNodeItNamesOrNowhere(t *testing.T) {
	s := nodes(2)
	got := study(s, "n1")
	if diff := cmp.Diff([]string{"n1"}, got.Nodes); diff != "" || !got.Verdict.OK() {
		t.Errorf("PreFilter: %s, nodes (-want +got):\n%s", got.Verdict, diff)
	}
	snapshot := s.Snapshot()
	if v := got.Check.Filter(snapshot.Nodes[1]); !v.OK() {
		t.Errorf("its node: %s", v)
	}
	v := got.Check.Filter(snapshot.Nodes[0])
	if want := "UnschedulableAndUnresolvable: node(s) didn't match the requested node name"; v.String() != want {
		t.Errorf("another: got %s, want %s", v, want)
	}
	if want := "node name: wants n1, has n0"; v.Evidence[0].String() != want {
		t.Errorf("evidence: got %q, want %q", v.Evidence[0], want)
	}
}

func TestPodThatNamesNoNodeIsNotSkipped(t *testing.T) {
	s := nodes(1)
	got := study(s, "")
	if !got.Verdict.OK() || got.Nodes != nil {
		t.Errorf("got %s with nodes %v, want Success with all nodes", got.Verdict, got.Nodes)
	}
	if v := got.Check.Filter(s.Snapshot().Nodes[0]); !v.OK() {
		t.Errorf("got %s, want Success", v)
	}
}

func TestAnyNewNodeWakes(t *testing.T) {
	hints := nodename.New(nodename.Ways{}).Hints()
	added := cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}
	changed := cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.UpdateNodeLabel}
	if len(hints) != 1 || hints[0].Helps != nil || !hints[0].Event.Matches(added) || hints[0].Event.Matches(changed) {
		t.Errorf("got %+v, want one hint for new nodes that always helps", hints)
	}
}

func BenchmarkFilter5000(b *testing.B) {
	s := nodes(5000)
	snapshot := s.Snapshot()
	check := study(s, "").Check
	b.ReportAllocs()
	for b.Loop() {
		for _, n := range snapshot.Nodes {
			if check.Filter(n).Code != trace.Success {
				b.Fatal("rejected")
			}
		}
	}
}
