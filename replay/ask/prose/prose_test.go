package prose_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// now is the moment of every case.
var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// tried is a try of default/web-0 on n1, n2 and n3: Fit rejects n1 finally and n2 for the moment, n3 is chosen.
func tried() *trace.Try {
	cpu := trace.Evidence{
		Topic: trace.OfResource, What: "cpu", Want: trace.MilliCPU(2000), Have: trace.MilliCPU(500),
		Used: trace.MilliCPU(3500), Capacity: trace.MilliCPU(4000),
	}
	short := trace.Verdict{
		Code: trace.Unschedulable, Reasons: []string{"Insufficient cpu"}, Evidence: []trace.Evidence{cpu},
	}
	final := trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"node(s) were unschedulable"}}
	return &trace.Try{
		Opening: trace.Opening{
			Number: 7, Time: now, Entity: trace.Entity{Type: "pod", Namespace: "default", Name: "web-0", Priority: 10},
			From: "activeQ", Attempt: 2, Nodes: 3,
		},
		Matrix: &trace.Matrix{
			Nodes: []string{"n1", "n2", "n3"}, Plugins: []string{"NodeUnschedulable", "NodeResourcesFit", "NodePorts"},
			Skipped: []bool{false, false, true}, First: []int16{0, 1, trace.FirstNone}, Visited: []int32{0, 1, 2},
			Failures: []trace.Failure{{Node: 0, Plugin: 0, Verdict: final}, {Node: 1, Plugin: 1, Verdict: short}},
			Complete: true,
		},
		Selected: &trace.Selected{Node: "n3"},
		Ended:    &trace.Ended{Outcome: trace.Scheduled, Node: "n3", Evaluated: 3, Feasible: 1, Message: "assigned to n3"},
	}
}

func TestACellSaysWhatItsPluginAnswersAndWhetherItWasAsked(t *testing.T) {
	for _, c := range []struct {
		name         string
		node, plugin int
		want         []string
	}{
		{"a final rejection", 0, 0, []string{
			"NodeUnschedulable: node(s) were unschedulable", "Evicting pods cannot help: preemption skips this node.",
			"This is what kube-scheduler reports for n1; it asks no further filter there.",
		}},
		{"not asked, and would accept", 0, 1, []string{
			"NodeResourcesFit would accept default/web-0 on n1.",
			"kube-scheduler did not ask it here: it had stopped at NodeUnschedulable.",
		}},
		{"a rejection with what was compared", 1, 1, []string{
			"NodeResourcesFit: Insufficient cpu", "  cpu: wants 2, 500m free (3500m of 4 used)",
			"This is what kube-scheduler reports for n2; it asks no further filter there.",
		}},
		{"nothing to check", 2, 2, []string{
			"NodePorts has nothing to check for this pod: its PreFilter answered Skip, so it is asked about no node.",
		}},
		{"accepted", 2, 0, []string{"NodeUnschedulable accepts default/web-0 on n3."}},
	} {
		t.Run(c.name, func(t *testing.T) { tells(t, prose.Cell(words.English, tried(), c.node, c.plugin), c.want) })
	}
}

func TestANodeSaysFirstWhatBecameOfIt(t *testing.T) {
	for node, want := range []string{
		"n1 does not fit. kube-scheduler stopped at NodeUnschedulable.",
		"n2 does not fit. kube-scheduler stopped at NodeResourcesFit.", "n3 fits, and was chosen.",
	} {
		if got := prose.OnNode(words.English, tried(), node)[0].Text; got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestAPlacedPodLeadsWithWhereItIs(t *testing.T) {
	e := session.Judge(tried())
	e.Place = session.Place{Node: "n3"}
	tells(t, prose.Pod(e, prose.Usual), []string{
		"default/web-0 is on node n3.", "kube-scheduler says: assigned to n3",
		"In cycle 7, attempt 2: Scheduled on n3; 3 of 3 nodes evaluated, 1 feasible.",
		"", "n3 was the only feasible node, so nothing was scored",
		"", "What ruled the other nodes out, by all reasons of a node",
		"  1 node: NodeUnschedulable: node(s) were unschedulable", "    n1",
		"  1 node: NodeResourcesFit: Insufficient cpu", "    n2",
		"", "The nearest nodes", "  n2", "    NodeResourcesFit: Insufficient cpu",
		"      cpu: wants 2, 500m free (3500m of 4 used)", "  n1", "    NodeUnschedulable: node(s) were unschedulable",
	})
}

func TestAPodThatWaitsLeadsWithWhatItWaitsFor(t *testing.T) {
	row := session.QueueRow{Pod: "default/web-0", Attempts: 2, Since: now, Plugins: []string{"NodeResourcesFit"}}
	for _, c := range []struct {
		name  string
		place session.Place
		want  []string
	}{
		{"popped next", session.Place{Queue: queue.ActiveQ, Row: session.QueueRow{Since: now}}, []string{
			"p is in activeQ since 10:00:00, not tried yet.", "", "When it is tried again",
			"  popped next: nothing in activeQ has a higher priority, or the same and waits longer",
		}},
		{"others before it", session.Place{
			Queue: queue.ActiveQ, Row: session.QueueRow{Since: now}, Before: 2, Last: session.QueueRow{Pod: "q", Priority: 5},
		}, []string{
			"p is in activeQ since 10:00:00, not tried yet.", "", "When it is tried again",
			"  2 are popped from activeQ before it; the last of them, q, has the higher priority 5",
		}},
		{"unschedulable", session.Place{Queue: queue.Unschedulable, Row: row, Flush: 5 * time.Minute}, []string{
			"p is unschedulable since 10:00:00, tried 2 times, rejected by NodeResourcesFit.", "", "When it is tried again",
			"  tried again anyway after 5 minutes",
		}},
		{"assumed", session.Place{Node: "n1", Assumed: true}, []string{
			"p is assumed on node n1; the API server has not confirmed it yet.",
		}},
		{"nowhere", session.Place{}, []string{"p is in no queue."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tells(t, prose.Pod(session.Explanation{Pod: "p", Now: now, Place: c.place}, prose.Usual), c.want)
		})
	}
}

func TestReusedScoresNameTheirCycle(t *testing.T) {
	rejects := trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"Insufficient cpu"}}
	for _, c := range []struct {
		batch trace.Batch
		want  string
	}{
		{
			trace.Batch{Hint: &trace.BatchHint{Cycle: 4, Node: "n3", Feasible: true}},
			"Scores are reused from cycle 4, where n3 comes next. n3 fits, so no other node was tried.",
		},
		{
			trace.Batch{Hint: &trace.BatchHint{Cycle: 4, Node: "n3", Plugin: "NodeResourcesFit", Verdict: rejects}},
			"Scores are reused from cycle 4, where n3 comes next. It does not fit: NodeResourcesFit: " +
				"Unschedulable: Insufficient cpu. All nodes were tried.",
		},
		{
			trace.Batch{Unused: &trace.BatchUnused{Cycle: 4, Reason: trace.BatchNominated, Node: "n1"}},
			"The scores of cycle 4 were not reused: the pod is nominated to n1.",
		},
	} {
		try := tried()
		try.Batch = &c.batch
		if got := prose.Pod(session.Judge(try), prose.Usual)[3].Text; got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

func TestAPreemptionCountsOnlyWhatThereIs(t *testing.T) {
	p := &trace.Preemption{
		Eligible: true, Node: "n1", Victims: []string{"default/old"}, Potential: 1, Wanted: 1, Found: 1,
		Nodes: []string{"n1", "n2"}, Unhelpful: []int32{1},
		Candidates: []trace.PreemptionCandidate{{Node: 0, Victims: []string{"default/old"}, Highest: 1, Sum: 1}},
	}
	tells(t, prose.Preemption(words.English, p), []string{
		"n1 is nominated; 1 pod has to leave: default/old.", "It is the only candidate.",
		"Evicting pods could help on 1 of 2 nodes: 1 candidate.",
	})
	p.Refused, p.Untried, p.Potential = []trace.PreemptionRefusal{{Node: 1}}, []int32{1}, 3
	if got, want := prose.Preemption(words.English, p)[2].Text, "Evicting pods could help on 3 of 2 nodes: 1 candidate, "+
		"evicting did not help on 1 node, 1 node not tried because 1 candidates are enough."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestAMemberIsNotAmongTheMissing explains the pod of a gang that found no node: the others are named, it is not.
func TestAMemberIsNotAmongTheMissing(t *testing.T) {
	member := func(name string, state trace.TryState, message string) *trace.Try {
		try := &trace.Try{State: state, Found: trace.MemberEnded{Message: message}}
		try.Entity = trace.Entity{Type: "pod", Namespace: "default", Name: name}
		return try
	}
	a, b := member("a", trace.FoundNone, "no room"), member("b", trace.FoundNone, "no port")
	g := &trace.Group{Gathered: trace.Gathered{MinCount: 3, Policy: "gang"}, Placements: []trace.Placement{{
		Members: []*trace.Try{a, b, member("c", trace.NotTried, "")}, Ended: &trace.PlacementEnded{},
	}}}
	for _, m := range g.Placements[0].Members {
		g.Members = append(g.Members, m.Entity)
	}
	tells(t, prose.Pod(session.Explanation{Pod: "default/a", Now: now, Cycle: a, Group: g}, prose.Usual), []string{
		"default/a is in no queue.", "Pod 1 of 3 of its group, tried on all nodes.",
		"Its gang needs 3 pods with a node at once, and has 0.", "  no node for default/b: no port",
		"  not tried: default/c",
	})
}

// tells compares lines with the expected ones, laid out in plain text.
func tells(t *testing.T, lines []prose.Line, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, prose.Plain(lines)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
