package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// traffic is a log that grows: nodes, and then small pods that come, one each 20 ms, and go again, so that as many are
// there as the nodes have room for.
type traffic struct {
	log   *source.Log
	nodes int
	pods  int // that came
}

// newTraffic begins with the nodes alone.
func newTraffic(nodes int) *traffic {
	t := &traffic{log: source.NewLog(), nodes: nodes}
	for i := range nodes {
		t.log.Append(added(0, node(fmt.Sprintf("n%04d", i), "8")))
	}
	return t
}

// session is at the start of the log.
func (t *traffic) session(b testing.TB, breakpoint ...string) *session.Session {
	c := config.Default()
	s := session.New(play.NewPlayer(core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start,
	}), play.NewSimulated(), t.log), session.About{Title: "traffic", Version: "1.37"})
	if len(breakpoint) > 0 {
		at, err := session.ParseBreakpoint(breakpoint)
		if err != nil {
			b.Fatal(err)
		}
		s.Break(at)
	}
	return s
}

// more appends pods, each of which is one cycle.
func (t *traffic) more(pods int) {
	const perNode = 8
	at := time.Second
	for range pods {
		at = time.Second + time.Duration(t.pods)*20*time.Millisecond
		t.log.Append(added(at, pod(fmt.Sprintf("p%06d", t.pods), "10m")))
		if gone := t.pods - perNode*t.nodes; gone >= 0 {
			leaves := added(at, pod(fmt.Sprintf("p%06d", gone), "10m"))
			leaves.Event.Action = cluster.Delete
			t.log.Append(leaves)
		}
		t.pods++
	}
	t.log.Reach(start.Add(at + time.Millisecond))
}

// BenchmarkContinueWithACondition continues over 100,000 cycles twice, in turns of 1,000: without a breakpoint, and
// with one whose CEL condition is evaluated after each cycle and never holds. The metric is how much longer the second
// one took.
func BenchmarkContinueWithACondition(b *testing.B) {
	for _, nodes := range []int{100} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			var took [2]time.Duration
			for range b.N {
				b.StopTimer()
				sides := [2]*traffic{newTraffic(nodes), newTraffic(nodes)}
				sessions := [2]*session.Session{
					sides[0].session(b), sides[1].session(b, "if", "feasible", "==", "0", "&&", "pod.priority", ">", "1000"),
				}
				for turn := range 100 {
					for k := range sides {
						k = (k + turn) % 2
						sides[k].more(1000)
						before := b.Elapsed()
						b.StartTimer()
						stop := sessions[k].Move(context.Background(), session.Continue, session.Forward, nil)
						b.StopTimer()
						took[k] += b.Elapsed() - before
						if stop.Reason != session.StoppedAtLogEnd {
							b.Fatal(stop.Text)
						}
					}
				}
				for _, s := range sessions {
					if n := s.Frame().Cycles; n != 100_000 {
						b.Fatalf("%d cycles", n)
					}
				}
			}
			b.ReportMetric(100*(float64(took[1])/float64(took[0])-1), "%more")
			b.ReportMetric(float64(took[0].Microseconds())/float64(b.N)/100_000, "µs/cycle")
		})
	}
}

// BenchmarkReverseContinue goes back over 10,000 cycles to the breakpoint that was hit before them.
func BenchmarkReverseContinue(b *testing.B) {
	for _, nodes := range []int{100, 1000} {
		for name, words := range map[string][]string{
			"pod": {"pod", "p000500"}, "condition": {"if", "pod.name", "==", "'p000500'"},
			"message": {"if", "message.contains('/p000500 ')"}, "hits": {"if", "hits > 0 && pod.name == 'p000500'"},
			"all": {"if", "message.contains('/p000500 ') || victims > 0 || 'NodeName' in plugins"},
		} {
			b.Run(fmt.Sprintf("nodes=%d/%s", nodes, name), func(b *testing.B) {
				t := newTraffic(nodes)
				t.more(10_501)
				s := t.session(b, words...)
				for range 2 {
					s.Move(context.Background(), session.Continue, session.Forward, nil)
				}
				end := s.Position()
				if n := s.Frame().Cycles; n != 10_501 {
					b.Fatalf("%d cycles", n)
				}
				b.ResetTimer()
				for range b.N {
					stop := s.Move(context.Background(), session.Continue, session.Backward, nil)
					b.StopTimer()
					if n := s.Frame().Number; stop.Reason != session.StoppedAtBreakpoint || n != 501 {
						b.Fatalf("cycle %d: %s", n, stop.Text)
					}
					s.Goto(context.Background(), end, nil)
					b.StartTimer()
				}
			})
		}
	}
}
