package sweep_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/ask/sweep"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
)

// axes reads axes as the command line has them.
func axes(t *testing.T, texts ...string) []sweep.Axis {
	t.Helper()
	var all []sweep.Axis
	for _, text := range texts {
		a, err := sweep.ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// names are variants in words.
func names(variants []sweep.Variant) []string {
	all := make([]string, len(variants))
	for i, v := range variants {
		all[i] = v.String()
	}
	return all
}

func TestVariantsAreTheBaseAndThenTheProduct(t *testing.T) {
	space := sweep.Space{Axes: axes(t, "weight.A=1..3..2", "percentage=-,50"), Most: 10}
	variants, err := space.Variants()
	want := []string{
		"base", "weight.A=1", "weight.A=1 percentage=50", "weight.A=3", "weight.A=3 percentage=50",
	}
	if got := names(variants); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	space.Where = "weight.A > 1 && percentage != 50"
	if variants, err = space.Variants(); err != nil || !slices.Equal(names(variants), []string{"base", "weight.A=3"}) {
		t.Errorf("%q, %v", names(variants), err)
	}
	if variants[1].Number != 1 {
		t.Errorf("numbers have gaps: %+v", variants[1])
	}
}

func TestAVariantThatSetsNothingIsTheBase(t *testing.T) {
	space := sweep.Space{Axes: axes(t, "drain=-,n1", "percentage=-,50"), Most: 10}
	variants, err := space.Variants()
	want := []string{"base", "percentage=50", "drain=n1", "drain=n1 percentage=50"}
	if got := names(variants); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTheSameSeedDrawsTheSameVariants(t *testing.T) {
	for _, values := range []string{"1..15", "1..50000"} { // the second product is too large to be looked at
		space := sweep.Space{
			Axes: axes(t, "weight.A="+values, "weight.B="+values, "weight.C="+values), Where: "weight.A > weight.B",
			Sample: 10, Seed: 7, Most: 100,
		}
		one, err := space.Variants()
		if err != nil || len(one) != 11 {
			t.Fatalf("%d variants, %v", len(one), err)
		}
		again, _ := space.Variants()
		if !slices.Equal(names(one), names(again)) {
			t.Errorf("%q, then %q", names(one), names(again))
		}
		for _, v := range one[1:] {
			a, _ := strconv.Atoi(v.Of("weight.A"))
			b, _ := strconv.Atoi(v.Of("weight.B"))
			if a <= b {
				t.Errorf("--where does not hold of %s", v)
			}
		}
		space.Seed = 8
		if other, _ := space.Variants(); slices.Equal(names(one), names(other)) {
			t.Error("another seed draws the same")
		}
	}
}

func TestWhatCannotBeVariedIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"wieght.A=1":       `there is no setting wieght.A (did you mean "weight."?)`,
		"weight=1":         "weight needs a name behind it (weight.NAME=...)",
		"weight.A=0":       "weight.A: 0: it is from 1 to",
		"weight.A=5..1":    "weight.A: 5..1: the range is empty",
		"weight.A=x":       `weight.A: "x" is neither a whole number nor a range`,
		"weight.A=1,2,1":   "weight.A: 1 stands there twice",
		"weight.A=1,":      "weight.A: a value is empty",
		"percentage=101":   "percentage: 101: it is from 0 to 100",
		"gate.A=maybe":     `gate.A: "maybe" is neither true nor false`,
		"order=backwards":  "order: there is no order backwards; it is reversed, shuffled",
		"weight.A=1..9..0": "weight.A: 1..9..0: the range is empty",
		"seed=-":           `seed: "-" is neither a whole number nor a range`,
		"nothing":          `"nothing" is neither a file nor KEY=VALUE,VALUE`,
	} {
		if _, err := sweep.ParseAxis(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"vary: {weight.A: [1, [2]]}":   "weight.A: line 1 is no plain value",
		"vary:\n  weight.A: 1\n  b: 2": "f.yaml line 3: there is no setting b",
		"weights: {}":                  "f.yaml: it needs a member vary",
		"vary: [":                      "f.yaml: yaml:",
	} {
		if _, err := sweep.ReadAxes([]byte(text), "f.yaml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for want, space := range map[string]sweep.Space{
		"the product is empty: --where holds for none of 3 variants": {Axes: axes(t, "weight.A=1..3"), Where: "weight.A > 3", Most: 9},
		"there are 30 variants, and 9 is the most":                   {Axes: axes(t, "weight.A=1..30"), Most: 9},
		"the product has 10000000000 variants":                       {Axes: axes(t, "weight.A=1..100000", "weight.B=1..100000"), Most: 9},
		"undeclared reference to 'weigth'":                           {Axes: axes(t, "weight.A=1..3"), Where: "weigth.A > 3", Most: 9},
		"no such key: B":                                             {Axes: axes(t, "weight.A=1..3"), Where: "weight.B > 3", Most: 9},
		"is int, not bool":                                           {Axes: axes(t, "weight.A=1..3"), Where: "weight.A + 1", Most: 9},
		"weight.A is varied twice":                                   {Axes: axes(t, "weight.A=1", "weight.A=2"), Most: 9},
		"for too few of 10000000000 variants": {
			Axes: axes(t, "weight.A=1..100000", "weight.B=1..100000"), Sample: 2, Where: "weight.A < 0", Most: 9,
		},
	} {
		if _, err := space.Variants(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAFileOfAxesKeepsItsOrder(t *testing.T) {
	got, err := sweep.ReadAxes([]byte("vary:\n  weight.B: 1..3\n  drain: [null, n1]\n  do: ['cordon n1, n2']\n"), "f.yaml")
	text, _ := json.Marshal(got)
	want := `[{"key":"weight.B","values":["1","2","3"]},{"key":"drain","values":["-","n1"]},` +
		`{"key":"do","values":["cordon n1, n2"]}]`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

// planOf is a plan of so many inputs, seeds and variants.
func planOf(inputs, seeds, variants int) *sweep.Plan {
	p := &sweep.Plan{}
	for i := range inputs {
		p.Inputs = append(p.Inputs, strconv.Itoa(i))
	}
	for i := range seeds {
		p.Seeds = append(p.Seeds, uint64(i))
	}
	for i := range variants {
		p.Variants = append(p.Variants, sweep.Variant{Number: i})
	}
	return p
}

func TestShardsAreEachRunOnce(t *testing.T) {
	law.Check(t, func(r *rapid.T) {
		number := func(of string, most int) int { return rapid.IntRange(1, most).Draw(r, of) }
		plan, n := planOf(number("inputs", 4), number("seeds", 4), number("variants", 50)), number("shards", 64)
		next := 0
		for i := range n {
			from, to := plan.Shard(i, n)
			if from != next || to < from || to-from > plan.Runs()/n+1 {
				r.Fatalf("shard %d of %d is %d to %d, after %d", i, n, from, to, next)
			}
			next = to
		}
		if next != plan.Runs() {
			r.Fatalf("%d of %d runs are in a shard", next, plan.Runs())
		}
		run := plan.At(rapid.IntRange(0, next-1).Draw(r, "run"))
		back := (run.Input*len(plan.Seeds)+slices.Index(plan.Seeds, run.Seed))*len(plan.Variants) + run.Variant.Number
		if back != run.Number {
			r.Fatalf("run %d is %+v", run.Number, run)
		}
	})
}

// played is an input in which weights and seeds lead to different ends, as variants of weights play it.
func played(t *testing.T, pods int) *sweep.Input {
	t.Helper()
	text := strings.Builder{}
	text.WriteString("# Web pods and jobs on eight nodes.\n\n")
	for i := range 4 {
		n := strconv.Itoa(i)
		text.WriteString("node a" + n + " cpu=8 memory=32Gi\nnode b" + n + " cpu=4 memory=64Gi\n")
	}
	for i := range pods {
		cpu, memory := strconv.Itoa(1+i%3), strconv.Itoa(1+i%5*3)
		text.WriteString("pod p" + strconv.Itoa(i) + " cpu=" + cpu + " memory=" + memory + "Gi\n")
	}
	in, err := input.ReadScenario("story", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return &sweep.Input{
		Recorded: sweep.RecordedNodes(in.Script),
		Play: func(v sweep.Variant, seed uint64) (*play.Player, error) {
			player := in.Play(config.Default(), seed, trace.Summary)
			for _, s := range v.Settings {
				n, _ := strconv.ParseInt(s.Value, 10, 64)
				if !player.Scheduler().Reweigh(strings.TrimPrefix(s.Key, sweep.Weight), n) {
					return nil, errors.New("no profile scores with " + s.Key)
				}
			}
			return player, nil
		},
	}
}

// endless lets every run go on.
type endless struct{}

func (endless) Over() sweep.Status { return "" }

// carried is a folder with the results of a plan, of which another process may have left some.
func carried(t *testing.T, folder string, plan *sweep.Plan, varied []sweep.Axis, workers, stopAfter int) error {
	t.Helper()
	return part(t, folder, plan, varied, workers, stopAfter, sweep.ShardOf{Of: 1})
}

// part is that of a shard.
func part(
	t *testing.T, folder string, plan *sweep.Plan, varied []sweep.Axis, workers, stopAfter int, shard sweep.ShardOf,
) error {
	t.Helper()
	in := played(t, 24)
	m := sweep.Manifest{Version: "test", Vary: varied, Inputs: []sweep.Hashed{{Name: "story"}}}
	if shard.Of > 1 {
		m.Shard = &shard
	}
	from, to := plan.Shard(shard.Index, shard.Of)
	if err := m.Complete(plan); err != nil {
		t.Fatal(err)
	}
	log, err := m.Begin(folder)
	if err != nil {
		return err
	}
	defer log.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	saved := 0
	err = sweep.Carry(ctx, plan, from, to, sweep.Options{
		Workers: workers, Has: log.Has, Guard: func(bool) sweep.Guard { return endless{} },
		Open: func(context.Context, int) (*sweep.Input, error) { return in, nil },
		Save: func(r *sweep.Result) error {
			if saved++; saved == stopAfter {
				cancel()
			}
			return log.Add(r)
		},
	})
	if err != nil {
		return err
	}
	return sweep.WriteTables(folder, plan, varied, from, to, log)
}

// tables are the bytes of the tables in a folder, by name.
func tables(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.parquet", "*.csv"} {
		files, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(file)] = string(text)
		}
	}
	if len(all) != 8 {
		t.Fatalf("%s has %d tables", folder, len(all))
	}
	return all
}

// ofWeights is a plan with 3 seeds over 12 variants of weights.
func ofWeights(t *testing.T) (*sweep.Plan, []sweep.Axis) {
	t.Helper()
	varied := axes(t, "weight.NodeResourcesFit=1,5,50,500", "weight.NodeResourcesBalancedAllocation=1,10,100")
	variants, err := (&sweep.Space{Axes: varied, Most: 100}).Variants()
	if err != nil {
		t.Fatal(err)
	}
	return &sweep.Plan{Inputs: []string{"story"}, Seeds: []uint64{0, 1, 2}, Variants: variants}, varied
}

func TestTablesAreTheSameForAnyNumberOfWorkersAndAfterAKill(t *testing.T) {
	plan, varied := ofWeights(t)
	one, many, killed := t.TempDir(), t.TempDir(), t.TempDir()
	if err := errors.Join(carried(t, one, plan, varied, 1, 0), carried(t, many, plan, varied, 7, 0)); err != nil {
		t.Fatal(err)
	}
	if err := carried(t, killed, plan, varied, 3, 10); !errors.Is(err, context.Canceled) {
		t.Fatalf("a sweep that is stopped: %v", err)
	}
	log := filepath.Join(killed, "runs.log")
	info, err := os.Stat(log)
	if err != nil || os.Truncate(log, info.Size()-5) != nil { // as a kill leaves it
		t.Fatal(err)
	}
	if err := carried(t, killed, plan, varied, 2, 0); err != nil {
		t.Fatal(err)
	}
	want := tables(t, one)
	for _, folder := range []string{many, killed} {
		for name, text := range tables(t, folder) {
			if text != want[name] {
				t.Errorf("%s differs", name)
			}
		}
	}
	rows, err := parquet.ReadFile[sweep.Row](filepath.Join(one, "runs.parquet"))
	if err != nil || len(rows) != plan.Runs() {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	courses, otherwise := map[string]bool{}, int64(0)
	for i, r := range rows {
		if int(r.Run) != i || r.Status != sweep.Done || r.Input != "story" || r.Placed+r.Unplaced != 24 {
			t.Errorf("row %d: %+v", i, r)
		}
		courses[r.Course] = true
		otherwise += r.Otherwise
	}
	if len(courses) < 2 || strings.Count(want["pods.csv"], "\n") != int(otherwise)+1 {
		t.Errorf("%d courses, %d pods end otherwise, of which the table has %d lines", len(courses), otherwise,
			strings.Count(want["pods.csv"], "\n"))
	}
}

func TestAnotherSweepIsNotMixedIn(t *testing.T) {
	plan, varied := ofWeights(t)
	folder := t.TempDir()
	if err := carried(t, folder, plan, varied, 2, 0); err != nil {
		t.Fatal(err)
	}
	plan.Seeds = []uint64{0}
	err := carried(t, folder, plan, varied, 2, 0)
	if err == nil || !strings.Contains(err.Error(), "holds another sweep: the seeds are not the same in both") {
		t.Errorf("other seeds: %v", err)
	}
	stranger := t.TempDir()
	if err := os.WriteFile(filepath.Join(stranger, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := carried(t, stranger, plan, varied, 2, 0); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("a folder with other files: %v", err)
	}
}

// What a process that was killed began to write is no other sweep, and does not stay.
func TestWhatAKilledProcessBeganToWriteIsRemoved(t *testing.T) {
	plan, varied := ofWeights(t)
	folder := t.TempDir()
	left := []string{"manifest.json.17", "pods.csv.1234", "runs.parquet.5", "probe.1"}
	for _, name := range left {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := carried(t, folder, plan, varied, 2, 0); err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(folder, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there (%v)", name, err)
		}
		if !sweep.OfTuning(name) {
			t.Errorf("%s would keep tune from its folder", name)
		}
	}
	if sweep.OfTuning("pods.csv.old") {
		t.Error("a file of the user's is taken for a leftover")
	}
}

// TestALogThatIsCutKeepsWhatIsWhole cuts a log every few bytes: results before the cut stay, and the log takes others.
func TestALogThatIsCutKeepsWhatIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.log")
	log, err := sweep.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64
	for i := range 3 {
		r := &sweep.Result{Row: sweep.Row{Run: int64(i), Status: sweep.Done}, Pods: []sweep.Pod{{Pod: "a", Node: "n1"}}}
		if err := log.Add(r); err != nil {
			t.Fatal(err)
		}
		info, _ := os.Stat(path)
		ends = append(ends, info.Size())
	}
	log.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(text); cut += 7 {
		whole := 0
		for _, end := range ends {
			if int64(cut) >= end {
				whole++
			}
		}
		if err := os.WriteFile(path, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := sweep.OpenLog(path)
		if err != nil || log.Len() != whole || log.Has(whole) {
			t.Fatalf("cut after %d bytes: %d results, want %d; %v", cut, log.Len(), whole, err)
		}
		if err := log.Add(&sweep.Result{Row: sweep.Row{Run: 9}}); err != nil || !log.Has(9) {
			t.Fatal(err)
		}
		log.Close()
	}
}

// bounded ends every run with a status, except for the ones that are alone where that is allowed.
type bounded struct{ status sweep.Status }

func (b bounded) Over() sweep.Status { return b.status }

func TestARunThatTakesTooMuchIsARowAndNoOtherIsLost(t *testing.T) {
	in := played(t, 3)
	plan := &sweep.Plan{Inputs: []string{"story"}, Seeds: []uint64{0}, Variants: []sweep.Variant{
		{}, {Number: 1, Settings: []sweep.Setting{{Key: "weight.Nope", Value: "2"}}}, {Number: 2},
	}}
	for _, c := range []struct {
		beside, alone sweep.Status
		want          string
	}{
		{"", "", "done refused done"},
		{sweep.OutTime, sweep.OutTime, "time refused time"},
		{sweep.OutRoom, "", "done refused done"}, // it is tried again alone, and has room there
		{sweep.OutRoom, sweep.OutRoom, "memory refused memory"},
	} {
		got := make([]string, 3)
		err := sweep.Carry(context.Background(), plan, 0, 3, sweep.Options{
			Workers: 2, Has: func(int) bool { return false },
			Guard: func(alone bool) sweep.Guard {
				if alone {
					return bounded{c.alone}
				}
				return bounded{c.beside}
			},
			Open: func(context.Context, int) (*sweep.Input, error) { return in, nil },
			Save: func(r *sweep.Result) error { got[r.Row.Run] = string(r.Row.Status); return nil },
		})
		if text := strings.Join(got, " "); err != nil || text != c.want {
			t.Errorf("%+v: %s, %v", c, text, err)
		}
	}
	full := errors.New("no space left on device")
	err := sweep.Carry(context.Background(), plan, 0, 3, sweep.Options{
		Workers: 2, Has: func(int) bool { return false }, Guard: func(bool) sweep.Guard { return endless{} },
		Open: func(context.Context, int) (*sweep.Input, error) { return in, nil },
		Save: func(*sweep.Result) error { return full },
	})
	if !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

// TestFiguresAreThoseOfAReport compares a row with the expectations that run --expect has of the same run.
func TestFiguresAreThoseOfAReport(t *testing.T) {
	in := played(t, 30)
	player, err := in.Play(sweep.Variant{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	collector := report.New("")
	for step, ok := player.Step(); ok; step, ok = player.Step() {
		collector.See(step, player.Scheduler())
	}
	figures := collector.Report(player.Scheduler())
	plan := &sweep.Plan{Inputs: []string{"story"}, Seeds: []uint64{3}, Variants: []sweep.Variant{{}}}
	var got *sweep.Result
	err = sweep.Carry(context.Background(), plan, 0, 1, sweep.Options{
		Has: func(int) bool { return false }, Guard: func(bool) sweep.Guard { return endless{} },
		Open: func(context.Context, int) (*sweep.Input, error) { return in, nil },
		Save: func(r *sweep.Result) error { got = r; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	row := got.Row
	expected := map[string]string{
		"pods": whole(row.Pods), "placed": whole(row.Placed), "unplaced": whole(row.Unplaced),
		"nodes": whole(row.Nodes), "empty": whole(row.Empty), "cycles": whole(row.Cycles),
		"attempts": whole(row.Attempts), "preemptions": whole(row.Preemptions), "evicted": whole(row.Evicted),
		"errors": whole(row.Errors), "seconds": "double(" + number(row.Seconds) + ")",
		"waiting.median": number(row.WaitingMedian), "waiting.p95": number(row.WaitingP95),
		"waiting.p99": number(row.WaitingP99), "waiting.longest": number(row.WaitingLongest),
	}
	for _, r := range got.Resources {
		expected["packing['"+r.Resource+"']"], expected["spread['"+r.Resource+"']"] = number(r.Packing), number(r.Spread)
		expected["stranded['"+r.Resource+"']"] = whole(r.Stranded)
		expected["fragmentation['"+r.Resource+"']"] = number(r.Fragmentation)
	}
	for name, value := range expected {
		e, err := report.Expect(name + " == " + value)
		if err != nil {
			t.Fatal(err)
		}
		if holds, err := e.Holds(&figures); !holds || err != nil {
			t.Errorf("%s does not hold (%v)", e, err)
		}
	}
	if row.Used != row.Nodes-row.Empty || len(got.Resources) < 3 || row.Placed == 0 {
		t.Errorf("%+v", row)
	}
}

func TestAHashIsThatOfWhatIsWritten(t *testing.T) {
	got, err := sweep.Hash(func(to io.Writer) error { _, err := io.WriteString(to, "abc"); return err })
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestShardsMergeToTheSameBytes plays a sweep in parts, one of which is killed and played again, and merges them in
// another order.
func TestShardsMergeToTheSameBytes(t *testing.T) {
	plan, varied := ofWeights(t)
	whole := t.TempDir()
	if err := carried(t, whole, plan, varied, 2, 0); err != nil {
		t.Fatal(err)
	}
	want := tables(t, whole)
	for _, n := range []int{2, 7, 64} {
		var folders []string
		for i := range n {
			folder, shard := t.TempDir(), sweep.ShardOf{Index: i, Of: n}
			if i == 1 && n < 64 {
				if err := part(t, folder, plan, varied, 2, 2, shard); !errors.Is(err, context.Canceled) {
					t.Fatalf("a shard that is killed: %v", err)
				}
			}
			if err := part(t, folder, plan, varied, 2, 0, shard); err != nil {
				t.Fatal(err)
			}
			folders = append(folders, folder)
		}
		merged := t.TempDir()
		_, err := sweep.Merge(merged, folders[:n-1], false) // the last shard always has a run
		if err == nil || !strings.Contains(err.Error(), "runs are in none of the folders, the first of them is run") {
			t.Errorf("a shard of %d is lost: %v", n, err)
		}
		slices.Reverse(folders)
		got, err := sweep.Merge(merged, append(folders, folders[0]), false)
		if err != nil || got.Runs != plan.Runs() || got.Missing != 0 {
			t.Fatalf("%d shards: %+v, %v", n, got, err)
		}
		for name, text := range tables(t, merged) {
			if text != want[name] {
				t.Errorf("%d shards: %s differs", n, name)
			}
		}
		one, _ := os.ReadFile(filepath.Join(whole, "manifest.json"))
		two, _ := os.ReadFile(filepath.Join(merged, "manifest.json"))
		if string(one) != string(two) {
			t.Errorf("%d shards: the manifest differs:\n%s", n, two)
		}
	}
}

func TestAMergeRefusesWhatIsOfAnotherSweep(t *testing.T) {
	plan, varied := ofWeights(t)
	one, other, forged := t.TempDir(), t.TempDir(), t.TempDir()
	err := errors.Join(part(t, one, plan, varied, 1, 0, sweep.ShardOf{Index: 0, Of: 2}),
		part(t, forged, plan, varied, 1, 0, sweep.ShardOf{Index: 0, Of: 2}))
	plan.Seeds = []uint64{5}
	if err = errors.Join(err, carried(t, other, plan, varied, 1, 0)); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(forged, "runs.log"))
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
	into, err := sweep.OpenLog(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := into.Add(&sweep.Result{Row: sweep.Row{Run: 3, Status: sweep.Done, Pods: 99}}); err != nil {
		t.Fatal(err)
	}
	into.Close()
	for want, folders := range map[string][]string{
		"are of two sweeps: the seeds are not the same in both": {one, other},
		"run 3 has other figures in":                            {one, forged},
		"manifest.json: no such file or directory":              {one, t.TempDir()},
		"20 of 39 runs are in none of the folders":              {one},
	} {
		if _, err := sweep.Merge(t.TempDir(), folders, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	some, err := sweep.Merge(t.TempDir(), []string{one}, true)
	if err != nil || some.Missing == 0 {
		t.Errorf("in part: %+v, %v", some, err)
	}
}

// Two processes that write one folder would write over each other's results: the second one is refused. The results
// can be read all the time.
func TestALogIsWrittenByOne(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // a file that is open there has no such lock
	}
	path := filepath.Join(t.TempDir(), "runs.log")
	first, err := sweep.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.OpenLog(path); err == nil || err.Error() != "another sweep is writing to it" {
		t.Errorf("a log that is open: %v", err)
	}
	row := sweep.Row{Run: 4, Status: sweep.OutTime}
	if err := errors.Join(first.Add(&sweep.Result{Row: row}), first.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := sweep.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Statuses(); len(got) != 1 || got[sweep.OutTime] != 1 || !again.Has(4) {
		t.Errorf("a log that was closed has %v", got)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
