package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// afterCycle is a session behind a cycle.
func afterCycle(t *testing.T, script source.Script, cycle int64) *session.Session {
	t.Helper()
	s := sessionOf(script)
	s.GotoCycle(context.Background(), cycle, nil)
	return s
}

// try carries out a what-if and runs to the end of the branch.
func try(t *testing.T, s *session.Session, e session.Edit) string {
	t.Helper()
	_, said, err := s.Edit(e)
	if err != nil {
		t.Fatal(err)
	}
	move(t, s, session.Continue, session.Forward)
	return said.String()
}

// hosts is where every pod is at the cursor.
func hosts(t *testing.T, s *session.Session) string {
	t.Helper()
	var all []string
	for _, p := range s.At().Names().Pods {
		e, err := s.At().Explain(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimPrefix(p, "default/")+" "+e.Node)
	}
	return strings.Join(all, ", ")
}

func TestWhatIfsChangeWhereThePodsGo(t *testing.T) {
	// Without any of them: web-0, 2 and 4 on n1 and n2 by turns, two wait until n3 is there.
	for _, test := range []struct {
		name string
		edit session.Edit
		want string
		said string
	}{
		{"cordon", session.Cordon("n2"), "web-0 n1, web-1 n2, web-2 n1, web-3 n3, web-4 n3, web-5 ", "node n2 is cordoned"},
		{
			"taint", session.Taint("n2", "maintenance:NoSchedule"),
			"web-0 n1, web-1 n2, web-2 n1, web-3 n3, web-4 n3, web-5 ", "node n2 is tainted maintenance:NoSchedule",
		},
		{
			"add a node", session.AddNode("n9", "n1", map[string]string{"cpu": "64"}),
			"web-0 n1, web-1 n2, web-2 n9, web-3 n9, web-4 n9, web-5 n9", "added n9, a copy of n1",
		},
		{
			"delete a node", session.DeleteNode("n2"), "web-0 n1, web-1 , web-2 n1, web-3 n3, web-4 n3, web-5 ",
			"deleted node n2; 1 of its pods recreated as pending",
		},
		{
			"delete a pod", session.DeletePod("default/web-5"), "web-0 n1, web-1 n2, web-2 n1, web-3 n2, web-4 n3",
			"deleted pod default/web-5",
		},
		{
			"set a request", session.SetRequest("default/web-3", "cpu", "100m", ""),
			"web-0 n1, web-1 n2, web-2 n1, web-3 n2, web-4 n2, web-5 n3", "default/web-3 requests 100m of cpu",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := afterCycle(t, rollout(), 2)
			said := try(t, s, test.edit)
			if got := hosts(t, s); got != test.want || said != test.said {
				t.Errorf("%s:\ngot  %s\nwant %s", said, got, test.want)
			}
			if err := s.Switch("main"); err != nil {
				t.Fatal(err)
			}
			move(t, s, session.Continue, session.Forward)
			if got, want := hosts(t, s), "web-0 n1, web-1 n2, web-2 n1, web-3 n2, web-4 n3, web-5 n3"; got != want {
				t.Errorf("history was changed: %s", got)
			}
		})
	}
}

func TestDrainMovesThePodsOfANodeAway(t *testing.T) {
	s := afterCycle(t, rollout(), 4)
	said := try(t, s, session.Drain("n1"))
	if want := "node n1 is drained; 2 of its pods recreated as pending"; said != want {
		t.Errorf("said %q", said)
	}
	e, err := s.At().ExplainNode("n1")
	if err != nil || len(e.Pods) != 0 || !e.Unschedulable {
		t.Errorf("n1 holds %+v, cordoned %v (%v)", e.Pods, e.Unschedulable, err)
	}
}

func TestAWeightChangesTheChoice(t *testing.T) {
	s := afterCycle(t, rollout(), 1)
	_, _, err := s.Edit(session.SetWeight("NodeResourcesFit", 7))
	if err != nil {
		t.Fatal(err)
	}
	move(t, s, session.Next, session.Forward)
	scores := s.Frame().Cycle.Latest().Scores
	i := slices.IndexFunc(scores.Columns, func(c trace.ScoreColumn) bool { return c.Plugin == "NodeResourcesFit" })
	if got := scores.Columns[i].Weight; got != 7 {
		t.Errorf("the weight is %d", got)
	}
	if err := s.Switch("main"); err != nil {
		t.Fatal(err)
	}
	move(t, s, session.Next, session.Forward)
	if got := s.Frame().Cycle.Latest().Scores.Columns[i].Weight; got != 1 {
		t.Errorf("on main the weight is %d", got)
	}
}

func TestAWhatIfThatCannotBeSaysWhatWouldBeRight(t *testing.T) {
	s := afterCycle(t, rollout(), 1)
	for _, test := range []struct {
		edit session.Edit
		want string
	}{
		{session.Cordon("n"), `there is no node "n" here (did you mean "n1"?)`},
		{session.Uncordon("n1"), `uncordon: node "n1" is schedulable already`},
		{session.Taint("n1", "gpu=true"), `taint: "gpu=true" has no effect (try gpu=true:NoSchedule)`},
		{session.Taint("n1", "gpu:No"), `taint: "No" is no effect (NoSchedule, PreferNoSchedule or NoExecute)`},
		{session.Taint("n1", "gpu-"), `taint: node "n1" has no taint gpu`},
		{session.Label("n1", "zone"), `label: "zone" sets nothing (KEY=VALUE sets a label, KEY- takes it away)`},
		{session.Label("nobody", "zone=a"), `label: there is no node and no pod "nobody" here`},
		{session.AddNode("n1", "n1", nil), `add-node: there is a node "n1" already`},
		{
			session.AddNode("n9", "n1", map[string]string{"cpu": "2x"}),
			`add-node: cpu: "2x" is not a quantity (try 2, 500m or 4Gi)`,
		},
		{
			session.SetRequest("default/web-0", "cpu", "1", ""),
			`set request: pod "default/web-0" is already bound to node "n1"`,
		},
		{session.SetWeight("NodeName", 2), `set weight: no profile scores with "NodeName"`},
		{session.DeletePod("default/none"), `there is no pod "default/none" here`},
	} {
		_, _, err := s.Edit(test.edit)
		if err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
		if f := s.Frame(); f.Branch != "main" || len(f.Branches) != 1 {
			t.Fatalf("an edit that failed left branches %v", f.Branches)
		}
	}
}

// A recording has later events about the node that was cordoned, and about the pod that was deleted.
func TestAWhatIfOutlivesTheRecording(t *testing.T) {
	script := rollout()
	later := node("n2", "4")
	later.Labels["seen"] = "later"
	script = append(script,
		source.Timed{At: start.Add(time.Second), Event: cluster.Event{Action: cluster.Update, Object: later}},
		source.Timed{
			At: start.Add(2 * time.Second), Event: cluster.Event{Action: cluster.Update, Object: pod("web-5", "10m")},
		},
		added(3*time.Second, pod("probe", "1")),
	)
	slices.SortStableFunc(script, func(a, b source.Timed) int { return a.At.Compare(b.At) })
	c := config.Default()
	p := play.NewPlayer(core.New(
		core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start},
	), play.NewRecorded(script.Log()), script.Log())
	s := session.New(p, session.About{})
	s.GotoCycle(context.Background(), 1, nil)
	try(t, s, session.Cordon("n2"))
	e, err := s.At().ExplainNode("n2")
	if err != nil || !e.Unschedulable || len(e.Pods) != 0 {
		t.Errorf("the recording has lifted the cordon: %+v, %v", e, err)
	}
	if _, _, err := s.Edit(session.Uncordon("n2")); err != nil {
		t.Fatal(err)
	}
	if err := s.Switch("main"); err != nil {
		t.Fatal(err)
	}
	try(t, s, session.DeletePod("default/web-5"))
	if slices.Contains(s.At().Names().Pods, "default/web-5") {
		t.Error("the recording has brought a deleted pod back")
	}
}

func TestABranchCanBeWalkedBackAndForth(t *testing.T) {
	s := afterCycle(t, rollout(), 3)
	try(t, s, session.Cordon("n2"))
	want := hosts(t, s)
	move(t, s, session.Continue, session.Backward)
	s.Break(session.Breakpoint{Event: "Node", Node: "n3"})
	if stop := move(t, s, session.Continue, session.Forward); stop.Reason != session.StoppedAtBreakpoint {
		t.Fatal(stop)
	}
	move(t, s, session.Continue, session.Forward)
	if got := hosts(t, s); got != want {
		t.Errorf("the second time\n%s, the first\n%s", got, want)
	}
}

func TestExplainNodeSaysWhatItHoldsAndWhomItRefuses(t *testing.T) {
	s := afterCycle(t, rollout(), 6)
	e, err := s.At().ExplainNode("n1")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Room) < 3 || e.Room[0].Free.String() != "1" || e.Room[2].Used.String() != "2" {
		t.Errorf("room %+v", e.Room)
	}
	if len(e.Pods) != 2 || len(e.Waiting) != 2 || e.Waiting[0].Broken[0].Plugin != "NodeResourcesFit" {
		t.Errorf("pods %+v, waiting %+v", e.Pods, e.Waiting)
	}
	pair, err := s.At().ExplainPair("web-5", "n1")
	if err != nil || len(pair.Broken) != 1 || pair.Asked {
		t.Errorf("pair %+v, %v", pair, err)
	}
	if _, err := s.At().ExplainPair("web-5", "n"); err == nil || !strings.Contains(err.Error(), `did you mean "n1"?`) {
		t.Errorf("a node that is not there: %v", err)
	}
}

func TestBranchesAreComparedWithWhatTheyLeft(t *testing.T) {
	s := afterCycle(t, rollout(), 2)
	move(t, s, session.Continue, session.Forward)
	s.GotoCycle(context.Background(), 2, nil)
	try(t, s, session.SetRequest("default/web-3", "cpu", "100m", ""))
	all := s.Compare(t.Context(), nil)
	if len(all) != 2 || all[0].Parent != "" || all[0].Cycles != 8 || all[1].Began.String() != "step 12" {
		t.Fatalf("%+v", all)
	}
	if got := all[1].Elsewhere; len(got) != 1 ||
		got[0] != (session.Elsewhere{Pod: "default/web-4", There: "n2", Before: "n3"}) {
		t.Errorf("elsewhere %+v", got)
	}
}

func TestAWhatIfBeforeTheEditOfABranchKnowsNothingOfThatEdit(t *testing.T) {
	s := afterCycle(t, rollout(), 3)
	if _, _, err := s.Edit(session.Cordon("n2")); err != nil {
		t.Fatal(err)
	}
	cordoned := s.Position()
	s.GotoCycle(context.Background(), 2, nil)
	before := s.Position()
	try(t, s, session.SetPriority("default/web-5", 1000))
	all := s.Compare(t.Context(), nil)
	if len(all) != 3 || all[1].Parent != "main" || all[2].Parent != "main" || all[2].Began.String() != "step 12" {
		t.Fatalf("%+v", all)
	}
	for _, m := range s.Frame().Timeline {
		if m.Step > 12 && m.Event != "" && strings.Contains(m.Event, "n2") {
			t.Errorf("the other edit is on this branch: %+v", m)
		}
	}
	if err := s.Drop(s.Frame().Branch); err != nil {
		t.Fatal(err)
	}
	if got := s.Position(); s.Frame().Branch != "main" || got != before {
		t.Errorf("the edit was made at %v, and without it the cursor is at %v of %s", before, got, s.Frame().Branch)
	}
	if err := s.Switch("cordon-1"); err != nil || s.Position() != before || before.Step >= cordoned.Step {
		t.Errorf("%v: cordon-1 is left at %v, now at %v", err, before, s.Position())
	}
}

func TestRedoMakesTheEditBeforeTheCycleAndRunsItAgain(t *testing.T) {
	s := withDeaf(t, "node n1 cpu=1\npod web cpu=2\n")
	if s.CanRedo() {
		t.Fatal("nothing was edited")
	}
	if _, _, err := s.Edit(session.SetRequest("default/web", "cpu", "1", "")); err != nil {
		t.Fatal(err)
	}
	if f := s.Frame(); f.About().Ended.Outcome != trace.NotSchedulable {
		t.Fatalf("the edit alone placed it: %s", f.About().Ended.Message)
	}
	branch, err := s.Redo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := s.Frame()
	if f.Number != 1 || f.About().Ended.Node != "n1" || f.Branch != branch || len(f.Branches) != 2 {
		t.Errorf("cycle %d on %v: %+v", f.Number, f.Branches, f.About().Ended)
	}
	if err := s.Drop(branch); err != nil {
		t.Fatal(err)
	}
	if s.CanRedo() {
		t.Error("the branch is gone")
	}
}

// TestABranchIsComparedWithWhatWasNotRunYet edits before the first cycle and runs the branch to its end: the main line,
// of which no cycle had run, is run to the same moment, and only the effect of the edit is a difference.
func TestABranchIsComparedWithWhatWasNotRunYet(t *testing.T) {
	s := sessionOf(source.Script{
		added(0, node("n1", "1")), added(0, node("n2", "1")), added(0, pod("web-0", "1")), added(0, pod("web-1", "1")),
		added(time.Minute, pod("web-2", "1")),
	})
	move(t, s, session.Out, session.Forward)
	if _, _, err := s.Edit(session.AddNode("n3", "n1", nil)); err != nil {
		t.Fatal(err)
	}
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	main, branch := s.Compare(t.Context(), nil)[0], s.Compare(t.Context(), nil)[1]
	if main.Now != branch.Now || main.Cycles != 3 || main.Placed != 2 || main.Pending != 1 || branch.Placed != 3 {
		t.Errorf("main %+v\nbranch %+v", main, branch)
	}
}

// TestAnEndedComparisonRunsNothing has nobody wait for the main line.
func TestAnEndedComparisonRunsNothing(t *testing.T) {
	s := sessionOf(source.Script{added(0, node("n1", "1")), added(0, pod("web-0", "1"))})
	move(t, s, session.Out, session.Forward)
	if _, _, err := s.Edit(session.AddNode("n3", "n1", nil)); err != nil {
		t.Fatal(err)
	}
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	ended, end := context.WithCancel(t.Context())
	end()
	if main := s.Compare(ended, nil)[0]; main.Cycles != 0 {
		t.Errorf("main %+v", main)
	}
	if main := s.Compare(t.Context(), nil)[0]; main.Cycles != 1 {
		t.Errorf("main %+v", main)
	}
}
