package demo_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/demo"
)

// configured is the configuration a demo is played under: kube-scheduler's default with the demo's feature gates.
func configured(t *testing.T, in *input.Input) *config.Config {
	t.Helper()
	gates, err := config.ParseGates(in.Gates)
	if err != nil {
		t.Fatal(err)
	}
	return config.DefaultWith(config.Options{Gates: gates})
}

// hashes plays an input to its end and prints every cycle's message with its hash.
func hashes(t *testing.T, in *input.Input) []string {
	t.Helper()
	p := in.Play(configured(t, in), 0, trace.Full)
	var printer trace.Printer
	var out []string
	for {
		step, ok := p.Step()
		if !ok {
			return out
		}
		if step.Kind != play.Tried {
			continue
		}
		c, _ := trace.Fold(step.Facts)
		d, err := printer.Print(c)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, d.Message+" "+d.Hash)
	}
}

// TestEveryDemoIsItsSource holds the embedded recordings to the scenarios they are made from (make demos).
func TestEveryDemoIsItsSource(t *testing.T) {
	for _, d := range demo.All() {
		t.Run(d.Name, func(t *testing.T) {
			f, err := demo.Open(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			embedded, err := input.ReadRecording(d.Name, bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			source, err := input.Read(t.Context(), []string{d.Name + ".txt"}, input.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if embedded.Story == "" || embedded.Story != source.Story {
				t.Errorf("the story is %q, its source says %q", embedded.Story, source.Story)
			}
			if diff := cmp.Diff(hashes(t, source), hashes(t, embedded)); diff != "" {
				t.Errorf("run make demos:\n%s", diff)
			}
		})
	}
}

func TestEveryDemoPlacesAndRejects(t *testing.T) {
	for _, d := range demo.All() {
		f, err := os.Open(d.Name + ".schedstep")
		if err != nil {
			t.Fatal(err)
		}
		in, err := input.ReadRecording(d.Name, f)
		if err != nil {
			t.Fatal(err)
		}
		outcomes := map[trace.Outcome]int{}
		p := in.Play(configured(t, in), 0, trace.Summary)
		for {
			step, ok := p.Step()
			if !ok {
				break
			}
			for _, fact := range step.Facts {
				switch e := fact.(type) {
				case trace.Ended:
					outcomes[e.Outcome]++
				case trace.MemberSettled:
					outcomes[e.Outcome]++
				}
			}
		}
		f.Close()
		if outcomes[trace.Scheduled]+outcomes[trace.Waiting] < 3 || outcomes[trace.NotSchedulable] < 3 {
			t.Errorf("%s has little to show: %v", d.Name, outcomes)
		}
	}
}

func TestAnUnknownDemoIsRefusedByName(t *testing.T) {
	_, err := demo.Open("nope")
	const want = `there is no demo "nope" (there are rollout, pending, zones, spread, gates, preemption, ` +
		`volumes, devices, releases, gang)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
