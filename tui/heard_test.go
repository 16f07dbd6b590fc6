package tui_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/demo"
)

// TestWhatDataSaysIsUnderstood plays every scenario of the core and every demo, and translates all sentences in the
// data of their cycles into Chinese: facts, what plugins compared, what lint found. Only kube-scheduler's own messages
// and names stay English.
func TestWhatDataSaysIsUnderstood(t *testing.T) {
	files, err := filepath.Glob("../core/testdata/*.txt")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	left, played := map[string]string{}, 0
	for _, f := range files {
		file, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		in, err := input.ReadScenario(f, file)
		if err != nil {
			continue // it begins anew under another release: no single story
		}
		played++
		s := session.New(in.Play(config.Default(), in.Seed, trace.Reasoned), session.About{Title: f})
		heardIn(t, f, s, left)
	}
	if played < 100 {
		t.Errorf("only %d scenarios were played", played)
	}
	for _, d := range demo.All() {
		heardIn(t, d.Name, demoSession(t, d.Name), left)
	}
	for _, text := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("%s (%s)", text, left[text])
	}
}

// selects are the operators of selectors, which Kubernetes has words for.
var selects = regexp.MustCompile(`\b(?:In|NotIn) [^ ]+|\b(?:in|notin) \([^)]*\)`)

// heardIn adds what is left in English of a replay, with where.
func heardIn(t *testing.T, name string, s *session.Session, left map[string]string) {
	theirs := known{}
	see := func(said interface{ Phrase() phrase.Phrase }) {
		text := words.Language("zh").Render(said)
		for _, part := range sentence.FindAllString(selects.ReplaceAllString(text, ""), -1) {
			if !theirs.has(part) {
				left[text] = name + ": " + part
			}
		}
	}
	s.Goto(t.Context(), session.Position{}, nil)
	for {
		f := s.Frame()
		for _, fact := range f.Facts {
			theirs.messages(fact)
			see(fact)
			see(trace.Beside(fact))
		}
		if try := f.Try(); try != nil {
			eachVerdict(try, func(v trace.Verdict) {
				theirs.add(v.Message())
				for _, e := range v.Evidence {
					see(e.Subject())
					see(e.Want)
					see(e.Have)
					see(e.Used)
				}
			})
		}
		if f.AtEnd {
			break
		}
		s.Move(t.Context(), session.Out, session.Forward, nil)
	}
	for _, pod := range s.At().Names().Pods {
		if e, err := s.At().Explain(pod); err == nil {
			for _, found := range e.Lint {
				see(found.Says)
			}
		}
	}
}

// eachVerdict are those of plugins about the pod and its nodes.
func eachVerdict(try *trace.Try, see func(trace.Verdict)) {
	for _, pre := range try.PreFilters {
		see(pre.Verdict)
	}
	if try.Matrix != nil {
		for i := range try.Matrix.Nodes {
			for _, failure := range try.Matrix.OnNode(i) {
				see(failure.Verdict)
			}
		}
	}
	if try.Scores != nil {
		for _, c := range try.Scores.Columns {
			for _, why := range c.Why {
				see(trace.Verdict{Evidence: why})
			}
		}
	}
}

// messages takes kube-scheduler's messages from a fact.
func (k known) messages(fact trace.Fact) {
	if _, v, is := trace.AnswerIn(fact); is {
		k.add(v.Message())
	}
	switch f := fact.(type) {
	case trace.Moved:
		if f.Plugin != "" {
			k.add(f.Reason.String())
		}
	case trace.NominatedTried:
		k.add(f.Verdict.Message())
	case trace.KubeletRefused:
		k.add(f.Message)
	case trace.Recorded:
		k.add(f.Note)
	case trace.Ended:
		k.add(f.Message)
	case trace.MemberEnded:
		k.add(f.Message)
	case trace.MemberSettled:
		k.add(f.Message)
	case trace.PlacementEnded:
		k.add(f.Verdict.Message())
	case trace.EquivalenceStale:
		k.add(f.Kept.Message())
		k.add(f.Now.Message())
	case trace.BatchHint:
		k.add(f.Verdict.Message())
	case trace.BatchUnused:
		k.add(f.Verdict.Message())
	}
}
