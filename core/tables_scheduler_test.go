package core_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// unplayed are the cases of the scheduler and its queue that cannot be played, with the reason for each.
var unplayed = map[string]string{
	"1.10 TestSelectHost 3": noNodes, "1.6 TestSelectHost 3": noNodes,
	"1.10 TestSelectNodesForPreemption 1": noVictims, "1.10 TestSelectNodesForPreemption 2": noVictims,
	"1.10 TestSelectNodesForPreemption 7": noVictims, "1.10 TestPickOneNodeForPreemption 0": noVictims,
	"1.10 TestPickOneNodeForPreemption 2": noVictims, "1.10 TestPreempt 1": noVictims,
	"1.10 TestPreempt 2": filters, "1.10 TestPreempt 3": filters,
}

const (
	noNodes   = "a list of no nodes: the cycle ends before, with the message of the predicates"
	noVictims = "a node where the pod fits without anybody leaving it was not rejected, unless by an extender"
	filters   = "a preemption asks the filters of extenders, which docs/releases.md lists as not played"
)

// plays are how the cases of the scheduler are played, by the test that they are from.
var plays = map[string]func(*row, *testing.T, string){
	"TestSelectHost":                    (*row).selectHost,
	"TestGenericScheduler":              (*row).schedule,
	"TestGenericSchedulerWithExtenders": (*row).schedule,
	"TestFindFitAllError":               (*row).findFit,
	"TestFindFitSomeError":              (*row).findFit,
	"TestHumanReadableFitError":         (*row).fitError,
	"TestZeroRequest":                   (*row).prioritize,
	"TestSelectNodesForPreemption":      (*row).candidates,
	"TestPickOneNodeForPreemption":      (*row).candidates,
	"TestPreempt":                       (*row).preempt,
}

// TestTheSchedulerDecidesAsInUpstreamsTables plays the cases of generic_scheduler_test.go and extender_test.go.
func TestTheSchedulerDecidesAsInUpstreamsTables(t *testing.T) {
	for _, version := range beforeFramework {
		for _, r := range rowsOf(t, version) {
			play, is := plays[r.Function]
			key := fmt.Sprintf("%s %s %d", version, r.Function, r.Row)
			if _, not := unplayed[key]; !is || not {
				continue
			}
			t.Run(key+" "+r.Name, func(t *testing.T) { play(&r, t, version) })
		}
	}
}

// TestTheCasesThatAreNotPlayedAreThere wants every exception to be about a case.
func TestTheCasesThatAreNotPlayedAreThere(t *testing.T) {
	left := maps.Clone(unplayed)
	for _, version := range beforeFramework {
		for _, r := range rowsOf(t, version) {
			delete(left, fmt.Sprintf("%s %s %d", version, r.Function, r.Row))
		}
	}
	for key := range left {
		t.Errorf("%s is no case", key)
	}
}

// TestNoCaseOfTheSchedulerIsForgotten wants each case that is no predicate's and no priority's to be played, or to have
// a reason.
func TestNoCaseOfTheSchedulerIsForgotten(t *testing.T) {
	for _, version := range beforeFramework {
		for _, r := range rowsOf(t, version) {
			elsewhere := strings.HasPrefix(r.Function, "TestPriorityQueue_") ||
				slices.Contains([]string{"TestCompatibility_v1_Scheduler", "TestNodesWherePreemptionMightHelp"}, r.Function)
			if r.Predicate+r.Priority == "" && plays[r.Function] == nil && !elsewhere {
				t.Errorf("%s of %s is not played", r.Function, version)
			}
		}
	}
}

// tableRow is what a test gives to the scheduler.
type tableRow struct {
	List []struct {
		Host  string
		Score int64
	}
	Nodes                    json.RawMessage // names or objects
	Pods                     []*corev1.Pod
	Pod                      *corev1.Pod
	PVCs                     []*corev1.PersistentVolumeClaim
	Predicates               map[string]funcName
	AddAffinityPredicate     bool
	Prioritizers             []prioritizer
	AlwaysCheckAllPredicates bool
	Extenders                []extenderRow
	Expected                 json.RawMessage
	ExpectedNode             string
	ExpectedPods             []string
}

// funcName is a function by its name.
type funcName struct{ Func string }

type prioritizer struct {
	Map, Function funcName
	Weight        int64
}

type extenderRow struct {
	Predicates   []funcName
	Prioritizers []struct {
		Function funcName
		Weight   int64
	}
	Weight       int64
	UnInterested bool
}

func (r *row) table(t *testing.T) tableRow {
	t.Helper()
	var table tableRow
	if err := json.Unmarshal(r.Table, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func read[T any](t *testing.T, text json.RawMessage) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

func (r *row) selectHost(t *testing.T, version string) {
	list := r.table(t).List
	c := framework.Contest{Name: func(i int) string { return list[i].Host }}
	for _, e := range list {
		c.Totals = append(c.Totals, e.Score)
	}
	p := profileOf(t, version, "", map[string]any{"kind": "Policy", "apiVersion": "v1"})
	for _, call := range r.Calls {
		c.Before = read[struct{ LastNodeIndex uint64 }](t, call.Given[0]).LastNodeIndex
		host, _ := p.Behaviour.TieBreak.Pick(&c)
		if got, want := list[host].Host, read[string](t, call.Answers[0]); got != want {
			t.Errorf("after %d hosts %s is picked, upstream picks %s", c.Before, got, want)
		}
	}
}

// fake is what upstream's tests make predicates and priorities of.
type fake struct{ name, version string }

// Name is that of the function.
func (f fake) Name() string { return f.name }

// fakeReasons are what upstream's tests call the reason of a predicate of theirs.
var fakeReasons = map[string]string{"1.10": "Nodes failed the fake predicate", "1.6": "FakePredicateError"}

// Filter is truePredicate and the like.
func (f fake) Filter(pod *cluster.Pod, node *cluster.Node) trace.Verdict {
	var fits bool
	switch f.name {
	case "core.truePredicate":
		fits = true
	case "core.falsePredicate":
	case "core.matchesPredicate":
		fits = pod.API.Name == node.Name
	case "core.hasNoPodsPredicate":
		fits = len(node.Pods) == 0
	default:
		panic("tables: nobody knows " + f.name)
	}
	if fits {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{fakeReasons[f.version]}}
}

// PreScore is numericPriority and the like.
func (f fake) PreScore(*cluster.Pod, *cluster.Snapshot, []*cluster.Node) framework.Scoring {
	return framework.Scoring{Scorer: fakeScorer{f.name}}
}

type fakeScorer struct{ name string }

func (f fakeScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		raw[i] = f.one(node.Name)
	}
	if f.name == "core.reverseNumericPriority" {
		least, most := slices.Min(raw), slices.Max(raw)
		for i := range raw {
			raw[i] = least + most - raw[i]
		}
	}
	return trace.Verdict{}
}

func (f fakeScorer) one(node string) int64 {
	switch f.name {
	case "core.EqualPriorityMap":
		return 1
	case "core.numericPriority", "core.reverseNumericPriority":
		n, _ := strconv.ParseInt(node, 10, 64)
		return n
	case "core.machine2Prioritizer", "core.machine2PrioritizerExtender":
		return tenOn(node, "machine2")
	case "core.machine1PrioritizerExtender":
		return tenOn(node, "machine1")
	}
	panic("tables: nobody knows " + f.name)
}

func tenOn(node, best string) int64 {
	if node == best {
		return 10
	}
	return 1
}

// Normalize changes nothing.
func (fakeScorer) Normalize([]*cluster.Node, []int64) trace.Verdict { return trace.Verdict{} }

// Ask is the answer of upstream's FakeExtender.
func (e extenderRow) Ask(q framework.Question) framework.Answer {
	if q.Call == framework.CallPrioritize {
		return e.prioritize(q.Nodes)
	}
	var a framework.Answer
	for _, node := range q.Nodes {
		fits := true
		for _, p := range e.Predicates {
			passes, err := extenderFits(p.Func, node.Name)
			if err != nil {
				return framework.Answer{Failure: err.Error()}
			}
			fits = fits && passes
		}
		if fits {
			a.Nodes = append(a.Nodes, node.Name)
		} else {
			a.Failed = append(a.Failed, framework.NodeReason{Node: node.Name, Reason: "FakeExtender failed"})
		}
	}
	return a
}

func extenderFits(name, node string) (bool, error) {
	switch name {
	case "core.truePredicateExtender":
		return true, nil
	case "core.falsePredicateExtender":
		return false, nil
	case "core.machine1PredicateExtender":
		return node == "machine1", nil
	case "core.machine2PredicateExtender":
		return node == "machine2", nil
	case "core.errorPredicateExtender":
		return false, errors.New("Some error")
	}
	panic("tables: nobody knows " + name)
}

func (e extenderRow) prioritize(nodes []*cluster.Node) framework.Answer {
	var a framework.Answer
	for _, node := range nodes {
		score := int64(0)
		for _, p := range e.Prioritizers {
			if p.Function.Func == "core.errorPrioritizerExtender" {
				return framework.Answer{Failure: "Some error"}
			}
			score += fakeScorer{p.Function.Func}.one(node.Name) * p.Weight
		}
		a.Scores = append(a.Scores, framework.NodeScore{Node: node.Name, Score: score})
	}
	return a
}

// faked is the profile of a release with what a test has in place of predicates, priorities and extenders. A Policy
// enables those that are kube-scheduler's own.
func (r *row) faked(t *testing.T, version, gates string, table tableRow) *framework.Profile {
	t.Helper()
	own := []any{}
	for _, name := range []string{"PodFitsResources", "MatchInterPodAffinity"} {
		own = append(own, map[string]any{"name": name})
	}
	p := profileOf(t, version, gates, map[string]any{
		"kind": "Policy", "apiVersion": "v1", "predicates": own, "priorities": []any{},
	})
	known := p.Filter
	p.PreFilter, p.Filter, p.PreScore, p.Score = nil, nil, nil, nil
	add := func(name string) {
		i := slices.IndexFunc(known, func(f framework.FilterPlugin) bool { return "predicates."+f.Name() == name })
		if i >= 0 {
			p.Filter = append(p.Filter, known[i])
			return
		}
		f, _ := framework.FilterOf(fake{name, version})
		p.Filter = append(p.Filter, f)
	}
	for _, name := range []string{"false", "true", "matches", "match", "nopods"} { // the order that the tests set
		if f, is := table.Predicates[name]; is {
			add(f.Func)
		}
	}
	if table.AddAffinityPredicate {
		add("predicates.MatchInterPodAffinity")
	}
	for _, of := range table.Prioritizers {
		s, _ := framework.ScoreOf(fake{name: of.Map.Func + of.Function.Func})
		p.Score = append(p.Score, framework.WeightedScore{ScorePlugin: s, Weight: of.Weight})
	}
	for i, e := range table.Extenders {
		of := framework.Extender{
			Name: fmt.Sprintf("fake-%d", i), Weight: e.Weight, Filters: true, Prioritizes: len(e.Prioritizers) > 0,
			Line: e,
		}
		if e.UnInterested {
			of.Managed = []string{"example.com/none"}
		}
		p.Extenders = append(p.Extenders, of)
	}
	if table.AlwaysCheckAllPredicates {
		p.Behaviour.Rejection = framework.EveryFailure{}
	}
	return p
}

func (r *row) schedule(t *testing.T, version string) {
	table := r.table(t)
	p := r.faked(t, version, "", table)
	s := core.New(core.Options{Profiles: []*framework.Profile{p}, Start: time.Unix(1e9, 0), Detail: trace.Full})
	add := func(objects ...cluster.Object) {
		for _, o := range objects {
			s.Apply(cluster.Event{Action: cluster.Add, Object: o})
		}
	}
	for _, name := range read[[]string](t, table.Nodes) {
		node := &corev1.Node{}
		node.Name = name
		add(node)
	}
	for _, pod := range table.Pods {
		pod.Name, pod.UID = "there", "there"
		add(placedRows(nil, []*corev1.Pod{pod})...)
	}
	add(withNames(table.PVCs)...)
	pod := table.Pod
	if pod == nil {
		pod = &corev1.Pod{}
		pod.Name = "pod"
	}
	inNamespace(pod)
	pod.Spec.SchedulerName = p.SchedulerName
	add(pod)
	_, facts, ok := s.Schedule()
	if !ok {
		t.Fatal("there is no cycle")
	}
	ended := facts[len(facts)-1].(trace.Ended)
	wantNode := read[string](t, r.Calls[0].Answers[0])
	wantError := read[struct{ Error string }](t, r.Calls[0].Answers[1]).Error
	said := ended.Message
	if ended.Node != "" {
		said = ""
	}
	if ended.Node != wantNode || said != wantError {
		t.Errorf("node %q, %q; upstream has %q, %q", ended.Node, said, wantNode, wantError)
	}
}

func (r *row) findFit(t *testing.T, version string) {
	given := r.Calls[0].Given
	infos := read[map[string]nodeRow](t, given[1])
	table := tableRow{Predicates: read[map[string]funcName](t, given[3])}
	p := r.faked(t, version, "", table)
	state := cluster.NewStateFor(p.Behaviour.Reading)
	for _, node := range read[[]*corev1.Node](t, given[2]) {
		for _, o := range placedRows([]nodeRow{{node, infos[node.Name].Pods}}, nil) {
			state.Apply(cluster.Event{Action: cluster.Add, Object: o})
		}
	}
	api := read[*corev1.Pod](t, given[0])
	inNamespace(api)
	api.UID = "pending"
	pod := &cluster.Pod{API: api}
	snapshot := state.Snapshot()
	failed := map[string][]string{}
	for _, node := range snapshot.Nodes {
		for _, f := range p.Filter {
			if v := f.PreFilter(pod, snapshot).Check.Filter(node); !v.OK() {
				failed[node.Name] = append(failed[node.Name], v.Reasons...)
			}
		}
	}
	if diff := cmp.Diff(read[map[string][]string](t, r.Calls[0].Answers[1]), failed); diff != "" {
		t.Errorf("(-upstream +schedstep)\n%s", diff)
	}
}

func (r *row) fitError(t *testing.T, version string) {
	given := read[struct{ Failed map[string][]string }](t, r.Calls[0].Given[0])
	m := trace.FitMessage{Nodes: len(given.Failed)}
	for _, reasons := range given.Failed {
		m.Count(trace.Verdict{Code: trace.Unschedulable, Reasons: reasons}, 1)
	}
	p := profileOf(t, version, "", map[string]any{"kind": "Policy", "apiVersion": "v1"})
	if got, want := p.Behaviour.Message.FitError(&m), read[string](t, r.Calls[0].Answers[0]); got != want {
		t.Errorf("got %s\nupstream %s", got, want)
	}
}

// prioritize runs the three priorities that the test names, with its weights.
func (r *row) prioritize(t *testing.T, version string) {
	table := r.table(t)
	asked := []any{}
	for _, name := range []string{"LeastRequestedPriority", "BalancedResourceAllocation", "SelectorSpreadPriority"} {
		asked = append(asked, map[string]any{"name": name, "weight": 1})
	}
	p := profileOf(t, version, "", map[string]any{
		"kind": "Policy", "apiVersion": "v1", "predicates": []any{}, "priorities": asked,
	})
	of := row{Pod: table.Pod}
	for _, node := range read[[]*corev1.Node](t, table.Nodes) {
		of.Nodes = append(of.Nodes, nodeRow{Node: node})
	}
	of.Objects.Pods = table.Pods
	state := cluster.NewStateFor(p.Behaviour.Reading)
	for _, o := range of.cluster() {
		state.Apply(cluster.Event{Action: cluster.Add, Object: o})
	}
	pod := of.pending(state)
	var want []nodeSaid
	for _, e := range read[[]struct {
		Host  string
		Score int64
	}](t, r.Calls[0].Answers[0]) {
		want = append(want, nodeSaid{Node: e.Host, Score: &e.Score})
	}
	slices.SortFunc(want, func(a, b nodeSaid) int { return strings.Compare(a.Node, b.Node) })
	if diff := cmp.Diff(want, scored(p, pod, state.Snapshot())); diff != "" {
		t.Errorf("(-upstream +schedstep)\n%s", diff)
	}
}
