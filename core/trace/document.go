package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Document is a cycle as the command line prints it: stable, and only ever added to. It is made by a Printer.
type Document struct {
	APIVersion    string         `json:"apiVersion"`
	Kind          string         `json:"kind"`
	Number        int64          `json:"number"`
	Time          time.Time      `json:"time"`
	Profile       string         `json:"profile"`
	Entity        EntityDocument `json:"entity"`
	Outcome       Outcome        `json:"outcome"`
	Node          string         `json:"node"`
	NominatedNode string         `json:"nominatedNode"`
	Message       string         `json:"message"`

	Reported   ReportedDocument    `json:"reported"`
	PreFilter  []VerdictDocument   `json:"prefilter"`
	Nodes      []NodeDocument      `json:"nodes"`
	Tied       []string            `json:"tied"`
	TieBreak   string              `json:"tieBreak"`
	Preemption *PreemptionDocument `json:"preemption"`          // null: preemption was not asked
	Batch      *BatchDocument      `json:"batch,omitempty"`     // scores reused from another cycle, or kept
	Extenders  []ExtendedDocument  `json:"extenders,omitempty"` // the calls of extenders, in order
	// Equivalence is what the release would have taken out of its equivalence cache.
	Equivalence *EquivalenceDocument `json:"equivalence,omitempty"`
	// of a pod group, which leaves the lists about one pod empty
	Group      *GroupDocument `json:"group,omitempty"`
	Queue      QueueDocument  `json:"queue"`
	Divergence string         `json:"divergence,omitempty"` // the node of the recording, or "nowhere"
	Hash       string         `json:"hash,omitempty"`
	// Recorded compares the cycle with what the scheduler of a cluster reported. A Printer leaves it empty, and no hash
	// includes it.
	Recorded *RecordedDocument `json:"recorded,omitempty"`
	// Lint lists the settings of the pod that probably do something else than is meant. A Printer leaves it empty, and
	// no hash includes it.
	Lint []LintDocument `json:"lint,omitempty"`
	// Guesses are objects that the cycle read and of which something is assumed: the first of each sort. A Printer leaves
	// them and the members guess of nodes empty, and no hash is of them: see Doubt.
	Guesses []GuessDocument `json:"guesses,omitempty"`
}

// GuessDocument is an object of which something is assumed.
type GuessDocument struct {
	Kind  string `json:"kind"`
	Key   string `json:"key"`   // namespace/name, or name
	Guess string `json:"guess"` // first-mention, rolled-back, as-sent, patched or unknown-write
	Says  string `json:"says"`
	More  int    `json:"more,omitempty"` // with the last one: how many others there are
}

// Doubt fills in what the cycle rests on that is only assumed.
func (d *Document) Doubt(c *Cycle) {
	if c.Group != nil {
		return
	}
	t := c.Latest()
	if t.Matrix == nil || t.Matrix.Guesses == nil {
		return
	}
	some, more := t.Matrix.RestsOn(-1, -1)
	for _, g := range some {
		d.Guesses = append(d.Guesses, GuessDocument{
			Kind: g.Kind, Key: g.Key, Guess: string(g.Why), Says: g.Why.Text().String(),
		})
	}
	if n := len(d.Guesses); n > 0 {
		d.Guesses[n-1].More = more
	}
	for i := range d.Nodes {
		d.Nodes[i].Guess = t.Matrix.Rests(i)
	}
}

// LintDocument is a wish of a pod that the cluster can never meet.
type LintDocument struct {
	Rule string `json:"rule"`
	Says string `json:"says"` // one sentence, without a full stop
}

// RecordedDocument is what the scheduler of a cluster reported about the pod, beside the outcome of the cycle here.
type RecordedDocument struct {
	What    string     `json:"what"` // "host", or "message": why no node was found
	Time    *time.Time `json:"time,omitempty"`
	Theirs  string     `json:"theirs"`
	Verdict string     `json:"verdict"` // agreed, tied, explained or different
	Why     string     `json:"why,omitempty"`
}

// EntityDocument names what the cycle tried to place.
type EntityDocument struct {
	Type      string `json:"type"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Priority  int32  `json:"priority"`
	Attempt   int    `json:"attempt"`
}

// ReportedDocument is what kube-scheduler itself would have done.
type ReportedDocument struct {
	Evaluated            int      `json:"evaluated"`
	Feasible             int      `json:"feasible"`
	StartIndex           int      `json:"startIndex"`
	Scored               bool     `json:"scored"`
	UnschedulablePlugins []string `json:"unschedulablePlugins"`
}

// VerdictDocument is one plugin's answer.
type VerdictDocument struct {
	Plugin   string             `json:"plugin"`
	Code     string             `json:"code"`
	Reasons  []string           `json:"reasons,omitempty"`
	Nodes    []string           `json:"nodes,omitempty"`
	Evidence []EvidenceDocument `json:"evidence,omitempty"`
}

// EvidenceDocument is one comparison behind a verdict.
type EvidenceDocument struct {
	What     string   `json:"what"`
	Want     string   `json:"want,omitempty"`
	Have     string   `json:"have,omitempty"`
	Used     string   `json:"used,omitempty"`
	Capacity string   `json:"capacity,omitempty"`
	By       []string `json:"by,omitempty"`
}

// NodeDocument is one node of the snapshot.
type NodeDocument struct {
	Name         string            `json:"name"`
	Evaluated    bool              `json:"evaluated"`
	Feasible     bool              `json:"feasible"`
	FirstFailure string            `json:"firstFailure,omitempty"`
	Filters      []VerdictDocument `json:"filters,omitempty"`
	Total        *int64            `json:"total,omitempty"`
	Guess        bool              `json:"guess,omitempty"` // what became of it rests on something that is assumed
	Scores       []ScoreDocument   `json:"scores,omitempty"`
}

// ScoreDocument is one plugin's score of one node.
type ScoreDocument struct {
	Plugin     string             `json:"plugin"`
	Raw        int64              `json:"raw"`
	Normalized int64              `json:"normalized"`
	Weight     int64              `json:"weight"`
	Weighted   int64              `json:"weighted"`
	Evidence   []EvidenceDocument `json:"evidence,omitempty"`
}

// QueueDocument is the queue after the cycle.
type QueueDocument struct {
	Active        int        `json:"active"`
	Backoff       int        `json:"backoff"`
	Unschedulable int        `json:"unschedulable"`
	Gated         int        `json:"gated"`
	MovedTo       string     `json:"movedTo"`
	BackoffUntil  *time.Time `json:"backoffUntil"`
}

// Printer makes documents of cycles, each with a hash of its own content chained with that of the one before: two
// replays are the same exactly when their last hashes are.
type Printer struct{ last string }

// Print is the cycle's document with its hash.
func (p *Printer) Print(c *Cycle) (Document, error) {
	d := c.Document()
	text, err := Encode(d)
	if err != nil {
		return d, err
	}
	sum := sha256.New()
	sum.Write([]byte(p.last))
	sum.Write(text)
	p.last = hex.EncodeToString(sum.Sum(nil))
	d.Hash = p.last
	return d, nil
}

// Encode is a document as one line of JSON, without the line break.
func Encode(d Document) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("cycle %d: %w", d.Number, err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Document is the cycle without a hash. A cycle that is not over has an empty outcome.
func (c *Cycle) Document() Document {
	d := Document{
		APIVersion: "schedstep.dev/v1", Kind: "Cycle", Number: c.Number, Time: c.Time.UTC(), Profile: c.Profile,
		Entity: EntityDocument{
			Type: string(c.Entity.Type), Namespace: c.Entity.Namespace, Name: c.Entity.Name, UID: c.Entity.UID,
			Priority: c.Entity.Priority, Attempt: c.Attempt,
		},
		PreFilter: []VerdictDocument{}, Nodes: []NodeDocument{}, Tied: []string{},
		Group: c.Group.document(),
	}
	if c.Group == nil {
		d.try(c.Latest())
	}
	if c.Diverged != nil {
		if d.Divergence = c.Diverged.Theirs; d.Divergence == "" {
			d.Divergence = "nowhere"
		}
	}
	d.Reported.UnschedulablePlugins = []string{}
	if c.Ended != nil {
		d.close(c.Ended)
	}
	return d
}

// try fills in the lists about one pod.
func (d *Document) try(t *Try) {
	d.PreFilter, d.Nodes, d.Extenders = t.preFilterDocuments(), t.nodeDocuments(), extendedDocuments(t.Extended)
	d.Preemption, d.Batch, d.Equivalence = t.Preemption.document(), t.Batch.document(), t.Equivalence.document()
	if t.Selected != nil && t.Selected.Scored {
		d.Reported.Scored, d.Tied, d.TieBreak = true, t.Selected.Tied, t.Selected.TieBreak.String()
	}
}

func (d *Document) close(e *Ended) {
	d.Outcome, d.Node, d.NominatedNode, d.Message = e.Outcome, e.Node, e.NominatedNode, e.Message
	d.Reported.Evaluated, d.Reported.Feasible, d.Reported.StartIndex = e.Evaluated, e.Feasible, e.StartIndex
	d.Reported.UnschedulablePlugins = append(d.Reported.UnschedulablePlugins, e.Plugins...)
	d.Queue = QueueDocument{
		Active: e.Queue.Active, Backoff: e.Queue.Backoff, Unschedulable: e.Queue.Unschedulable, Gated: e.Queue.Gated,
		MovedTo: string(e.MovedTo),
	}
	if !e.BackoffUntil.IsZero() {
		until := e.BackoffUntil.UTC()
		d.Queue.BackoffUntil = &until
	}
}

func (t *Try) preFilterDocuments() []VerdictDocument {
	out := []VerdictDocument{}
	for _, f := range t.PreFilters {
		v := verdictDocument(f.Plugin, f.Verdict)
		v.Nodes = f.Nodes
		out = append(out, v)
	}
	return out
}

func (t *Try) nodeDocuments() []NodeDocument {
	out := []NodeDocument{}
	if t.Matrix == nil {
		return out
	}
	m := t.Matrix
	failures := m.Failures
	for i, name := range m.Nodes {
		n := NodeDocument{Name: name, Evaluated: m.Evaluated(i), Feasible: m.Feasible(i)}
		if first := m.First[i]; first >= 0 {
			n.FirstFailure = m.Plugins[first]
		}
		for len(failures) > 0 && int(failures[0].Node) == i {
			n.Filters = append(n.Filters, verdictDocument(m.Plugins[failures[0].Plugin], failures[0].Verdict))
			failures = failures[1:]
		}
		out = append(out, n)
	}
	if t.Scores == nil {
		return out
	}
	for k, i := range t.Scores.Index {
		if out[i].Total != nil { // an extender named it twice
			continue
		}
		total := t.Scores.Totals[k]
		out[i].Total = &total
		for j := range t.Scores.Columns {
			if column := &t.Scores.Columns[j]; !column.Skipped {
				out[i].Scores = append(out[i].Scores, column.document(k))
			}
		}
	}
	return out
}

func (c *ScoreColumn) document(k int) ScoreDocument {
	d := ScoreDocument{
		Plugin: c.Plugin, Raw: c.Raw[k], Normalized: c.Normalized[k], Weight: c.Weight, Weighted: c.Weighted(k),
	}
	if c.Why != nil {
		d.Evidence = evidenceDocuments(c.Why[k])
	}
	return d
}

func verdictDocument(plugin string, v Verdict) VerdictDocument {
	return VerdictDocument{
		Plugin: plugin, Code: v.Code.String(), Reasons: v.Reasons, Evidence: evidenceDocuments(v.Evidence),
	}
}

func evidenceDocuments(all []Evidence) []EvidenceDocument {
	var out []EvidenceDocument
	for _, e := range all {
		out = append(out, EvidenceDocument{
			What: e.Subject().String(), Want: e.Want.String(), Have: e.Have.String(), Used: e.Used.String(),
			Capacity: e.Capacity.String(), By: e.By,
		})
	}
	return out
}
