package trend_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// morning is when the runs of these tests begin.
var morning = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// tried is a step that tried one pod, after so long; with more, a cycle that nominated a node.
func tried(after time.Duration, preempts bool) play.Step {
	step := play.Step{Kind: play.Tried, At: morning.Add(after), Facts: []trace.Fact{
		trace.Popped{Entity: trace.Entity{Type: "pod", Namespace: "default", Name: "p"}},
	}}
	if preempts {
		step.Facts = append(step.Facts, trace.Ended{Outcome: trace.Preempting})
	}
	return step
}

// drawn are cycles at moments that lie close together and far apart.
func drawn(t *rapid.T) []play.Step {
	gaps := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{
		0, 0, 0, time.Millisecond, 70 * time.Millisecond, time.Second, 5 * time.Minute,
	}), 1, 900).Draw(t, "gaps")
	steps, at := make([]play.Step, len(gaps)), time.Duration(0)
	for i, gap := range gaps {
		at += gap
		steps[i] = tried(at, rapid.Bool().Draw(t, "preempts"))
	}
	return steps
}

// seen is the series of steps; the first of them is the n-th of its replay.
func seen(n int, steps []play.Step) *trend.Series {
	s, state := &trend.Series{}, cluster.NewState()
	for i, step := range steps {
		s.See(n+i, int64(n+i), step, trace.QueueCounts{}, state)
	}
	return s
}

func ended(s *trend.Series, steps []play.Step) trend.Trend {
	last := steps[len(steps)-1].At
	return s.Of(trend.Here{
		Step: len(steps), Cycle: int64(len(steps)), Now: last, State: cluster.NewState(),
	}, morning, nil)
}

// TestASeriesIsBoundedAndLosesNothingThatIsCounted holds random runs to the bound of two kinds of points, and adds up
// what is counted in columns.
func TestASeriesIsBoundedAndLosesNothingThatIsCounted(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		steps := drawn(t)
		preemptions := 0
		for _, s := range steps {
			preemptions += len(s.Facts) - 1
		}
		of := ended(seen(1, steps), steps)
		if len(of.Points) > 2*128+1 {
			t.Fatalf("%d points", len(of.Points))
		}
		if !slices.IsSortedFunc(of.Points, func(a, b trend.Point) int { return a.Time.Compare(b.Time) }) {
			t.Fatal("points are not in order")
		}
		for _, c := range of.Curves(rapid.IntRange(1, 80).Draw(t, "columns")) {
			sum := 0.0
			for _, v := range c.Values {
				sum += v
				if v < 0 || v > c.Top {
					t.Fatalf("%d: %v is not from 0 to %v", c.Figure, v, c.Top)
				}
			}
			if c.Figure == trend.Attempts && sum != float64(len(steps)) ||
				c.Figure == trend.Preemptions && sum != float64(preemptions) {
				t.Fatalf("figure %d adds up to %v of %d cycles, %d of which nominate", c.Figure, sum, len(steps), preemptions)
			}
		}
	})
}

// TestASeriesInTwoPartsIsThatOfTheWhole cuts a random run somewhere, begins anew there, and puts the first part before.
// Cut there, and gone on with, it is the same again.
func TestASeriesInTwoPartsIsThatOfTheWhole(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		steps := drawn(t)
		at := rapid.IntRange(0, len(steps)).Draw(t, "cut")
		first, rest := seen(1, steps[:at]), seen(at+1, steps[at:])
		rest.Prepend(first)
		whole, inside := seen(1, steps), cmp.AllowUnexported(trend.Point{})
		if diff := cmp.Diff(ended(whole, steps), ended(rest, steps), inside); diff != "" {
			t.Fatalf("cut at %d of %d (-whole +joined):\n%s", at, len(steps), diff)
		}
		var since trend.Counts
		for _, step := range steps[whole.LastStep(at):at] {
			since.Attempts++
			since.Preemptions += len(step.Facts) - 1
		}
		cut, state := whole.Cut(at, since), cluster.NewState()
		for i := at; i < len(steps); i++ {
			cut.See(i+1, int64(i+1), steps[i], trace.QueueCounts{}, state)
		}
		if diff := cmp.Diff(ended(whole, steps), ended(&cut, steps), inside); diff != "" {
			t.Fatalf("cut at %d of %d (-whole +cut):\n%s", at, len(steps), diff)
		}
	})
}

// TestWaitsAreRankedAsTheyCame holds the quantiles of random waits to sorting them at each point.
func TestWaitsAreRankedAsTheyCame(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		steps := drawn(t)
		s := seen(1, steps)
		var waits []trend.Wait
		for i := range steps {
			if rapid.Bool().Draw(t, "binds") {
				took := time.Duration(rapid.IntRange(0, 9).Draw(t, "took")) * time.Second
				waits = append(waits, trend.Wait{Step: i + 1, Took: took})
			}
		}
		of := s.Of(trend.Here{
			Step: len(steps), Now: steps[len(steps)-1].At, Cycle: int64(len(steps)), State: cluster.NewState(),
		}, morning, waits)
		for _, p := range of.Points {
			var took []float64
			for _, w := range waits {
				if int64(w.Step) <= p.Cycle {
					took = append(took, w.Took.Seconds())
				}
			}
			slices.Sort(took)
			want := trend.Waiting{}
			if n := len(took); n > 0 {
				want = trend.Waiting{
					Median: took[(n*50+99)/100-1], P95: took[(n*95+99)/100-1], P99: took[(n*99+99)/100-1],
				}
			}
			if p.Bound != len(took) || p.Waiting != want {
				t.Fatalf("cycle %d: %d bound, %+v, want %d, %+v", p.Cycle, p.Bound, p.Waiting, len(took), want)
			}
		}
	})
}

// TestFewMomentsAreDrawnCycleByCycle has three cycles at once, and then as many as make a line over time.
func TestFewMomentsAreDrawnCycleByCycle(t *testing.T) {
	steps := []play.Step{tried(0, false), tried(0, false), tried(0, true)}
	if of := ended(seen(1, steps), steps); of.Axis != trend.OverCycles || of.Columns(60) != 3 {
		t.Errorf("axis %s, %d columns", of.Axis, of.Columns(60))
	}
	for i := range 8 {
		steps = append(steps, tried(time.Duration(i+1)*time.Minute, false))
	}
	of := ended(seen(1, steps), steps)
	if of.Axis != trend.OverTime {
		t.Fatalf("axis %s", of.Axis)
	}
	curves := of.Curves(9)
	attempts := curves[len(curves)-2]
	if got := fmt.Sprint(attempts.Values); got != "[3 1 1 1 1 1 1 1 1]" || attempts.Now != 11 {
		t.Errorf("attempts by the minute: %s, %v in all", got, attempts.Now)
	}
}

// TestFiguresAreThoseOfTheClusterAfterEachCycle reads them off a run with two zones: the second pod fills a node, and
// what is left of memory there is of no use.
func TestFiguresAreThoseOfTheClusterAfterEachCycle(t *testing.T) {
	in, err := input.ReadScenario("test", strings.NewReader("# Two zones.\n\nnode a cpu=4 memory=4Gi zone=a\n"+
		"node b cpu=4 memory=4Gi zone=b\npod x cpu=2 memory=1Gi node-selector=zone=a\n"+
		"pod y cpu=2 memory=1Gi node-selector=zone=a\n"))
	if err != nil {
		t.Fatal(err)
	}
	player := in.Play(config.Default(), 0, trace.Summary)
	var s trend.Series
	n, cycles := 0, int64(0)
	for step, ok := player.Step(); ok; step, ok = player.Step() {
		n++
		if step.Kind == play.Tried {
			cycles++
		}
		s.See(n, cycles, step, player.Waiting(), player.Scheduler().State())
	}
	of := s.Of(trend.Here{
		Step: n, Cycle: cycles, Now: player.Scheduler().Now(), State: player.Scheduler().State(),
	}, in.Start, nil)
	var got []string
	for _, c := range of.Curves(60) {
		values := make([]string, len(c.Values))
		for i, v := range c.Values {
			values[i] = c.Text(v)
		}
		got = append(got, c.Name(words.English)+": "+strings.Join(values, ", "))
	}
	want := []string{
		"packing, cpu: 25.0 %, 50.0 %", "packing, memory: 12.5 %, 25.0 %",
		"spread over nodes, cpu: 50.0 %, 100.0 %", "spread over nodes, memory: 25.0 %, 50.0 %",
		"spread over zones, cpu: 50.0 %, 100.0 %", "spread over zones, memory: 25.0 %, 50.0 %",
		"fragmentation, cpu: 33.3 %, 0.0 %", "fragmentation, memory: 42.9 %, 33.3 %",
		"stranded, memory: 0, 2Gi",
		"waiting time, median: 0s, 0s", "waiting time, 99th percentile: 0s, 0s", "attempts: 1, 1", "preemptions: 0, 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
