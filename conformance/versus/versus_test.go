package versus_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/versus"
)

// TestBothDoTheSameWork runs every workload on a small cluster: Run fails where one side placed or evicted another
// number of pods, or had no pod to schedule.
func TestBothDoTheSameWork(t *testing.T) {
	for _, w := range versus.Workloads() {
		t.Run(w.Name, func(t *testing.T) {
			result, err := versus.Run(versus.Row{Workload: w, Nodes: 20}, versus.Options{Rounds: 1, Cycles: 8})
			if err != nil {
				t.Fatal(err)
			}
			if result.Cycles == 0 || result.Cycles > 8 {
				t.Errorf("%d cycles, want 1 to 8", result.Cycles)
			}
			for _, lane := range []versus.Lane{versus.TheirsOne, versus.TheirsAll, versus.Untraced, versus.Matrix} {
				f := result.Lanes[lane]
				if f.Wall <= 0 || f.Allocs <= 0 || f.Bytes <= 0 {
					t.Errorf("%s: nothing was measured: %+v", lane, f)
				}
			}
			head := strings.SplitN(versus.Head(), "\n", 2)[0]
			if line := result.Line(); strings.Count(line, "|") != strings.Count(head, "|") {
				t.Errorf("the line does not fit the table: %s", line)
			}
		})
	}
}

// TestShortIsTold gives a result that falls short and one that does not.
func TestShortIsTold(t *testing.T) {
	result := versus.Result{Row: versus.Row{Workload: versus.Workloads()[0], Nodes: 100}}
	result.Ratios[versus.Untraced], result.Ratios[versus.Matrix] = 2.5, 1.2
	if short := result.Short(); len(short) > 0 {
		t.Errorf("told %q of a result that is good enough", short)
	}
	result.Ratios[versus.Untraced], result.Ratios[versus.Matrix] = 1.94, 1.2
	want := []string{"100 nodes, basic, default: schedstep is 1.9 times as fast, 2 is wanted"}
	if short := result.Short(); !slices.Equal(short, want) {
		t.Errorf("told %q, want %q", short, want)
	}
}
