package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// preempted is what PostFilter makes of a pod on nodes that were all rejected, each for its reasons: those that a case
// has, or none that evicting cannot help.
func (r *row) preempted(t *testing.T, version string, table tableRow, nodes []nodeRow, api *corev1.Pod,
	failed map[string][]string,
) (*trace.Preemption, framework.PostFilterAnswer) {
	t.Helper()
	p := r.faked(t, version, "PodPriority=true", table)
	state := cluster.NewStateFor(p.Behaviour.Reading)
	for _, o := range placedRows(nodes, nil) {
		state.Apply(cluster.Event{Action: cluster.Add, Object: o})
	}
	inNamespace(api)
	pod := state.Apply(cluster.Event{Action: cluster.Add, Object: api})[0].NewPod
	snapshot := state.Snapshot()
	judge := framework.Judge{Pod: pod, Nominated: func(string) []*cluster.Pod { return nil }}
	var names []string
	for _, f := range p.Filter {
		judge.Checks, names = append(judge.Checks, f.PreFilter(pod, snapshot).Check), append(names, f.Name())
	}
	answer := p.PostFilter[0].PostFilter(framework.PostFilterAsk{
		Pod: pod, Snapshot: snapshot, Judge: judge, Filters: names, Message: p.Behaviour.Message, Detail: trace.Full,
		Now: time.Unix(1e9, 0), Extenders: p.Extenders, RejectedBy: func(int) string { return names[0] },
		Statuses: func(i int) trace.Verdict {
			v := trace.Verdict{Code: trace.Unschedulable, Reasons: failed[snapshot.Nodes[i].Name]}
			if slices.ContainsFunc(v.Reasons, func(reason string) bool { return unresolvable1_10(reason) }) {
				v.Code = trace.UnschedulableAndUnresolvable
			}
			return v
		},
	})
	for _, fact := range answer.Facts {
		if of, is := fact.(trace.Preempted); is {
			return of.Preemption, answer
		}
	}
	t.Fatal("nothing is said of a preemption")
	return nil, answer
}

// candidates plays the rows that want a list of nodes with their victims, and those that want the best of it.
func (r *row) candidates(t *testing.T, version string) {
	table := r.table(t)
	nodes := read[[]nodeRow](t, r.Calls[0].Given[0])
	story, _ := r.preempted(t, version, table, nodes, table.Pod, nil)
	got, want := map[string][]string{}, map[string][]string{}
	for _, c := range story.Candidates {
		got[story.Nodes[c.Node]] = append([]string{}, c.Victims...)
	}
	for node, of := range read[map[string]struct {
		Pods []*corev1.Pod
	}](t, r.Calls[0].Answers[0]) {
		want[node] = []string{}
		for _, pod := range of.Pods {
			inNamespace(pod)
			want[node] = append(want[node], cluster.Key(pod))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-upstream +schedstep)\n%s", diff)
	}
	if r.Function == "TestPickOneNodeForPreemption" && !slices.Contains(read[[]string](t, table.Expected), story.Node) {
		t.Errorf("the best is %q, upstream has %s", story.Node, table.Expected)
	}
}

// preempt plays the row's preemption, and the one after it when the victims are on their way out.
func (r *row) preempt(t *testing.T, version string) {
	table := r.table(t)
	table.Predicates = map[string]funcName{"matches": {"predicates.PodFitsResources"}}
	for i, call := range r.Calls {
		nodes, pod := read[[]nodeRow](t, call.Given[0]), read[*corev1.Pod](t, call.Given[1])
		failed := read[struct{ Failed map[string][]string }](t, call.Given[2]).Failed
		_, answer := r.preempted(t, version, table, nodes, pod, failed)
		var want struct {
			Node string
			Pods []string
		}
		if node := read[*corev1.Node](t, call.Answers[0]); node != nil {
			want.Node = node.Name
		}
		for _, pod := range read[[]*corev1.Pod](t, call.Answers[1]) {
			inNamespace(pod)
			want.Pods = append(want.Pods, cluster.Key(pod))
		}
		got := want
		got.Node, got.Pods = answer.Nomination.Node, nil
		for _, v := range answer.Victims {
			got.Pods = append(got.Pods, v.Key)
		}
		slices.Sort(got.Pods)
		slices.Sort(want.Pods)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("call %d (-upstream +schedstep)\n%s", i, diff)
		}
	}
}

// codes are the codes that the predicates of 1.10 give with each reason, in all cases of their tables.
var codes = map[string]trace.Code{}

// unresolvable1_10 reports whether evicting pods does not help against a reason of 1.10.
func unresolvable1_10(reason string) bool { return codes[reason] == trace.UnschedulableAndUnresolvable }

// TestPreemptionMightHelpWhereUpstreamSaysSo holds the codes of predicates to the nodes that 1.10 tries to free.
func TestPreemptionMightHelpWhereUpstreamSaysSo(t *testing.T) {
	learn(t)
	rows := 0
	for _, r := range rowsOf(t, "1.10") {
		if r.Function != "TestNodesWherePreemptionMightHelp" {
			continue
		}
		rows++
		var table struct {
			FailedPredMap map[string][]string
			Expected      map[string]bool
		}
		if err := json.Unmarshal(r.Table, &table); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range 4 {
			name := fmt.Sprintf("machine%d", i+1)
			helps := true
			for _, reason := range table.FailedPredMap[name] {
				if _, known := codes[reason]; !known {
					t.Errorf("no predicate gives the reason %q", reason)
				}
				helps = helps && !unresolvable1_10(reason)
			}
			if helps {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(table.Expected)), got); diff != "" {
			t.Errorf("%s (-upstream +schedstep)\n%s", r.Name, diff)
		}
	}
	if rows != 4 {
		t.Errorf("%d rows", rows)
	}
}

// learn fills codes from the cases of the predicates.
func learn(t *testing.T) {
	t.Helper()
	for _, r := range rowsOf(t, "1.10") {
		if r.Predicate == "" {
			continue
		}
		p := r.profile(t, "1.10")
		state := cluster.NewStateFor(p.Behaviour.Reading)
		for _, o := range r.cluster() {
			state.Apply(cluster.Event{Action: cluster.Add, Object: o})
		}
		pod := r.pending(state)
		snapshot := state.Snapshot()
		for _, f := range p.Filter {
			study := f.PreFilter(pod, snapshot)
			for _, node := range snapshot.Nodes {
				v := study.Verdict
				if study.Check != nil {
					v = study.Check.Filter(node)
				}
				for _, reason := range v.Reasons {
					codes[reason] = max(codes[reason], v.Code)
				}
			}
		}
	}
}
