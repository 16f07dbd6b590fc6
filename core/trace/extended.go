package trace

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Extended is one call of an extender: the request and its result.
type Extended struct {
	Point    Phase  // Filter, Score, PostFilter or Bind
	Call     string // "filter", "prioritize", "preempt" or "bind"
	Extender string // its URL prefix
	Asked    int    // nodes it was asked about, or candidates for preemption
	Passed   int    // filter and preempt: how many of them are left
	Rejected []NodeVerdict
	Failure  string // what went wrong, byte for byte kube-scheduler's; "" when nothing did
	Ignored  bool   // the failure changes nothing
}

// NodeVerdict is the verdict of an extender on a node.
type NodeVerdict struct {
	Node    string
	Verdict Verdict
}

// Phase is where the call was made.
func (f Extended) Phase() Phase { return f.Point }

// Phrase is the call in one line.
func (f Extended) Phrase() phrase.Phrase {
	failure := strings.Join(strings.Fields(f.Failure), " ")
	switch {
	case f.Failure != "" && f.Ignored:
		return phrase.New("extender %s %s failed: %s (ignored)", f.Extender, f.Call, failure)
	case f.Failure != "":
		return phrase.New("extender %s %s failed: %s", f.Extender, f.Call, failure)
	case f.Call == "bind":
		return phrase.New("extender %s %s: bound", f.Extender, f.Call)
	case f.Call == "prioritize":
		return phrase.New("extender %s %s: %d of %d nodes scored", f.Extender, f.Call, f.Passed, f.Asked)
	case f.Call == "preempt":
		return phrase.New("extender %s %s: %d of %d candidates left", f.Extender, f.Call, f.Passed, f.Asked)
	}
	said := []phrase.Phrase{phrase.New("extender %s %s: %d of %d nodes pass", f.Extender, f.Call, f.Passed, f.Asked)}
	const few = 8
	for i, r := range f.Rejected {
		if i == few {
			said = append(said, phrase.New("and %d more", len(f.Rejected)-few))
			break
		}
		said = append(said, phrase.New("%s %s", r.Node, strings.Join(strings.Fields(r.Verdict.String()), " ")))
	}
	return phrase.Join("; ", said...)
}

func (Extended) fact() {}

// ExtendedDocument is a call of an extender as the command line prints it.
type ExtendedDocument struct {
	Extender string                `json:"extender"`
	Call     string                `json:"call"`
	Asked    int                   `json:"asked"`
	Passed   int                   `json:"passed"`
	Rejected []NodeVerdictDocument `json:"rejected,omitempty"`
	Failure  string                `json:"failure,omitempty"`
	Ignored  bool                  `json:"ignored,omitempty"`
}

// NodeVerdictDocument is the verdict of an extender on a node.
type NodeVerdictDocument struct {
	Node    string   `json:"node"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

func extendedDocuments(calls []Extended) []ExtendedDocument {
	var out []ExtendedDocument
	for _, f := range calls {
		d := ExtendedDocument{
			Extender: f.Extender, Call: f.Call, Asked: f.Asked, Passed: f.Passed, Failure: f.Failure,
			Ignored: f.Ignored,
		}
		for _, r := range f.Rejected {
			d.Rejected = append(d.Rejected, NodeVerdictDocument{
				Node: r.Node, Code: r.Verdict.Code.String(), Reasons: r.Verdict.Reasons,
			})
		}
		out = append(out, d)
	}
	return out
}
