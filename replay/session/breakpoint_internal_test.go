package session

import (
	"testing"

	"github.com/schedstep/schedstep/core/trace"
)

// A plugin rejects wherever it answers; an answer that does not reject stops no move.
func TestABreakpointOnAPluginSeesEveryAnswer(t *testing.T) {
	rejects := trace.Verdict{Code: trace.Error, Reasons: []string{"it is broken"}}
	for _, test := range []struct {
		fact trace.Fact
		want bool
	}{
		{trace.PreFiltered{Plugin: "Picky", Verdict: rejects}, true},
		{trace.PostFiltered{Plugin: "Picky", Verdict: rejects}, true},
		{trace.PreScored{Plugin: "Picky", Verdict: rejects}, true},
		{trace.Ran{Plugin: "Picky", Verdict: rejects}, true},
		{trace.Generated{Plugin: "Picky", Verdict: rejects}, true},
		{trace.Feasible{Plugin: "Picky", Verdict: rejects}, true},
		{trace.Feasible{Plugin: "Picky", Verdict: trace.Verdict{Code: trace.Wait}}, false},
		{trace.Ran{Plugin: "Picky", Verdict: trace.Verdict{Code: trace.Wait}}, true},
		{trace.PreScored{Plugin: "Picky", Verdict: trace.Verdict{Code: trace.Skip}}, false},
		{trace.PreScored{Plugin: "Other", Verdict: rejects}, false},
	} {
		e := evidence{Breakpoint: Breakpoint{Plugin: "Picky"}}
		if e.see(test.fact); e.rejected != test.want {
			t.Errorf("%#v: %v", test.fact, e.rejected)
		}
	}
}
