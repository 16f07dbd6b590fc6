package tui_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// crowded is a story of 100 nodes and so many pods, which come one every 20 ms. Eight for each node are there at a
// time: with the next one the oldest leaves.
func crowded(pods int) *story {
	const nodes, perNode = 100, 8
	s := &story{}
	for i := range nodes {
		s.add(0, node(fmt.Sprintf("n%02d", i), "8"))
	}
	all := make([]*corev1.Pod, pods)
	for i := range all {
		all[i] = pod(fmt.Sprintf("p%06d", i), "10m")
		at := time.Second + time.Duration(i)*20*time.Millisecond
		s.add(at, all[i])
		if gone := i - nodes*perNode; gone >= 0 {
			s.script = append(s.script, source.Timed{
				At: began.Add(at), Event: cluster.Event{Action: cluster.Delete, Object: all[gone]},
			})
		}
	}
	return s
}

// BenchmarkOpeningASavedSession opens a file that was saved at cycle 50,000 of 100,000, and makes the frame of that
// place. Beside the whole, the metrics are its two parts: reading the file, and going to the place.
func BenchmarkOpeningASavedSession(b *testing.B) {
	const cycles, place = 100_000, 50_000
	file := filepath.Join(b.TempDir(), "large.session")
	story := crowded(cycles)
	save := func(in *input.Input) *session.Session {
		return keyed(in, func(_ io.Writer, saved, keyframe []byte) error {
			to, err := os.Create(file)
			if err != nil {
				return err
			}
			defer to.Close()
			return story.write(to, "traffic", saved, keyframe)
		})
	}
	in := &input.Input{Replay: input.Replay{World: input.Simulated, Script: story.script, Start: began, Seed: 1}}
	s := save(in)
	s.GotoCycle(b.Context(), place, nil)
	if err := s.Save(io.Discard); err != nil {
		b.Fatal(err)
	}
	var read, gone time.Duration
	b.ResetTimer()
	for range b.N {
		before := b.Elapsed()
		in, err := input.Read(b.Context(), []string{file}, input.Options{Resumes: true})
		if err != nil {
			b.Fatal(err)
		}
		read += b.Elapsed() - before
		before = b.Elapsed()
		again := keyed(in, nil)
		if err := again.Restore(b.Context(), in.Session, nil); err != nil {
			b.Fatal(err)
		}
		if f := again.Frame(); f.Number != place || len(f.Notes) > 0 {
			b.Fatalf("opened at cycle %d: %v", f.Number, f.Notes)
		}
		gone += b.Elapsed() - before
	}
	b.ReportMetric(read.Seconds()/float64(b.N), "s-to-read")
	b.ReportMetric(gone.Seconds()/float64(b.N), "s-to-go-there")
}

// keyed is a session of an input that begins at the keyframe of the input, if it has one, and writes another.
func keyed(in *input.Input, write func(io.Writer, []byte, []byte) error) *session.Session {
	c := config.Default()
	return session.New(in.Play(c, in.Seed, trace.Reported), session.About{
		Title: in.Title, Version: "1.37", Write: write,
		Keyframes: &session.Keyframes{
			Saved: in.Keyframe, Basis: "this test", Redact: recording.NewRedactor().Redact,
			Told:   func() []byte { return in.Digest(c, "this test") },
			Resume: func(k *play.Keyframe) (*play.Player, error) { return in.PlayFrom(k, c, in.Seed, trace.Reported) },
		},
	})
}

// TestASavedSessionIsNotReadWholeToOpenIt opens a long saved session as the replay command does, looks at it, goes back
// over all of it and on to its end: everything is as in the session it was saved of.
func TestASavedSessionIsNotReadWholeToOpenIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "long.session")
	story := crowded(3000)
	in := &input.Input{Replay: input.Replay{World: input.Simulated, Script: story.script, Start: began, Seed: 1}}
	was := keyed(in, func(_ io.Writer, saved, keyframe []byte) error {
		to, err := os.Create(file)
		if err != nil {
			return err
		}
		defer to.Close()
		return story.write(to, "traffic", saved, keyframe)
	})
	was.GotoCycle(t.Context(), 2000, nil)
	if err := was.Save(io.Discard); err != nil {
		t.Fatal(err)
	}
	from, err := input.Read(t.Context(), []string{file}, input.Options{Resumes: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(from.Script) > 0 || from.Keyframe == nil {
		t.Fatalf("%d events were read to open the file", len(from.Script))
	}
	is := keyed(from, nil)
	if err := is.Restore(t.Context(), from.Session, nil); err != nil {
		t.Fatal(err)
	}
	for _, cycle := range []int64{2000, 2001, 1999, 5, 2990} {
		for _, s := range []*session.Session{was, is} {
			s.GotoCycle(t.Context(), cycle, nil)
		}
		a, b := was.Frame(), is.Frame()
		if fmt.Sprint(a.Now, a.Facts, a.Number, a.Nodes, a.Pods, a.At.Usage()) != fmt.Sprint(
			b.Now, b.Facts, b.Number, b.Nodes,
			b.Pods, b.At.Usage()) || len(b.Notes) > 0 {
			t.Fatalf("at cycle %d it is another: %v %v", cycle, b.Facts, b.Notes)
		}
	}
	if all := from.All(); len(all) != len(story.script) {
		t.Errorf("the file has %d events, and %d were read", len(story.script), len(all))
	}
}
