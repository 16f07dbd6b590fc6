package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

var start = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

func node(name, cpu string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("16Gi"),
			corev1.ResourcePods: resource.MustParse("110"),
		}},
	}
}

func pod(name, cpu string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("1Gi"),
				},
			}}},
		},
	}
}

func added(at time.Duration, o cluster.Object) source.Timed {
	return source.Timed{At: start.Add(at), Event: cluster.Event{Action: cluster.Add, Object: o}}
}

// rollout is two nodes of 4 CPUs, six pods of 1500m of which two do not fit, and a third node 30 seconds later.
func rollout() source.Script {
	script := source.Script{added(0, node("n1", "4")), added(0, node("n2", "4"))}
	for i := range 6 {
		script = append(script, added(0, pod(fmt.Sprintf("web-%d", i), "1500m")))
	}
	return append(script, added(30*time.Second, node("n3", "4")))
}

func sessionOf(script source.Script) *session.Session {
	c := config.Default()
	s := core.New(
		core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start},
	)
	return session.New(
		play.NewPlayer(s, play.NewSimulated(), script.Log()), session.About{Title: "test", Version: "1.37"},
	)
}

func move(t *testing.T, s *session.Session, stride session.Stride, d session.Direction) session.Stop {
	t.Helper()
	return s.Move(context.Background(), stride, d, nil)
}

// seen is what a person could see at a position, in text.
func seen(s *session.Session) string {
	f := s.Frame()
	var b strings.Builder
	fmt.Fprintf(&b, "%v %v cycle %d %v %+v\n", f.Position, f.Now.Sub(start), f.Number, f.Phase, f.Queue.Counts)
	for _, fact := range f.Facts {
		fmt.Fprintln(&b, fact)
	}
	for _, row := range append(append(f.Queue.Active, f.Queue.Unschedulable...), f.Queue.InFlight...) {
		fmt.Fprintln(&b, row.Pod, row.Attempts)
	}
	return b.String()
}

func TestNextGoesToTheEndOfTheNextCycle(t *testing.T) {
	s := sessionOf(rollout())
	for want := int64(1); want <= 3; want++ {
		stop := move(t, s, session.Next, session.Forward)
		f := s.Frame()
		if stop.Reason != session.StoppedAtStep || f.Number != want || f.Cycle == nil || f.Cycle.Ended == nil {
			t.Fatalf("after %d times next: %+v, cycle %d, ended %v", want, stop, f.Number, f.Cycle)
		}
	}
}

func TestOverWalksTheExtensionPointsOfACycle(t *testing.T) {
	s := sessionOf(rollout())
	move(t, s, session.Next, session.Forward)
	var phases []string
	for range 12 {
		move(t, s, session.Over, session.Forward)
		f := s.Frame()
		phases = append(phases, f.Phase.String())
		if f.Cycle != nil && f.Cycle.Ended != nil {
			break
		}
	}
	want := []string{
		"Cluster", "Queue", "Pop", "PreFilter", "Filter", "PreScore", "Score", "Select", "Reserve", "PreBind", "Bind",
		"End",
	}
	if d := cmp.Diff(want, phases); d != "" {
		t.Error(d)
	}
}

func TestIntoWalksEveryCellThatWasAsked(t *testing.T) {
	s := sessionOf(rollout())
	s.GotoCycle(context.Background(), 1, nil)
	asked := s.Frame().Cycle.Latest().Matrix.Asked()
	s.GotoPhase(context.Background(), trace.PhasePreFilter, nil)
	cells := 0
	for s.Frame().Phase <= trace.PhaseFilter {
		move(t, s, session.Into, session.Forward)
		if s.Frame().Cell != nil {
			cells++
		}
	}
	if cells != asked-1 {
		t.Errorf("%d cells shown one by one before the phase is whole, %d asked", cells, asked)
	}
}

func TestBackThenForwardOverAnyStretchShowsTheSame(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s := sessionOf(rollout())
		strides := rapid.SampledFrom([]session.Stride{session.Into, session.Over, session.Out, session.Next})
		shown := map[session.Position]string{}
		for range rapid.IntRange(1, 60).Draw(t, "moves") {
			d := session.Direction(rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "direction"))
			s.Move(context.Background(), strides.Draw(t, "stride"), d, nil)
			now := seen(s)
			at := s.Position()
			if before, known := shown[at]; known && before != now {
				t.Fatalf("position %v looked different before:\n%s", at, cmp.Diff(before, now))
			}
			shown[at] = now
		}
	})
}

func TestEveryStrideBackwardsUndoesItselfForwards(t *testing.T) {
	for _, stride := range []session.Stride{session.Into, session.Over, session.Out, session.Next} {
		s := sessionOf(rollout())
		var path []session.Position
		for {
			path = append(path, s.Position())
			if stop := move(t, s, stride, session.Forward); stop.Reason == session.StoppedAtEnd {
				break
			}
		}
		if stride == session.Next { // what happens after the last cycle is no cycle
			s.Goto(context.Background(), path[len(path)-1], nil)
		}
		for i := len(path) - 2; i >= 0; i-- {
			move(t, s, stride, session.Backward)
			if s.Position() != path[i] {
				t.Fatalf("stride %d: back from %v leads to %v, not %v", stride, path[i+1], s.Position(), path[i])
			}
		}
	}
}

func TestContinueStopsAtABreakpointInBothDirections(t *testing.T) {
	s := sessionOf(rollout())
	b := s.Break(session.Breakpoint{Outcome: trace.NotSchedulable})
	stop := move(t, s, session.Continue, session.Forward)
	if stop.Reason != session.StoppedAtBreakpoint || s.Frame().Cycle.Entity.Name != "web-4" {
		t.Fatalf("stopped at %+v", stop)
	}
	first := s.Position()
	move(t, s, session.Continue, session.Forward)
	if got := s.Frame().Cycle.Entity.Name; got != "web-5" {
		t.Fatalf("the second is %s", got)
	}
	if stop = move(t, s, session.Continue, session.Backward); s.Position() != first {
		t.Fatalf("backwards it stops at %v (%+v), not at %v", s.Position(), stop, first)
	}
	if hits := s.Frame().Breaks[0].Hits; hits != 3 {
		t.Errorf("breakpoint %d was hit %d times", b.ID, hits)
	}
}

func TestContinueWithoutBreakpointsRunsToTheEnd(t *testing.T) {
	s := sessionOf(rollout())
	if stop := move(t, s, session.Continue, session.Forward); stop.Reason != session.StoppedAtEnd {
		t.Fatal(stop)
	}
	f := s.Frame()
	if !f.AtEnd || !f.Whole || f.Cycles != 8 || f.Queue.Counts != (trace.QueueCounts{}) {
		t.Errorf("at end %v, whole %v, %d cycles, %+v", f.AtEnd, f.Whole, f.Cycles, f.Queue.Counts)
	}
}

func TestACancelledContinueStopsSomewhereAndGoesOn(t *testing.T) {
	script := rollout()
	for i := range 400 {
		script = append(script, added(time.Minute, pod(fmt.Sprintf("late-%03d", i), "1m")))
	}
	s := sessionOf(script)
	ctx, cancel := context.WithCancel(context.Background())
	reports := 0
	stop := s.Move(ctx, session.Continue, session.Forward, func(int) {
		reports++
		cancel()
	})
	if stop.Reason != session.StoppedByUser || reports == 0 {
		t.Fatalf("%+v after %d reports", stop, reports)
	}
	if stop = move(t, s, session.Continue, session.Forward); stop.Reason != session.StoppedAtEnd {
		t.Fatal(stop)
	}
}

func TestManualBindLivesOnABranch(t *testing.T) {
	s := sessionOf(rollout())
	s.GotoPod(context.Background(), "web-4", nil)
	here := s.Position()
	preview, err := s.At().Preview("default/web-4", "n1")
	if err != nil || len(preview.Broken) != 1 || preview.Broken[0].Plugin != "NodeResourcesFit" {
		t.Fatalf("preview %+v, %v", preview, err)
	}
	branch, err := s.Bind("default/web-4", "n1")
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Frame(); f.Branch != branch || len(f.Branches) != 2 {
		t.Fatalf("on %q of %v", f.Branch, f.Branches)
	}
	e, err := s.At().Explain("web-4")
	if err != nil || e.Node != "n1" {
		t.Fatalf("on the branch web-4 is on %q (%v)", e.Node, err)
	}
	if err := s.Drop(branch); err != nil {
		t.Fatal(err)
	}
	if s.Position() != here || s.Frame().Branch != "main" {
		t.Fatalf("undone, the cursor is at %v on %s", s.Position(), s.Frame().Branch)
	}
	if e, _ := s.At().Explain("web-4"); e.Node != "" {
		t.Error("history was changed: web-4 is on " + e.Node)
	}
}

func TestExplainNamesEveryReasonAndTheSmallestChange(t *testing.T) {
	s := sessionOf(rollout())
	s.GotoPod(context.Background(), "web-5", nil)
	e, err := s.At().Explain("web-5")
	if err != nil {
		t.Fatal(err)
	}
	if e.Says != "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod." {
		t.Error(e.Says)
	}
	var changes []string
	for _, c := range e.Changes {
		changes = append(changes, fmt.Sprint(prose.Changed(words.English, c.Change), " on ", c.Nodes))
	}
	want := []string{"request 500m less cpu on [n1 n2]", "free 500m of cpu on [n1 n2]"}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if len(e.Nearest) != 2 || e.Nearest[0].Failures[0].Advice.Users[0].Pod != "default/web-0" {
		t.Errorf("nearest %+v", e.Nearest)
	}
	if _, err := s.At().Explain("wbe-5"); err == nil {
		t.Error("a pod that does not exist was explained")
	}
}

func TestHistoryTellsEveryMoveWithItsCause(t *testing.T) {
	s := sessionOf(rollout())
	move(t, s, session.Continue, session.Forward)
	var got []string
	for _, e := range s.At().History("default/web-4") {
		got = append(got, e.Text.String())
	}
	want := []string{
		"outside -> activeQ on UnscheduledPodAdd",
		"activeQ -> in flight",
		"in flight -> unschedulable on ScheduleAttemptFailure",
		"FailedScheduling: 0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
		"unschedulable -> activeQ on NodeAdd by NodeResourcesFit",
		"activeQ -> in flight",
		"Scheduled: Successfully assigned default/web-4 to n3",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestARecordedWorldFollowsHistory(t *testing.T) {
	script := rollout()[:8]
	bound := pod("web-0", "1500m")
	bound.Spec.NodeName = "n2"
	script = append(
		script, source.Timed{At: start.Add(time.Second), Event: cluster.Event{Action: cluster.Update, Object: bound}},
	)
	c := config.Default()
	p := play.NewPlayer(core.New(
		core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start},
	), play.NewRecorded(script.Log()), script.Log())
	s := session.New(p, session.About{})
	move(t, s, session.Next, session.Forward)
	f := s.Frame()
	if f.Cycle.Diverged == nil || f.Cycle.Diverged.Theirs != "n2" || f.Cycle.Diverged.Ours != "n1" {
		t.Fatalf("divergence %+v", f.Cycle.Diverged)
	}
	move(t, s, session.Out, session.Forward)
	if e, err := s.At().Explain("web-0"); err != nil || e.Node != "n2" {
		t.Errorf("web-0 is on %q (%v); history says n2", e.Node, err)
	}
}
