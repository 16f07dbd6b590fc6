package view

import (
	"strconv"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// PreemptionKey is what the rows of a preemption depend on.
type PreemptionKey struct {
	Preemption *trace.Preemption
	matrix     *trace.Matrix
	filter     string
}

// podNames is a list of pods as it is read.
func podNames(lang words.Language, keys []string) string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = PodName(lang, key)
	}
	return strings.Join(names, ", ")
}

// Role is what a node is in a preemption. The order is that of the rows.
type Role uint8

// The roles.
const (
	Candidate Role = iota
	Refused        // tried: evicting did not help
	Untried        // enough candidates were found before its turn
	Unhelpful      // no eviction resolves its rejection
)

var roleWords = [...]string{
	Candidate: "candidate", Refused: "evicting did not help", Untried: "not tried", Unhelpful: "not helpful",
}

// PreemptionRow is a node with its role.
type PreemptionRow struct {
	Node int32
	Role Role
	At   int32 // in the list of the role
}

// Choose fills rows for a key.
func (t *PreemptionRows) Choose(c *trace.Try, key PreemptionKey) {
	p := key.Preemption
	t.Preemption, t.Try = p, c
	t.Lines = make([]PreemptionRow, 0, len(p.Nodes))
	for i := range p.Candidates {
		t.add(PreemptionRow{p.Candidates[i].Node, Candidate, int32(i)}, key.filter)
	}
	for i := range p.Refused {
		t.add(PreemptionRow{p.Refused[i].Node, Refused, int32(i)}, key.filter)
	}
	for i, node := range p.Untried {
		t.add(PreemptionRow{node, Untried, int32(i)}, key.filter)
	}
	for i, node := range p.Unhelpful {
		t.add(PreemptionRow{node, Unhelpful, int32(i)}, key.filter)
	}
}

func (t *PreemptionRows) add(row PreemptionRow, filter string) {
	if filter == "" || Matches(t.Preemption.Nodes[row.Node], filter) || Matches(t.Who(row), filter) {
		t.Lines = append(t.Lines, row)
	}
}

// IsChosen reports whether room is made on the node of a row.
func (t *PreemptionRows) IsChosen(at PreemptionRow) bool {
	return at.Role == Candidate && at.At == 0 && t.Preemption.Node != ""
}

// Who lists the victims of a candidate, or why the node is none.
func (t *PreemptionRows) Who(at PreemptionRow) string {
	p := t.Preemption
	switch at.Role {
	case Candidate:
		return leaving(t.Language, &p.Candidates[at.At])
	case Refused:
		return refusal(t.Language, &p.Refused[at.At])
	case Untried:
		return prose.CandidateNotTried(t.Language, p)
	}
	if plugin, v, ok := rejectedFor(t.Try, int(at.Node)); ok {
		return t.Language.Say("not helpful: %s: %s", Short(plugin), v.Message())
	}
	return t.Language.Of("not helpful: PreFilter rejected it")
}

// leaving are the victims of a candidate, with the budgets they are under, and the pods that may stay.
func leaving(lang words.Language, c *trace.PreemptionCandidate) string {
	var said []string
	for i, key := range c.Victims {
		name := PodName(lang, key)
		if i < len(c.Leaving) && c.Leaving[i].Budget != "" {
			name += lang.Say(" (PDB %s)", c.Leaving[i].Budget)
		}
		said = append(said, name)
	}
	text := strings.Join(said, ", ")
	if len(c.Reprieved) > 0 {
		text += lang.Say("; may stay: %s", podNames(lang, c.Reprieved))
	}
	return text
}

func refusal(lang words.Language, r *trace.PreemptionRefusal) string {
	if r.Plugin == "" {
		return r.Verdict.Message()
	}
	return lang.Say("%s: %s, even if all less important pods left", Short(r.Plugin), r.Verdict.Message())
}

// rejectedFor is the filter that kube-scheduler stopped at on a node.
func rejectedFor(c *trace.Try, node int) (plugin string, v trace.Verdict, ok bool) {
	m := c.Matrix
	if m == nil || node >= len(m.First) || m.First[node] < 0 {
		return "", trace.Verdict{}, false
	}
	v, ok = m.Verdict(node, int(m.First[node]))
	return m.Plugins[m.First[node]], v, ok
}

// export is a row in full.
func (t *PreemptionRows) export(at PreemptionRow) []string {
	row := []string{t.Preemption.Nodes[at.Node], roleWords[at.Role], "", "", "", "", "", "", "", "", "", ""}
	if t.IsChosen(at) {
		row[1] = t.Language.Of("nominated")
	}
	if at.Role != Candidate {
		row[11] = t.Who(at)
		return row
	}
	c := &t.Preemption.Candidates[at.At]
	copy(row[2:], []string{
		strconv.Itoa(int(at.At) + 1), prose.Criterion(c, trace.ByViolations), prose.Criterion(c, trace.ByHighestPriority),
		prose.Criterion(c, trace.ByPrioritySum),
		prose.Criterion(c, trace.ByVictims), c.Earliest.UTC().Format(time.RFC3339), c.Behind.String(),
		strings.Join(c.Victims, " "), strings.Join(c.Reprieved, " "),
	})
	return row
}

// PreemptionRows are the nodes of a preemption, each with its role.
type PreemptionRows struct {
	Language   words.Language
	Preemption *trace.Preemption
	Try        *trace.Try
	Lines      []PreemptionRow
}

// PreemptionKeyOf is what the rows of a frame depend on, with a filter in lower case; false: the frame has no
// preemption to show.
func PreemptionKeyOf(f *session.Frame, filter string) (key PreemptionKey, is bool) {
	c := f.Try()
	if c == nil || c.Preemption == nil || !c.Preemption.Eligible {
		return PreemptionKey{}, false
	}
	return PreemptionKey{Preemption: c.Preemption, matrix: c.Matrix, filter: filter}, true
}

// PreemptionTable is the preemption of a frame as rows of text, with a filter: titles first. nil: the frame has none.
// The text is not cleaned: the caller must make it safe.
func PreemptionTable(f *session.Frame, filter string) [][]string {
	key, is := PreemptionKeyOf(f, strings.ToLower(filter))
	if !is {
		return nil
	}
	t := PreemptionRows{Language: f.Language}
	t.Choose(f.Try(), key)
	rows := [][]string{{
		f.Language.Of("node"), f.Language.Of("verdict"), f.Language.Of("rank"), "pdbViolations", "highestPriority",
		"prioritySum", f.Language.Of("victims"), "earliestStart",
		"behindBy", "leaving", f.Language.Of("reprieved"), "reason",
	}}
	for _, row := range t.Lines {
		rows = append(rows, t.export(row))
	}
	return rows
}
