package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle"
)

// queued is the plugins that answered, with their Queue.
func queued(hints []oracle.Hint) map[string]bool {
	answers := map[string]bool{}
	for _, h := range hints {
		answers[h.Event+"/"+h.Plugin] = h.Queue
	}
	return answers
}

func TestHintsSayWhoIsWorthAnotherAttempt(t *testing.T) {
	small := node("n", "", resources("cpu", "1", "memory", "8Gi"))
	large := node("n", "", resources("cpu", "4", "memory", "8Gi"))
	cordoned := small.DeepCopy()
	cordoned.Spec.Unschedulable = true
	waiting := pod("p", resources("cpu", "2"))
	neighbour := running(pod("q", resources("cpu", "1")), "n", 0)
	cases := []struct {
		name   string
		change oracle.Change
		want   map[string]bool
	}{
		{
			name: "large node added", change: oracle.Change{After: large},
			want: map[string]bool{
				"NodeAdd/DynamicResources": true, "NodeAdd/InterPodAffinity": false, "NodeAdd/NodeAffinity": true,
				"NodeAdd/NodeDeclaredFeatures": true, "NodeAdd/NodeName": true, "NodeAdd/NodePorts": true,
				"NodeAdd/NodeResourcesFit": true, "NodeAdd/NodeUnschedulable": true, "NodeAdd/PodTopologySpread": true,
				"NodeAdd/TaintToleration": true, "NodeAdd/VolumeBinding": true, "NodeAdd/VolumeRestrictions": true,
				"NodeAdd/VolumeZone": true,
			},
		},
		{
			name: "node grew", change: oracle.Change{Before: small, After: large},
			want: map[string]bool{
				"NodeUpdateNodeAllocatable/NodeResourcesFit": true, "NodeUpdateNodeAllocatable/DynamicResources": true,
			},
		},
		{
			name: "node uncordoned but too small", change: oracle.Change{Before: cordoned, After: small},
			want: map[string]bool{
				"NodeUpdateNodeTaint/NodeUnschedulable": true, "NodeUpdateNodeTaint/TaintToleration": false,
				"NodeUpdateNodeTaint/PodTopologySpread": false,
			},
		},
		{
			name: "neighbour deleted", change: oracle.Change{Before: neighbour},
			want: map[string]bool{
				"AssignedPodDelete/DefaultPreemption": false, "AssignedPodDelete/InterPodAffinity": false,
				"AssignedPodDelete/NodePorts": false, "AssignedPodDelete/NodeResourcesFit": true,
				"AssignedPodDelete/NodeVolumeLimits": false, "AssignedPodDelete/PodTopologySpread": false,
				"AssignedPodDelete/VolumeRestrictions": false,
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := ask(t)
			if diff := cmp.Diff(c.want, queued(o.Hints(waiting, c.change))); diff != "" {
				t.Errorf("hints (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGatesEliminatedWakesTheirPod(t *testing.T) {
	gated := pod("p", nil)
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}}
	free := gated.DeepCopy()
	free.Spec.SchedulingGates = nil
	hints := ask(t).Hints(free, oracle.Change{Before: gated, After: free})
	found := false
	for _, h := range hints {
		found = found || h.Plugin == "SchedulingGates" && h.Queue
	}
	if !found {
		t.Errorf("got %+v", hints)
	}
}
