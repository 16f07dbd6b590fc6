package compare_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play/compare"
)

// crowded is the message about a second pod in a cluster of one node that a first pod fills.
const crowded = "0/1 nodes are available: 1 Insufficient cpu. " +
	"preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."

// large is a pod that takes nearly all of a node.
func large(name, node string) *corev1.Pod {
	p := apiserver.Pod(name, node)
	p.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("1500m")
	return p
}

// crowd has their scheduler try a pod in vain.
func crowd() *history {
	h := newHistory()
	h.crowd()
	return h
}

func (h *history) crowd() {
	h.happens(cluster.Add, apiserver.Node("n1"), large("old", "n1"), large("a", ""))
	h.happens(cluster.Update, waiting(large("a", ""), crowded))
}

// others are relevant events that help no pod here.
func (h *history) others(n int) {
	for i := range n {
		h.happens(cluster.Add, &corev1.Namespace{
			ObjectMeta: apiserver.Node(fmt.Sprintf("space-%d-%d", h.at.Unix(), i)).ObjectMeta,
		})
	}
}

// fails is the event by which their scheduler reports a failed try.
func fails(pod *corev1.Pod, name, note string) *eventsv1.Event {
	e := &eventsv1.Event{Reason: "FailedScheduling", Note: note, ReportingController: "default-scheduler"}
	e.Name, e.Namespace = name, pod.Namespace
	e.Regarding = corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
	return e
}

func TestAPodThatIsTriedAgainAfterSomethingThatHelpsIsAgreed(t *testing.T) {
	h := crowd()
	h.others(30)
	h.happens(cluster.Delete, large("old", "n1"))
	h.happens(cluster.Update, large("a", "n1"))
	if r := h.hindsight.Report(); r.Retries != (compare.Tally{Agreed: 1}) || r.Hosts.Agreed != 1 || r.Differs() {
		t.Errorf("%+v", r)
	}
}

func TestAPodThatIsTriedAgainThoughNothingHelpsIsDifferent(t *testing.T) {
	h := crowd()
	h.others(30)
	h.happens(cluster.Add, fails(large("a", ""), "first", crowded))
	h.happens(cluster.Add, fails(large("a", ""), "second", crowded))
	h.others(30)
	r := h.hindsight.Report()
	if r.Retries != (compare.Tally{Different: 1}) || r.Events != (compare.Tally{Agreed: 2}) || len(r.Decisions) != 1 ||
		!strings.HasPrefix(r.Decisions[0].Ours.String(), "it waits: rejected by NodeResourcesFit at 10:00:04") {
		t.Errorf("%+v", r)
	}
}

func TestAnEventThatIsCountedOnceMoreIsATry(t *testing.T) {
	h := crowd()
	h.others(30)
	h.happens(cluster.Add, fails(large("a", ""), "first", crowded))
	h.happens(cluster.Update, fails(large("a", ""), "first", crowded))
	h.others(30)
	if r := h.hindsight.Report(); r.Retries != (compare.Tally{Different: 1}) || r.Events != (compare.Tally{Agreed: 1}) {
		t.Errorf("%+v", r)
	}
}

// What helps is seen only after the try that it has caused.
func TestATryForAReasonThatIsSeenLaterIsExplained(t *testing.T) {
	h := crowd()
	h.others(30)
	h.happens(cluster.Add, fails(large("a", ""), "first", crowded), fails(large("a", ""), "second", crowded))
	h.happens(cluster.Delete, large("old", "n1"))
	d := h.one(t)
	if d.What != compare.Retry || d.Verdict != compare.Explained || !strings.Contains(d.Why.String(), "1 event later") {
		t.Errorf("%+v", d)
	}
}

// The node came while the pod was in flight there, and before the message that no node fits.
func TestWhatHappensInFlightHelpsHereAsWell(t *testing.T) {
	h := newHistory()
	h.happens(cluster.Add, apiserver.Node("n1"), large("old", "n1"), large("a", ""))
	h.others(1) // that the beginning is over
	closed := apiserver.Node("n2")
	closed.Spec.Unschedulable = true
	h.happens(cluster.Add, closed)
	h.happens(cluster.Update, closed.DeepCopy())
	h.happens(cluster.Update, waiting(large("a", ""), "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were "+
		"unschedulable. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption "+
		"is not helpful for scheduling."))
	h.happens(cluster.Add, fails(large("a", ""), "second", "another text"))
	if r := h.hindsight.Report(); r.Retries != (compare.Tally{Agreed: 1}) {
		t.Errorf("%+v", r)
	}
}

func TestAPodThatIsLeftAloneThoughItFitsIsDifferent(t *testing.T) {
	for idle, want := range map[int]int{10: 0, 60: 1} {
		h := crowd()
		h.others(30)
		h.happens(cluster.Delete, large("old", "n1"))
		h.others(idle) // a second each
		r := h.hindsight.Report()
		if r.Retries != (compare.Tally{Different: want}) {
			t.Errorf("after %d seconds: %+v", idle, r)
		}
		if want == 1 && (len(r.Decisions) != 1 || r.Decisions[0].Ours.String() != "it is tried again, and placed on n1" ||
			!strings.HasPrefix(r.Decisions[0].Why.String(), "AssignedPodDelete has woken it at ")) {
			t.Errorf("%+v", r.Decisions)
		}
	}
}

// The pod was woken, and there is no room for it: a silent try cannot be distinguished from no try.
func TestASilentTryIsNoDifference(t *testing.T) {
	h := crowd()
	h.happens(cluster.Add, half("small", "n1"))
	h.others(30)
	h.happens(cluster.Delete, half("small", "n1"))
	h.others(60)
	if r := h.hindsight.Report(); r.Retries.Total() != 0 {
		t.Errorf("%+v", r)
	}
}

func TestTheTextsOfEventsAreComparedWordByWord(t *testing.T) {
	for note, want := range map[string]compare.Tally{
		crowded: {Agreed: 1}, strings.Replace(crowded, "cpu", "CPU", 1): {Different: 1},
	} {
		h := newHistory()
		h.happens(cluster.Add, apiserver.Node("n1"), large("old", "n1"), large("a", ""))
		h.happens(cluster.Add, fails(large("a", ""), "first", note))
		if r := h.hindsight.Report(); r.Events != want || r.Messages.Total() != 0 {
			t.Errorf("%q: %+v", note, r)
		}
	}
}

func TestAnEventOfAnotherReporterIsNoDecision(t *testing.T) {
	h := newHistory()
	h.happens(cluster.Add, apiserver.Node("n1"), large("old", "n1"), large("a", ""))
	other := fails(large("a", ""), "first", "x")
	other.ReportingController = "autoscaler"
	h.happens(cluster.Add, other)
	if r := h.hindsight.Report(); r.All().Total() != 0 {
		t.Errorf("%+v", r)
	}
}

// starved has pods come that their scheduler finds no room for.
func (h *history) starved(names ...string) {
	for _, name := range names {
		h.happens(cluster.Add, large(name, ""))
		h.happens(cluster.Update, waiting(large(name, ""), crowded))
	}
}

func TestPodsThatAreAllTriedAgainForNoReasonShowThatTheirSchedulerWasStartedAgain(t *testing.T) {
	h := crowd()
	h.starved("b", "c")
	h.others(30)
	for _, name := range []string{"a", "b", "c"} {
		h.happens(cluster.Add, fails(large(name, ""), name+"-1", crowded))
		h.happens(cluster.Add, fails(large(name, ""), name+"-2", crowded))
	}
	h.others(30)
	r := h.hindsight.Report()
	if r.Retries != (compare.Tally{Explained: 3}) || len(r.Decisions) == 0 ||
		!strings.HasPrefix(r.Decisions[0].Why.String(), "their scheduler was started again: within ") {
		t.Errorf("%+v", r)
	}
}

func TestTwoPodsThatAreTriedAgainForNoReasonShowNothing(t *testing.T) {
	h := crowd()
	h.starved("b", "c")
	h.others(30)
	for _, name := range []string{"a", "b"} {
		h.happens(cluster.Add, fails(large(name, ""), name+"-1", crowded))
		h.happens(cluster.Add, fails(large(name, ""), name+"-2", crowded))
	}
	h.others(30)
	if r := h.hindsight.Report(); r.Retries != (compare.Tally{Different: 2}) {
		t.Errorf("%+v", r)
	}
}
