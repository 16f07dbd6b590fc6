package input

import (
	"io"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// ReadRecording makes a recording ready to be played. A recording that is cut is played as far as it goes.
func ReadRecording(name string, from io.Reader) (*Input, error) {
	r, err := recording.NewReader(from, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	entries, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	in := ofHeader(name, r.Header())
	for _, p := range r.Problems() {
		in.Refused = append(in.Refused, phrase.Textf("%s %s", name, p))
	}
	for _, e := range entries {
		in.Script = append(in.Script, source.Timed{At: e.At, Event: e.Event})
	}
	in.Answers, in.Session, in.Keyframe = r.Answers(), r.Session(), r.Keyframe()
	if len(in.Script) == 0 {
		return nil, in.nothing(phrase.Verbatim(name))
	}
	if in.World == Simulated {
		in.judge()
	}
	if in.Start.IsZero() {
		in.Start = in.Script[0].At
	}
	return in, nil
}

// ofHeader is an input that has no events yet.
func ofHeader(name string, h recording.Header) *Input {
	in := &Input{
		Replay: Replay{
			Start: h.Start, World: Recorded, Seed: h.Seed, Gates: h.FeatureGates, Release: h.Release, Until: h.Until,
			Percentage: h.Percentage, Kubelets: h.Kubelets,
		},
		Report: Report{Title: h.Title, Story: h.Story, Redacted: h.Redacted, lacks: h.Missing},
	}
	if err := in.join(declaredIn(h), nil); err != nil {
		in.Refused = append(in.Refused, phrase.Textf("%s (its header): %s; it does not decide here", name, err))
	}
	if h.World == recording.Simulated {
		in.World = Simulated
	}
	if in.Title == "" {
		in.Title = title([]string{name})
	}
	if h.Config != "" {
		in.Config, in.From = []byte(h.Config), name+" (its header)"
	}
	return in
}

// declaredIn are the schedulers of a header.
func declaredIn(h recording.Header) []play.Declared {
	var all []play.Declared
	for _, s := range h.Schedulers {
		all = append(all, play.Declared(s))
	}
	return all
}
