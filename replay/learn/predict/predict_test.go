package predict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/predict"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

type failer interface {
	Helper()
	Fatal(args ...any)
}

// open is a session at the start of a story.
func open(t failer, story string) *session.Session {
	t.Helper()
	in, err := input.ReadScenario("story", strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	return session.New(in.Play(config.Default(), 0, trace.Reported), session.About{Title: "test", Version: "1.37"})
}

// anyStory is a few nodes and pods of all sorts, some of them too large, tainted or urgent.
func anyStory(t *rapid.T) string {
	story := "# Story.\n\n"
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		story += fmt.Sprintf("node n%d cpu=%d%s\n", i, rapid.IntRange(1, 4).Draw(t, "cpu"),
			rapid.SampledFrom([]string{"", "", " taint=a=b:NoSchedule", " unschedulable"}).Draw(t, "trouble"))
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "pods") {
		story += fmt.Sprintf("pod p%d cpu=%dm priority=%d%s\n", i, rapid.IntRange(1, 9).Draw(t, "request")*500,
			rapid.IntRange(0, 3).Draw(t, "priority"),
			rapid.SampledFrom([]string{"", "", " host-port=80", " claim=gone", " toleration=a=b:NoSchedule"}).Draw(t, "wish"))
	}
	return story
}

// read is the result of a cycle from its facts, each part by another fact than the game reads.
func read(pod string, facts []trace.Fact) predict.Guess {
	g := predict.Guess{Queue: predict.Bound}
	for _, fact := range facts {
		switch f := fact.(type) {
		case trace.Selected:
			g.Node = f.Node
		case trace.Filtered:
			for _, i := range f.Matrix.Visited {
				if f.Matrix.First[i] >= 0 {
					g.Out = append(g.Out, f.Matrix.Nodes[i])
				}
			}
		case trace.Recorded:
			if f.Reason == "Preempted" {
				g.Evict = append(g.Evict, f.Pod)
			}
		case trace.Moved:
			if f.Entity.Key() == pod {
				g.Queue = string(f.To)
			}
		}
	}
	if g.Node != "" {
		g.Queue = predict.Bound
	}
	slices.Sort(g.Out)
	slices.Sort(g.Evict)
	return g
}

func TestAPlayerWhoReadsTheFactsIsNeverWrong(t *testing.T) {
	law.CheckCostly(t, func(t *rapid.T) {
		story := anyStory(t)
		s, other := open(t, story), open(t, story)
		game, wrong := predict.New(lesson.WordsIn(lesson.English)), predict.New(lesson.WordsIn(lesson.English))
		for {
			game.Deal(t.Context(), s)
			wrong.Deal(t.Context(), other)
			f := s.Frame()
			if f.Cycle == nil || f.Cycle.Ended != nil {
				break
			}
			reader := open(t, story)
			reader.GotoCycle(t.Context(), f.Cycle.Number, nil)
			guess := read(f.Cycle.Entity.Key(), reader.Frame().Facts)
			said, err := game.Guess(t.Context(), s, guess)
			if err != nil {
				t.Fatal(err)
			}
			if points, of := game.Score(); points != of {
				t.Fatalf("%d of %d points for %+v in\n%s\n%s", points, of, guess, story, strings.Join(said, "\n"))
			}
			guess.Node = "another"
			if _, err := wrong.Guess(t.Context(), other, guess); err != nil {
				t.Fatal(err)
			}
			if points, of := wrong.Score(); points*10 != of*7 {
				t.Fatalf("whoever is wrong about the node alone has %d of %d points", points, of)
			}
		}
	})
}

func TestWhatWasLookedAtGivesNoPoints(t *testing.T) {
	s := open(t, "# Story.\n\nnode n1\npod web\n")
	game := predict.New(lesson.WordsIn(lesson.English))
	game.Deal(t.Context(), s)
	s.Move(t.Context(), session.Next, session.Forward, nil)
	game.See(s.Frame())
	s.GotoPhase(t.Context(), trace.PhasePop, nil)
	if _, err := game.Guess(t.Context(), s, predict.Guess{Node: "n1", Queue: predict.Bound}); err == nil || game.Open() {
		t.Error("a cycle that was looked at is guessed")
	}
}

func TestGuessesAreReadStrictly(t *testing.T) {
	g, err := predict.ParseGuess(strings.Fields("none out n2,n1,n2 evict b,kube-system/a"))
	if err != nil || g.Node != "" || g.Queue != "unschedulable" || !slices.Equal(g.Out, []string{"n1", "n2"}) ||
		!slices.Equal(g.Evict, []string{"default/b", "kube-system/a"}) {
		t.Errorf("%+v %v", g, err)
	}
	for _, text := range []string{"", "n1 out", "n1 victims x"} {
		if _, err := predict.ParseGuess(strings.Fields(text)); err == nil {
			t.Errorf("%q is taken for a guess", text)
		}
	}
}

// The question must name what keeps pods off a node.
func TestAQuestionSaysWhatKeepsPodsOffANode(t *testing.T) {
	s := open(t, "# Story.\n\nnode n1 cpu=4 unschedulable\nnode n2 cpu=2 taint=a=b:NoSchedule\npod p cpu=1\n")
	question := strings.Join(predict.New(lesson.WordsIn(lesson.English)).Deal(t.Context(), s), "\n")
	for _, want := range []string{"n1 has free: 4 cpu", "; cordoned", "; taints: a=b:NoSchedule", "asks for cpu 1"} {
		if !strings.Contains(question, want) {
			t.Errorf("%q is not in:\n%s", want, question)
		}
	}
}
