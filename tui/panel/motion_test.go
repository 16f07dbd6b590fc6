package panel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/panel"
)

func TestCursorStaysOnItsPodWhenThatGoesToAnotherQueue(t *testing.T) {
	s := rollout(t)
	p := &panel.Queue{}
	before := inside(t, s, "gpu-1", session.Out, 1)
	if !p.Find(before, "default/gpu-1") {
		t.Fatal("gpu-1 is in no queue")
	}
	p.Move(before, 1, 0)
	p.Move(before, -1, 0)
	failed := after(t, s, "gpu-1")
	if got := p.Selection(failed); got.Pod != "default/gpu-1" || got.Subject != view.OfPod {
		t.Errorf("selected %+v", got)
	}
	if p.Find(failed, "default/nobody") {
		t.Error("nobody was found")
	}
	p.MoveTo(failed, panel.First)
	if got := p.Selection(failed).Pod; got != "default/web-7" {
		t.Errorf("the first pod is %s", got)
	}
}

func TestPointingAtAHeadingSelectsNothing(t *testing.T) {
	s := rollout(t)
	f := after(t, s, "gpu-1")
	p := &panel.Queue{}
	shot(t, p, f, 42, 14)
	if p.Point(f, 2, 0) {
		t.Error("the heading of activeQ can be pointed at")
	}
	if !p.Point(f, 2, 6) || p.Selection(f).Pod != "default/batch-9" {
		t.Errorf("selected %+v", p.Selection(f))
	}
}

func TestEveryPlaceOnTheTimelineIsAStepToGoTo(t *testing.T) {
	s := rollout(t)
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	f := after(t, s, "big-0")
	p := &panel.Timeline{}
	here, ok := p.Target(f)
	if !ok || here != f.Position.Step {
		t.Errorf("the cursor begins at step %d, want %d", here, f.Position.Step)
	}
	picture := shot(t, p, f, 160, 4)
	for _, at := range []struct{ x, y, step int }{
		{2, 0, f.Timeline[0].Step},
		{140, 0, f.Timeline[len(f.Timeline)-1].Step},
		{2, 1, f.Timeline[0].Step},
		{13, 1, f.Timeline[1].Step},
	} {
		if !p.Point(f, at.x, at.y) {
			t.Errorf("nothing at %d, %d of\n%s", at.x, at.y, picture)
		}
		if step, _ := p.Target(f); step != at.step {
			t.Errorf("at %d, %d is step %d, want %d", at.x, at.y, step, at.step)
		}
		p.Home()
		shot(t, p, f, 160, 4)
	}
	p.MoveTo(f, panel.Last)
	p.Move(f, 0, 10)
	if step, _ := p.Target(f); step != f.Timeline[len(f.Timeline)-1].Step {
		t.Errorf("beyond the end is step %d", step)
	}
	p.Home()
	if step, _ := p.Target(f); step != here {
		t.Errorf("home is step %d", step)
	}
	if _, ok := (&panel.Timeline{}).Target(&session.Frame{}); ok {
		t.Error("an empty timeline has a step to go to")
	}
}

func TestTroubleIsSeenWhereManyMarksShareAColumn(t *testing.T) {
	f := &session.Frame{Whole: true, Cycles: 500}
	for i := range 500 {
		m := session.Mark{Step: i + 1, Cycle: int64(i + 1), Pod: "default/p", Outcome: trace.Scheduled}
		if i == 250 {
			m.Outcome = trace.SchedulerError
		}
		f.Timeline = append(f.Timeline, m)
	}
	if got := strings.Count(strings.Split(shot(t, &panel.Timeline{}, f, 60, 3), "\n")[1], "!"); got != 1 {
		t.Errorf("%d errors are seen, want 1", got)
	}
}

func TestFactsOfOnePhaseAreShownAlone(t *testing.T) {
	s := rollout(t)
	f := after(t, s, "web-7")
	p := &panel.Facts{}
	p.Only(trace.PhaseReserve, trace.PhaseBind)
	p.MoveTo(f, panel.First)
	if _, ok := f.Facts[p.Selection(f).Fact].(trace.Assumed); !ok {
		t.Errorf("the first fact is %s", f.Facts[p.Selection(f).Fact])
	}
	if got := shot(t, p, f, 80, 6); strings.Contains(got, "PreFilter") || !strings.Contains(got, "assumed on n3") ||
		!strings.Contains(got, fmt.Sprintf("3 of %d facts", len(f.Facts))) {
		t.Errorf("drawn:\n%s", got)
	}
}

func TestCursorOfFactsIsOnTheNewestUntilItIsMoved(t *testing.T) {
	s := rollout(t)
	p := &panel.Facts{}
	f := inside(t, s, "web-7", session.Over, 4)
	if got := p.Selection(f).Fact; got != len(f.Facts)-1 {
		t.Errorf("on fact %d of %d", got, len(f.Facts))
	}
	p.MoveTo(f, panel.First)
	s.Move(t.Context(), session.Over, session.Forward, nil)
	if got := p.Selection(s.Frame()).Fact; got != 0 {
		t.Errorf("moved to the first, and now on fact %d", got)
	}
	next := after(t, s, "web-8")
	if got := p.Selection(next).Fact; got != len(next.Facts)-1 {
		t.Errorf("in another step on fact %d of %d", got, len(next.Facts))
	}
}

func TestNewSelectionIsExplainedFromTheTop(t *testing.T) {
	s := rollout(t)
	f := after(t, s, "web-7")
	filters, p := panel.NewFilters(), &panel.Why{}
	filters.Find(f, "n2")
	p.Explain(filters.Selection(f))
	shot(t, p, f, 40, 5)
	p.MoveTo(f, panel.Last)
	if note := p.Note(f); !strings.HasPrefix(note, "lines ") || strings.HasPrefix(note, "lines 1 ") {
		t.Errorf("after scrolling: %q", note)
	}
	filters.Find(f, "n3")
	p.Explain(filters.Selection(f))
	if note := p.Note(f); !strings.HasPrefix(note, "lines 1 ") {
		t.Errorf("of another node: %q", note)
	}
}

func TestSelectionOfAnotherCycleExplainsTheCycleAtHand(t *testing.T) {
	s := rollout(t)
	f := after(t, s, "web-7")
	p := &panel.Why{}
	p.Explain(view.Selection{Subject: view.OfFilter, Node: "gone", Plugin: "NodeName", NodeIndex: 77, PluginIndex: 3})
	if got := shot(t, p, f, 80, 8); !strings.Contains(got, "In cycle 4, attempt 1") {
		t.Errorf("drawn:\n%s", got)
	}
}
