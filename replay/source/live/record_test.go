package live_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/live"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// hashes are the hashes of all cycles of a player that runs to the end of what is known.
func hashes(t *testing.T, p *play.Player) []string {
	t.Helper()
	p.Keep(trace.Full)
	var chain trace.Printer
	var all []string
	for {
		step, ok := p.Step()
		if !ok {
			return all
		}
		c, is := trace.Fold(step.Facts)
		if step.Kind != play.Tried || !is {
			continue
		}
		document, err := chain.Print(c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %s %s", document.Entity.Name, document.Node, document.Hash))
	}
}

// story happens to a cluster: pods come, its own scheduler places some of them, one goes.
func story(s *apiserver.Server) {
	for i := range 8 {
		s.Put(apiserver.Pod(fmt.Sprintf("web-%d", i), ""))
		if i%2 == 0 {
			s.Put(apiserver.Pod(fmt.Sprintf("web-%d", i), fmt.Sprintf("n%d", 1+i/4)))
		}
	}
	s.Remove(apiserver.Pod("web-0", "n1"))
}

func TestAReplayOfARecordingIsWhatWasFollowed(t *testing.T) {
	s := apiserver.New(t)
	for _, o := range []cluster.Object{apiserver.Node("n1"), apiserver.Node("n2"), apiserver.Pod("early", "")} {
		s.Put(o)
	}
	f := follow(t, s)
	player := input.FromLog("live", f.Opened(), f.Log(), f.Opening(), nil).Play(config.Default(), 0, trace.Full)
	followed := hashes(t, player) // what can be done before the rest is there
	var file bytes.Buffer
	h := recording.Header{Start: f.Opened(), World: recording.Recorded}
	w, err := recording.NewWriter(&file, h, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	story(s)
	events(t, f, 3+13)
	f.Stop()
	for _, e := range f.Log().From(0) {
		if err := w.Write(e.At, e.Event); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := input.ReadRecording("file", &file)
	if err != nil {
		t.Fatal(err)
	}
	again := hashes(t, in.Play(config.Default(), 0, trace.Full))
	whole := input.FromLog("live", f.Opened(), f.Log(), f.Opening(), nil).Play(config.Default(), 0, trace.Full)
	if fmt.Sprint(again) != fmt.Sprint(hashes(t, whole)) || len(again) < 5 {
		t.Errorf("the recording leads to\n%v, the log to another end", again)
	}
	for i, h := range followed {
		if again[i] != h {
			t.Errorf("cycle %d: %s while it was followed, %s later", i+1, h, again[i])
		}
	}
}

// record begins a recording of a feed.
func record(t *testing.T, f *live.Feed, to io.Writer) *recording.Writer {
	t.Helper()
	w, err := recording.NewWriter(to, recording.Header{Start: f.Opened()}, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestARecordingHoldsWhatTheFeedBrought(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	f := follow(t, s)
	var file bytes.Buffer
	w := record(t, f, &file)
	story(s)
	events(t, f, 1+13)
	f.Stop()
	if err := f.Record(context.Background(), w, live.RecordOptions{}); err != nil {
		t.Fatal(err)
	}
	in, err := input.ReadRecording("file", &file)
	if err != nil {
		t.Fatal(err)
	}
	last := in.Script[len(in.Script)-1].Event
	if len(in.Script) != 14 || last.Action != cluster.Delete || last.Object.(*corev1.Pod).Name != "web-0" {
		t.Errorf("%d events, the last is %s", len(in.Script), last)
	}
}

func TestARecordingEndsAtItsSize(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	f := follow(t, s)
	var file bytes.Buffer
	w := record(t, f, &file)
	if err := f.Record(t.Context(), w, live.RecordOptions{MostBytes: 1}); err != nil || w.Bytes() == 0 {
		t.Errorf("%v after %d bytes", err, w.Bytes())
	}
}

// A recording in parts: the second begins with what is there by then, and is a recording of its own.
func TestAPartOfARecordingBeginsWithWhatIsThere(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	f := follow(t, s)
	story(s)
	events(t, f, 1+13)
	f.Stop()
	all := f.Log().From(0)
	last := all[len(all)-1].At.Sub(f.Opened())
	var files [2]bytes.Buffer
	begun := 0
	next := func(from time.Time) (*recording.Writer, error) {
		begun++
		return recording.NewWriter(&files[begun], recording.Header{Start: from}, recording.Options{})
	}
	w := record(t, f, &files[0])
	if err := f.Record(context.Background(), w, live.RecordOptions{Part: last, Next: next}); err != nil || begun != 1 {
		t.Fatalf("%v after %d parts more", err, begun)
	}
	in, err := input.ReadRecording("second", &files[1])
	if err != nil {
		t.Fatal(err)
	}
	placed, opening := 0, 0
	for _, e := range in.Script {
		if e.Event.Action == cluster.Add && e.At.Equal(in.Start) {
			opening++
		}
		if p, is := e.Event.Object.(*corev1.Pod); is && p.Spec.NodeName != "" && e.Event.Action == cluster.Add {
			placed++
		}
	}
	if opening != 9 || placed != 4 {
		t.Errorf("it begins with %d objects, of which %d are pods with a node; want the node and eight pods, four of them "+
			"with a node", opening, placed)
	}
	if e := in.Script[len(in.Script)-1].Event; e.Action != cluster.Delete || len(in.Script) != opening+1 {
		t.Errorf("after that come %d events, the last is %s", len(in.Script)-opening, e)
	}
}
