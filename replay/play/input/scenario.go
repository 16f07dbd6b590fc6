package input

import (
	"io"

	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/scenario"
)

// mostOfAScenario is the most bytes of a scenario, far more than a person writes by hand.
const mostOfAScenario = 64 << 20

// ReadScenario makes a scenario ready to be played, as Read does.
func ReadScenario(name string, from io.Reader) (*Input, error) {
	return Options{}.readScenario(name, from)
}

// readScenario makes a scenario ready to be played: its events at their moments, in a simulated world. What it expects
// is for package scenario to check and no part of the input.
func (o Options) readScenario(name string, from io.Reader) (*Input, error) {
	text, err := bounded.ReadAll(from, mostOfAScenario)
	if err != nil {
		return nil, phrase.Errorf("%s: %w", name, err)
	}
	s, err := scenario.Parse(name, text, o.Plugins...)
	if err != nil {
		return nil, err
	}
	s.Allow(o.Programs)
	r, err := s.Replay()
	if err != nil {
		return nil, err
	}
	in := &Input{
		Replay: Replay{
			Script: r.Script, Start: r.Start, Until: r.Until, World: Simulated, Gates: r.Gates, Release: r.Release,
			hold: r.Hold,
		},
		Report: Report{Title: title([]string{name}), Story: s.Story()},
	}
	if err := in.join(r.Schedulers, o.Plugins); err != nil {
		return nil, err
	}
	in.Extenders, in.did = s.Extenders(), r.Programs
	in.Kubelets = len(r.Programs) > 0
	if r.Config != nil {
		in.Config, in.From = r.Config, name+" (its config)"
	}
	if len(in.Script) == 0 {
		return nil, phrase.Errorf("%s: no event is in it (want at least: node n1 and pod web)", name)
	}
	return in, nil
}
