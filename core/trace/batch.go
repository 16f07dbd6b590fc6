package trace

import (
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Batch is what a cycle had to do with the scores of an earlier one (OpportunisticBatching).
type Batch struct {
	Hint   *BatchHint   // nil: there was none
	Unused *BatchUnused // nil: there were no scores that could not be used
	Kept   *BatchKept   // nil: no scores were kept
}

// BatchHint is a node that comes next in the scores of an earlier cycle, tried before all others.
type BatchHint struct {
	Cycle    int64  // whose scores they are
	Node     string // the hint
	Left     int    // how many nodes come after it
	Rescored string // the node chosen last, which is still feasible and got new scores; "" when it is not
	Feasible bool
	Plugin   string // why not, when it is not
	Verdict  Verdict
}

func (BatchHint) Phase() Phase { return PhaseFilter }
func (f BatchHint) Phrase() phrase.Phrase {
	said := []phrase.Phrase{
		phrase.New("reused from cycle %d: %s comes next, %d others follow", f.Cycle, f.Node, f.Left),
	}
	if f.Rescored != "" {
		said = append(said, phrase.New("%s still fits and was scored again", f.Rescored))
	}
	if f.Feasible {
		return phrase.Join("; ", append(said, phrase.New("it fits, no other is tried"))...)
	}
	return phrase.Join("; ", append(said, phrase.New("it does not fit: %s %s", f.Plugin, f.Verdict.String()))...)
}

// BatchUnused is the scores of an earlier cycle being of no use, and why.
type BatchUnused struct {
	Cycle   int64 // whose scores they are
	Reason  BatchReason
	Age     time.Duration // with BatchExpired
	Node    string        // with BatchNodeMissing and BatchNominated
	Differs []string      // with BatchIncompatible: the parts of the signature that are others
	Plugin  string        // that could not sign the pod, or failed
	Verdict Verdict       // what it said
}

// BatchReason is why scores are not used, by the label of kube-scheduler's metric batch_cache_flushed.
type BatchReason string

// The reasons.
const (
	BatchPodSkipped    BatchReason = "pod_skipped"   // the cycle before this one placed no pod of the profile
	BatchNominated     BatchReason = "pod_nominated" // the pod is nominated to a node
	BatchIncompatible  BatchReason = "pod_incompatible"
	BatchNotBatchable  BatchReason = "pod_not_batchable" // a plugin does not sign the pod
	BatchExpired       BatchReason = "expired"
	BatchNodeMissing   BatchReason = "node_missing"
	BatchFilterError   BatchReason = "filter_error"
	BatchNotFull       BatchReason = "node_not_full" // the node chosen last takes another such pod (1.35, 1.36)
	BatchPreScoreError BatchReason = "pre_score_error"
	BatchRescoreError  BatchReason = "rescore_error"
	BatchNormalize     BatchReason = "normalize_error"
	BatchEmpty         BatchReason = "empty_list" // no other node was feasible
)

func (BatchUnused) Phase() Phase { return PhaseFilter }
func (f BatchUnused) Phrase() phrase.Phrase {
	return phrase.New("not reused from cycle %d: %s", f.Cycle, f.Why())
}

// Why is the reason in words.
func (f BatchUnused) Why() phrase.Phrase {
	switch f.Reason {
	case BatchPodSkipped:
		return phrase.New("the cycle before this one placed no pod of this profile")
	case BatchNominated:
		return phrase.New("the pod is nominated to %s", f.Node)
	case BatchIncompatible:
		return phrase.New("the pod differs in %s", strings.Join(f.Differs, ", "))
	case BatchNotBatchable:
		return phrase.New("%s does not sign the pod: %s", f.Plugin, f.Verdict.Message())
	case BatchExpired:
		return phrase.New("the scores are %s old", f.Age)
	case BatchNodeMissing:
		return phrase.New("node %s is gone", f.Node)
	case BatchNotFull:
		return phrase.New("node %s takes another such pod", f.Node)
	case BatchEmpty:
		return phrase.New("no other node was feasible")
	}
	return phrase.New("%s %s", f.Plugin, f.Verdict.String())
}

// BatchKept is the scores of the nodes that were not chosen being kept for the next pod with the same signature.
type BatchKept struct {
	Nodes []string // best first
}

func (BatchKept) Phase() Phase { return PhaseSelect }
func (f BatchKept) Phrase() phrase.Phrase {
	return phrase.New("scores kept for the next pod with this signature: %s", listed(f.Nodes))
}

func (BatchHint) fact()   {}
func (BatchUnused) fact() {}
func (BatchKept) fact()   {}

// addBatch adds one fact about batching.
func (t *Try) addBatch(fact Fact) {
	if t.Batch == nil {
		t.Batch = &Batch{}
	}
	switch f := fact.(type) {
	case BatchHint:
		t.Batch.Hint = &f
	case BatchUnused:
		t.Batch.Unused = &f
	case BatchKept:
		t.Batch.Kept = &f
	}
}

// BatchDocument is what a cycle had to do with the scores of an earlier one.
type BatchDocument struct {
	FromCycle int64       `json:"fromCycle,omitempty"` // whose scores there were
	Hint      string      `json:"hint,omitempty"`      // the node that came next in them
	Used      bool        `json:"used"`                // the hint fits, and no other node was tried
	Rescored  string      `json:"rescored,omitempty"`  // the node chosen last, when it was scored again
	Unused    BatchReason `json:"unused,omitempty"`    // why the scores were of no use
	Why       string      `json:"why,omitempty"`       // the same in words
	Kept      []string    `json:"kept,omitempty"`      // the nodes whose scores were kept, best first
}

func (b *Batch) document() *BatchDocument {
	if b == nil {
		return nil
	}
	d := &BatchDocument{}
	if h := b.Hint; h != nil {
		d.FromCycle, d.Hint, d.Used, d.Rescored = h.Cycle, h.Node, h.Feasible, h.Rescored
	}
	if u := b.Unused; u != nil {
		d.FromCycle, d.Unused, d.Why = u.Cycle, u.Reason, u.Why().String()
	}
	if b.Kept != nil {
		d.Kept = b.Kept.Nodes
	}
	return d
}
