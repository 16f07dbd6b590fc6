package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// simkubeFormat is the name of SimKube's traces: MessagePack, or the same as JSON.
const simkubeFormat = "SimKube trace"

// isSimKube reports whether a file begins as a trace does: a map whose first key is its version. Traces of SimKube 1
// are arrays whose first element is their configuration.
func isSimKube(head []byte) bool {
	return len(head) > 9 && head[0]&0xf0 == 0x80 && bytes.HasPrefix(head[1:], []byte("\xa7version")) ||
		len(head) > 1 && head[0]&0xf0 == 0x90 && bytes.Contains(head[:min(len(head), 64)], []byte("\xaetrackedObjects"))
}

// simkubeEvent is what happened at one second.
type simkubeEvent struct {
	At      int64             `json:"ts"`
	Applied []json.RawMessage `json:"applied_objs"`
	Deleted []json.RawMessage `json:"deleted_objs"`
}

// simkube reads a trace in MessagePack.
func (r *reading) simkube(in *bufio.Reader, f *file) {
	raw, err := r.readAll(in, f)
	var events []simkubeEvent
	if err == nil {
		events, err = simkubeEvents(raw)
	}
	if err != nil {
		r.submit(r.note(Problem{Where: f.path, What: phrase.Textf("a SimKube trace that cannot be read: %s", err)}))
		return
	}
	r.trace(events, f)
}

// errOldTrace is the error for the traces of SimKube 1.
var errOldTrace = phrase.Errorf(
	"it is of SimKube 1, which wrote lists without names (skctl of SimKube 2 makes a new one)",
)

// simkubeEvents takes the events out of a trace. The rest of it has keys that JSON has no form for.
func simkubeEvents(raw []byte) ([]simkubeEvent, error) {
	if raw[0]&0xf0 == 0x90 {
		return nil, errOldTrace
	}
	in := msgp.NewReader(bytes.NewReader(raw))
	members, err := in.ReadMapHeader()
	if err != nil {
		return nil, err
	}
	for range members {
		key, err := in.ReadString()
		if err != nil {
			return nil, err
		}
		if key != "events" {
			if err := in.Skip(); err != nil {
				return nil, err
			}
			continue
		}
		var value msgp.Raw
		if err := value.DecodeMsg(in); err != nil {
			return nil, err
		}
		var events bytes.Buffer
		if _, err := msgp.UnmarshalAsJSON(&events, value); err != nil {
			return nil, err
		}
		return decodeEvents(events.Bytes())
	}
	return nil, phrase.Errorf("there are no events in it")
}

// decodeEvents reads the events of a trace.
func decodeEvents(raw []byte) ([]simkubeEvent, error) {
	var events []simkubeEvent
	if err := json.Unmarshal(raw, &events); err != nil {
		return nil, errOldTrace
	}
	return events, nil
}

// trace hands on the objects of a trace.
func (r *reading) trace(events []simkubeEvent, f *file) {
	r.formats[simkubeFormat] = true
	told, left := lastOf(events)
	told.Where = f.path
	r.submit(r.note(told))
	b := r.batch(&document{file: f, line: 1}, "")
	for i, o := range left {
		start := len(b.text)
		b.text = append(b.text, o...)
		b.add(start, i+1, 1)
	}
	r.submit(b)
}

// lastOf is what there is after the last event of a trace, in the order it came, and what is worth knowing of that. A
// trace holds the owners of pods more often than pods, and no nodes.
func lastOf(events []simkubeEvent) (told Problem, left []json.RawMessage) {
	var order []string
	last, was := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	gone := 0
	for _, e := range events {
		for _, o := range e.Applied {
			id := identity(o)
			if was[id] == nil {
				order = append(order, id)
			}
			last[id], was[id] = o, o
		}
		for _, o := range e.Deleted {
			if id := identity(o); last[id] != nil {
				delete(last, id)
				gone++
			}
		}
	}
	told = Problem{Severity: Notice, What: phrase.Textf(
		"a SimKube trace of %s over %s: objects are taken as they are after the last one", words.Count(len(events), "event"),
		lasts(events),
	)}
	switch {
	case len(last) == 0 && gone > 0:
		last = was
		told.What = phrase.Textf("%s; all are deleted by then, and are taken as they were before", told.What)
	case gone > 0:
		format := "%s; %d were deleted before that"
		if gone == 1 {
			format = "%s; %d was deleted before that"
		}
		told.What = phrase.Textf(format, told.What, gone)
	}
	for _, id := range order {
		if o := last[id]; o != nil {
			left = append(left, o)
		}
	}
	return told, left
}

// lasts is the time between the first and the last event.
func lasts(events []simkubeEvent) time.Duration {
	if len(events) == 0 {
		return 0
	}
	return time.Duration(events[len(events)-1].At-events[0].At) * time.Second
}

// identity identifies an object of a trace.
func identity(raw []byte) string {
	metadata := text.Member(raw, "metadata")
	return text.Unquote(text.Member(raw, "apiVersion")) + " " + text.Unquote(text.Member(raw, "kind")) + " " +
		nameIn(metadata)
}
