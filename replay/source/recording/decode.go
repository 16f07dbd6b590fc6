package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
)

// row is a line of a recording: first as text, and then decoded.
type row struct {
	number, line int
	text         []byte
	whole        bool // the line has an end

	entry    Entry
	ok       bool            // entry is good
	answer   json.RawMessage // the line is an answer of an extender
	session  json.RawMessage // the line has the place of a session
	keyframe json.RawMessage // the line is a keyframe
	isIndex  bool            // the line is the index
	events   int             // in the index; -1: there is no number
	isCut    bool            // the text ends in the middle of a value
	problems []phrase.Text   // what is wrong or was left out
}

// envelope is what a line has around its object.
type envelope struct {
	Time     string          `json:"t"`
	Action   string          `json:"a"`
	Kind     string          `json:"k"`
	Object   json.RawMessage `json:"o"`
	Answer   json.RawMessage `json:"answer"`
	Session  json.RawMessage `json:"session"`
	Keyframe json.RawMessage `json:"keyframe"`
	Index    json.RawMessage `json:"index"`
	Events   json.RawMessage `json:"events"`
}

// decodeRows decodes all rows, in parallel; each row is written by one goroutine.
func decodeRows(rows []row) {
	workers := min(runtime.GOMAXPROCS(0), 1+len(rows)/64)
	if workers == 1 {
		for i := range rows {
			rows[i].decode()
		}
		return
	}
	var group sync.WaitGroup
	for first := range workers {
		group.Go(func() {
			for i := first; i < len(rows); i += workers {
				rows[i].decode()
			}
		})
	}
	group.Wait()
}

// decode turns the text of a row into its entry. Lines as Writer writes them are read once; all others twice.
func (r *row) decode() {
	if e, ok := splitEnvelope(r.text); ok {
		trial := *r
		if trial.read(e) {
			*r = trial
			return
		}
	}
	var e envelope
	strict, err := kjson.UnmarshalStrict(r.text, &e, kjson.DisallowUnknownFields)
	switch {
	case err != nil && incomplete(r.text):
		r.isCut = true
	case err != nil:
		r.problem(phrase.Textf("not an event (%s), left out", err))
	case e.Index != nil:
		r.isIndex, r.events = true, -1
		_ = json.Unmarshal(e.Events, &r.events)
	case e.Answer != nil:
		r.answer = e.Answer
	case e.Session != nil:
		r.session = e.Session
	case e.Keyframe != nil:
		r.keyframe = e.Keyframe
	default:
		r.leftOut("", strict)
		r.read(e)
	}
}

// read makes an entry of an envelope; false when this build cannot, with a problem that names the reason.
func (r *row) read(e envelope) bool {
	at, err := time.Parse(time.RFC3339Nano, e.Time)
	if err != nil {
		r.problem(phrase.Textf("%q is no time (want one like 2026-11-20T10:00:00.5Z), the event is left out", e.Time))
		return false
	}
	action, ok := cluster.ActionNamed(e.Action)
	if !ok {
		r.problem(phrase.Textf("unknown action %q (want Add, Update or Delete), the event is left out", e.Action))
		return false
	}
	o := r.object(e)
	if o == nil {
		return false
	}
	r.entry = Entry{Number: r.number, Line: r.line, At: at.UTC(), Event: cluster.Event{Action: action, Object: o}}
	r.ok = true
	return true
}

// object decodes what the event is about; nil when this build cannot.
func (r *row) object(e envelope) cluster.Object {
	kind := cluster.Kind(e.Kind)
	o := blank(kind)
	if o == nil {
		r.problem(phrase.Textf("unknown kind %q, left out", e.Kind))
		return nil
	}
	want := o.GetObjectKind().GroupVersionKind()
	if len(e.Object) == 0 || e.Object[0] != '{' {
		r.problem(phrase.Textf("a %s without an object, left out", kind))
		return nil
	}
	err := amount.Check(e.Object, reflect.TypeOf(o))
	var strict []error
	if err == nil {
		strict, err = kjson.UnmarshalStrict(e.Object, o, kjson.DisallowUnknownFields)
	}
	if err != nil {
		r.problem(phrase.Textf("%s %s: %s, left out", kind, nameIn(e.Object), err))
		return nil
	}
	if is := o.GetObjectKind().GroupVersionKind(); is != want && !kind.IsCustom() {
		r.problem(phrase.Textf(
			"a %s of version %q (this build reads %q), left out", kind, is.GroupVersion(), want.GroupVersion(),
		))
		return nil
	}
	if o.GetName() == "" {
		r.problem(phrase.Textf("a %s without a name, left out", kind))
		return nil
	}
	r.leftOut(string(kind)+" ", strict)
	return o
}

func (r *row) problem(what phrase.Text) { r.problems = append(r.problems, what) }

// leftOut reports the fields that the types of this build do not have.
func (r *row) leftOut(of string, strict []error) {
	for _, err := range strict {
		var field kjson.FieldError
		if errors.As(err, &field) {
			r.problem(phrase.Textf("%sfield %s is unknown to this build, left out", of, anyElement(field.FieldPath())))
		}
	}
}

// anyElement is a path without the numbers of the elements it leads through.
func anyElement(path string) string {
	parts := strings.Split(path, "[")
	for i := 1; i < len(parts); i++ {
		if number, rest, found := strings.Cut(parts[i], "]"); found && strings.Trim(number, "0123456789") == "" {
			parts[i] = "]" + rest
		}
	}
	return strings.Join(parts, "[")
}

// splitEnvelope takes apart a line as Writer writes it, without looking into the object; false for any other line.
func splitEnvelope(text []byte) (envelope, bool) {
	var e envelope
	rest := text
	for _, part := range []struct {
		before string
		into   *string
	}{{`{"t":"`, &e.Time}, {`","a":"`, &e.Action}, {`","k":"`, &e.Kind}} {
		value, found := bytes.CutPrefix(rest, []byte(part.before))
		end := bytes.IndexByte(value, '"')
		if !found || end < 0 || bytes.IndexByte(value[:end], '\\') >= 0 {
			return envelope{}, false
		}
		*part.into, rest = string(value[:end]), value[end:]
	}
	o, found := bytes.CutPrefix(rest, []byte(`","o":`))
	if !found || len(o) < 2 || o[len(o)-1] != '}' {
		return envelope{}, false
	}
	e.Object = o[:len(o)-1]
	return e, true
}

// incomplete reports whether a text is the beginning of a JSON value and not the whole of one.
func incomplete(text []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// nameIn is the name of an object that cannot be decoded, for a sentence about it.
func nameIn(object []byte) string {
	var named struct {
		Metadata struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if json.Unmarshal(object, &named) != nil || named.Metadata.Name == "" {
		return "without a name"
	}
	if named.Metadata.Namespace != "" {
		return named.Metadata.Namespace + "/" + named.Metadata.Name
	}
	return named.Metadata.Name
}
