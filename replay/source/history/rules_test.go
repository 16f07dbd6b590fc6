package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/history"
)

// second is a moment of the log.
func second(n int) time.Time { return time.Date(2026, 11, 27, 3, 0, n, 0, time.UTC) }

// wrote is a write of a Pod or a Node at level Request, without a revision.
func wrote(n int, verb history.Verb, kind cluster.Kind, sub, sent string) history.Write {
	w := history.Write{
		At: second(n), Verb: verb, Sub: sub, Row: cluster.RowOf(kind), Name: "n1",
		Request: &history.Request{ID: fmt.Sprint("entry-", n), Sent: []byte(sent)},
	}
	if kind == cluster.KindPod {
		w.Namespace, w.Name = "shop", "web"
	}
	return w
}

const (
	node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}`
	web  = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop"},"spec":{%s"containers":[{"name":"c","image":"x"}]}}`
	bind = `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"web"},"target":{"kind":"Node","name":"n1"}}`
)

// past is all that a history gives.
type past struct {
	Versions []history.Version
	Report   history.Report
}

// rebuilt is the past of writes, which are used up.
func rebuilt(marks []history.Mark, writes ...history.Write) (p past) {
	all := make([]*history.Write, len(writes))
	for i := range writes {
		all[i] = &writes[i]
	}
	p.Report = history.Stream(all, marks, nil, nil, func(v history.Version) { p.Versions = append(p.Versions, v) })
	return p
}

// made is the rebuilt past, and the events of the pod in short.
func made(writes ...history.Write) (past, string) {
	past := rebuilt(nil, writes...)
	var all []string
	for _, v := range past.Versions {
		if pod, is := v.Event.Object.(*corev1.Pod); is {
			all = append(all, v.Event.Action.String())
			if pod.DeletionTimestamp != nil && v.Event.Action == cluster.Update {
				all[len(all)-1] += "(ends)"
			}
		}
	}
	return past, strings.Join(all, " ")
}

func TestWhatAnEvictionLeaves(t *testing.T) {
	for _, c := range []struct{ spec, options, want string }{
		{"", "", "Add Update Update Update(ends)"},
		{"", `"gracePeriodSeconds":0`, "Add Update Update Update(ends) Delete"},
		{`"terminationGracePeriodSeconds":0,`, "", "Add Update Update Update(ends) Delete"},
		{`"terminationGracePeriodSeconds":0,`, `"gracePeriodSeconds":7`, "Add Update Update Update(ends)"},
	} {
		_, got := made(
			wrote(1, history.Create, cluster.KindNode, "", node),
			wrote(2, history.Create, cluster.KindPod, "", fmt.Sprintf(web, c.spec)),
			wrote(3, history.Create, cluster.KindPod, "binding", bind),
			wrote(4, history.Create, cluster.KindPod, "eviction", `{"deleteOptions":{`+c.options+`}}`),
		)
		if got != c.want {
			t.Errorf("%q %q: %s, want %s", c.spec, c.options, got, c.want)
		}
	}
}

func TestAPodWithoutGraceIsGoneAtOnce(t *testing.T) {
	for spec, want := range map[string]string{
		"": "Add Update Update(ends)", `"terminationGracePeriodSeconds":0,`: "Add Update Update(ends) Delete",
	} {
		_, got := made(
			wrote(1, history.Create, cluster.KindNode, "", node),
			wrote(2, history.Create, cluster.KindPod, "", fmt.Sprintf(web, spec)),
			wrote(3, history.Create, cluster.KindPod, "binding", bind),
			wrote(4, history.Delete, cluster.KindPod, "", `{}`),
		)
		if got != want {
			t.Errorf("%q: %s, want %s", spec, got, want)
		}
	}
}

func TestANodeKeepsTheStatusThatItIsCreatedWith(t *testing.T) {
	past, _ := made(wrote(1, history.Create, cluster.KindNode, "", node))
	n := past.Versions[0].Event.Object.(*corev1.Node)
	if n.Status.Allocatable.Cpu().Value() != 4 {
		t.Errorf("%v is allocatable", n.Status.Allocatable)
	}
}

// The uid of an object is in no request that creates it. A later one that has it is about the same object.
func TestAUIDThatIsLearntLateMakesNoOtherPod(t *testing.T) {
	past, got := made(
		wrote(1, history.Create, cluster.KindNode, "", node),
		wrote(2, history.Create, cluster.KindPod, "", fmt.Sprintf(web, "")),
		wrote(3, history.Create, cluster.KindPod, "binding", bind),
		wrote(4, history.Patch, cluster.KindPod, "status", `{"metadata":{"uid":"real"},"status":{"phase":"Running"}}`),
		wrote(5, history.Delete, cluster.KindPod, "", `{"gracePeriodSeconds":0}`),
		wrote(6, history.Create, cluster.KindPod, "", fmt.Sprintf(web, "")),
	)
	if got != "Add Update Update Update(ends) Delete Add" {
		t.Error(got)
	}
	var uids []string
	for _, v := range past.Versions {
		uids = append(uids, string(v.Event.Object.GetUID()))
	}
	if pods := slices.Compact(uids[1:]); !slices.Equal(pods, []string{"entry-2", "entry-6"}) {
		t.Errorf("uids %q", pods)
	}
}

// A binding is answered without a revision. The kubelet's next write names it, so no free one has to be guessed, and no
// write is missing.
func TestTheNextWriteNamesTheRevisionOfABinding(t *testing.T) {
	pod := func(revision string) cluster.Object {
		p := &corev1.Pod{}
		p.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		p.Name, p.Namespace, p.UID, p.ResourceVersion = "web", "shop", "real", revision
		return p
	}
	created := wrote(1, history.Create, cluster.KindPod, "", "")
	created.After, created.Revision = pod("10"), 10
	bound := wrote(2, history.Create, cluster.KindPod, "binding", bind)
	updated := wrote(9, history.Update, cluster.KindPod, "status", "")
	updated.After, updated.Revision, updated.Before = pod("30"), 30, 25
	past := rebuilt([]history.Mark{{Revision: 13, At: second(2)}}, created, bound, updated)
	if len(past.Versions) != 3 || past.Versions[1].Revision != 25 || len(past.Report.Gaps) > 0 || past.Report.Holed > 0 {
		t.Errorf("%+v", past)
	}
	updated.Before = 28 // and 25 to 27 are in no entry
	lost := wrote(3, history.Update, cluster.KindPod, "status", "")
	lost.After, lost.Revision, lost.Before = pod("26"), 26, 25
	past = rebuilt(nil, created, bound, lost, updated)
	if len(past.Report.Gaps) != 1 {
		t.Errorf("gaps %+v", past.Report.Gaps)
	}
}

func TestAWriteThatChangesNothingIsNoVersion(t *testing.T) {
	past, got := made(
		wrote(1, history.Create, cluster.KindNode, "", node),
		wrote(2, history.Create, cluster.KindPod, "", fmt.Sprintf(web, "")),
		wrote(3, history.Create, cluster.KindPod, "binding", bind),
		wrote(4, history.Delete, cluster.KindPod, "", `{}`),
		wrote(5, history.Delete, cluster.KindPod, "", `{}`),
		wrote(6, history.Create, cluster.KindPod, "eviction", `{}`),
	)
	if got != "Add Update Update(ends) Update(ends)" { // the last one has the condition
		t.Errorf("%s %+v", got, past.Report)
	}
	answered := wrote(2, history.Create, cluster.KindPod, "", "")
	p := &corev1.Pod{}
	p.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	p.Name, p.Namespace, p.UID, p.ResourceVersion = "web", "shop", "real", "10"
	answered.After, answered.Revision = p, 10
	again := answered
	again.At, again.Verb, again.Sub = second(3), history.Patch, "status"
	if _, got := made(answered, again); got != "Add" {
		t.Error(got)
	}
}

func TestABindingThatWasAnsweredBeforeTheCreationComesBehindIt(t *testing.T) {
	created := wrote(2, history.Create, cluster.KindPod, "", fmt.Sprintf(web, ""))
	bound := wrote(2, history.Create, cluster.KindPod, "binding", bind)
	bound.At = created.At.Add(-12 * time.Millisecond)
	if past, got := made(wrote(1, history.Create, cluster.KindNode, "", node), bound, created); got != "Add Update" ||
		len(past.Report.Gaps) > 0 {
		t.Errorf("%s, gaps %+v", got, past.Report.Gaps)
	}
}

// TestABindingThatWasAnsweredBeforeTheLastGateWentComesBehindIt has the patch that takes the last gate answered after
// the binding: the API server refuses to bind a pod that has gates.
func TestABindingThatWasAnsweredBeforeTheLastGateWentComesBehindIt(t *testing.T) {
	pod := func(revision string, gates ...corev1.PodSchedulingGate) *corev1.Pod {
		p := &corev1.Pod{}
		p.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		p.Name, p.Namespace, p.UID, p.ResourceVersion = "web", "shop", "real", revision
		p.Spec.SchedulingGates = gates
		return p
	}
	created := wrote(1, history.Create, cluster.KindPod, "", "")
	created.After, created.Revision, created.Gated = pod("10", corev1.PodSchedulingGate{Name: "quota"}), 10, true
	freed := wrote(4, history.Patch, cluster.KindPod, "", "")
	freed.After, freed.Revision = pod("20"), 20
	bound := wrote(4, history.Create, cluster.KindPod, "binding", bind)
	bound.At = freed.At.Add(-2 * time.Millisecond)
	marks := []history.Mark{{Revision: 17, At: bound.At}, {Revision: 19, At: bound.At}, {Revision: 22, At: freed.At}}
	past := rebuilt(marks, created, bound, freed)
	if len(past.Versions) != 3 || past.Versions[1].Revision != 20 || past.Versions[2].Revision != 21 {
		t.Errorf("%+v", past.Versions)
	}
}
