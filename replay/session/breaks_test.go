package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
)

// breaks is a session with a breakpoint.
func breaks(t *testing.T, words string) *session.Session {
	t.Helper()
	b, err := session.ParseBreakpoint(strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	s := sessionOf(rollout())
	s.Break(b)
	return s
}

func TestABreakpointOnAPodStopsWhereItIsTried(t *testing.T) {
	s := breaks(t, "pod web-4")
	move(t, s, session.Continue, session.Forward)
	if f := s.Frame(); f.Cycle == nil || f.Cycle.Entity.Name != "web-4" {
		t.Fatalf("stopped in cycle %+v", f.Cycle)
	}
	for _, test := range []struct{ words, last string }{
		{"pod web-4 event Pod", "default/web-4 outside -> activeQ on UnscheduledPodAdd"},
		{"pod web-4 queue unschedulable", "cycle ends Unschedulable"},
		{"event NodeAdd node n3", "default/web-5 unschedulable -> activeQ on NodeAdd by NodeResourcesFit"},
		{"event Node node n3", "default/web-5 unschedulable -> activeQ on NodeAdd by NodeResourcesFit"},
	} {
		s := breaks(t, test.words)
		if stop := move(t, s, session.Continue, session.Forward); stop.Reason != session.StoppedAtBreakpoint {
			t.Fatal(stop)
		}
		f := s.Frame()
		if got := f.Facts[len(f.Facts)-1].String(); !strings.HasPrefix(got, test.last) {
			t.Errorf("%s stops behind %q", test.words, got)
		}
	}
}

func TestNextStopsAtABreakpointOnTheWay(t *testing.T) {
	s := breaks(t, "event Node node n3")
	for range 6 {
		move(t, s, session.Next, session.Forward)
	}
	stop := move(t, s, session.Next, session.Forward)
	if stop.Reason != session.StoppedAtBreakpoint || s.Frame().Cycle != nil || s.Frame().Number != 6 {
		t.Fatalf("%+v in cycle %d", stop, s.Frame().Number)
	}
	if got := s.Frame().Breaks[0].Hits; got != 1 {
		t.Errorf("hit %d times", got)
	}
}

func TestAConditionDecidesWhetherABreakpointStops(t *testing.T) {
	for _, test := range []struct{ words, pod string }{
		{"if feasible == 0", "web-4"},
		{"pod web-* if pod.name == 'web-2' && feasible == 2", "web-2"},
		{"pod web-* if hits == 4", "web-3"},
		{"outcome Unschedulable if 'NodeResourcesFit' in plugins && hits % 2 == 0", "web-5"},
	} {
		s := breaks(t, test.words)
		if stop := move(t, s, session.Continue, session.Forward); stop.Reason != session.StoppedAtBreakpoint {
			t.Fatalf("%s: %+v", test.words, stop)
		}
		if got := s.Frame().Cycle.Entity.Name; got != test.pod {
			t.Errorf("%s stops at %s, not %s", test.words, got, test.pod)
		}
	}
	for text, want := range map[string]string{
		"feasibles == 0":   "undeclared reference to 'feasibles'",
		"pod.prority > 1":  "no such key: prority",
		"feasible":         "is int, not true or false",
		"feasible ==":      "at column 12",
		"message.size() >": "cond:",
	} {
		if _, err := session.ParseBreakpoint(strings.Fields("if " + text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestATraceTellsAndGoesOn(t *testing.T) {
	s := sessionOf(rollout())
	b, err := session.ParseBreakpoint([]string{"outcome", "Unschedulable"})
	if err != nil {
		t.Fatal(err)
	}
	b.Trace = true
	s.Break(b)
	stop := move(t, s, session.Continue, session.Forward)
	if stop.Reason != session.StoppedAtEnd || len(stop.Traced) != 2 ||
		!strings.Contains(stop.Traced[0].String(), "of default/web-4: Unschedulable") {
		t.Fatalf("%+v", stop)
	}
	if got := s.Frame().Breaks[0].Hits; got != 2 {
		t.Errorf("it was hit %d times", got)
	}
}

func TestAWatchStopsWhenABeliefChanges(t *testing.T) {
	s := sessionOf(rollout())
	s.GotoCycle(context.Background(), 1, nil)
	_, now, err := s.Watch("node.n1.requested.cpu")
	if err != nil || now != "1500m" {
		t.Fatalf("now %s, %v", now, err)
	}
	stop := move(t, s, session.Continue, session.Forward)
	if want := "breakpoint 1: watch node.n1.requested.cpu: 1500m -> 3"; stop.Text.String() != want {
		t.Fatalf("%+v, want %s", stop, want)
	}
	there := s.Position()
	move(t, s, session.Continue, session.Forward)
	if stop = move(t, s, session.Continue, session.Backward); s.Position() != there {
		t.Errorf("backwards it stops at %v (%+v), not %v", s.Position(), stop, there)
	}
	for _, known := range []string{
		"pod.web-0.queue", "pod.default/web-0.node", "node.n1.free.memory", "node.n1.label.kubernetes.io/hostname",
		"domain.a.count", "queue.active",
	} {
		if _, _, err := s.Watch(known); err != nil {
			t.Errorf("%s: %v", known, err)
		}
	}
	for _, unknown := range []string{"node.n1", "node.n1.requested", "pod.web-0.colour", "queue.long", "weather", ""} {
		if _, _, err := s.Watch(unknown); err == nil {
			t.Errorf("%q can be watched", unknown)
		}
	}
}

func TestAPositionIsRememberedAndReturnedTo(t *testing.T) {
	s := sessionOf(rollout())
	s.GotoCycle(context.Background(), 2, nil)
	here := s.Position()
	made := s.Bookmark("before the trouble")
	if _, _, err := s.Edit(session.Cordon("n1")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restart(context.Background(), made.ID, nil); err != nil || s.Position() != here ||
		s.Frame().Branch != "main" {
		t.Errorf("restart leads to %v on %s (%v)", s.Position(), s.Frame().Branch, err)
	}
	if err := s.Forget(made.ID); err != nil || len(s.Frame().Bookmarks) != 0 {
		t.Errorf("forget: %v", err)
	}
	if _, err := s.Restart(context.Background(), made.ID, nil); err == nil {
		t.Error("a bookmark that was removed is returned to")
	}
}
