package session_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// large is 5,000 nodes and a number of small pods.
func large(pods int) source.Script {
	script := make(source.Script, 0, 5000+pods)
	for i := range 5000 {
		script = append(script, added(0, node(fmt.Sprintf("n%04d", i), "8")))
	}
	for i := range pods {
		script = append(script, added(0, pod(fmt.Sprintf("p%05d", i), "10m")))
	}
	return script
}

// BenchmarkBack1000Cycles is a jump over a thousand cycles backwards at 5,000 nodes, with the frame drawn from it.
func BenchmarkBack1000Cycles(b *testing.B) {
	s := sessionOf(large(3000))
	ctx := context.Background()
	s.Move(ctx, session.Continue, session.Forward, nil)
	cycles := s.Frame().Cycles
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		s.GotoCycle(ctx, cycles-int64(i%37), nil)
		b.StartTimer()
		s.GotoCycle(ctx, cycles-int64(i%37)-1000, nil)
		s.Frame()
	}
}

// BenchmarkNext is one cycle forwards over known ground at 5,000 nodes, with its frame.
func BenchmarkNext(b *testing.B) {
	s := sessionOf(large(3000))
	ctx := context.Background()
	s.Move(ctx, session.Continue, session.Forward, nil)
	s.GotoCycle(ctx, 1, nil)
	b.ResetTimer()
	for i := range b.N {
		if i%2900 == 2899 {
			s.GotoCycle(ctx, 1, nil)
		}
		s.Move(ctx, session.Next, session.Forward, nil)
		s.Frame()
	}
}
