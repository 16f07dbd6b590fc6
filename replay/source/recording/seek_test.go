package recording_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/schedstep/schedstep/replay/source/recording"
)

func TestSeekGoesToAnyEventFromAnyOther(t *testing.T) {
	data := small(t)
	for name, r := range map[string]*recording.Reader{
		"compressed": open(t, data), "text": open(t, []byte(text(t, data))), "cut": open(t, data[:len(data)-5]),
	} {
		t.Run(name, func(t *testing.T) {
			for from := range 10 {
				for to := range 10 {
					seek(t, r, from)
					seek(t, r, to)
				}
			}
		})
	}
}

// seek goes to an event of small and reads it and the one after it.
func seek(t *testing.T, r *recording.Reader, number int) {
	t.Helper()
	if err := r.Seek(number); err != nil {
		t.Fatalf("Seek(%d): %v", number, err)
	}
	for want := number; want < number+2; want++ {
		e, err := r.Next()
		if want >= 9 {
			if !errors.Is(err, io.EOF) {
				t.Fatalf("after Seek(%d): event %d, %v; want EOF", number, e.Number, err)
			}
			continue
		}
		if err != nil || e.Number != want || e.Line != want+2 {
			t.Fatalf("after Seek(%d): event %d, line %d, %v; want event %d", number, e.Number, e.Line, err, want)
		}
	}
}

func TestProblemsCountOnceHoweverOftenALineIsRead(t *testing.T) {
	r := reader(t, `{"format":"schedstep.dev/recording","version":1}`,
		`{"t":"2026-11-20T10:00:00Z","a":"Add","k":"Widget","o":{}}`,
		`{"t":"2026-11-20T10:00:00Z","a":"Add","k":"Widget","o":{}}`)
	for range 3 {
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("Next: %v", err)
		}
		if err := r.Seek(0); err != nil {
			t.Fatal(err)
		}
	}
	if got := sentences(r); len(got) != 1 || got[0] != `line 2: unknown kind "Widget", left out, and 1 more like it` {
		t.Errorf("problems %q", got)
	}
}

func TestPipeIsReadForwardOnly(t *testing.T) {
	r, err := recording.NewReader(iotest.OneByteReader(bytes.NewReader(small(t))), "pipe")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, ok := r.Events(); ok {
		t.Error("a pipe tells its number of events")
	}
	seek(t, r, 3)
	seek(t, r, 6)
	if err := r.Seek(2); err == nil || !strings.Contains(err.Error(), "recording pipe: event 2 is behind") {
		t.Errorf("Seek(2): %v", err)
	}
	if err := r.Seek(-1); err == nil || err.Error() != "recording pipe: there is no event -1" {
		t.Errorf("Seek(-1): %v", err)
	}
}

func TestIndexThatLiesIsNotFollowed(t *testing.T) {
	data := small(t)
	for i := len(data) - 16; i < len(data)-8; i++ { // where the trailer holds the offset of the index
		for _, flip := range []byte{0x01, 0x80} {
			lying := bytes.Clone(data)
			lying[i] ^= flip
			r, err := recording.NewReader(bytes.NewReader(lying), "lying")
			if err != nil {
				t.Fatal(err)
			}
			seek(t, r, 7)
			seek(t, r, 2)
			r.Close()
		}
	}
}

func TestRecordingIsKnownByItsFirstBytes(t *testing.T) {
	data := small(t)
	for name, c := range map[string]struct {
		head []byte
		want bool
	}{
		"compressed":      {data, true},
		"its header":      {data[:400], true},
		"text":            {[]byte(text(t, data)), true},
		"newer":           {[]byte(`{"format":"schedstep.dev/recording","version":9}`), true},
		"empty":           {nil, false},
		"list":            {[]byte(`{"kind":"List","items":[]}`), false},
		"prose":           {[]byte(`about "schedstep.dev/recording"`), false},
		"compressed list": {packed(t, `{"kind":"List","items":[]}`), false},
		"zstd rubbish":    {[]byte{0x28, 0xB5, 0x2F, 0xFD, 1, 2, 3}, false},
	} {
		if got := recording.Is(c.head); got != c.want {
			t.Errorf("%s: Is = %v, want %v", name, got, c.want)
		}
	}
}
