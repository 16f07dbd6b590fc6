package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session/trend"
)

// ran is the report of a scenario played to its end.
func ran(t *testing.T, text string) report.Report {
	t.Helper()
	in, err := input.ReadScenario("test", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	player, collector := in.Play(config.Default(), 0, trace.Summary), report.New("test")
	for step, ok := player.Step(); ok; step, ok = player.Step() {
		collector.See(step, player.Scheduler())
	}
	return collector.Report(player.Scheduler())
}

func TestFreeCPUBesideFullMemoryIsStranded(t *testing.T) {
	r := ran(t, "# Memory is full on n1.\n\nnode n1 cpu=4 memory=4Gi\nnode n2 cpu=4 memory=4Gi\n"+
		"pod a node=n1 cpu=1 memory=4Gi\npod b node=n2 cpu=3 memory=1Gi\n")
	cpu, memory := r.Resources[0], r.Resources[1]
	if cpu.Name != "cpu" || cpu.Requested != 4000 || cpu.Capacity != 8000 || cpu.Free != 4000 || cpu.LargestFree != 3000 ||
		cpu.Stranded != 3000 || cpu.Fragmentation != 25 || cpu.Lowest != 25 || cpu.Highest != 75 {
		t.Errorf("%+v", cpu)
	}
	if memory.Stranded != 0 {
		t.Errorf("%+v", memory)
	}
}

func TestWaitingIsFromTheQueueToTheBinding(t *testing.T) {
	r := ran(t, "# b waits until a is gone.\n\nnode n1 cpu=2\npod a node=n1 cpu=2\npod b cpu=1\nadvance 10s\n"+
		"delete pod a\nadvance 30s\npod c cpu=1\npod d cpu=1\n")
	if w := r.Waiting; w.Longest != 10 || w.Pod != "default/b" || w.Median != 0 {
		t.Errorf("%+v", w)
	}
	if len(r.Unplaced) != 1 || r.Unplaced[0] != "default/d" || r.Placed != 2 {
		t.Errorf("placed %d, without a node %v", r.Placed, r.Unplaced)
	}
	if len(r.Attempts) != 2 || r.Attempts[1] != (report.Attempts{Times: 2, Pods: 1}) {
		t.Errorf("%+v", r.Attempts)
	}
}

func TestVictimsAreCounted(t *testing.T) {
	r := ran(t, "# An urgent pod.\n\nnode n1 cpu=2\npod a node=n1 cpu=2 priority=1\npod b cpu=2 priority=9\nadvance 60s\n")
	if r.Preemptions != 1 || strings.Join(r.Evicted, " ") != "default/a" || r.Outcomes[trace.Scheduled] != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAPageShowsNamesAsText(t *testing.T) {
	r := ran(t, "# One node.\n\nnode n1 cpu=2\npod a cpu=4\n")
	r.Title, r.Unplaced = "a|<b>\x1b[31m", []string{"<script>x</script>"}
	var page, table strings.Builder
	if err := r.HTML(&page, words.English); err != nil {
		t.Fatal(err)
	}
	if err := r.Markdown(&table, words.English); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "<script>x") || strings.Contains(page.String()+table.String(), "\x1b") {
		t.Errorf("%s", page.String())
	}
	if !strings.HasPrefix(table.String(), "# a\\|&lt;b>\n") {
		t.Errorf("%s", table.String())
	}
}

func TestEveryFigureCanBeExpected(t *testing.T) {
	r := ran(t, "# One node.\n\nnode n1 cpu=2 memory=4Gi\npod a cpu=1\n")
	for text, want := range map[string]bool{
		"unplaced == 0 && placed == 1 && pods == 1": true, "packing.cpu == 50.0": true, "packing.cpu < 50.0": false,
		"waiting.p95 <= 0.0 && waiting.median == waiting.longest && waiting.p99 == 0.0": true, "stranded.memory > 0": false,
		"fragmentation.cpu > 0.0 || spread.cpu > 0.0 || attempts > 1": false, "errors + evicted + preemptions == 0": true,
		"nodes == 1 && empty == 0 && cycles == 1 && seconds < 1.0": true,
	} {
		e, err := report.Expect(text)
		if err != nil {
			t.Fatal(err)
		}
		if holds, err := e.Holds(&r); err != nil || holds != want {
			t.Errorf("%s: %v, %v", text, holds, err)
		}
	}
}

// TestThePageOfARunHasAPictureOfItsQueue reads the picture out of the page: three pods come at once and none fits, so
// that two wait beside the first, and all three after their cycles.
func TestThePageOfARunHasAPictureOfItsQueue(t *testing.T) {
	r := ran(t, "# Nobody fits.\n\nnode n1 cpu=1 memory=4Gi\npod a cpu=2\npod b cpu=2\npod c cpu=2\n")
	if want := []float64{3, 3, 3}; !slices.Equal(r.Queued, want) {
		t.Errorf("%v waited after the cycles, and %v did", r.Queued, want)
	}
	var page strings.Builder
	if err := r.HTML(&page, words.English); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); strings.Count(text, "<svg") != 2 || !strings.Contains(text, "at most 3") {
		t.Errorf("the page has no picture of the queue, or none of how figures went:\n%s", text)
	}
}

// TestALineOverTheRunEndsAtTheFigureOfTheReport holds the last point to the figures of the end, for a run that binds,
// evicts and waits.
func TestALineOverTheRunEndsAtTheFigureOfTheReport(t *testing.T) {
	r := ran(t, "# An urgent pod, and one that waits.\n\nnode n1 cpu=2 memory=4Gi zone=a\nnode n2 cpu=3 memory=2Gi zone=b\n"+
		"pod a node=n1 cpu=2 priority=1\npod b cpu=2 memory=1Gi priority=9\npod c cpu=2 priority=9\npod d cpu=2\nadvance 60s\n"+
		"node n3 cpu=2 memory=1Gi zone=c\nadvance 30s\n")
	last := r.Trend.Points[len(r.Trend.Points)-1]
	if last.Seconds != r.Seconds || last.Cycle != r.Cycles || last.Preemptions != r.Preemptions || last.Preemptions != 1 {
		t.Errorf("%+v\n%+v", last, r)
	}
	waited := trend.Waiting{Median: r.Waiting.Median, P95: r.Waiting.P95, P99: r.Waiting.P99}
	if last.Waiting != waited || last.Bound != 3 || last.Waiting.P99 == 0 {
		t.Errorf("waits %+v of %d, want %+v", last.Waiting, last.Bound, waited)
	}
	for i, u := range last.Resources {
		x := &r.Resources[i]
		want := trend.Use{
			Name: x.Name, Packing: x.Packing(), Spread: x.Spread(), ZoneSpread: u.ZoneSpread, Fragmentation: x.Fragmentation,
			Stranded: x.Stranded,
		}
		if u != want {
			t.Errorf("%+v, want %+v", u, want)
		}
	}
	attempts := 0
	for _, a := range r.Attempts {
		attempts += a.Times * a.Pods
	}
	if last.Attempts != attempts {
		t.Errorf("%d attempts, want %d", last.Attempts, attempts)
	}
}

func TestAPageHasTheLinesOfARunAsText(t *testing.T) {
	r := ran(t, "# Two fit.\n\nnode n1 cpu=2 memory=4Gi\npod a cpu=1\npod b cpu=1\npod c cpu=1\n")
	var table strings.Builder
	if err := r.Markdown(&table, words.English); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## The run over virtual time\n", "| packing, cpu | 100.0 % | 50.0 % | 100.0 % | ▅██ | what is requested of",
		"| preemptions | 0 | 0 | 0 | ▁▁▁ | cycles that nominated a node |",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("%q is missing:\n%s", want, table.String())
		}
	}
}
