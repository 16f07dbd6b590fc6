package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

func TestGatedPodIsAskedOnlyAboutEventsOfItsGate(t *testing.T) {
	s := newStage(t)
	s.says(
		s.add("p", gates("a")),
		"ns/p outside -> gated on UnscheduledPodAdd by SchedulingGates: SchedulingGates holds it",
	)
	s.says(s.wake(podDelete, nil))
	s.says(s.update("p", gates("a"), labelled("x")))
	s.says(s.update("p"), "ns/p gated -> activeQ on TargetPodUpdatePodSchedulingGatesEliminated by SchedulingGates")
}

func TestNextGateHoldsWhatTheFirstLetGo(t *testing.T) {
	s := newStage(t)
	s.add("p", gates("a"), held)
	s.says(s.update("p", held))
	item, in, _ := s.Find("ns/p")
	if in != queue.Gated || item.Gate != "Held" || !cmp.Equal(item.Rejectors, []string{"Held", "SchedulingGates"}) {
		t.Errorf("in %s, held by %s, rejected by %v", in, item.Gate, item.Rejectors)
	}
	s.says(s.wake(podDelete, nil))
	s.says(s.update("p", nominated("n")), "ns/p nominated on n", "ns/p gated -> activeQ on TargetPodUpdate by Held")
}

func TestGateHoldsARejectedPodThatIsWoken(t *testing.T) {
	s := newStage(t)
	s.reject("p", "Fit")
	s.says(s.update("p", held))
	s.says(s.wake(podDelete, nil), "ns/p unschedulable -> gated on AssignedPodDelete by Held: Held holds it")
	if got := s.Counts(); got != (trace.QueueCounts{Gated: 1}) {
		t.Errorf("counts %+v", got)
	}
	if got := names(s.Gated()) + "/" + names(s.Unschedulable()); got != "p/" {
		t.Errorf("gated/unschedulable are %s", got)
	}
}

func TestUpdateInActiveQAndBackoffQKeepsThePlace(t *testing.T) {
	s := newStage(t)
	s.reject("b", "Fit")
	s.wake(podDelete, nil)
	s.add("a1")
	s.add("a2")
	s.says(s.update("a1", labelled("x")))
	s.says(s.update("b", labelled("x")))
	if got := names(s.Active()) + "/" + names(s.Backoff()); got != "a1 a2/b" {
		t.Errorf("activeQ/backoffQ are %s", got)
	}
	item, _, _ := s.Find("ns/b")
	if item.Pod.API.Labels["v"] != "x" {
		t.Error("backoffQ holds the old version")
	}
}

func TestUpdateOfAnUnknownPodAddsIt(t *testing.T) {
	s := newStage(t)
	s.apply("p")
	s.says(s.update("p", labelled("x")), "ns/p outside -> activeQ on UnscheduledPodAdd")
}

func TestUpdateDuringFlightWakesThePodWhenParked(t *testing.T) {
	s := newStage(t)
	s.add("p", gates("a"))
	s.update("p")
	item := s.pop()
	s.says(s.update("p", held))
	s.says(s.park(item, "Held"), "ns/p in flight -> gated on ScheduleAttemptFailure by Held: Held holds it")
}

func TestDeletedPodLeavesWhereverItIs(t *testing.T) {
	s := newStage(t)
	s.reject("unschedulable", "Silent")
	s.reject("backoff")
	s.add("gated", gates("a"))
	s.add("active")
	for _, c := range []struct{ name, from string }{
		{"unschedulable", "unschedulable"}, {"backoff", "backoffQ"}, {"gated", "gated"}, {"active", "activeQ"},
	} {
		s.says(s.Delete(s.remove(c.name).OldPod, "deleted", s.at()), "ns/"+c.name+" "+c.from+" -> outside: deleted")
	}
	if got := s.Counts(); got != (trace.QueueCounts{}) {
		t.Errorf("counts %+v", got)
	}
}

func TestAddReplacesWhatIsQueuedUnderTheKey(t *testing.T) {
	s := newStage(t)
	s.reject("p", "Silent")
	s.remove("p")
	s.says(s.add("p", uid("second")), "ns/p unschedulable -> activeQ on UnscheduledPodAdd")
	if got := s.Counts(); got != (trace.QueueCounts{Active: 1}) {
		t.Errorf("counts %+v", got)
	}
}

func TestGateWithoutARowIsOpenedByWhateverItCouldHear(t *testing.T) {
	r := rules()
	profile := r.Profiles[profileName]
	shut := true
	profile.PreEnqueue = []queue.Gate{{Plugin: "Door", Check: func(*cluster.Pod, *cluster.State) trace.Verdict {
		if shut {
			return trace.Verdict{Code: trace.Error, Reasons: []string{"shut"}}
		}
		return trace.Verdict{}
	}}}
	r.Profiles[profileName] = profile
	s := newStage(t)
	s.Queue = queue.New(r, start())
	s.says(s.add("p"), "ns/p outside -> gated on UnscheduledPodAdd by Door: shut")
	s.says(s.wake(nodeTaint, s.node("small")))
	shut = false
	s.says(s.wake(attachmentAdd, nil))
	s.says(s.wake(nodeTaint, s.node("small")), "ns/p gated -> activeQ on NodeUpdateNodeTaint by Door")
}
