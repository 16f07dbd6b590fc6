package trace

import (
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Preempted is a preemption that a PostFilter plugin worked out, or why there is none.
type Preempted struct{ *Preemption }

// Phase is PostFilter.
func (Preempted) Phase() Phase { return PhasePostFilter }

// Phrase is the outcome in one line.
func (f Preempted) Phrase() phrase.Phrase {
	p := f.Preemption
	switch {
	case !p.Eligible:
		return phrase.New("preemption: not eligible")
	case p.Node == "" && p.Potential == 0:
		return phrase.New("preemption: no node where it could help")
	case p.Node == "":
		return phrase.New("preemption: no candidate among %d nodes", p.Potential)
	case p.Tied > 1:
		return phrase.New("preemption: %s with %d victims, one of %d candidates; %d nodes tied; %s",
			p.Node, len(p.Victims), p.Found, p.Tied, p.TieBreak)
	}
	return phrase.New("preemption: %s with %d victims, the best of %d candidates", p.Node, len(p.Victims), p.Found)
}

func (Preempted) fact() {}

// Preemption is what a preemption looked at and what it chose. The lists about single nodes are empty with detail
// Summary.
type Preemption struct {
	Eligible bool        // false: the pod may not preempt, and nothing was looked at
	Message  string      // the PostFilter plugin's words, byte for byte
	Reason   string      // Message without the words by which every message of the plugin begins
	Node     string      // the node that was chosen; "" when there is none
	Victims  []string    // pods that have to leave it, the most important first
	TieBreak phrase.Text // how a tie was broken; "" when there was none
	Decided  Criterion   // what puts the chosen node before the next candidate; ByNothing when there is no other

	Potential int     // nodes whose rejection preemption might resolve
	Offset    int     // among these, the first that was tried; it comes from the seed
	Wanted    int     // as many candidates, one of which harms no disruption budget, end the search
	Found     int     // candidates
	Tied      int     // candidates as good as the chosen one by every criterion, itself included
	Equals    []int32 // indexes of the nodes of these, where there are several

	Nodes      []string // all nodes of the snapshot; shared; read only
	Candidates []PreemptionCandidate
	Refused    []PreemptionRefusal // nodes where evicting did not help, in the order they were tried
	Untried    []int32             // indexes of potential nodes passed over because enough candidates were found
	Unhelpful  []int32             // indexes of nodes whose rejection no eviction resolves
}

// PreemptionCandidate is a node with the pods that would have to leave it. Candidates are in the order the criteria
// rank them: the fewest Violations, the lowest Highest, the smallest sum of priorities (each moved up to be 0 or more),
// the fewest victims, the latest Earliest; then the order of the snapshot.
type PreemptionCandidate struct {
	Node      int32    // index in Preemption.Nodes
	Victims   []string // the most important first
	Violating []string // those of Victims, and in their order, whose eviction a disruption budget does not allow
	Reprieved []string // pods that could have been evicted and may stay, in the order they were reprieved

	Leaving []PreemptionVictim // Victims again, each with what counted
	Behind  Criterion          // what puts it behind the candidate before it; ByNothing for the first

	Highest  int32     // priority of the most important victim
	Sum      int64     // of the victims' priorities
	Earliest time.Time // when the first of the victims with the highest priority started; now: none did
	// Counted is set when an extender had the last word on the victims: Violations is what it counts.
	Counted *int64
}

// PreemptionVictim is a pod that would have to leave.
type PreemptionVictim struct {
	Pod      string // namespace/name
	Priority int32
	Start    time.Time // zero: it has not started
	Budget   string    // the PodDisruptionBudget that does not allow its eviction; "" when all do
}

// Criterion is one of those that candidates are ranked by.
type Criterion uint8

// The criteria of kube-scheduler 1.37 in the order in which it applies them (pickOneNodeForPreemption); ByNodeOrder is
// left when none of them decides.
const (
	ByNothing Criterion = iota // there is no other candidate
	ByViolations
	ByHighestPriority
	ByPrioritySum
	ByVictims
	ByEarliestStart
	ByNodeOrder
)

var criterionNames = [...]string{
	"", "fewest disruption budget violations", "lowest priority of the most important victim",
	"smallest sum of priorities", "fewest victims",
	"latest start of the most important victims", "node order",
}

// Phrase is the criterion in words; ByNothing has none.
func (c Criterion) Phrase() phrase.Phrase { return phrase.Phrase{Format: c.String()} }

// String is the criterion in English; "" for ByNothing.
func (c Criterion) String() string {
	if int(c) < len(criterionNames) {
		return criterionNames[c]
	}
	return "criterion?"
}

// Violations is how many victims a disruption budget protects.
func (c *PreemptionCandidate) Violations() int {
	if c.Counted != nil {
		return int(*c.Counted)
	}
	return len(c.Violating)
}

// PreemptionRefusal is a node that would not take the pod even without every pod that may be evicted, or has no such
// pod.
type PreemptionRefusal struct {
	Node    int32  // index in Preemption.Nodes
	Plugin  string // "" where no filter spoke
	Verdict Verdict
}

// PreemptionDocument is a Preemption as the command line prints it.
type PreemptionDocument struct {
	Eligible   bool                          `json:"eligible"`
	Message    string                        `json:"message"`
	Node       string                        `json:"node"`
	Victims    []string                      `json:"victims"`
	Potential  int                           `json:"potential"`
	Offset     int                           `json:"offset"`
	Wanted     int                           `json:"wanted"`
	Tied       int                           `json:"tied"`
	TieBreak   string                        `json:"tieBreak"`
	DecidedBy  string                        `json:"decidedBy"`
	Candidates []PreemptionCandidateDocument `json:"candidates"`
	Rejected   []PreemptionRejectedDocument  `json:"rejected"`
	Untried    []string                      `json:"untried"`
}

// PreemptionCandidateDocument is one candidate; the list of them is in the order of rank.
type PreemptionCandidateDocument struct {
	Node            string    `json:"node"`
	Victims         []string  `json:"victims"`
	Violating       []string  `json:"violating,omitempty"`
	Reprieved       []string  `json:"reprieved,omitempty"`
	PDBViolations   int       `json:"pdbViolations"`
	HighestPriority int32     `json:"highestPriority"`
	PrioritySum     int64     `json:"prioritySum"`
	EarliestStart   time.Time `json:"earliestStart"`
	BehindBy        string    `json:"behindBy,omitempty"`

	Leaving []PreemptionVictimDocument `json:"leaving,omitempty"`
}

// PreemptionVictimDocument is one pod that would have to leave a candidate.
type PreemptionVictimDocument struct {
	Pod      string     `json:"pod"`
	Priority int32      `json:"priority"`
	Start    *time.Time `json:"start"`
	Budget   string     `json:"budget,omitempty"`
}

// PreemptionRejectedDocument is a node that is no candidate, with the verdict of its dry run, or with ReasonNotHelpful.
type PreemptionRejectedDocument struct {
	Node     string             `json:"node"`
	Plugin   string             `json:"plugin,omitempty"`
	Code     string             `json:"code"`
	Reasons  []string           `json:"reasons"`
	Evidence []EvidenceDocument `json:"evidence,omitempty"`
}

// ReasonNotHelpful is kube-scheduler's reason for a node whose rejection no eviction resolves (1.37).
const ReasonNotHelpful = "Preemption is not helpful for scheduling"

func (p *Preemption) document() *PreemptionDocument {
	if p == nil {
		return nil
	}
	d := &PreemptionDocument{
		Eligible: p.Eligible, Message: p.Message, Node: p.Node, Victims: listOf(p.Victims),
		Potential: p.Potential, Offset: p.Offset, Wanted: p.Wanted, Tied: p.Tied, TieBreak: p.TieBreak.String(),
		DecidedBy:  p.Decided.String(),
		Candidates: make([]PreemptionCandidateDocument, 0, len(p.Candidates)),
		Rejected:   make([]PreemptionRejectedDocument, 0, len(p.Refused)+len(p.Unhelpful)),
		Untried:    make([]string, 0, len(p.Untried)),
	}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		d.Candidates = append(d.Candidates, PreemptionCandidateDocument{
			Node: p.Nodes[c.Node], Victims: listOf(c.Victims), Violating: c.Violating, Reprieved: c.Reprieved,
			PDBViolations: c.Violations(), HighestPriority: c.Highest, PrioritySum: c.Sum, EarliestStart: c.Earliest.UTC(),
			BehindBy: c.Behind.String(), Leaving: leavingDocuments(c.Leaving),
		})
	}
	for _, r := range p.Refused {
		d.Rejected = append(d.Rejected, PreemptionRejectedDocument{
			Node: p.Nodes[r.Node], Plugin: r.Plugin, Code: r.Verdict.Code.String(), Reasons: r.Verdict.Reasons,
			Evidence: evidenceDocuments(r.Verdict.Evidence),
		})
	}
	for _, i := range p.Unhelpful {
		d.Rejected = append(d.Rejected, PreemptionRejectedDocument{
			Node: p.Nodes[i], Code: UnschedulableAndUnresolvable.String(), Reasons: []string{ReasonNotHelpful},
		})
	}
	for _, i := range p.Untried {
		d.Untried = append(d.Untried, p.Nodes[i])
	}
	return d
}

func leavingDocuments(victims []PreemptionVictim) []PreemptionVictimDocument {
	list := make([]PreemptionVictimDocument, 0, len(victims))
	for _, v := range victims {
		d := PreemptionVictimDocument{Pod: v.Pod, Priority: v.Priority, Budget: v.Budget}
		if !v.Start.IsZero() {
			start := v.Start.UTC()
			d.Start = &start
		}
		list = append(list, d)
	}
	return list
}

// listOf is a list that JSON writes as [] when it is empty.
func listOf(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
