// Package compare holds schedstep's core to the real kube-scheduler: the same events go into both, and every verdict,
// reason, score, choice, message and queueing hint of one is laid beside that of the other. It decides nothing and
// repairs nothing; where upstream leaves something to chance it records that and follows ours.
package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core/trace"
)

// Difference is one thing on which the two schedulers do not agree.
type Difference struct {
	Step   int    // the number of the event or cycle, counted from 1
	Pod    string // namespace/name of the pod that the answer is about; "" for none
	Plugin string // whose answer it is; "" for the framework's own
	What   string // which answer, such as "Filter" or "raw score"
	Node   string // on which node; "" when it is not about one
	Theirs string // kube-scheduler's answer
	Ours   string
}

// String is the difference on three lines.
func (d Difference) String() string {
	about := []string{d.What}
	for _, part := range []string{d.Plugin, d.Node} {
		if part != "" {
			about = append(about, part)
		}
	}
	return fmt.Sprintf(
		"step %d, pod %s, %s:\n  kube-scheduler: %s\n  schedstep:      %s", d.Step, d.Pod, strings.Join(about, " "),
		d.Theirs, d.Ours,
	)
}

// Kind is what stays the same of a difference while its case is made smaller.
func (d Difference) Kind() string { return d.What + " " + d.Plugin }

// Cycle is one attempt to place one pod, as both sides saw it.
type Cycle struct {
	Theirs oracle.Answer
	Ours   *trace.Try
	// Filters are the names of the profile's Filter plugins, in order.
	Filters []string
	// Message is the full message of our failed cycle.
	Message string
	// Within is the nodes of the placement a member of a pod group is tried in;
	// nil for all. Ours judges the others too.
	Within []string
}

// Compare lists where the two sides differ and counts what it looked at.
func (c Cycle) Compare(tally *Tally) []Difference {
	b := &bench{Cycle: c, tally: tally}
	tally.Cycles++
	b.preFilters()
	b.matrix()
	b.scores()
	b.decision()
	return b.differences
}

// bench is one comparison going on.
type bench struct {
	Cycle
	tally       *Tally
	differences []Difference
}

// same notes a difference unless both answers are equal.
func (b *bench) same(d Difference, theirs, ours string) {
	if theirs == ours {
		return
	}
	d.Pod, d.Theirs, d.Ours = b.Theirs.Pod, theirs, ours
	b.differences = append(b.differences, d)
}

// preFilters compares the verdicts of every plugin that ours ran: ours stops at the first that rejects the pod for
// good, the oracle runs all.
func (b *bench) preFilters() {
	if b.Ours.Nodes == 0 {
		return // neither side runs a plugin
	}
	for i, ours := range b.Ours.PreFilters {
		if i >= len(b.Theirs.PreFilters) {
			b.same(Difference{What: "PreFilter", Plugin: ours.Plugin}, "not asked", ours.Verdict.String())
			continue
		}
		theirs := b.Theirs.PreFilters[i]
		b.tally.of(theirs.Plugin).preFilter(theirs)
		b.same(Difference{What: "PreFilter order"}, theirs.Plugin, ours.Plugin)
		b.same(Difference{What: "PreFilter", Plugin: theirs.Plugin}, text(theirs.Verdict), textOf(ours.Verdict))
		b.same(Difference{What: "PreFilter nodes", Plugin: theirs.Plugin}, set(theirs.Nodes), set(ours.Nodes))
	}
	if theirs := b.Theirs.PreFilter; theirs.Code == success || theirs.Code == trace.Unschedulable.String() {
		b.same(Difference{What: "PreFilter count"}, fmt.Sprint(len(b.Theirs.PreFilters)), fmt.Sprint(len(b.Ours.PreFilters)))
	}
}

var success = trace.Success.String()

// text is a verdict on one line.
func text(v oracle.Verdict) string {
	if len(v.Reasons) == 0 {
		return v.Code
	}
	return v.Code + ": " + strings.Join(v.Reasons, " | ")
}

// textOf is text for our verdict; reasons are sorted as the oracle's are.
func textOf(v trace.Verdict) string {
	reasons := slices.Clone(v.Reasons)
	slices.Sort(reasons)
	return text(oracle.Verdict{Code: v.Code.String(), Reasons: reasons})
}

// set is a node set in words.
func set(nodes []string) string {
	if nodes == nil {
		return "all"
	}
	return fmt.Sprintf("%d: %s", len(nodes), strings.Join(nodes, " "))
}
