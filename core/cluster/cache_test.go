package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// numbers are the generation and the changes of every node.
func numbers(s *cluster.State) map[string][2]int64 {
	all := map[string][2]int64{}
	s.EachNode(func(n *cluster.Node) bool { all[n.Name] = [2]int64{n.Generation(), n.Changes()}; return true })
	return all
}

func placed(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: name, UID: "uid"}, Spec: corev1.PodSpec{NodeName: node},
	}
}

// TestGenerationsCountAsInTheCache follows kube-scheduler's cache: a NodeInfo that is made is a change of the cache and
// none of its own, an update of a pod is one that goes and one that comes (1.37: NewNodeInfo, SetNode, AddPod,
// RemovePod and RemoveNode raise the generation).
func TestGenerationsCountAsInTheCache(t *testing.T) {
	s := cluster.NewState()
	s.Apply(zoned("a", "1"))
	s.Apply(zoned("b", "2"))
	if diff := cmp.Diff(map[string][2]int64{"a": {2, 1}, "b": {4, 1}}, numbers(s)); diff != "" {
		t.Errorf("after two nodes (-want +got):\n%s", diff)
	}
	if s.Taken() != 0 {
		t.Errorf("a snapshot of generation %d was taken before the first", s.Taken())
	}
	s.Settle()
	if s.Taken() != 4 || s.Newest() != 4 {
		t.Errorf("the snapshot is of %d, and the newest is %d", s.Taken(), s.Newest())
	}
	s.Apply(cluster.Event{Action: cluster.Add, Object: placed("web", "a")})
	s.Apply(cluster.Event{Action: cluster.Update, Object: placed("web", "a")})
	if diff := cmp.Diff(map[string][2]int64{"a": {7, 4}, "b": {4, 1}}, numbers(s)); diff != "" {
		t.Errorf("after a pod came and changed (-want +got):\n%s", diff)
	}
	s.Apply(gone("a")) // its pod keeps it
	if diff := cmp.Diff(map[string][2]int64{"a": {8, 5}, "b": {4, 1}}, numbers(s)); diff != "" {
		t.Errorf("after the node went (-want +got):\n%s", diff)
	}
	fork := s.Fork()
	s.Apply(cluster.Event{Action: cluster.Delete, Object: placed("web", "a")})
	if diff := cmp.Diff(map[string][2]int64{"b": {4, 1}}, numbers(s)); diff != "" {
		t.Errorf("after its pod went too (-want +got):\n%s", diff)
	}
	if s.Settle(); s.Newest() != 4 || s.Taken() != 4 {
		t.Errorf("the newest that is there is %d, and the snapshot is of %d", s.Newest(), s.Taken())
	}
	if fork.Newest() != 8 || len(numbers(fork)) != 2 {
		t.Errorf("a fork made before has %v, newest %d", numbers(fork), fork.Newest())
	}
}

// TestWhatIfsAreNoChangesOfTheCache derives a node with a pod more.
func TestWhatIfsAreNoChangesOfTheCache(t *testing.T) {
	s := cluster.NewState()
	s.Apply(zoned("a", "1"))
	n, _ := s.Node("a")
	n.With(s.ParsePod(placed("web", "a")))
	s.Snapshot()
	if got := numbers(s)["a"]; got != [2]int64{2, 1} {
		t.Errorf("the node has %v", got)
	}
}
