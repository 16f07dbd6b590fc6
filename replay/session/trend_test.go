package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// evicting is a story with an eviction, pods that wait, and cycles at several moments.
const evicting = "# A story.\n\nnode n1 cpu=2 memory=4Gi zone=a\nnode n2 cpu=3 memory=2Gi zone=b\n" +
	"pod a node=n1 cpu=2 priority=1\npod b cpu=2 memory=1Gi priority=9\npod c cpu=2 priority=9\npod d cpu=2\nadvance 60s\n" +
	"node n3 cpu=2 memory=1Gi zone=c\nadvance 30s\npod e cpu=1\nadvance 5m\n"

// sameTrend leaves out since when seconds are counted: a session counts from its first cycle.
var sameTrend = cmp.Options{cmpopts.IgnoreFields(trend.Point{}, "Seconds"), cmpopts.IgnoreUnexported(trend.Point{})}

// read is a scenario.
func read(t interface{ Fatalf(string, ...any) }, text string) *input.Input {
	in, err := input.ReadScenario("test", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return in
}

// reported is the trend of a report of a whole run.
func reported(t *testing.T, text string) trend.Trend {
	t.Helper()
	player, collector := read(t, text).Play(config.Default(), 0, trace.Summary), report.New("test")
	for step, ok := player.Step(); ok; step, ok = player.Step() {
		collector.See(step, player.Scheduler())
	}
	return collector.Report(player.Scheduler()).Trend
}

// walked is a session at the end of a story.
func walked(t *testing.T, text string) *session.Session {
	t.Helper()
	s := session.New(read(t, text).Play(config.Default(), 0, trace.Reported), session.About{Title: "test"})
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	return s
}

func TestASessionTellsTheTrendOfTheReport(t *testing.T) {
	want, s := reported(t, evicting), walked(t, evicting)
	if diff := cmp.Diff(want, s.Frame().At.Trend(), sameTrend); diff != "" {
		t.Errorf("at the end (-report +session):\n%s", diff)
	}
	if want.Points[len(want.Points)-1].Preemptions != 1 {
		t.Errorf("the story evicts nobody: %+v", want)
	}
	s.GotoCycle(context.Background(), 2, nil)
	early := s.Frame().At.Trend()
	if n := len(early.Points); early.Points[n-1].Cycle != 2 || early.Points[n-1].Attempts != 2 {
		t.Errorf("at cycle 2: %+v", early)
	}
	for i := range early.Points {
		if diff := cmp.Diff(want.Points[i], early.Points[i], sameTrend); diff != "" {
			t.Errorf("point %d (-whole +early):\n%s", i, diff)
		}
	}
}

// TestABranchGoesOnWithTheTrendBeforeIt edits in the middle of a run: what lies before stays, and what comes after is
// that of a run with the same edit.
func TestABranchGoesOnWithTheTrendBeforeIt(t *testing.T) {
	s := walked(t, evicting)
	whole := s.Frame().At.Trend()
	s.GotoCycle(context.Background(), 3, nil)
	before := s.Frame().At.Trend()
	if _, _, err := s.Edit(session.Cordon("n2")); err != nil {
		t.Fatal(err)
	}
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	after := s.Frame().At.Trend()
	last := after.Points[len(after.Points)-1]
	if n := int(s.Frame().Number); last.Attempts != n || last.Cycle != int64(n) {
		t.Errorf("%d cycles, and %+v", n, last)
	}
	for i := range before.Points {
		if diff := cmp.Diff(before.Points[i], after.Points[i], sameTrend); diff != "" {
			t.Errorf("point %d (-before +on the branch):\n%s", i, diff)
		}
	}
	if err := s.Switch("main"); err != nil {
		t.Fatal(err)
	}
	s.Move(context.Background(), session.Continue, session.Forward, nil)
	if diff := cmp.Diff(whole, s.Frame().At.Trend(), sameTrend); diff != "" {
		t.Errorf("main is another (-before +after the branch):\n%s", diff)
	}
}

// TestAShortHistoryHasTheTrendOfWhatIsKept forgets all but the last moments of a long run.
func TestAShortHistoryHasTheTrendOfWhatIsKept(t *testing.T) {
	text := "# Many.\n\nnode n1 cpu=400 memory=400Gi pods=400\n"
	for i := range 300 {
		text += fmt.Sprintf("pod p%d cpu=10m\nadvance 1s\n", i)
	}
	s := walked(t, text)
	s.Limit(session.History{For: time.Minute})
	s.KeepUp(context.Background())
	points := s.Frame().At.Trend().Points
	if first := points[0]; first.Cycle < 100 || first.Attempts != int(first.Cycle) {
		t.Errorf("begins with %+v", first)
	}
	if last := points[len(points)-1]; last.Attempts != 300 {
		t.Errorf("ends with %+v", last)
	}
}
