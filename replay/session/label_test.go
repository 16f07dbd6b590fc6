package session_test

import (
	"testing"

	"github.com/schedstep/schedstep/replay/session"
)

func TestABreakpointStopsAtPodsWithLabels(t *testing.T) {
	s := withDeaf(t, "node n1 cpu=8\npod a labels=app=web,tier=front\npod b labels=app=db\npod c labels=app=web,tier=batch\n"+
		"pod d labels=app=web\n")
	s.Goto(t.Context(), session.Position{}, nil)
	b, err := session.ParseBreakpoint([]string{"label", "app=web,tier!=batch"})
	if err != nil {
		t.Fatal(err)
	}
	s.Break(b)
	var stopped []string
	for stop := s.Move(t.Context(), session.Continue, session.Forward, nil); stop.Reason == session.StoppedAtBreakpoint; {
		stopped = append(stopped, s.Frame().About().Entity.Name)
		stop = s.Move(t.Context(), session.Continue, session.Forward, nil)
	}
	if len(stopped) != 2 || stopped[0] != "a" || stopped[1] != "d" {
		t.Errorf("stopped at %v", stopped)
	}
	if _, err := session.ParseBreakpoint([]string{"label", "app=(web"}); err == nil {
		t.Error("a selector that cannot be read is taken")
	}
}
