package recording_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// many are more events than WriteAll encodes together, one each millisecond.
func many(t *testing.T) []timed {
	t.Helper()
	kinds := everyKind(t)
	var events []timed
	for i := range 2500 {
		e := kinds[i%len(kinds)].event
		events = append(events, timed{morning.Add(time.Duration(i) * time.Millisecond), e})
	}
	return events
}

func inTurn(events []timed) iter.Seq2[time.Time, cluster.Event] {
	return func(yield func(time.Time, cluster.Event) bool) {
		for _, e := range events {
			if !yield(e.at, e.event) {
				return
			}
		}
	}
}

func TestWritingAllIsWritingOneByOne(t *testing.T) {
	events := many(t)
	for _, privacy := range []recording.Privacy{recording.Redacted, recording.Verbatim} {
		o := recording.Options{Privacy: privacy}
		var all bytes.Buffer
		w, err := recording.NewWriter(&all, recording.Header{Start: morning}, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteAll(t.Context(), inTurn(events)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(all.Bytes(), write(t, recording.Header{Start: morning}, o, events)) {
			t.Errorf("privacy %d: other bytes", privacy)
		}
	}
}

func TestWritingAllEndsAtTheFirstFault(t *testing.T) {
	for _, at := range []int{0, 511, 512, 700, 1024, 2499} {
		events := many(t)
		events[at].at = morning.Add(-time.Hour)
		var one, all bytes.Buffer
		w, _ := recording.NewWriter(&one, recording.Header{Start: morning}, recording.Options{})
		var want error
		for i := 0; want == nil && i < len(events); i++ {
			want = w.Write(events[i].at, events[i].event)
		}
		w, _ = recording.NewWriter(&all, recording.Header{Start: morning}, recording.Options{})
		got := w.WriteAll(t.Context(), inTurn(events))
		if want == nil || got == nil || got.Error() != want.Error() || !bytes.Equal(one.Bytes(), all.Bytes()) {
			t.Errorf("fault at %d: %v, want %v; %d bytes, want %d", at, got, want, all.Len(), one.Len())
		}
	}
}

func TestWritingAllEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	events := many(t)
	w, err := recording.NewWriter(&bytes.Buffer{}, recording.Header{Start: morning}, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	err = w.WriteAll(ctx, func(yield func(time.Time, cluster.Event) bool) {
		for _, e := range events {
			if read++; read == 600 {
				cancel()
			}
			if !yield(e.at, e.event) {
				return
			}
		}
	})
	if !errors.Is(err, context.Canceled) || read > 1024 {
		t.Errorf("%v after %d events", err, read)
	}
}
