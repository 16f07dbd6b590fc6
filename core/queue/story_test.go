package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

func TestNewPodGoesToActiveQAndFlies(t *testing.T) {
	s := newStage(t)
	s.says(s.add("p"), "ns/p outside -> activeQ on UnscheduledPodAdd")
	item, facts, ok := s.Pop(s.now)
	s.says(facts, "ns/p activeQ -> in flight")
	if !ok || item.Attempts != 1 || item.PoppedFrom != queue.ActiveQ || !item.FirstAttempt.Equal(start()) {
		t.Errorf("popped %+v", item)
	}
	s.isIn("p", queue.InFlight)
	s.Done("uid-p")
	s.isIn("p", "")
	if _, _, ok := s.Pop(s.now); ok {
		t.Error("popped twice")
	}
}

func TestRejectedPodWaitsUntilAHintSaysQueue(t *testing.T) {
	s := newStage(t)
	s.add("p")
	s.says(s.park(s.pop(), "Fit"), "ns/p in flight -> unschedulable on ScheduleAttemptFailure")
	s.says(s.wake(nodeAdd, s.node("small")))
	s.says(s.wake(nodeTaint, s.node("big")))
	s.says(s.wake(nodeAdd, s.node("big")), "ns/p unschedulable -> backoffQ on NodeAdd by Fit until 2026-11-20T12:00:01Z")
	s.says(s.wait(1700*time.Millisecond), "ns/p backoffQ -> activeQ on BackoffComplete")
}

func TestBackoffIsOverOnlyAfterTheWindowItEndsIn(t *testing.T) {
	s := newStage(t)
	s.reject("p", "Fit")
	s.wake(podDelete, nil)
	s.says(s.wait(1699 * time.Millisecond))
	s.says(s.wait(time.Millisecond), "ns/p backoffQ -> activeQ on BackoffComplete")
}

func TestWokenPodWhoseBackoffIsOverGoesToActiveQ(t *testing.T) {
	s := newStage(t)
	s.reject("p", "Fit")
	s.now = s.now.Add(1700 * time.Millisecond)
	s.says(s.wake(podDelete, nil), "ns/p unschedulable -> activeQ on AssignedPodDelete by Fit")
}

func TestPendingPluginsHintSkipsBackoff(t *testing.T) {
	s := newStage(t)
	s.detail = trace.Full
	s.add("p")
	s.Park(s.pop(), queue.Rejection{Plugins: []string{"Fit"}, Pending: []string{"Claim"}}, s.at())
	s.says(s.wake(podDelete, nil),
		"hint Fit on AssignedPodDelete for ns/p: Queue",
		"hint Claim on AssignedPodDelete for ns/p: Queue",
		"ns/p unschedulable -> activeQ on AssignedPodDelete by Claim")
}

func TestFullDetailTellsEveryHintAskedAndNoneAfterTheFirstQueue(t *testing.T) {
	s := newStage(t)
	s.detail = trace.Full
	s.reject("p", "Taint", "Fit", "Broken")
	s.says(s.wake(nodeAdd, s.node("small")),
		"hint Fit on NodeAdd for ns/p: Skip",
		"hint Taint on NodeAdd for ns/p: Queue",
		"ns/p unschedulable -> backoffQ on NodeAdd by Taint until 2026-11-20T12:00:01Z")
}

func TestHintThatFailsQueues(t *testing.T) {
	s := newStage(t)
	s.detail = trace.Full
	s.reject("p", "Broken")
	s.says(s.wake(nodeAdd, s.node("small")),
		"hint Broken on NodeAdd for ns/p: Queue (cannot tell)",
		"ns/p unschedulable -> backoffQ on NodeAdd by Broken until 2026-11-20T12:00:01Z")
}

func TestPluginWithoutARowIsAskedByEveryEventItCouldHear(t *testing.T) {
	s := newStage(t)
	s.detail = trace.Full
	s.reject("p", "Loud")
	s.says(s.wake(attachmentAdd, nil))
	s.says(s.wake(cluster.ClusterEvent{Resource: cluster.CSIDriverResource, Action: cluster.Updated}, nil),
		"hint Loud on storage.k8s.io/CSIDriverUpdate for ns/p: Queue",
		"ns/p unschedulable -> backoffQ on storage.k8s.io/CSIDriverUpdate by Loud until 2026-11-20T12:00:01Z")
}

func TestPluginWithAnEmptyRowIsHelpedByNothingButTheTimeout(t *testing.T) {
	s := newStage(t)
	s.reject("p", "Silent")
	for _, e := range []cluster.ClusterEvent{nodeAdd, nodeTaint, podDelete} {
		s.says(s.wake(e, s.node("big")))
	}
	s.isIn("p", queue.Unschedulable)
	s.says(s.wait(time.Hour)[:1], "ns/p unschedulable -> activeQ on UnschedulableTimeout")
}

func TestMoreThan64PluginsAreToldApart(t *testing.T) {
	r := rules()
	profile := r.Profiles[profileName]
	for n := range 70 {
		profile.Hints = append(profile.Hints, queue.PluginHints{Plugin: fmt.Sprintf("Extra%d", n), Hints: []queue.Hint{
			{Event: cluster.ClusterEvent{Resource: cluster.VolumeResource, Action: cluster.ActionType(1) << (n % 2)}},
		}})
	}
	r.Profiles[profileName] = profile
	s := newStage(t)
	s.Queue = queue.New(r, start())
	s.reject("even", "Extra68")
	s.reject("odd", "Extra69")
	s.says(s.wake(cluster.ClusterEvent{Resource: cluster.VolumeResource, Action: cluster.Deleted}, nil),
		"ns/odd unschedulable -> backoffQ on PersistentVolumeDelete by Extra69 until 2026-11-20T12:00:01Z")
}

func TestOnlyThoseAskedForAreWoken(t *testing.T) {
	s := newStage(t)
	s.reject("a", "Fit")
	s.reject("b", "Fit")
	facts := s.Wake(queue.Ask{Event: podDelete, Only: func(i *queue.Item) bool { return i.Pod.Name() == "b" }}, s.at())
	s.says(facts, "ns/b unschedulable -> backoffQ on AssignedPodDelete by Fit until 2026-11-20T12:00:01Z")
}

func TestWokenInTheOrderOfArrival(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"z", "m", "a"} {
		s.reject(name, "Fit")
	}
	s.now = s.now.Add(time.Minute)
	s.says(s.wake(podDelete, nil),
		"ns/z unschedulable -> activeQ on AssignedPodDelete by Fit",
		"ns/m unschedulable -> activeQ on AssignedPodDelete by Fit",
		"ns/a unschedulable -> activeQ on AssignedPodDelete by Fit")
}

func TestEmptyActiveQIsFilledFromBackoffQButNotWithErrors(t *testing.T) {
	s := newStage(t)
	s.reject("failed")
	s.reject("rejected", "Fit")
	s.wake(podDelete, nil)
	if got := s.Counts(); got != (trace.QueueCounts{Backoff: 2}) {
		t.Fatalf("counts %+v", got)
	}
	item, facts, _ := s.Pop(s.now)
	s.says(facts, "ns/rejected backoffQ -> in flight on PopFromBackoffQ")
	if item.PoppedFrom != queue.BackoffQ || item.Attempts != 2 {
		t.Errorf("popped from %s at attempt %d", item.PoppedFrom, item.Attempts)
	}
	if _, _, ok := s.Pop(s.now); ok {
		t.Error("popped one that came back from an error before its backoff was over")
	}
	s.says(s.wait(1700*time.Millisecond), "ns/failed backoffQ -> activeQ on BackoffComplete")
}

func TestEventsDuringFlightCountWhenParked(t *testing.T) {
	s := newStage(t)
	s.add("early")
	s.add("late")
	early := s.pop()
	s.wake(nodeAdd, s.node("big"))
	late := s.pop()
	s.wake(nodeAdd, s.node("small"))
	s.detail = trace.Full
	s.says(s.park(early, "Fit"),
		"hint Fit on NodeAdd for ns/early: Queue",
		"ns/early in flight -> backoffQ on ScheduleAttemptFailure by Fit: NodeAdd while it was in flight until 2026-11-20T12:00:01Z")
	s.says(s.park(late, "Fit"),
		"hint Fit on NodeAdd for ns/late: Skip",
		"ns/late in flight -> unschedulable on ScheduleAttemptFailure")
}

func TestPendingPluginOutvotesEarlierEventsOfTheFlight(t *testing.T) {
	s := newStage(t)
	s.add("p")
	item := s.pop()
	s.wake(nodeAdd, s.node("big"))
	s.wake(podDelete, nil)
	where, facts := s.Park(item, queue.Rejection{Plugins: []string{"Fit"}, Pending: []string{"Claim"}}, s.at())
	s.says(facts, "ns/p in flight -> activeQ on ScheduleAttemptFailure by Claim: AssignedPodDelete while it was in flight")
	if where != (queue.Parked{Queue: queue.ActiveQ}) {
		t.Errorf("parked in %+v", where)
	}
}

func TestEventsBeforeTheFlightDoNotCount(t *testing.T) {
	s := newStage(t)
	s.add("p")
	s.wake(nodeAdd, s.node("big"))
	s.says(s.park(s.pop(), "Fit"), "ns/p in flight -> unschedulable on ScheduleAttemptFailure")
}

func TestErrorGoesToBackoffWhateverHappened(t *testing.T) {
	s := newStage(t)
	s.add("p")
	where, facts := s.Park(s.pop(), queue.Rejection{}, s.at())
	s.says(facts, "ns/p in flight -> backoffQ on ScheduleAttemptFailure: no plugin rejected it until 2026-11-20T12:00:01Z")
	if want := (queue.Parked{
		Queue: queue.BackoffQ, Until: start().Truncate(time.Second).Add(time.Second),
	}); where != want {
		t.Errorf("parked in %+v, want %+v", where, want)
	}
}

func TestWhatIsNotInFlightAnyMoreIsTriedAgainWhenItsBindingFails(t *testing.T) {
	s := newStage(t)
	s.add("p")
	item := s.pop()
	s.Done("uid-p")
	s.says(
		s.park(item, "Fit"),
		"ns/p outside -> backoffQ on ScheduleAttemptFailure: it was not in flight until 2026-11-20T12:00:01Z",
	)
}

func TestParkTakesTheNewestVersionOfThePod(t *testing.T) {
	s := newStage(t)
	s.add("p")
	item := s.pop()
	s.says(s.update("p", labelled("new")))
	s.park(item, "Fit")
	parked, _, _ := s.Find("ns/p")
	if got := parked.Pod.API.Labels["v"]; got != "new" {
		t.Errorf("parked with label %q", got)
	}
}

func TestParkDropsPodsThatNeedNoOtherCycle(t *testing.T) {
	for _, c := range []struct {
		name, want string
		meanwhile  func(*stage)
	}{
		{"gone", "it does not exist any more", func(s *stage) { s.Delete(s.remove("p").OldPod, "deleted", s.at()) }},
		{"bound", "it is on n1", func(s *stage) { s.apply("p", on("n1")) }},
		{"made again", "it was deleted and made again", func(s *stage) {
			s.remove("p")
			s.apply("p", uid("second"))
		}},
		{"queued", "it is in activeQ already", func(s *stage) {
			s.remove("p")
			s.add("p", uid("second"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			s.add("p")
			item := s.pop()
			c.meanwhile(s)
			where, facts := s.Park(item, queue.Rejection{Plugins: []string{"Fit"}}, s.at())
			s.says(facts, "ns/p in flight -> outside on ScheduleAttemptFailure: "+c.want)
			if where.Queue != "" || s.Counts().InFlight != 0 {
				t.Errorf("parked in %+v, counts %+v", where, s.Counts())
			}
		})
	}
}

func TestPodThatFliesUnderTheSameUIDIsNotPoppedTwice(t *testing.T) {
	s := newStage(t)
	s.add("p")
	s.pop()
	pod, _ := s.known.Pod("ns/p")
	s.Add(pod, s.at())
	_, facts, ok := s.Pop(s.now)
	s.says(facts, "ns/p activeQ -> outside: it is in flight already")
	if ok {
		t.Error("popped twice")
	}
}

func TestActivateIgnoresBackoffAndRejectorsButNotGates(t *testing.T) {
	s := newStage(t)
	s.reject("unschedulable", "Silent")
	s.reject("backoff")
	s.add("gated", gates("a"))
	s.add("active")
	s.says(s.activate("backoff", "gated", "active", "unschedulable", "nobody"),
		"ns/backoff backoffQ -> activeQ on ForceActivate",
		"ns/unschedulable unschedulable -> activeQ on ForceActivate")
}

func TestActivatedInFlightIsTriedAgainAndOnlyItself(t *testing.T) {
	s := newStage(t)
	s.add("a")
	s.add("b")
	a, b := s.pop(), s.pop()
	s.activate("a")
	s.says(s.park(b, "Silent"), "ns/b in flight -> unschedulable on ScheduleAttemptFailure")
	s.says(
		s.park(a, "Silent"),
		"ns/a in flight -> backoffQ on ScheduleAttemptFailure: ForceActivate while it was in flight until 2026-11-20T12:00:01Z",
	)
}

func TestActivationReachesThePodAndNotItsPredecessorInFlight(t *testing.T) {
	s := newStage(t)
	s.add("p")
	first := s.pop()
	s.Delete(s.remove("p").OldPod, "deleted", s.at())
	s.add("p", uid("second"))
	second := s.pop()
	s.activate("p")
	if item, in, _ := s.Find("ns/p"); item != second || in != queue.InFlight {
		t.Errorf("found %s in %s", item.Pod.UID(), in)
	}
	s.says(s.park(first, "Silent"), "ns/p in flight -> outside on ScheduleAttemptFailure: it was deleted and made again")
	s.says(
		s.park(second, "Silent"),
		"ns/p in flight -> backoffQ on ScheduleAttemptFailure: ForceActivate while it was in flight until 2026-11-20T12:00:01Z",
	)
}

func TestPodOfAnotherSchedulerIsWokenByEverythingThatMatters(t *testing.T) {
	s := newStage(t)
	s.add("p", scheduledBy("somebody-else"))
	s.park(s.pop(), "Silent")
	s.says(s.wake(attachmentAdd, nil))
	s.now = s.now.Add(time.Minute)
	s.says(s.wake(nodeAdd, s.node("small")), "ns/p unschedulable -> activeQ on NodeAdd")
}

func TestReadyIsWhenPopGivesSomebodyOut(t *testing.T) {
	s := newStage(t)
	ready := func(want bool) {
		t.Helper()
		if s.Ready() != want {
			t.Errorf("ready is %v with %+v", !want, s.Counts())
		}
		if _, _, ok := s.Fork().Pop(s.now); ok != want {
			t.Errorf("pop gives %v with %+v", ok, s.Counts())
		}
	}
	ready(false)
	s.reject("failed")
	ready(false)
	s.reject("p", "Fit")
	ready(false)
	s.wake(podDelete, nil)
	ready(true)
	s.pop()
	s.add("q")
	ready(true)
}

func TestPopOutOfTurnTakesAPodFromWhereverItIs(t *testing.T) {
	s := newStage(t)
	s.reject("unschedulable", "Silent")
	s.reject("failed")
	s.add("flying")
	s.pop()
	s.add("gated", held)
	s.add("active")
	s.apply("unknown")
	for _, c := range []struct {
		name     string
		from     trace.QueueName
		attempts int
	}{
		{"unschedulable", queue.Unschedulable, 2},
		{"failed", queue.BackoffQ, 2},
		{"gated", queue.Gated, 1},
		{"active", queue.ActiveQ, 1},
		{"unknown", "", 1},
		{"flying", "", 1},
	} {
		pod, _ := s.known.Pod("ns/" + c.name)
		item := s.PopOutOfTurn(pod, s.now)
		if item.PoppedFrom != c.from || item.Attempts != c.attempts {
			t.Errorf("%s: popped from %q at attempt %d", c.name, item.PoppedFrom, item.Attempts)
		}
		if found, in, _ := s.Find("ns/" + c.name); found != item || in != queue.InFlight {
			t.Errorf("%s: found in %q", c.name, in)
		}
	}
	s.says(nil)
}

func TestQueueWithoutAClusterGoesByTheItemsItHolds(t *testing.T) {
	s := newStage(t)
	blind := queue.Moment{Now: s.now}
	s.Add(s.apply("p").NewPod, blind)
	where, _ := s.Park(s.pop(), queue.Rejection{Plugins: []string{"Fit"}}, blind)
	if where.Queue != queue.Unschedulable {
		t.Errorf("parked in %+v", where)
	}
}
