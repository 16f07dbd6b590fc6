package input

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/compare"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// told is what is worked out from all events of an input when it is opened, so that a saved session need not be read to
// its end for it. The keyframe holds it.
type told struct {
	Basis    string `json:"basis"`  // what else decides about it
	Events   int    `json:"events"` // of the script
	Notices  []kept `json:"notices,omitempty"`
	Unserved []kept `json:"unserved,omitempty"`
	Missing  []kept `json:"missing,omitempty"`
	Emptier  kept   `json:"emptier,omitempty"`
	Release  string `json:"release,omitempty"`
}

// kept is a sentence with its values apart, as a keyframe holds it.
type kept phrase.Text

func keep(all []phrase.Text) []kept {
	out := make([]kept, len(all))
	for i, text := range all {
		out[i] = kept(text)
	}
	return out
}

func sentences(all []kept) []phrase.Text {
	var out []phrase.Text
	for _, text := range all {
		out = append(out, phrase.Text(text))
	}
	return out
}

// Digest is what Read needs of the input's recording in place of its events, for session.Keyframes. It is nil for an
// input that has to be read whole: one that follows history, or that compares with the decisions of its cluster's
// scheduler.
func (in *Input) Digest(c *config.Config, basis string) []byte {
	script := in.All()
	if in.World != Simulated || in.hold != nil || compare.NewRecords(script, false).Tell() {
		return nil
	}
	fresh := Input{Replay: Replay{Script: script, World: in.World}, Report: Report{lacks: in.lacks}}
	fresh.judge()
	text, err := json.Marshal(told{
		Basis: basis, Events: len(script), Notices: keep(fresh.Notices), Unserved: keep(fresh.Unserved(c)),
		Missing: keep(fresh.Missing()), Emptier: kept(fresh.emptier), Release: fresh.release,
	})
	if err != nil {
		return nil
	}
	return text
}

// All is every event of the input that there is by now. Of a saved session of which not all was read it reads the rest.
func (in *Input) All() source.Script {
	if in.told != nil {
		return in.log.From(0)
	}
	in.Unpack()
	return in.Script
}

// Whole has an input be as if it had been read whole, unless its keyframe is of the same basis.
func (in *Input) Whole(basis string) {
	if in.told == nil || in.told.Basis == basis {
		return
	}
	own := in.Notices[len(in.told.Notices):]
	in.Script, in.log, in.told, in.Notices, in.emptier = in.All(), nil, nil, nil, ""
	in.judge()
	in.Notices = append(in.Notices, own...)
}

// mostInMemory is the largest saved session that is not read whole, in bytes.
const mostInMemory = 256 << 20

// atKeyframe reads of a saved session only what is needed at the saved place; false when it has to be read whole. Then
// the file is at its beginning again.
func atKeyframe(name string, from io.ReadSeeker) (*Input, bool) {
	begin, err := from.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, false
	}
	in, ok := readAtKeyframe(name, from)
	if _, err := from.Seek(begin, io.SeekStart); err != nil {
		return nil, false
	}
	return in, ok
}

func readAtKeyframe(name string, from io.Reader) (*Input, bool) {
	text, err := io.ReadAll(io.LimitReader(from, mostInMemory+1))
	if err != nil || len(text) > mostInMemory {
		return nil, false
	}
	r, err := recording.NewReader(bytes.NewReader(text), name)
	if err != nil {
		return nil, false
	}
	defer r.Close()
	events, indexed := r.Events()
	if !indexed || !r.Header().Session || r.Seek(events) != nil {
		return nil, false
	}
	if rest, err := r.ReadAll(); err != nil || len(rest) > 0 || len(r.Problems()) > 0 {
		return nil, false
	}
	var k struct {
		Told   *told `json:"told"`
		Player struct {
			Taken int `json:"taken"`
		} `json:"player"`
	}
	if r.Session() == nil || r.Keyframe() == nil || len(r.Answers()) > 0 || json.Unmarshal(r.Keyframe(), &k) != nil ||
		k.Told == nil || k.Told.Events != events || k.Player.Taken < 0 || k.Player.Taken > events {
		return nil, false
	}
	in := ofHeader(name, r.Header())
	if in.World != Simulated || in.Start.IsZero() {
		return nil, false
	}
	in.Session, in.Keyframe, in.told = r.Session(), r.Keyframe(), k.Told
	in.Notices, in.emptier, in.release = sentences(k.Told.Notices), phrase.Text(k.Told.Emptier), k.Told.Release
	in.log = shelfOf(name, text, k.Player.Taken, events).Log()
	return in, true
}

// shelfOf has the events of a recording that is kept as it is.
func shelfOf(name string, text []byte, first, events int) source.Shelf {
	var rest *recording.Reader
	return source.Shelf{
		First: first, Len: events,
		Before: func() source.Script {
			r, err := recording.NewReader(bytes.NewReader(text), name)
			if err != nil {
				return nil
			}
			defer r.Close()
			return some(r, first)
		},
		After: func() source.Script {
			if rest == nil {
				r, err := recording.NewReader(bytes.NewReader(text), name)
				if err != nil || r.Seek(first) != nil {
					return nil
				}
				rest = r
			}
			return some(rest, eventsAtOnce)
		},
	}
}

// eventsAtOnce is how many events are taken from a shelf together.
const eventsAtOnce = 256

// some are the next events of a recording, up to a number; fewer at its end.
func some(r *recording.Reader, most int) source.Script {
	var script source.Script
	for len(script) < most {
		e, err := r.Next()
		if err != nil { // at its end, or where it is damaged
			break
		}
		script = append(script, source.Timed{At: e.At, Event: e.Event})
	}
	return script
}
