package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

func zoned(name, zone string) cluster.Event {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: zone}}}
	return cluster.Event{Action: cluster.Update, Object: n}
}

func gone(name string) cluster.Event {
	return cluster.Event{Action: cluster.Delete, Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}}
}

// The order after each story is kube-scheduler 1.37's, whose cycle makes its list of nodes again only when the set of
// nodes is another one.
func TestOrderStaysWhileTheSameNodesAreThere(t *testing.T) {
	for _, story := range []struct {
		what string
		then []cluster.Event
		want []string
	}{
		{"a node moves to another zone", []cluster.Event{zoned("a", "2")}, []string{"a", "b", "c"}},
		{"a node leaves and comes back", []cluster.Event{gone("a"), zoned("a", "1")}, []string{"a", "b", "c"}},
		{"a node is new", []cluster.Event{zoned("a", "2"), zoned("d", "3")}, []string{"c", "b", "d", "a"}},
		{"a node is replaced", []cluster.Event{gone("a"), zoned("d", "1")}, []string{"c", "b", "d"}},
		{"a node leaves", []cluster.Event{zoned("a", "2"), gone("c")}, []string{"b", "a"}},
	} {
		s := cluster.NewState()
		for _, e := range []cluster.Event{zoned("a", "1"), zoned("b", "2"), zoned("c", "1")} {
			s.Apply(e)
		}
		s.Settle()
		for _, e := range story.then {
			s.Apply(e)
		}
		if diff := cmp.Diff(story.want, s.Fork().Settle().Names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", story.what, diff)
		}
		if diff := cmp.Diff(story.want, s.Snapshot().Names); diff != "" {
			t.Errorf("%s, looked at (-want +got):\n%s", story.what, diff)
		}
	}
}

func TestLookingDoesNotFixTheOrder(t *testing.T) {
	s := cluster.NewState()
	s.Apply(zoned("a", "1"))
	s.Apply(zoned("b", "2"))
	s.Snapshot()
	s.Apply(zoned("a", "2"))
	if diff := cmp.Diff([]string{"b", "a"}, s.Settle().Names); diff != "" {
		t.Errorf("a cycle after a look (-want +got):\n%s", diff)
	}
}
