package tui_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// catalogueNames are the words of every catalogue that could be names: English texts and translations without a space
// and without a blank.
func catalogueNames(t *testing.T, l words.Language) []string {
	t.Helper()
	texts, err := l.Translation()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for english, own := range texts {
		for _, name := range []string{english, own} {
			if name != "" && !strings.ContainsAny(name, " %\n:：") {
				names = append(names, name)
			}
		}
	}
	return names
}

// TestNamesStandUnchangedInEveryLanguage gives objects the names that are words of a catalogue, such as node, outside
// and none: what is rendered of them in that language has the name as it is.
func TestNamesStandUnchangedInEveryLanguage(t *testing.T) {
	for _, l := range words.Languages()[1:] {
		names := catalogueNames(t, l)
		if len(names) < 100 {
			t.Fatalf("%s: only %d words", l, len(names))
		}
		for _, name := range names {
			pod := trace.Entity{Type: trace.KindPod, Namespace: name, Name: name}
			verdict := trace.Verdict{Code: trace.Unschedulable, Reasons: []string{name}}
			for _, said := range []interface{ Phrase() phrase.Phrase }{
				trace.Selected{Node: name},
				trace.Nominated{Pod: pod.Key(), Node: name},
				trace.Moved{Entity: pod, To: "activeQ", Event: name},
				trace.Assumed{Pod: pod.Key(), Node: name},
				trace.Forgotten{Pod: pod.Key(), Node: name, Reason: "it was deleted"},
				trace.PreFiltered{Plugin: name, Verdict: verdict, Nodes: []string{name}},
				trace.NominatedTried{Node: name, Feasible: true},
				trace.MemberBegan{Pod: pod, Attempt: 1},
				trace.Diverged{Pod: pod.Key(), Ours: name, Theirs: name},
				trace.Text(name),
				trace.Wordsf("a toleration of %s", name),
				trace.Evidence{Topic: trace.OfLabel, What: phrase.Text(name)}.Subject(),
				trace.Evidence{Topic: trace.OfResource, What: phrase.Text(name)}.Subject(),
				trace.Evidence{What: phrase.Textf("claim %s", name)}.Subject(),
			} {
				if text := l.Render(said); !strings.Contains(text, name) {
					t.Errorf("%s: %q is not in %q (%T)", l, name, text, said)
				}
			}
		}
	}
}
