package session_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/session"
)

// TestAFlipWeightFlipsAndTheNextOneDoesNot sets the weights that the answer names, as a what-if before the cycle, and
// runs it.
func TestAFlipWeightFlipsAndTheNextOneDoesNot(t *testing.T) {
	flipped := 0
	law.Check(t, func(t *rapid.T) {
		text := ""
		for _, n := range []string{"n1", "n2", "n3"} {
			text += "node " + n + " cpu=" + rapid.SampledFrom([]string{"4", "8", "16"}).Draw(t, "cpu") + " memory=" +
				rapid.SampledFrom([]string{"8Gi", "16Gi", "64Gi"}).Draw(t, "memory") + "\n"
		}
		text += "pod web cpu=1 memory=" + rapid.SampledFrom([]string{"1Gi", "4Gi"}).Draw(t, "wanted") + "\n"
		s := withDeaf(t, text)
		for _, node := range []string{"n1", "n2", "n3"} {
			d, err := s.At().Against("web", node)
			if err != nil {
				t.Fatalf("%v", err)
			}
			for _, f := range d.Flips {
				flipped++
				if got := chosenAfter(t, text, f.Plugin, f.Weight); got != node {
					t.Fatalf("%s with weight %d: %s is chosen, not %s\n%s", f.Plugin, f.Weight, got, node, text)
				}
				if got := chosenAfter(t, text, f.Plugin, f.Not); got == node {
					t.Fatalf("%s with weight %d: %s is chosen already\n%s", f.Plugin, f.Not, node, text)
				}
			}
		}
	})
	law.Met(t, flipped >= 20, "only %d weights were told", flipped)
}

// TestThereIsNoRunnerUpBeforeTheScores puts the question in the middle of a cycle, and of one in which nothing will be
// scored.
func TestThereIsNoRunnerUpBeforeTheScores(t *testing.T) {
	for _, c := range []struct{ cpu, early, late string }{
		{"1", "cycle 1 of default/web is not over, and the scores are not worked out yet: that happens at Score", ""},
		{"9", "cycle 1 of default/web is not over", "cycle 1 of default/web had no runner-up: name a node"},
	} {
		s := withDeaf(t, "node n1 cpu=4\nnode n2 cpu=8\npod web cpu="+c.cpu+"\n")
		s.GotoCycle(t.Context(), 1, nil)
		s.Goto(t.Context(), session.Position{Step: s.Position().Step, Fact: 3}, nil)
		if _, err := s.At().Against("web", ""); err == nil || !strings.HasPrefix(err.Error(), c.early) {
			t.Errorf("cpu %s, at the start of the cycle: %v", c.cpu, err)
		}
		s.GotoCycle(t.Context(), 1, nil)
		_, err := s.At().Against("web", "")
		if c.late == "" && err != nil || c.late != "" && (err == nil || err.Error() != c.late) {
			t.Errorf("cpu %s, after the cycle: %v", c.cpu, err)
		}
	}
}

// chosenAfter is the node of the pod web when a weight is set before its cycle.
func chosenAfter(t *rapid.T, text, plugin string, weight int64) string {
	s := withDeaf(t, text)
	s.GotoCycle(t.Context(), 1, nil)
	s.Goto(t.Context(), session.Position{Step: s.Position().Step - 1, Fact: -1}, nil)
	if _, _, err := s.Edit(session.SetWeight(plugin, weight)); err != nil {
		t.Fatalf("%v", err)
	}
	s.GotoCycle(t.Context(), 1, nil)
	c := s.Frame().About()
	if c.Ended.Outcome != trace.Scheduled {
		t.Fatalf("%s", c.Ended.Message)
	}
	return c.Ended.Node
}
