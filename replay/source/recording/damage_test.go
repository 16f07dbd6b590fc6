package recording_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// small is a recording of 9 events in frames of 2.
func small(t testing.TB) []byte {
	var events []timed
	for i := range 9 {
		events = append(events, timed{morning.Add(time.Duration(i) * time.Second), cluster.Event{Object: largePod(i, 0)}})
	}
	return write(t, recording.Header{Start: morning}, recording.Options{FrameEvents: 2}, events)
}

// TestRecordingCutAnywhereKeepsEveryFrameBefore cuts a compressed recording at every byte.
func TestRecordingCutAnywhereKeepsEveryFrameBefore(t *testing.T) {
	data := small(t)
	frames, header := frameEnds(t, data)
	for cut := range len(data) {
		r, err := recording.NewReader(bytes.NewReader(data[:cut]), "cut")
		if cut < header {
			if err == nil {
				t.Fatalf("cut at %d, within the header: no error", cut)
			}
			continue
		}
		entries := readAfter(t, cut, r, err)
		complete := 0
		for i, end := range frames {
			if cut >= end {
				complete = min(2*(i+1), 9)
			}
		}
		if len(entries) < complete {
			t.Errorf("cut at %d: %d events, and %d were complete", cut, len(entries), complete)
		}
		if cut < frames[len(frames)-1] && len(r.Problems()) == 0 {
			t.Errorf("cut at %d: no problem reported", cut)
		}
		r.Close()
	}
}

// readAfter are the entries of a recording that was cut, and opened with or without an error.
func readAfter(t *testing.T, cut int, r *recording.Reader, opened error) []recording.Entry {
	t.Helper()
	if opened != nil {
		t.Fatalf("cut at %d: %v", cut, opened)
	}
	entries, err := r.ReadAll()
	if err != nil {
		t.Fatalf("cut at %d: %v", cut, err)
	}
	sequential(t, entries)
	return entries
}

// TestTextCutAnywhereKeepsEveryLineBefore cuts an uncompressed recording at every byte.
func TestTextCutAnywhereKeepsEveryLineBefore(t *testing.T) {
	plain := text(t, small(t))
	plain = plain[:strings.LastIndex(strings.TrimSpace(plain), "\n")+1] // without the index
	header := strings.Index(plain, "\n")
	for cut := header; cut <= len(plain); cut++ {
		r, err := recording.NewReader(strings.NewReader(plain[:cut]), "cut")
		entries := readAfter(t, cut, r, err)
		lines := strings.Split(plain[:cut], "\n")[1:] // the last is empty, or has no end
		last := lastOf(lines)
		want := max(0, len(lines)-1)
		var wanted []string
		switch {
		case last == "":
		case json.Valid([]byte(last)):
			want++
		default:
			wanted = []string{fmt.Sprintf("line %d: the line is cut in the middle; everything before it is kept", len(lines)+1)}
		}
		if len(entries) != want {
			t.Errorf("cut at %d: %d events, want %d", cut, len(entries), want)
		}
		if diff := cmp.Diff(wanted, sentences(r)); diff != "" {
			t.Errorf("cut at %d: problems (-want +got):\n%s", cut, diff)
		}
	}
}

func TestAnEventWithAnEndlessQuantityIsLeftOut(t *testing.T) {
	lines := strings.SplitAfter(text(t, small(t)), "\n")
	lines[3] = strings.Replace(lines[3], `"spec":{`, `"spec":{"overhead":{"cpu":"1e-2147483648"},`, 1)
	r, err := recording.NewReader(strings.NewReader(strings.Join(lines[:10], "")), "endless")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.ReadAll()
	said := strings.Join(sentences(r), "; ")
	if err != nil || len(entries) != 8 || !strings.Contains(said, "spec.overhead.cpu: ") {
		t.Errorf("%d events, %v, %s", len(entries), err, said)
	}
}

// TestTextCutBetweenLinesIsTold cuts an uncompressed recording at the end of every line, and takes out every line.
func TestTextCutBetweenLinesIsTold(t *testing.T) {
	events := []timed{}
	for i := range 9 {
		events = append(events, timed{morning.Add(time.Duration(i) * time.Second), cluster.Event{Object: largePod(i, 0)}})
	}
	plain := string(write(t, recording.Header{Start: morning}, recording.Options{Packing: recording.Plain}, events))
	lines := strings.SplitAfter(strings.TrimSpace(plain), "\n")
	for n := 1; n < len(lines); n++ {
		cut := strings.Join(lines[:n], "")
		gone := strings.Join(slices.Delete(slices.Clone(lines), n, n+1), "")
		const isCut = "the recording ends without its index: it was cut, or is still being written; everything before is kept"
		isGone := "the recording had 9 events, and 8 are in it: lines were taken out or put in"
		if n == len(lines)-1 {
			isGone = isCut
		}
		for text, want := range map[string]string{cut: isCut, gone: isGone} {
			r := open(t, []byte(text))
			if _, err := r.ReadAll(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(sentences(r), "; "); !strings.HasSuffix(got, want) {
				t.Errorf("line %d: told %q, want %q", n+1, got, want)
			}
		}
	}
}

func lastOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// TestFlippedBytesNeverMakeEventsUp changes every byte in turn: what is read is a beginning of what was written, but
// for the header, which has no second copy.
func TestFlippedBytesNeverMakeEventsUp(t *testing.T) {
	data := small(t)
	_, header := frameEnds(t, data)
	want, err := open(t, data).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := header; i < len(data); i++ {
		flipped := bytes.Clone(data)
		flipped[i] ^= 0x55
		r, err := recording.NewReader(bytes.NewReader(flipped), "flipped")
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		entries, err := r.ReadAll()
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		for j, e := range entries {
			if e.Number != want[j].Number || cluster.Key(e.Event.Object) != cluster.Key(want[j].Event.Object) {
				t.Fatalf("byte %d: event %d is %s, want %s", i, j, e.Event, want[j].Event)
			}
		}
		r.Close()
	}
}

func TestUnreadableHeaderIsAnErrorThatSaysWhy(t *testing.T) {
	for name, c := range map[string]struct{ give, want string }{
		"empty": {"", "recording f: it is empty"},
		"blank": {"\n\n", "recording f: it is empty"},
		"cut":   {`{"format":"schedstep.dev/reco`, "recording f: it is cut in the middle of its header"},
		"something else": {`{"kind":"List"}` +
			"\n", `recording f: its first line is no header (want {"format":"schedstep.dev/recording","version":1,...})`},
		"no JSON": {
			"kind: List\n",
			`recording f: its first line is no header (want {"format":"schedstep.dev/recording","version":1,...})`,
		},
		"newer": {`{"format":"schedstep.dev/recording","version":2,"kinds":{"all":true}}` +
			"\n", "recording f: it is of format version 2, and this build reads up to version 1: a newer schedstep can read it"},
		"no version": {
			`{"format":"schedstep.dev/recording"}` + "\n", "recording f: there is no format version 0 (want 1 to 1)",
		},
		"wrong type": {`{"format":"schedstep.dev/recording","version":1,"seed":"x"}` +
			"\n", "recording f: its header: json: cannot unmarshal string into Go struct field Header.seed of type uint64"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := recording.NewReader(strings.NewReader(c.give), "f")
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestWhatIsLeftOutIsCountedAndNamed(t *testing.T) {
	r := reader(t,
		`{"format":"schedstep.dev/recording","version":1,"kinds":["Pod","Widget"],"redacted":true,"mood":"good"}`,
		`{"t":"2026-11-20T10:00:00Z","a":"Add","k":"Widget","o":{"metadata":{"name":"w"}}}`,
		`{"t":"2026-11-20T10:00:00Z","a":"Add","k":"Widget","o":{"metadata":{"name":"v"}}}`,
		`{"t":"2026-11-20T10:00:01Z","a":"Add","k":"Pod","o":{"metadata":{"name":"a"},"spec":{"containers":[{"name":"x","colour":1},{"name":"y","colour":2}]}}}`,
		`{"t":"2026-11-20T10:00:01Z","a":"Add","k":"Pod","o":{"metadata":{"name":"b"},"spec":{"containers":[{"name":"x","colour":3}]}}}`,
		``,
		`{"t":"2026-11-20T10:00:02Z","a":"Add","k":"Pod","o":{"metadata":{"name":"c"}},"weather":"fine"}`,
		`{"t":"2026-11-20T10:00:02Z","a":"Mend","k":"Pod","o":{"metadata":{"name":"d"}}}`,
		`{"t":"yesterday","a":"Add","k":"Pod","o":{"metadata":{"name":"d"}}}`,
		`{"t":"2026-11-20T10:00:02Z","a":"Add","k":"Pod","o":{"metadata":{"name":"d","namespace":"n"},"spec":{"priority":"high"}}}`,
		`{"t":"2026-11-20T10:00:02Z","a":"Add","k":"Pod","o":{"apiVersion":"v2","kind":"Pod","metadata":{"name":"d"}}}`,
		`{"t":"2026-11-20T10:00:02Z","a":"Add","k":"Pod","o":{"metadata":{}}}`,
		`{"t":"2026-11-20T10:00:02Z","a":"Add","k":"Pod","o":null}`,
		`{"t":"2026-11-20T10:00:02Z","a":"Add","k":"Pod"}`,
		`{"t":"2026-11-20T10:00:02Z","a":`,
		`nonsense`,
		`{"a":"Delete", "k":"Pod", "o":{"metadata":{"name":"e"}}, "t":"2026-11-20T09:00:00Z"}`,
	)
	entries, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%d line %d %s at %s", e.Number, e.Line, e.Event, e.At.Format(time.TimeOnly)))
	}
	want := []string{
		"2 line 4 Pod Add a at 10:00:01", "3 line 5 Pod Add b at 10:00:01", "4 line 7 Pod Add c at 10:00:02",
		"14 line 17 Pod Delete e at 10:00:02",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	problems := []string{
		`line 1: header field mood is unknown to this build, left out`,
		`line 1: kind "Widget" is unknown to this build`,
		`line 2: unknown kind "Widget", left out, and 1 more like it`,
		`line 4: Pod field spec.containers[].colour is unknown to this build, left out, and 1 more like it`,
		`line 7: field weather is unknown to this build, left out`,
		`line 8: unknown action "Mend" (want Add, Update or Delete), the event is left out`,
		`line 9: "yesterday" is no time (want one like 2026-11-20T10:00:00.5Z), the event is left out`,
		`line 10: Pod n/d: json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32, left out`,
		`line 11: a Pod of version "v2" (this build reads "v1"), left out`,
		`line 12: a Pod without a name, left out`,
		`line 13: a Pod without an object, left out, and 1 more like it`,
		`line 15: not an event: the line ends in the middle`,
		`line 16: not an event (invalid character 'o' in literal null (expecting 'u')), left out`,
		`line 17: time goes back; the event counts as at the time of the one before`,
	}
	if diff := cmp.Diff(problems, sentences(r)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestUnfinishedRecordingReadsUpToItsLastFlush(t *testing.T) {
	var out bytes.Buffer
	w, err := recording.NewWriter(&out, recording.Header{}, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := w.Write(morning, cluster.Event{Object: largePod(i, 0)}); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := open(t, out.Bytes())
	entries, err := r.ReadAll()
	if err != nil || len(entries) != 3 {
		t.Errorf("%d events, %v; want 3", len(entries), err)
	}
	want := []string{
		"the recording ends without its index: it was cut, or is still being written; everything before is kept",
	}
	if diff := cmp.Diff(want, sentences(r)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestFileThatCannotBeReadIsAnError(t *testing.T) {
	broken := errors.New("input/output error")
	data := small(t)
	r, err := recording.NewReader(io.MultiReader(bytes.NewReader(data[:len(data)/2]), &failing{broken}), "disk")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAll(); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzReader shows that no file makes the reader panic, hang, or hand out events that are not in order.
func FuzzReader(f *testing.F) {
	data := small(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(text(f, data)))
	f.Add([]byte(`{"format":"schedstep.dev/recording","version":1}` + "\n" +
		`{"t":"2026-11-20T10:00:02Z","a":"Add","k":"Pod","o":{"metadata":{"name":"c"}},"x":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		recording.Is(data)
		r, err := recording.NewReader(bytes.NewReader(data), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "recording fuzz: ") {
				t.Errorf("error without its file: %v", err)
			}
			return
		}
		defer r.Close()
		entries, err := r.ReadAll()
		if err != nil {
			t.Fatalf("reading from memory fails: %v", err)
		}
		last := -1
		var at time.Time
		for _, e := range entries {
			if e.Number <= last || e.At.Before(at) || e.Event.Object == nil || e.Event.Object.GetName() == "" {
				t.Fatalf("event %d after %d, at %s after %s: %v", e.Number, last, e.At, at, e.Event.Object)
			}
			last, at = e.Number, e.At
		}
		if err := r.Seek(max(0, last)); err != nil && !errors.Is(err, zstd.ErrDecoderClosed) {
			t.Fatalf("Seek(%d): %v", last, err)
		}
	})
}

// reader reads lines of text.
func reader(t testing.TB, lines ...string) *recording.Reader {
	t.Helper()
	return open(t, []byte(strings.Join(lines, "\n")+"\n"))
}

// sentences are the problems of a reader.
func sentences(r *recording.Reader) []string {
	var s []string
	for _, p := range r.Problems() {
		s = append(s, p.String())
	}
	return s
}

// sequential wants entries to be the first events of small.
func sequential(t testing.TB, entries []recording.Entry) {
	t.Helper()
	for i, e := range entries {
		if name := fmt.Sprintf("web-%05d-abcde", i); e.Number != i || e.Line != i+2 || e.Event.Object.GetName() != name {
			t.Fatalf("event %d is %d, line %d, %s", i, e.Number, e.Line, e.Event)
		}
	}
}

// frameEnds are the bytes where the frames of events end, and the one where the header ends.
func frameEnds(t testing.TB, data []byte) (events []int, header int) {
	t.Helper()
	plain := strings.Split(strings.TrimSpace(text(t, data)), "\n")
	var index struct {
		Frames []struct {
			At int `json:"at"`
		} `json:"index"`
	}
	if err := json.Unmarshal([]byte(plain[len(plain)-1]), &index); err != nil {
		t.Fatal(err)
	}
	for _, f := range index.Frames[1:] {
		events = append(events, f.At)
	}
	at := int(data[len(data)-16]) | int(data[len(data)-15])<<8 | int(data[len(data)-14])<<16
	return append(events, at), index.Frames[0].At
}
