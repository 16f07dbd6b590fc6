package compare_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/source"
)

var began = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// history is what happened to a cluster, a second apart, with what is compared as it goes.
type history struct {
	hindsight *compare.Hindsight
	at        time.Time
}

func newHistory() *history {
	c := config.Default()
	return &history{at: began, hindsight: compare.NewHindsight(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began,
	})}
}

func (h *history) happens(action cluster.Action, objects ...cluster.Object) {
	for _, o := range objects {
		h.at = h.at.Add(time.Second)
		h.hindsight.See(source.Timed{At: h.at, Event: cluster.Event{Action: action, Object: o}})
	}
}

// one is the only decision that was not agreed on.
func (h *history) one(t *testing.T) compare.Decision {
	t.Helper()
	r := h.hindsight.Report()
	if len(r.Decisions) != 1 {
		t.Fatalf("%+v", r)
	}
	return r.Decisions[0]
}

// half is a pod on a node that takes half a core.
func half(name, node string) *corev1.Pod {
	p := apiserver.Pod(name, node)
	p.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("500m")
	return p
}

func waiting(p *corev1.Pod, message string) *corev1.Pod {
	p.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
	}}
	return p
}

func TestTheSameHostIsAgreed(t *testing.T) {
	h := newHistory()
	h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), half("old", "n1"), apiserver.Pod("a", ""))
	h.happens(cluster.Update, apiserver.Pod("a", "n2"))
	if r := h.hindsight.Report(); r.Hosts != (compare.Tally{Agreed: 1}) || len(r.Decisions) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestOneOfTheBestIsTied(t *testing.T) {
	verdicts := map[compare.Verdict]int{}
	for _, host := range []string{"n1", "n2"} {
		h := newHistory()
		h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), apiserver.Pod("a", ""))
		h.happens(cluster.Update, apiserver.Pod("a", host))
		r := h.hindsight.Report()
		verdicts[compare.Agreed] += r.Hosts.Agreed
		verdicts[compare.Tied] += r.Hosts.Tied
	}
	if verdicts[compare.Agreed] != 1 || verdicts[compare.Tied] != 1 {
		t.Errorf("of two equal nodes one is ours and one is tied: %v", verdicts)
	}
}

func TestAWorseHostIsDifferentAndThePluginIsNamed(t *testing.T) {
	h := newHistory()
	h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), half("old", "n1"), apiserver.Pod("a", ""))
	h.happens(cluster.Update, apiserver.Pod("a", "n1"))
	d := h.one(t)
	if d.Verdict != compare.Different || d.Ours.String() != "n2" ||
		!strings.Contains(d.Why.String(), "NodeResourcesFit decides with") {
		t.Errorf("%+v", d)
	}
}

func TestAHostThatAFilterRejectsIsDifferent(t *testing.T) {
	h := newHistory()
	closed := apiserver.Node("n1")
	closed.Spec.Unschedulable = true
	h.happens(cluster.Add, closed, apiserver.Node("n2"), apiserver.Pod("a", ""))
	h.happens(cluster.Update, apiserver.Pod("a", "n1"))
	d := h.one(t)
	if d.Verdict != compare.Different || !strings.HasPrefix(d.Why.String(), "NodeUnschedulable rejects n1: ") {
		t.Errorf("%+v", d)
	}
}

// The pod a was decided first and went to the emptier n1, so that b went to n2. b is seen first.
func TestADecisionAgreesOnceABindThatCameLateIsInPlace(t *testing.T) {
	h := newHistory()
	h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), half("old", "n2"))
	h.happens(cluster.Add, apiserver.Pod("a", ""), apiserver.Pod("b", ""))
	h.happens(cluster.Update, apiserver.Pod("b", "n2"), apiserver.Pod("a", "n1"))
	d, r := h.one(t), h.hindsight.Report()
	if d.Pod != "shop/b" || d.Verdict != compare.Agreed ||
		!strings.Contains(d.Why.String(), "after shop/a, whose bind arrived") ||
		r.Reordered != 1 || r.Hosts.Agreed != 2 {
		t.Errorf("%+v", r)
	}
}

// The pod b may go to n1 only, and was decided after a had gone there. Its bind is seen first.
func TestADecisionAgreesOnceABindThatCameEarlyIsOutOfTheWay(t *testing.T) {
	for late, want := range map[string]compare.Verdict{"a": compare.Agreed, "b": compare.Explained} {
		h := newHistory()
		n1 := apiserver.Node("n1")
		n1.Labels = map[string]string{"only": "b"}
		b := apiserver.Pod("b", "")
		b.Spec.NodeSelector = n1.Labels
		placed := b.DeepCopy()
		placed.Spec.NodeName = "n1"
		h.happens(cluster.Add, n1, apiserver.Node("n2"), half("old", "n2"))
		if late == "a" {
			h.happens(cluster.Add, apiserver.Pod("a", ""), b)
		} else { // a came after b, so that no order of theirs has it find n1 empty
			h.happens(cluster.Add, b, apiserver.Pod("a", ""))
		}
		h.happens(cluster.Update, placed, apiserver.Pod("a", "n1"))
		if d, r := h.one(t), h.hindsight.Report(); d.Pod != "shop/a" || d.Verdict != want ||
			(r.Reordered == 1) != (want == compare.Agreed) {
			t.Errorf("%+v", r)
		}
	}
}

// Of two pods that become ready together, the bind of the second is seen first. The bind of "early" was seen before
// they were ready, so that it came before both, though their place in the queue is before that of "early".
func TestABindThatWasSeenBeforeAPodWasReadyWasDecidedBeforeIt(t *testing.T) {
	gated := func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "quota"}} }
	important := func(p *corev1.Pod) { p.Spec.Priority = new(int32(10)) }
	for name, change := range map[string]func(*corev1.Pod){"gates": gated, "priority": important} {
		h := newHistory()
		h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), apiserver.Node("n3"), half("old", "n3"))
		var ready []cluster.Object
		for _, pod := range []*corev1.Pod{half("first", ""), half("second", "")} {
			if change(pod); len(pod.Spec.SchedulingGates) == 0 {
				ready = append(ready, pod)
				continue
			}
			h.happens(cluster.Add, pod)
			open := pod.DeepCopy()
			open.Spec.SchedulingGates = nil
			ready = append(ready, open)
		}
		h.happens(cluster.Add, large("early", ""))
		h.happens(cluster.Update, large("early", "n1"))
		if name == "gates" {
			h.happens(cluster.Update, ready...)
		} else {
			h.happens(cluster.Add, ready...)
		}
		h.happens(cluster.Update, onNode(ready[1], "n3"), onNode(ready[0], "n2"))
		if r := h.hindsight.Report(); r.Reordered != 1 || r.Hosts.Explained+r.Hosts.Different > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// onNode is a pod when it has a node.
func onNode(pod cluster.Object, node string) *corev1.Pod {
	p := pod.(*corev1.Pod).DeepCopy()
	p.Spec.NodeName = node
	return p
}

// The pod that left n1 was gone when a was decided, and is seen to go later.
func TestADecisionOnANewerStateIsExplained(t *testing.T) {
	h := whileOneLeaves()
	h.happens(cluster.Update, apiserver.Pod("a", "n1"))
	h.happens(cluster.Delete, apiserver.Pod("big", "n1"))
	h.isExplained(t, "1 events later")
}

// The pod left n1 before the decision was seen, and after it was made.
func TestADecisionOnAnOlderStateIsExplained(t *testing.T) {
	h := whileOneLeaves()
	h.happens(cluster.Delete, apiserver.Pod("big", "n1"))
	h.happens(cluster.Update, apiserver.Pod("a", "n2"))
	h.isExplained(t, "before the last 1 events were seen")
}

// whileOneLeaves has a pod to place, and two nodes: n1 is full until its pod goes, n2 is half full.
func whileOneLeaves() *history {
	h := newHistory()
	h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), half("old", "n2"))
	h.happens(cluster.Add, apiserver.Pod("big", "n1"), apiserver.Pod("a", ""))
	return h
}

func (h *history) isExplained(t *testing.T, why string) {
	t.Helper()
	if d := h.one(t); d.Verdict != compare.Explained || !strings.Contains(d.Why.String(), why) {
		t.Errorf("%+v", d)
	}
}

func TestTextsAreComparedWordByWord(t *testing.T) {
	const text = "0/1 nodes are available: 1 node(s) were unschedulable. " +
		"preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	for message, want := range map[string]compare.Tally{
		text: {Agreed: 1}, strings.Replace(text, "node(s)", "nodes", 1): {Different: 1},
	} {
		h := newHistory()
		closed := apiserver.Node("n1")
		closed.Spec.Unschedulable = true
		h.happens(cluster.Add, closed, apiserver.Pod("a", ""))
		h.happens(cluster.Update, waiting(apiserver.Pod("a", ""), message))
		h.happens(cluster.Update, waiting(apiserver.Pod("a", ""), message)) // the same text is no new decision
		r := h.hindsight.Report()
		if r.Messages != want || r.Differs() != (want.Different > 0) {
			t.Errorf("%s: %+v", message, r)
		}
	}
}

func TestPodsOfOtherSchedulersAreLeftAlone(t *testing.T) {
	h := newHistory()
	other := apiserver.Pod("a", "")
	other.Spec.SchedulerName = "other"
	placed := other.DeepCopy()
	placed.Spec.NodeName = "n1"
	h.happens(cluster.Add, apiserver.Node("n1"), other)
	h.happens(cluster.Update, placed)
	if r := h.hindsight.Report(); r.Hosts.Total() != 0 {
		t.Errorf("%+v", r)
	}
}

// Each of these decisions is different. All are counted; the last are listed.
func TestALongComparisonListsTheLastDecisions(t *testing.T) {
	h := newHistory()
	closed := apiserver.Node("n1")
	closed.Spec.Unschedulable = true
	h.happens(cluster.Add, closed, apiserver.Pod("a", ""))
	const decisions = 1010
	for i := range decisions {
		h.happens(cluster.Update, waiting(apiserver.Pod("a", ""), fmt.Sprint("text ", i)))
	}
	r := h.hindsight.Report()
	if r.Messages.Different != decisions || len(r.Decisions) != 1000 || r.Forgotten != decisions-1000 ||
		r.Decisions[999].Theirs != "text 1009" {
		t.Errorf("%+v, %d listed, %d forgotten", r.Messages, len(r.Decisions), r.Forgotten)
	}
}

func TestASeenDecisionIsReturnedOnceTheVerdictIsFinal(t *testing.T) {
	h := newHistory()
	h.happens(cluster.Add, apiserver.Node("n1"), apiserver.Node("n2"), half("old", "n1"), apiserver.Pod("a", ""))
	h.happens(cluster.Update, apiserver.Pod("a", "n1")) // n2 is emptier
	if all := h.hindsight.Agreement(); all.Total() != 0 {
		t.Errorf("what comes later may still explain it, and it counts: %+v", all)
	}
	var final []compare.Decision
	for i := range 100 {
		h.at = h.at.Add(time.Second)
		final = append(final, h.hindsight.See(source.Timed{At: h.at, Event: cluster.Event{
			Action: cluster.Add, Object: apiserver.Node(fmt.Sprintf("more-%d", i)),
		}})...)
	}
	if len(final) != 1 || final[0].Pod != "shop/a" || h.hindsight.Agreement() != (compare.Tally{Different: 1}) {
		t.Errorf("%+v, and altogether %+v", final, h.hindsight.Agreement())
	}
}

func TestAPercentageIsFullOnlyWhenAllAgree(t *testing.T) {
	for want, tally := range map[string]compare.Tally{
		"-": {}, "100.0 %": {Agreed: 5, Tied: 1}, "99.9 %": {Agreed: 99_999, Explained: 1}, "50.0 %": {Tied: 1, Different: 1},
	} {
		if got := tally.Percent(); got != want {
			t.Errorf("%+v is %s, want %s", tally, got, want)
		}
	}
}

// replicaSet is one that owns pods with a label, and the node of each of them is another while it is known.
func replicaSet(name string) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name)},
		Spec:       appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}},
	}
}

func owned(p *corev1.Pod, by string) *corev1.Pod {
	yes := true
	p.Labels = map[string]string{"app": by}
	p.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: by, UID: types.UID(by), Controller: &yes},
	}
	return p
}

// Each kind has a watch of its own. A pod whose ReplicaSet was not seen yet is not spread: the same decision without
// the ReplicaSet proves it, and one that came long before is no excuse.
func TestAnOwnerThatWasNotSeenYetExplains(t *testing.T) {
	for _, since := range []struct {
		pause time.Duration
		want  compare.Verdict
	}{{0, compare.Explained}, {time.Minute, compare.Different}} {
		h := newHistory()
		big := apiserver.Pod("other", "n2")
		big.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("2Gi")
		n1, n2 := apiserver.Node("n1"), apiserver.Node("n2")
		n1.Labels, n2.Labels = map[string]string{corev1.LabelHostname: "n1"}, map[string]string{corev1.LabelHostname: "n2"}
		h.happens(cluster.Add, n1, n2, big, owned(apiserver.Pod("a0", "n1"), "app"))
		h.at = h.at.Add(time.Second)
		h.happens(cluster.Add, replicaSet("app"))
		h.at = h.at.Add(since.pause)
		h.happens(cluster.Add, owned(apiserver.Pod("a1", ""), "app"))
		h.happens(cluster.Update, owned(apiserver.Pod("a1", "n1"), "app"))
		d := h.one(t)
		if d.Verdict != since.want {
			t.Errorf("after %s: %+v", since.pause, d)
		}
		if d.Verdict == compare.Explained && !strings.Contains(d.Why.String(), "before ReplicaSet shop/app was seen") {
			t.Errorf("%+v", d)
		}
	}
}

// The watch of nodes may be behind that of pods: a pod comes to a node that was tainted just before, for a pod is gone
// from there since, which their scheduler has seen.
func TestATaintThatWasNotSeenYetExplains(t *testing.T) {
	for pause, want := range map[time.Duration]compare.Verdict{
		0: compare.Explained, time.Minute: compare.Different,
	} {
		h := newHistory()
		n1, n2 := apiserver.Node("n1"), apiserver.Node("n2")
		big, small := apiserver.Pod("big", "n1"), apiserver.Pod("small", "n2")
		big.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("2Gi")
		h.happens(cluster.Add, n1, n2, big, small)
		h.at = h.at.Add(time.Second)
		tainted := n1.DeepCopy()
		tainted.Spec.Taints = []corev1.Taint{{Key: "example.com/gone", Effect: corev1.TaintEffectNoSchedule}}
		h.happens(cluster.Update, tainted)
		h.happens(cluster.Delete, big)
		h.at = h.at.Add(pause)
		h.happens(cluster.Add, apiserver.Pod("late", ""))
		h.happens(cluster.Update, apiserver.Pod("late", "n1"))
		d := h.one(t)
		if d.Verdict != want {
			t.Errorf("after %s: %+v", pause, d)
		}
		if d.Verdict == compare.Explained && !strings.Contains(d.Why.String(), "had seen 1 change of a node") {
			t.Errorf("%+v", d)
		}
	}
}

// Where a log begins in the middle of a life, as a compacted database does, the owner is there from the start. When it
// was created says how long.
func TestAnOwnerThatWasCreatedJustBeforeTheLogBeginsExplains(t *testing.T) {
	for created, want := range map[time.Duration]compare.Verdict{
		-5 * time.Second: compare.Explained, -time.Minute: compare.Different, time.Second: compare.Different,
	} {
		h := newHistory()
		big := apiserver.Pod("other", "n2")
		big.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("2Gi")
		n1, n2 := apiserver.Node("n1"), apiserver.Node("n2")
		n1.Labels, n2.Labels = map[string]string{corev1.LabelHostname: "n1"}, map[string]string{corev1.LabelHostname: "n2"}
		owner := replicaSet("app")
		owner.CreationTimestamp = metav1.Time{Time: began.Add(created)}
		for _, o := range []cluster.Object{
			n1, n2, big, owned(apiserver.Pod("a0", "n1"), "app"), owner, owned(apiserver.Pod("a1", ""), "app"),
		} {
			h.hindsight.See(source.Timed{At: began, Event: cluster.Event{Action: cluster.Add, Object: o}})
		}
		h.happens(cluster.Update, owned(apiserver.Pod("a1", "n1"), "app"))
		if d := h.one(t); d.Verdict != want {
			t.Errorf("created %s: %+v", created, d)
		}
	}
}

// What the input cannot show explains a difference, and the explanation names it.
func TestADecisionThatRestsOnAGuessIsNotDifferent(t *testing.T) {
	worse := func(h *history, nodes ...cluster.Object) compare.Decision {
		h.happens(cluster.Add, nodes...)
		h.happens(cluster.Add, half("old", "n1"), apiserver.Pod("a", ""))
		h.happens(cluster.Update, apiserver.Pod("a", "n1"))
		return h.one(t)
	}
	guessed := apiserver.Node("n1")
	guessed.Annotations = map[string]string{cluster.GuessMark: string(trace.FirstMention)}
	d := worse(newHistory(), guessed, apiserver.Node("n2"))
	if d.Verdict != compare.Explained || !strings.HasPrefix(d.Why.String(), "it rests on a guess about Node n1: ") {
		t.Errorf("%+v", d)
	}
	h := newHistory()
	h.hindsight.Know(compare.Limits{Emptier: "the logs are not all there"})
	d = worse(h, apiserver.Node("n1"), apiserver.Node("n2"))
	if d.Verdict != compare.Explained || !strings.Contains(d.Why.String(), "the logs are not all there") {
		t.Errorf("%+v", d)
	}
	cordoned := apiserver.Node("n1")
	cordoned.Spec.Unschedulable = true
	h = newHistory()
	h.hindsight.Know(compare.Limits{Emptier: "the logs are not all there"})
	if d = worse(h, cordoned, apiserver.Node("n2")); d.Verdict != compare.Different {
		t.Errorf("no pod that is hidden lifts a cordon: %+v", d)
	}
	if d = worse(newHistory(), apiserver.Node("n1"), apiserver.Node("n2")); d.Verdict != compare.Different {
		t.Errorf("nothing is assumed: %+v", d)
	}
}
