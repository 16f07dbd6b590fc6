package narrator_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/narrator"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

// open is a session at the start of a story.
func open(t *testing.T, story string) *session.Session {
	t.Helper()
	in, err := input.ReadScenario("story", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	return session.New(in.Play(config.Default(), 0, trace.Reported), session.About{Title: "test", Version: "1.37"})
}

// told is all of the narrator's output on the way to the end, step by step.
func told(s *session.Session, t *testing.T) string {
	var all strings.Builder
	for {
		all.WriteString(strings.Join(prose.Plain(narrator.Tell(s.Frame(), lesson.WordsIn(lesson.English))), "\n") + "\n\n")
		if s.Move(t.Context(), session.Over, session.Forward, nil).Reason != session.StoppedAtStep {
			return all.String()
		}
	}
}

func TestNarratorTellsTheNumbersOfTheCycle(t *testing.T) {
	all := told(open(t, "# Story.\n\nnode n1 cpu=2\nnode n2 cpu=4\nnode n3 cpu=1\npod web cpu=2\npod huge cpu=9\n"), t)
	for _, want := range []string{
		"Nothing has happened yet",
		"Cycle 1: default/web is popped from activeQ, attempt 1, priority 0. A snapshot of 3 nodes is taken.",
		"3 of 3 nodes were asked; 2 can take the pod.", "NodeResourcesFit was the first to reject 1.",
		"2 nodes have points; n2 has the most,", "n2 is chosen with", "default/web counts as if it were on n2",
		"DefaultBinder: Success", "schedule_one.go\nScheduler.findNodesThatPassFilters",
		"3 of 3 nodes were asked; 0 can take the pod.", "default/huge did not get a node.",
		"The cycle of default/huge ends: Unschedulable.",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody says %q in:\n%s", want, all)
		}
	}
}

func TestNarratorHasWordsForEveryPhase(t *testing.T) {
	words := lesson.WordsIn(lesson.English)
	for _, s := range narrator.Sources(narrator.Release) {
		if words.Say("why-"+strings.ToLower(s.Phase.String())) == "" {
			t.Errorf("%s says nothing", s.Phase)
		}
	}
	if n := len(narrator.Sources(narrator.Release)); n != int(trace.PhaseEnd)+1 {
		t.Errorf("%d phases have a source, and there are %d", n, trace.PhaseEnd+1)
	}
}

func TestNarratorNamesTheSourceOfTheReleaseThatIsPlayed(t *testing.T) {
	s := open(t, "# Story.\n\nnode n1\npod web\n")
	s.GotoPhase(t.Context(), trace.PhaseFilter, nil)
	for release, want := range map[string]string{
		"1.37": "In the source of kube-scheduler 1.37\npkg/scheduler/schedule_one.go\nScheduler.findNodesThatPassFilters",
		"1.36": "In the source of kube-scheduler 1.36\npkg/scheduler/schedule_one.go\nScheduler.findNodesThatPassFilters",
		"1.19": "1.19\npkg/scheduler/core/generic_scheduler.go\ngenericScheduler.findNodesThatPassFilters",
		"1.10": "1.10\npkg/scheduler/core/generic_scheduler.go\nfindNodesThatFit",
		"1.6":  "1.6\nplugin/pkg/scheduler/core/generic_scheduler.go\nfindNodesThatFit",
		"1.28": "", // it was not read
	} {
		f := *s.Frame()
		f.Version = release
		text := strings.Join(prose.Plain(narrator.Tell(&f, lesson.WordsIn(lesson.English))), "\n")
		if want == "" && strings.Contains(text, ".go") || !strings.Contains(text, want) {
			t.Errorf("%s: %s", release, text)
		}
	}
}
