package build

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Text is a verdict, with each piece of its evidence in brackets.
func Text(v trace.Verdict) string {
	text := v.String()
	for _, e := range v.Evidence {
		text += " [" + e.String() + "]"
	}
	return text
}

// Texts are the pieces of evidence, one by one.
func Texts(evidence []trace.Evidence) []string {
	var texts []string
	for _, e := range evidence {
		texts = append(texts, e.String())
	}
	return texts
}

// TextOfNodes is the result of a study as text: a line for each node of the snapshot, or the study's own verdict where
// that ends the matter.
func TextOfNodes(study framework.Study, snapshot *cluster.Snapshot) string {
	if study.Check == nil {
		return Text(study.Verdict)
	}
	var lines []string
	for _, n := range snapshot.Nodes {
		lines = append(lines, n.Name+" "+Text(study.Check.Filter(n)))
	}
	return strings.Join(lines, "\n")
}

// Codes is the code of a check for each node, by name.
func Codes(check framework.Check, snapshot *cluster.Snapshot) map[string]trace.Code {
	codes := map[string]trace.Code{}
	for _, n := range snapshot.Nodes {
		codes[n.Name] = check.Filter(n).Code
	}
	return codes
}

// WantVerdict fails the test unless a verdict and its evidence have these texts.
func WantVerdict(t *testing.T, got trace.Verdict, verdict string, evidence []string) {
	t.Helper()
	if got.String() != verdict {
		t.Errorf("got %s, want %s", got, verdict)
	}
	if diff := cmp.Diff(evidence, Texts(got.Evidence)); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

// HintFor is the hint about one kind of resource, and fails the test where there is none.
func HintFor(t *testing.T, hints []queue.Hint, resource cluster.Resource) queue.Hint {
	t.Helper()
	for _, h := range hints {
		if h.Event.Resource == resource {
			return h
		}
	}
	t.Fatalf("no hint for %s", resource)
	return queue.Hint{}
}
