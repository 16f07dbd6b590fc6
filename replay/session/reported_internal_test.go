package session

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
)

func TestWhatIsReportedOfAPodIsWhatItsLastCycleSaid(t *testing.T) {
	seen := map[bool]int{}
	law.Check(t, func(t *rapid.T) {
		s := New(begun(t, story(t, rapid.IntRange(6, 16).Draw(t, "lines")), new(int)), About{})
		for range rapid.IntRange(10, 60).Draw(t, "moves") {
			stride := rapid.SampledFrom([]Stride{Over, Over, Into, Out}).Draw(t, "stride")
			s.Move(t.Context(), stride, Forward, nil)
		}
		for _, pod := range s.At().Names().Pods {
			e, err := s.At().Explain(pod)
			if err != nil {
				t.Fatal(err)
			}
			note, is := s.At().Reported(pod)
			rejected := e.Cycle != nil && !e.Asked && e.Cycle.Ended != nil && e.Cycle.Ended.Outcome != trace.Scheduled
			between := s.before == nil || s.at.Fact >= len(s.facts) // in the middle of a cycle it may follow yet
			if is && note != e.Says || between && is != rejected {
				t.Fatalf("%s: %q %v, explained: %q %v", pod, note, is, e.Says, rejected)
			}
			seen[is]++
		}
	})
	law.Met(t, seen[true] >= 20 && seen[false] >= 20, "too little was met: %v", seen)
}
