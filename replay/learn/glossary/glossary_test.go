package glossary_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/learn/glossary"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/narrator"
)

func TestNarratorAndGlossaryNameTheSamePlaces(t *testing.T) {
	g := glossary.In(lesson.English)
	newest := g.Releases[len(g.Releases)-1]
	if newest.Name != narrator.Release {
		t.Fatalf("the glossary ends with %s, the narrator tells of %s", newest.Name, narrator.Release)
	}
	for _, s := range narrator.Sources(narrator.Release) {
		want := s.File + " " + s.Function
		found := false
		for _, e := range g.Entries {
			found = found || e.Phase == s.Phase.String() && e.Places[len(g.Releases)-1] == want
		}
		if !found {
			t.Errorf("%s: the glossary does not have %s", s.Phase, want)
		}
	}
}

func TestEveryEntryHasWordsInEveryLanguage(t *testing.T) {
	for _, language := range lesson.Languages() {
		for _, missing := range glossary.In(language).Missing() {
			t.Errorf("words/%s.yaml has no words for %q", language, missing)
		}
	}
	known := strings.Join(glossary.In(lesson.English).Lines(""), "\n")
	for _, e := range glossary.In(lesson.English).Entries {
		if place := e.Places[len(e.Places)-1]; !strings.Contains(known, place) {
			t.Errorf("%s is not told", e.Name)
		}
	}
}

func TestTheNameOfAStepMeansThatStep(t *testing.T) {
	g := glossary.In(lesson.English)
	if all, step := g.Lines("nd"), g.Lines("end"); len(step) == 0 || len(step) >= len(all) {
		t.Errorf("%d lines have nd, and %d are about End", len(all), len(step))
	}
	for _, line := range g.Lines("Filter") {
		if strings.Contains(line, "preemption") {
			t.Errorf("PostFilter is taken for Filter: %s", line)
		}
	}
}
