package noderesources_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/internal/build"
)

// asked is the result of the hint registered for the event that the change is.
func asked(
	t *testing.T, hints []queue.Hint, event cluster.ClusterEvent, parked *corev1.Pod, s *cluster.State,
	change cluster.Change,
) bool {
	t.Helper()
	for _, hint := range hints {
		if !hint.Event.Matches(event) {
			continue
		}
		if hint.Helps == nil {
			return true
		}
		helps, err := hint.Helps(s.ParsePod(parked), &change, s)
		if err != nil {
			t.Fatal(err)
		}
		return helps
	}
	t.Fatalf("nobody waits for %s", event.Label())
	return false
}

func TestFitWakesOnNodes(t *testing.T) {
	parked := pod("parked", amounts{"cpu": "2", gpu: "1"})
	big := amounts{"cpu": "4", gpu: "1", "pods": "9"}
	tests := []struct {
		name     string
		old, new amounts
		want     bool
	}{
		{"a new node with room", nil, big, true},
		{"a new node without", nil, amounts{"cpu": "1", gpu: "1", "pods": "9"}, false},
		{"a new node without the scalar", nil, amounts{"cpu": "4", "pods": "9"}, false},
		{"cpu grew", amounts{"cpu": "3", gpu: "1", "pods": "9"}, big, true},
		{"the scalar grew", amounts{"cpu": "4", "pods": "9"}, big, true},
		{"the number of pods grew", amounts{"cpu": "4", gpu: "1", "pods": "8"}, big, true},
		{
			"only what the pod does not request grew",
			amounts{"cpu": "4", gpu: "1", "pods": "9", "memory": "1Gi"},
			amounts{"cpu": "4", gpu: "1", "pods": "9", "memory": "2Gi"},
			false,
		},
		{
			"cpu grew, but not enough",
			amounts{"cpu": "1", gpu: "1", "pods": "9"},
			amounts{"cpu": "1500m", gpu: "1", "pods": "9"},
			false,
		},
		{"cpu shrank and still suffices", amounts{"cpu": "5", gpu: "1", "pods": "9"}, big, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			action := cluster.Added
			if test.old != nil {
				s.Apply(cluster.Event{Object: node("n", test.old)})
				action = cluster.UpdateNodeAllocatable
			}
			change := s.Apply(cluster.Event{Action: cluster.Update, Object: node("n", test.new)})[0]
			event := cluster.ClusterEvent{Resource: cluster.NodeResource, Action: action}
			if got := asked(t, fit(configv1.LeastAllocated).Hints(), event, parked, s, change); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestFitHintForNodesDoesNotIgnoreIgnoredResources(t *testing.T) {
	plugin := noderesources.NewFit(configv1.NodeResourcesFitArgs{
		IgnoredResources: []string{gpu},
		ScoringStrategy:  &configv1.ScoringStrategy{Type: configv1.LeastAllocated, Resources: cpuAndMemory},
	}, noderesources.Ways{})
	s := cluster.NewState()
	change := s.Apply(cluster.Event{Object: node("n", amounts{"cpu": "4", "pods": "9"})})[0]
	event := cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}
	if asked(t, plugin.Hints(), event, pod("parked", amounts{gpu: "1"}), s, change) {
		t.Error("a node that would do woke the pod, which kube-scheduler's hint does not allow")
	}
}

func TestFitWakesOnAnUpdateOfANodeWhenAClassStandsForTheResource(t *testing.T) {
	s := build.State(class("gpus", gpu, 1), node("n", amounts{"cpu": "4", "pods": "9"}))
	change := s.Apply(
		cluster.Event{Action: cluster.Update, Object: node("n", amounts{"cpu": "4", "pods": "9", "memory": "1Gi"})},
	)[0]
	event := cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.UpdateNodeAllocatable}
	if !asked(t, fit(configv1.LeastAllocated).Hints(), event, pod("parked", amounts{gpu: "1"}), s, change) {
		t.Error("the pod was left parked")
	}
}

func TestFitWakesOnPodsThatLeaveANode(t *testing.T) {
	nominated := pod("gone")
	nominated.Status.NominatedNodeName = "n"
	for _, test := range []struct {
		name string
		gone *corev1.Pod
		want bool
	}{
		{"on a node", on("n", pod("gone")), true},
		{"promised one", nominated, true},
		{"waiting itself", pod("gone", amounts{"cpu": "9"}), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n", amounts{}), test.gone)
			change := s.Apply(cluster.Event{Action: cluster.Delete, Object: test.gone})[0]
			event := cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}
			if got := asked(
				t, fit(configv1.LeastAllocated).Hints(), event, pod("parked", amounts{gpu: "1"}), s, change,
			); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestFitWakesOnPodsThatRequestLess(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new amounts
		node     string
		want     bool
	}{
		{"of what the pod requests", amounts{"cpu": "2"}, amounts{"cpu": "1"}, "n", true},
		{"of a scalar the pod requests", amounts{gpu: "2"}, amounts{gpu: "1"}, "n", true},
		{"of something else", amounts{"memory": "2"}, amounts{"memory": "1"}, "n", false},
		{"without a node", amounts{"cpu": "2"}, amounts{"cpu": "1"}, "", false},
		{"no less", amounts{"cpu": "1"}, amounts{"cpu": "1"}, "n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n", amounts{}), on(test.node, pod("a", test.old)))
			change := s.Apply(cluster.Event{Action: cluster.Update, Object: on(test.node, pod("a", test.new))})[0]
			event := cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.UpdatePodScaleDown}
			parked := pod("parked", amounts{"cpu": "2", gpu: "1", "memory": "0"})
			if got := asked(t, fit(configv1.LeastAllocated).Hints(), event, parked, s, change); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestFitWakesWhenThePodItselfRequestsLess(t *testing.T) {
	event := cluster.ClusterEvent{Resource: cluster.TargetPod, Action: cluster.UpdatePodScaleDown}
	if !asked(t, fit(configv1.LeastAllocated).Hints(), event, pod("parked"), cluster.NewState(), cluster.Change{}) {
		t.Error("the pod was left parked")
	}
}

func TestFitWakesOnDeviceClasses(t *testing.T) {
	implicit := resourcev1.ResourceDeviceClassPrefix + "gpus"
	for _, test := range []struct {
		name     string
		old, new *resourcev1.DeviceClass
		request  string
		want     bool
	}{
		{"a new class with the requested name", nil, class("gpus", gpu, 1), gpu, true},
		{"a new class whose own name is requested", nil, class("gpus", "", 1), implicit, true},
		{"a new class for something else", nil, class("gpus", fpga, 1), gpu, false},
		{"a new class for nothing", nil, class("gpus", "", 1), gpu, false},
		{"a class that takes the requested name", class("gpus", fpga, 1), class("gpus", gpu, 1), gpu, true},
		{"a class that drops it", class("gpus", gpu, 1), class("gpus", "", 1), gpu, false},
		{"a class that keeps it", class("gpus", gpu, 1), class("gpus", gpu, 1), gpu, false},
		{"an old class whose own name is requested", class("gpus", "", 1), class("gpus", fpga, 1), implicit, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := cluster.NewState()
			action := cluster.Added
			if test.old != nil {
				s.Apply(cluster.Event{Object: test.old})
				action = cluster.Updated
			}
			change := s.Apply(cluster.Event{Action: cluster.Update, Object: test.new})[0]
			event := cluster.ClusterEvent{Resource: cluster.DeviceClassResource, Action: action}
			if got := asked(
				t, fit(configv1.LeastAllocated).Hints(), event, pod("parked", amounts{test.request: "1"}), s, change,
			); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}
