package sweep_test

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/sweep"
)

// made is the results of a plan whose runs have figures by a rule.
func made(
	t *testing.T, folder string, plan *sweep.Plan, varied []sweep.Axis, rule func(run sweep.Run, row *sweep.Row),
) *sweep.Loaded {
	t.Helper()
	m := sweep.Manifest{Version: "test", Vary: varied}
	for _, name := range plan.Inputs {
		m.Inputs = append(m.Inputs, sweep.Hashed{Name: name})
	}
	if err := m.Complete(plan); err != nil {
		t.Fatal(err)
	}
	log, err := m.Begin(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for n := range plan.Runs() {
		row := sweep.Row{Run: int64(n), Status: sweep.Done}
		rule(plan.At(n), &row)
		if err := log.Add(&sweep.Result{Row: row}); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := sweep.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// objectives compiles expressions.
func objectives(t *testing.T, texts ...string) []*sweep.Objective {
	t.Helper()
	var all []*sweep.Objective
	for _, text := range texts {
		o, err := sweep.ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// of is a setting as a number; 0 where it is left alone.
func of(v sweep.Variant, key string) int64 {
	n, _ := strconv.ParseInt(v.Of(key), 10, 64)
	return n
}

// TestEffectsAreThoseThatWerePlanted plants figures that add up: three for each step of A, seven for each of B, and a
// seed that makes A matter more.
func TestEffectsAreThoseThatWerePlanted(t *testing.T) {
	varied := axes(t, "weight.A=1,2,3", "weight.B=1,2")
	variants, err := (&sweep.Space{Axes: varied, Most: 10}).Variants()
	if err != nil {
		t.Fatal(err)
	}
	plan := &sweep.Plan{Inputs: []string{"one", "two"}, Seeds: []uint64{0, 1}, Variants: variants}
	loaded := made(t, t.TempDir(), plan, varied, func(run sweep.Run, row *sweep.Row) {
		a, b := of(run.Variant, "weight.A"), of(run.Variant, "weight.B")
		row.Used = 100 + 3*a*int64(1+run.Seed) + 7*b + int64(run.Input)*1000
		row.Evicted = 5
	})
	r, err := loaded.Report(objectives(t, "used", "evicted"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]float64{ // effect and spread: a step of A is 3 with one seed, and 6 with the other
		"weight.A=1": {-4.5, 1.5}, "weight.A=2": {0, 0}, "weight.A=3": {4.5, 1.5},
		"weight.B=1": {-3.5, 0}, "weight.B=2": {3.5, 0},
	}
	for _, e := range r.Effects {
		w, known := want[e.Key+"="+e.Value]
		if !known || e.Effect[0] != w[0] || e.Spread[0] != w[1] || e.Effect[1] != 0 || e.Runs != 8 && e.Runs != 12 {
			t.Errorf("%+v, want %v", e, w)
		}
	}
	if len(r.Effects) != len(want) || r.Base == nil || r.Best[0].Settings != "base" || len(r.Best) != 5 ||
		len(r.Front) != 1 || r.Best[1].Settings != "weight.A=1 weight.B=1" || r.Best[1].Mean[0] != 611.5 {
		t.Errorf("%+v", r)
	}
	p := r.Page(words.English)
	var text bytes.Buffer
	row := "| weight.A | 3 | 8 | +4.50 ± 1.50 | 0 |"
	if err := p.Markdown(&text); err != nil || !strings.Contains(text.String(), row) {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestEffectsOfUnevenRunsAreThosePlanted leaves out runs so that large values of one setting meet large ones of another
// more often: the mean of each would count the other's effect too.
func TestEffectsOfUnevenRunsAreThosePlanted(t *testing.T) {
	varied := axes(t, "weight.A=1,2,3", "weight.B=1,2", "weight.C=1,2")
	variants, err := (&sweep.Space{Axes: varied, Most: 20}).Variants()
	if err != nil {
		t.Fatal(err)
	}
	plan := &sweep.Plan{Inputs: []string{"one"}, Seeds: []uint64{0, 1}, Variants: variants}
	loaded := made(t, t.TempDir(), plan, varied, func(run sweep.Run, row *sweep.Row) {
		a, b, c := of(run.Variant, "weight.A"), of(run.Variant, "weight.B"), of(run.Variant, "weight.C")
		row.Used, row.Evicted = 1000+3*a+70*b-100*c, b+b
		if a == 3 && b == 1 && c == 1 || a == 1 && b == 2 && c == 1 || b != c && a != 2 && run.Seed == 1 {
			row.Status = sweep.Failed
		}
	})
	r, err := loaded.Report(objectives(t, "used", "evicted"))
	if err != nil {
		t.Fatal(err)
	}
	effect := map[string][]float64{}
	for _, e := range r.Effects {
		effect[e.Key+"="+e.Value] = e.Effect
	}
	for _, c := range []struct {
		from, to      string
		used, evicted float64
	}{
		{"weight.A=1", "weight.A=2", 3, 0},
		{"weight.A=2", "weight.A=3", 3, 0},
		{"weight.B=1", "weight.B=2", 70, 2},
		{"weight.C=1", "weight.C=2", -100, 0},
	} {
		used, evicted := effect[c.to][0]-effect[c.from][0], effect[c.to][1]-effect[c.from][1]
		if math.Abs(used-c.used) > 1e-6 || math.Abs(evicted-c.evicted) > 1e-6 {
			t.Errorf("from %s to %s: used %+g, evicted %+g; planted %+g and %+g", c.from, c.to, used, evicted, c.used, c.evicted)
		}
	}
}

// TestTheFrontIsWhatNothingDominates compares the front with that of a search through all pairs.
func TestTheFrontIsWhatNothingDominates(t *testing.T) {
	varied := axes(t, "weight.A=1..30")
	variants, err := (&sweep.Space{Axes: varied, Most: 99}).Variants()
	if err != nil {
		t.Fatal(err)
	}
	plan := &sweep.Plan{Inputs: []string{"one"}, Seeds: []uint64{0}, Variants: variants}
	folder := t.TempDir()
	stories := 0
	law.CheckCostly(t, func(r *rapid.T) {
		stories++
		n := 3 * len(variants)
		figures := rapid.SliceOfN(rapid.Int64Range(0, 6), n, n).Draw(r, "figures")
		loaded := made(t, folder+"/"+strconv.Itoa(stories), plan, varied, func(run sweep.Run, row *sweep.Row) {
			own := figures[3*run.Number:]
			row.Unplaced, row.Used, row.Evicted = own[0], own[1], own[2]
		})
		report, err := loaded.Report(objectives(t, "unplaced", "used", "evicted"))
		if err != nil {
			r.Fatal(err)
		}
		want := map[[3]int64]int{} // how many variants have these figures
		for i := range variants {
			a := [3]int64(figures[3*i:])
			dominated := false
			for k := range variants {
				b := [3]int64(figures[3*k:])
				dominated = dominated || a != b && b[0] <= a[0] && b[1] <= a[1] && b[2] <= a[2]
			}
			if !dominated {
				want[a]++
			}
		}
		for _, s := range report.Front {
			key := [3]int64{int64(s.Mean[0]), int64(s.Mean[1]), int64(s.Mean[2])}
			if want[key] != s.Alike+1 {
				r.Fatalf("%v is on the front with %d alike, want %d", key, s.Alike, want[key]-1)
			}
		}
		if len(report.Front) != len(want) {
			r.Fatalf("%d on the front, want %d", len(report.Front), len(want))
		}
	})
}

func TestRunsWithoutFiguresAreCountedAndRankNothing(t *testing.T) {
	varied := axes(t, "weight.A=1..3")
	variants, err := (&sweep.Space{Axes: varied, Most: 9}).Variants()
	if err != nil {
		t.Fatal(err)
	}
	plan := &sweep.Plan{Inputs: []string{"one"}, Seeds: []uint64{0, 1}, Variants: variants}
	loaded := made(t, t.TempDir(), plan, varied, func(run sweep.Run, row *sweep.Row) {
		if row.Used = 5; run.Variant.Number == 2 && run.Seed == 1 {
			row.Status, row.Used = sweep.OutTime, 0
		}
	})
	r, err := loaded.Report(objectives(t, "used"))
	if err != nil || r.Statuses[sweep.OutTime] != 1 || len(r.Best) != 1 || r.Best[0].Alike != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestObjectivesMixWholeNumbersAndFigures(t *testing.T) {
	varied := axes(t, "weight.A=1..4")
	variants, err := (&sweep.Space{Axes: varied, Most: 9}).Variants()
	if err != nil {
		t.Fatal(err)
	}
	plan := &sweep.Plan{Inputs: []string{"one"}, Seeds: []uint64{0}, Variants: variants}
	loaded := made(t, t.TempDir(), plan, varied, func(run sweep.Run, row *sweep.Row) {
		row.Used, row.Unplaced = of(run.Variant, "weight.A"), 1
		row.WaitingP95 = math.Abs(float64(row.Used) - 3)
	})
	for text, best := range map[string]string{
		"unplaced * 100 + waiting.p95":          "weight.A=3",
		"-used":                                 "weight.A=4",
		"used > 1 && used < 4 ? used : 1000.0":  "weight.A=2",
		"waiting.p95 + (used == 3 ? 100.5 : 0)": "weight.A=2",
	} {
		r, err := loaded.Report(objectives(t, text))
		if err != nil || r.Best[0].Settings != best {
			t.Errorf("%s: %+v, %v; want %s", text, r, err, best)
		}
	}
	for text, want := range map[string]string{
		"usd":      `"usd" at column 1: undeclared reference to 'usd' (available: attempts, `,
		"used > 1": `"used > 1" is bool, and an objective is a number`,
		"used +":   "column 7",
		"packing":  "is map(string, double), and an objective is a number",
	} {
		if _, err := sweep.ParseObjective(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	_, err = loaded.Report(objectives(t, "packing['cpu']"))
	if err == nil || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("a resource that no node has: %v", err)
	}
	if got := loaded.Usual(); !slices.Equal(got, []string{"unplaced", "used", "waiting.p95", "evicted"}) {
		t.Errorf("%q", got)
	}
}

// A title has the inputs without their folders, as long as they can be distinguished and are few.
func TestATitleNamesInputsBriefly(t *testing.T) {
	for want, inputs := range map[string][]string{
		"Sweep of nodes.csv+pods.csv":         {"/data/nodes.csv+/data/pods.csv"},
		"Sweep of mon.json, tue.json":         {"a/mon.json", "s3://b/tue.json"},
		"Sweep of mon/all.json, tue/all.json": {"mon/all.json", "tue/all.json"},
		"Sweep of 4 inputs":                   {"a", "b", "c", "d"},
	} {
		report := sweep.Report{Inputs: inputs}
		if got := report.Page(words.English).Title; got != want {
			t.Errorf("%q: %s, want %s", inputs, got, want)
		}
	}
}
