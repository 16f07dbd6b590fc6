package input_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/scenario"
)

// TestATranscriptAndAReplayDecideAlike holds the cycles in the transcript of a scenario to those of the replay that the
// command line makes of the same file, as long as they try the same pods: commands may leave cycles out.
func TestATranscriptAndAReplayDecideAlike(t *testing.T) {
	files, err := filepath.Glob("../../../core/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, err := input.ReadScenario(file, strings.NewReader(string(text)))
		if err != nil || len(in.Extenders) > 0 || apart.Match(text) {
			continue // it is no single story, or an extender answers that is not there
		}
		want, err := transcribed(file, text)
		if err != nil {
			t.Fatal(err)
		}
		got := outcomes(t, in)
		for i := range min(len(want), len(got)) {
			if want[i].entity != got[i].entity {
				break
			}
			compared++
			if want[i].end != got[i].end {
				t.Errorf("%s: cycle %d: %v in the transcript, %v in the replay", file, i+1, want[i], got[i])
				break
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d cycles were compared", compared)
	}
}

// apart are the scenarios that go two ways, or whose commands run a cycle later than it is due.
var apart = regexp.MustCompile(`(?m)^fork$|^# An update of a pod in activeQ|^# In a dry run, pods nominated`)

// outcome is how a cycle ended, and for which entity.
type outcome struct{ entity, end string }

// transcribed are the outcomes of the cycles in the transcript of a scenario.
func transcribed(file string, text []byte) ([]outcome, error) {
	s, err := scenario.Parse(file, text)
	if err != nil {
		return nil, err
	}
	transcript, err := s.Run()
	if err != nil {
		return nil, err
	}
	return ended(nil, transcript.Facts()), nil
}

// ended appends how the cycles in some facts ended, and for which entity.
func ended(all []outcome, facts []trace.Fact) []outcome {
	entity := ""
	for _, f := range facts {
		switch f := f.(type) {
		case trace.Popped:
			entity = f.Entity.Key()
		case trace.Ended:
			all = append(all, outcome{entity, string(f.Outcome) + " " + f.Node + ": " + f.Message})
		}
	}
	return all
}

// outcomes are those of the cycles that a player runs.
func outcomes(t *testing.T, in *input.Input) []outcome {
	t.Helper()
	decides := config.Options{}
	if in.Release != "" {
		var err error
		if decides, err = decides.For(in.Release); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if decides.Gates, err = config.ParseGatesOf(decides.Gates.Release(), in.Gates); err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadOr(in.Config, in.From, decides)
	if err != nil {
		t.Fatal(err)
	}
	player, all := in.Play(c, 0, trace.Reported), []outcome(nil)
	for {
		step, ok := player.Step()
		if !ok {
			return all
		}
		all = ended(all, step.Facts)
	}
}
