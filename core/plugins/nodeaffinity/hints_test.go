package nodeaffinity_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

func TestNodesThatComeToMatchWake(t *testing.T) {
	added := &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector(term(in("pool", "general")))}
	wants := pod(labels{"disk": "ssd"}, nil)
	for _, test := range []struct {
		name     string
		added    *corev1.NodeAffinity
		pod      *corev1.Pod
		old, now *corev1.Node
		want     bool
	}{
		{"a new node that matches", nil, wants, nil, node("n", labels{"disk": "ssd"}), true},
		{"a new node that does not", nil, wants, nil, node("n", labels{"disk": "hdd"}), false},
		{"a node that matches now", nil, wants, node("n", nil), node("n", labels{"disk": "ssd"}), true},
		{
			"a node that matched before", nil, wants, node("n", labels{"disk": "ssd"}),
			node("n", labels{"disk": "ssd", "zone": "a"}), false,
		},
		{"a node that matches no more", nil, wants, node("n", labels{"disk": "ssd"}), node("n", nil), false},
		{"a new node outside the added affinity", added, wants, nil, node("n", labels{"disk": "ssd"}), false},
		{"a new node inside it", added, wants, nil, node("n", labels{"disk": "ssd", "pool": "general"}), true},
		{
			"a node that comes inside it, having matched the pod before", added, wants,
			node("n", labels{"disk": "ssd"}), node("n", labels{"disk": "ssd", "pool": "general"}), false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			if test.old != nil {
				s.Apply(cluster.Event{Object: test.old})
			}
			change := s.Apply(cluster.Event{Action: cluster.Update, Object: test.now})[0]
			got, err := plugin(t, test.added).Hints()[0].Helps(s.ParsePod(test.pod), &change, s)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}

func TestUnreadableTermIsAnErrorOfTheHint(t *testing.T) {
	s := cluster.NewState()
	change := s.Apply(cluster.Event{Object: node("n", nil)})[0]
	p := s.ParsePod(pod(nil, selector(term(requirement("a", "Near", "b")))))
	if _, err := plugin(t, nil).Hints()[0].Helps(p, &change, s); err == nil {
		t.Error("no error, so the pod would stay parked where kube-scheduler wakes it")
	}
}

func TestOneHintForNewAndRelabelledNodes(t *testing.T) {
	hints := plugin(t, nil).Hints()
	want := cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added | cluster.UpdateNodeLabel}
	if len(hints) != 1 || hints[0].Event != want {
		t.Errorf("got %+v, want one for %+v", hints, want)
	}
}
