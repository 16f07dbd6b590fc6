package session_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/session"
)

func TestExpressionsSpeakOfTheCursor(t *testing.T) {
	s := afterCycle(t, rollout(), 1)
	beside := session.Beside{Did: []string{"next"}, Answer: "n1"}
	for text, want := range map[string]string{
		`value("pod.web-0.node")`:                      "n1",
		`value("pod.nobody.node")`:                     "none",
		`amount("node.n1.free.cpu") - 0.5`:             "2",
		`pod.name + " " + outcome`:                     "web-0 Scheduled",
		`branch + " " + phase`:                         "main End",
		`answer == "n1" && did.exists(d, d == "next")`: "true",
		`string(feasible) + " of " + string(nodes)`:    "2 of 2",
	} {
		e, err := session.ParseExpression(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := s.Evaluate(e, beside); got != want || err != nil {
			t.Errorf("%s is %q (%v), want %q", text, got, err, want)
		}
	}
}

func TestExpressionsThatMeanNothingAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`feasible ==`:               "at column",
		`value("pod.web-0.colour")`: "nothing that can be watched",
		`value(answer)`:             "needs a text in quotes",
		`amount("node.n1") > 1.0`:   "nothing that can be watched",
		`hits > 2`:                  "hits",
		`nobody == 1`:               "nobody",
	} {
		if _, err := session.ParseExpression(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestWhatCannotBeWorkedOutDoesNotHold(t *testing.T) {
	s := sessionOf(rollout())
	e, err := session.ParseExpression(`amount("node.gone.free.cpu") < 1.0`)
	if err != nil {
		t.Fatal(err)
	}
	if s.Holds(e, session.Beside{}) {
		t.Error("the amount of what is not there is small")
	}
	if _, err := s.Evaluate(e, session.Beside{}); err == nil {
		t.Error("it has a value")
	}
}

func TestExpressionsKnowWhichWordsTheyMention(t *testing.T) {
	e, err := session.ParseExpression(`value("node.answer.pods") == "1"`)
	if err != nil {
		t.Fatal(err)
	}
	if e.Mentions("answer") {
		t.Error("a name in quotes counts as a word")
	}
}

// TestExpressionsKnowTheWhatIfsThatHoldAtTheCursor makes two, takes one back, and goes before the other.
func TestExpressionsKnowTheWhatIfsThatHoldAtTheCursor(t *testing.T) {
	s := afterCycle(t, rollout(), 1)
	for _, e := range []session.Edit{session.Cordon("n2"), session.SetRequest("default/web-1", "cpu", "1", "")} {
		if _, _, err := s.Edit(e); err != nil {
			t.Fatal(err)
		}
	}
	says := func(text, want string) {
		t.Helper()
		e, err := session.ParseExpression(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Evaluate(e, session.Beside{}); got != want || err != nil {
			t.Errorf("%s is %q (%v), want %q", text, got, err, want)
		}
	}
	says("changes", "cordon n2 request default/web-1 cpu 1")
	says("touched", "node/n2 pod/default/web-1")
	says(`value("pod.web-1.requested.cpu")`, "1")
	if err := s.Drop(s.Frame().Branch); err != nil {
		t.Fatal(err)
	}
	says("changes", "cordon n2")
	says("touched", "node/n2")
	if _, _, err := s.Edit(session.Disable("NodeAffinity")); err != nil {
		t.Fatal(err)
	}
	says("touched", "node/n2 scheduler")
	for want, e := range map[string]session.Edit{
		"pod/default/web-1": session.Wake("default/web-1"),
		"node/n1 scheduler": session.Together("both", session.Cordon("n1"), session.SetWeight("NodeResourcesFit", 2)),
	} {
		for s.Frame().Branch != "main" {
			if err := s.Drop(s.Frame().Branch); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := s.Edit(e); err != nil {
			t.Fatal(err)
		}
		says("touched", want)
	}
	s.Goto(t.Context(), session.Position{}, nil)
	says("changes.size()", "0")
}
