package recording_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/source/recording"
)

func TestReadingGivesBackWhatWasWritten(t *testing.T) {
	redactor := recording.NewRedactor()
	for name, privacy := range map[string]recording.Privacy{
		"redacted": recording.Redacted, "verbatim": recording.Verbatim,
	} {
		t.Run(name, func(t *testing.T) {
			events := everyKind(t)
			entries, err := open(t, write(
				t, recording.Header{Start: morning}, recording.Options{Privacy: privacy, FrameEvents: 4}, events,
			)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) != len(events) {
				t.Fatalf("%d events, want %d", len(entries), len(events))
			}
			for i, got := range entries {
				want := events[i].event.Object
				if privacy == recording.Redacted {
					want = redactor.Redact(want)
				}
				sameEvent(t, got, i, timed{events[i].at, cluster.Event{Action: events[i].event.Action, Object: want}})
			}
		})
	}
}

// TestRandomScriptsSurviveWritingAndReading is the law for scripts of any length, order, timing and frame size.
func TestRandomScriptsSurviveWritingAndReading(t *testing.T) {
	kinds := everyKind(t)
	redactor := recording.NewRedactor()
	law.Check(t, func(rt *rapid.T) {
		at := morning
		var events []timed
		for range rapid.IntRange(0, 40).Draw(rt, "events") {
			at = at.Add(time.Duration(rapid.Int64Range(0, 1e12).Draw(rt, "wait")))
			o := redactor.Redact(rapid.SampledFrom(kinds).Draw(rt, "object").event.Object)
			o.SetName(rapid.StringMatching(`[a-z]{1,8}`).Draw(rt, "name"))
			o.SetLabels(rapid.MapOfN(rapid.String(), rapid.String(), 1, 3).Draw(rt, "labels"))
			action := rapid.SampledFrom([]cluster.Action{cluster.Add, cluster.Update, cluster.Delete}).Draw(rt, "action")
			events = append(events, timed{at, cluster.Event{Action: action, Object: o}})
		}
		options := recording.Options{FrameEvents: rapid.IntRange(0, 7).Draw(rt, "frame")}
		entries, err := open(t, write(t, recording.Header{Start: morning}, options, events)).ReadAll()
		if err != nil || len(entries) != len(events) {
			rt.Fatalf("%d events, %v; want %d", len(entries), err, len(events))
		}
		for i := range entries {
			sameEvent(rt, entries[i], i, events[i])
		}
	})
}

func TestPlainRecordingIsTheSameTextUncompressed(t *testing.T) {
	header, events := recording.Header{Start: morning}, everyKind(t)
	plain := write(t, header, recording.Options{Packing: recording.Plain, FrameEvents: 3}, events)
	lines := strings.SplitAfter(text(t, write(t, header, recording.Options{}, events)), "\n")
	want := strings.Replace(
		strings.Join(lines[:len(lines)-2], ""), `,"redacted":true`, `,"redacted":true,"ended":true`, 1,
	) +
		fmt.Sprintf(`{"index":[],"events":%d}`+"\n", len(events))
	if diff := cmp.Diff(want, string(plain)); diff != "" {
		t.Errorf("text (-compressed +plain):\n%s", diff)
	}
	r := open(t, plain)
	if entries, err := r.ReadAll(); err != nil || len(entries) != len(events) || len(r.Problems()) > 0 {
		t.Errorf("%d events, %v, problems %v; want %d events", len(entries), err, r.Problems(), len(events))
	}
}

func TestHeaderIsGivenBackWhole(t *testing.T) {
	want := recording.Header{
		Title: "Four nodes", Story: "What a taint does.", Note: "gpu-milli stands for GPUs", Source: "four.yaml",
		Start: morning,
		World: recording.Simulated, Seed: 1<<63 + 1, Config: `{"kind":"KubeSchedulerConfiguration"}`,
		Kinds: []cluster.Kind{cluster.KindNode, cluster.KindPod}, Missing: []cluster.Kind{cluster.KindCSINode},
	}
	r := open(t, write(t, want, recording.Options{}, nil))
	want.Format, want.Version, want.Redacted = recording.Format, recording.Version, true
	if diff := cmp.Diff(want, r.Header()); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if n, ok := r.Events(); n != 0 || !ok {
		t.Errorf("Events() = %d, %v; want none", n, ok)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("Next() = %v, want EOF", err)
	}
	if p := r.Problems(); len(p) != 0 {
		t.Errorf("problems: %v", p)
	}
}

// TestRecordingIsGreppableText pins what `zstd -dc` shows.
func TestRecordingIsGreppableText(t *testing.T) {
	got := text(t, write(t, recording.Header{
		Title: "One pod", Start: morning, World: recording.Simulated, Seed: 7,
		Kinds:   []cluster.Kind{cluster.KindNode, cluster.KindPod},
		Missing: []cluster.Kind{cluster.KindDisruptionBudget},
	}, recording.Options{}, []timed{
		{morning, cluster.Event{Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}}},
		{morning.Add(1500 * time.Millisecond), cluster.Event{Object: largePod(0, 0)}},
		{morning.Add(2 * time.Second), cluster.Event{
			Action: cluster.Delete,
			Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team-0", Name: "web-00000-abcde"}},
		}},
	}))
	lines := strings.SplitAfter(got, "\n")
	index := lines[len(lines)-2]
	if !strings.HasPrefix(index, `{"index":[{"at":`) ||
		!strings.HasSuffix(index, `"n":0,"t":"2026-11-20T10:00:00Z"}],"events":3}`+"\n") {
		t.Errorf("last line is %q, no index of one frame with 3 events", index)
	}
	golden.Is(t, "testdata/one_pod.jsonl", strings.Join(lines[:len(lines)-2], ""))
}

func TestWriterRefusesWhatCannotBeReadBack(t *testing.T) {
	pod := cluster.Event{Object: largePod(0, 0)}
	for name, c := range map[string]struct {
		do   func(w *recording.Writer) error
		want string
	}{
		"time goes back": {
			func(w *recording.Writer) error { return w.Write(morning.Add(-time.Second), pod) },
			"recording: event 0 (Pod Add team-0/web-00000-abcde) at 2026-11-20T09:59:59Z is before the one at 2026-11-20T10:00:00Z",
		},
		"unknown kind": {
			func(w *recording.Writer) error { return w.Write(morning, cluster.Event{Object: &corev1.Secret{}}) },
			"recording: event 0: *v1.Secret is of no kind a recording holds",
		},
		"after the end": {
			func(w *recording.Writer) error {
				if err := w.Close(); err != nil {
					return err
				}
				if err := w.Close(); err != nil {
					return fmt.Errorf("second Close: %w", err)
				}
				return w.Write(morning, pod)
			},
			"recording: it is closed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := recording.NewWriter(io.Discard, recording.Header{Start: morning}, recording.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.do(w); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestFullDiskIsReported(t *testing.T) {
	full := errors.New("no space left")
	w, err := recording.NewWriter(&shortDisk{room: 200, err: full}, recording.Header{}, recording.Options{FrameEvents: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err = w.Write(morning, cluster.Event{Object: largePod(0, 0)}); err != nil {
			break
		}
	}
	if !errors.Is(err, full) || !errors.Is(w.Close(), full) {
		t.Errorf("Write says %v, want %v", err, full)
	}
}

// shortDisk takes so many bytes and no more.
type shortDisk struct {
	room int
	err  error
}

func (d *shortDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		return 0, d.err
	}
	d.room -= len(p)
	return len(p), nil
}

// everyKind is an object of every kind with every field filled, and a second look at some.
func everyKind(t testing.TB) []timed {
	var events []timed
	for i, kind := range cluster.Kinds() {
		o := filled(t, kind)
		events = append(events, timed{morning.Add(time.Duration(i) * time.Second), cluster.Event{Object: o}})
	}
	end := morning.Add(time.Hour + 123456789*time.Nanosecond)
	return append(events,
		timed{end, cluster.Event{Action: cluster.Update, Object: filled(t, cluster.KindNode)}},
		timed{end, cluster.Event{
			Action: cluster.Delete, Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}},
		}},
	)
}

// failer is what *testing.T and *rapid.T have in common here.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// sameEvent holds an entry to the event it was written from.
func sameEvent(t failer, got recording.Entry, number int, want timed) {
	t.Helper()
	if got.Number != number || got.Line != number+2 || !got.At.Equal(want.at) || got.Event.Action != want.event.Action {
		t.Errorf(
			"event %d is %d, line %d, %s at %s; want %s at %s", number, got.Number, got.Line, got.Event, got.At,
			want.event, want.at,
		)
	}
	kind, _ := cluster.KindOf(want.event.Object)
	is := got.Event.Object.GetObjectKind().GroupVersionKind()
	if is.Kind != string(kind) || is.Version == "" {
		t.Errorf("event %d calls itself %s, want a %s with its version", number, is, kind)
	}
	wanted, _ := want.event.Object.DeepCopyObject().(cluster.Object)
	wanted.GetObjectKind().SetGroupVersionKind(is)
	if !equality.Semantic.DeepEqual(wanted, got.Event.Object) {
		t.Errorf("event %d, %s (-written +read):\n%s", number, want.event, cmp.Diff(asJSON(wanted), asJSON(got.Event.Object)))
	}
}

// text is a recording uncompressed.
func text(t testing.TB, data []byte) string {
	t.Helper()
	d, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := io.ReadAll(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// packed is a text compressed with zstd.
func packed(t testing.TB, text string) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.EncodeAll([]byte(text), nil)
}
