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
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/input"
	"github.com/schedstep/schedstep/replay/session"
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
			s.script = append(s.script, replay.Timed{
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
	s := story.about(b, session.About{Title: "traffic", Version: "1.37", Write: func(_ io.Writer, saved, _ []byte) error {
		to, err := os.Create(file)
		if err != nil {
			return err
		}
		defer to.Close()
		return story.write(to, "traffic", saved, nil)
	}})
	s.GotoCycle(b.Context(), place, nil)
	if err := s.Save(io.Discard); err != nil {
		b.Fatal(err)
	}
	var read, gone time.Duration
	b.ResetTimer()
	for range b.N {
		before := b.Elapsed()
		from, err := os.Open(file)
		if err != nil {
			b.Fatal(err)
		}
		in, err := input.ReadRecording(file, from)
		_ = from.Close()
		if err != nil {
			b.Fatal(err)
		}
		read += b.Elapsed() - before
		again := session.New(
			in.Play(config.Default(), in.Seed, trace.Reported), session.About{Title: in.Title, Version: "1.37"},
		)
		before = b.Elapsed()
		if err := again.Restore(b.Context(), in.Session, nil); err != nil {
			b.Fatal(err)
		}
		if n := again.Frame().Number; n != place {
			b.Fatalf("opened at cycle %d", n)
		}
		gone += b.Elapsed() - before
	}
	b.ReportMetric(read.Seconds()/float64(b.N), "s-to-read")
	b.ReportMetric(gone.Seconds()/float64(b.N), "s-to-go-there")
}
