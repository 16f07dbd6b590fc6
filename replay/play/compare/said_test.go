package compare_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/source"
)

// said is a dump of one pod that waits, with the message of its cluster's scheduler at began.
func said(message string, beside ...cluster.Object) *compare.Records {
	p := waiting(apiserver.Pod("web", ""), message)
	p.Status.Conditions[0].LastTransitionTime = metav1.Time{Time: began}
	script := source.Script{{At: began, Event: cluster.Event{Action: cluster.Add, Object: p}}}
	for _, o := range beside {
		script = append(script, source.Timed{At: began, Event: cluster.Event{Action: cluster.Add, Object: o}})
	}
	return compare.NewRecords(script, false)
}

// came is a try of web that ended.
func came(outcome trace.Outcome, message string) *trace.Try {
	return &trace.Try{
		Opening: trace.Opening{Entity: trace.Entity{Type: "pod", Namespace: "shop", Name: "web"}, Time: began},
		Ended:   &trace.Ended{Outcome: outcome, Message: message},
	}
}

const fits = "Successfully assigned shop/web to n1"

// placedLater is a pod that got its node after web was refused.
func placedLater() cluster.Object {
	p := apiserver.Pod("late", "n1")
	p.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.Time{Time: began.Add(time.Minute)},
	}}
	return p
}

const noCPU = "0/3 nodes are available: 3 Insufficient cpu."

// causes are messages, the result for the pod here, and the explanation of the difference.
func causes() []cause {
	return []cause{
		{"the same text", said(noCPU), "", trace.NotSchedulable, noCPU, "agreed", ""},
		{
			"the wording of 1.29", said("0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}."),
			"", trace.NotSchedulable, "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).",
			"explained", "words of another release",
		},
		{
			"the wording of 1.16",
			said("0/3 nodes are available: 1 node(s) had taints that the pod didn't tolerate, 2 node(s) didn't match node selector."),
			"", trace.NotSchedulable,
			"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector. " +
				"preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
			"explained", "words of another release",
		},
		{
			"the wording of 1.8",
			said("No nodes are available that match all of the predicates: Insufficient cpu (2), PodToleratesNodeTaints (1)."),
			"", trace.NotSchedulable, "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.",
			"explained", "words of another release",
		},
		{
			"preemption alone differs", said(noCPU + " preemption: 0/3 nodes are available: 3 No preemption victims found."), "",
			trace.NotSchedulable, noCPU, "explained", "what is said of preemption differs",
		},
		{"nodes look emptier", said(noCPU), "3 nodes and no pod", trace.Scheduled, fits, "explained", "3 nodes and no pod"},
		{
			"a pod came later", said(noCPU, placedLater()), "", trace.Scheduled, fits, "explained",
			"the cluster changed after it was said: 1 pod placed",
		},
		{"pods left", said(noCPU), "", trace.Scheduled, fits, "explained", "pods left after it was said, or are not in the input"},
		{
			"a taint is gone", said("0/3 nodes are available: 3 node(s) had untolerated taint(s)."), "", trace.Scheduled, fits,
			"explained", "no more: a taint",
		},
		{
			"other nodes", said(noCPU), "", trace.NotSchedulable, "0/2 nodes are available: 2 Insufficient cpu.", "explained",
			"the cluster had 3 nodes then, and the input has 2",
		},
		{
			"a taint came", said(noCPU), "", trace.NotSchedulable,
			"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.", "explained",
			"nodes changed after it was said: a taint",
		},
		{
			"no verdict about nodes", said("timed out waiting for the condition"), "", trace.Scheduled, fits, "explained",
			"no verdict about nodes",
		},
		{
			"nothing explains it", said("0/3 nodes are available: 3 node(s) had no available volume zone."), "",
			trace.NotSchedulable, "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind.",
			"different", "",
		},
	}
}

type cause struct {
	name          string
	records       *compare.Records
	emptier       phrase.Text
	outcome       trace.Outcome
	ours, verdict string
	why           string
}

func TestADifferenceHasItsProbableCause(t *testing.T) {
	for _, test := range causes() {
		test.records.Emptier = test.emptier
		d, compared := test.records.Compare(came(test.outcome, test.ours))
		if !compared || string(d.Verdict) != test.verdict || !strings.Contains(d.Why.String(), test.why) {
			t.Errorf("%s: %v, %s because %q; want %s because %q", test.name, compared, d.Verdict, d.Why, test.verdict, test.why)
		}
	}
}

func TestAPodOfWhichNothingWasSaidIsNotCompared(t *testing.T) {
	r := compare.NewRecords(nil, false)
	if _, compared := r.Compare(came(trace.Scheduled, fits)); compared || r.Tell() {
		t.Error("nothing was said, and it was compared")
	}
}

// In a recording a cycle is beside the next statement, and not beside an earlier or a much later one.
func TestACycleOfARecordingIsBesideWhatWasSaidNext(t *testing.T) {
	const early, late = "0/1 nodes are available: 1 Too many pods.", "0/1 nodes are available: 1 Insufficient cpu."
	var script source.Script
	for i, p := range []*corev1.Pod{
		apiserver.Pod("web", ""), waiting(apiserver.Pod("web", ""), early), waiting(apiserver.Pod("web", ""), late),
	} {
		at := began.Add(time.Duration(i) * time.Minute)
		script = append(script, source.Timed{At: at, Event: cluster.Event{Action: cluster.Update, Object: p}})
	}
	r := compare.NewRecords(script, true)
	for at, want := range map[time.Duration]string{0: early, 90 * time.Second: late, time.Hour: ""} {
		try := came(trace.Scheduled, fits)
		try.Time = began.Add(at)
		if d, _ := r.Compare(try); d.Theirs != want {
			t.Errorf("a cycle at %s is beside %q, want %q", at, d.Theirs, want)
		}
	}
}

// kube-scheduler writes a condition only where it changes: an attempt in vain after the first leaves no trace, and the
// bind that comes long after it is of another one.
func TestALaterAttemptInVainIsBesideWhatStillStands(t *testing.T) {
	waits, bound := waiting(apiserver.Pod("web", ""), noCPU), apiserver.Pod("web", "n1")
	r := compare.NewRecords(source.Script{
		{At: began, Event: cluster.Event{Action: cluster.Add, Object: apiserver.Node("n1")}},
		{At: began, Event: cluster.Event{Action: cluster.Update, Object: waits}},
		{At: began.Add(time.Hour), Event: cluster.Event{Action: cluster.Update, Object: bound}},
	}, true)
	for _, test := range []struct {
		at      time.Duration
		message string
		want    compare.Verdict
		theirs  string
	}{
		{5 * time.Minute, noCPU, compare.Agreed, noCPU},
		{5 * time.Minute, "0/3 nodes are available: 3 Too many pods.", compare.Different, "n1"},
		{time.Hour - time.Second, noCPU, compare.Different, "n1"},
	} {
		try := came(trace.NotSchedulable, test.message)
		try.Time = began.Add(test.at)
		if d, _ := r.Compare(try); d.Verdict != test.want || d.Theirs != test.theirs {
			t.Errorf("%s at %s: %s, %q", test.message, test.at, d.Verdict, d.Theirs)
		}
	}
}
