package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core/trace"
)

const preemptionPlugin = "DefaultPreemption"

// preemption compares the results of PostFilter: whether the pod may preempt, where that could help, every candidate
// with its victims, and why each other node is none. When there are more nodes than candidates wanted, upstream begins
// at another node than the oracle and ours, and only nodes that both tried are compared.
func (b *bench) preemption() {
	theirs, ours := b.Theirs.Preemption, b.Ours.Preemption
	if ours == nil {
		b.same(Difference{What: "preemption asked"}, fmt.Sprint(theirs.Ran && b.reachesPreemption()), "false")
		return
	}
	b.tally.Preemptions++
	if theirs.Ineligible != "" {
		b.tally.of(preemptionPlugin).reasons(oracle.Verdict{Reasons: []string{theirs.Ineligible}})
	}
	b.same(Difference{What: "preemption not eligible"}, theirs.Ineligible, ineligible(ours))
	if !ours.Eligible {
		return
	}
	b.same(
		Difference{What: "preemption potential nodes"}, fmt.Sprint(slices.Sorted(slices.Values(theirs.PotentialNodes))),
		fmt.Sprint(potential(ours)),
	)
	said, found := map[string]string{}, told(ours)
	for _, c := range theirs.Candidates {
		said[c.Node] = fmt.Sprintf("%v, %d violations", together(c.Pods), c.PDBViolations)
		b.tally.Candidates++
	}
	for node, v := range theirs.Refused {
		said[node] = text(v)
		if v.Plugin == "" || v.Plugin == preemptionPlugin {
			b.tally.of(preemptionPlugin).reasons(v)
		}
		b.tally.Refusals++
	}
	for _, node := range slices.Sorted(maps.Keys(said)) {
		if _, tried := found[node]; tried || !sampled(ours) {
			b.same(Difference{What: "preemption", Node: node}, said[node], found[node])
		}
	}
	if !sampled(ours) {
		b.same(Difference{What: "preemption nodes tried"}, fmt.Sprint(len(said)), fmt.Sprint(len(found)))
	}
	if theirs.Nominated != "" && ours.Node != "" && !sampled(ours) {
		b.same(Difference{What: "preemption best nodes"}, fmt.Sprint(theirs.Tied), fmt.Sprint(best(ours)))
	}
}

// together is victims in their order; where pods can be in groups, by name:
// kube-scheduler keeps those of a group that goes as a whole in a map.
func together(victims []string) []string {
	if !oracle.Groups() {
		return victims
	}
	return slices.Sorted(slices.Values(victims))
}

// reachesPreemption reports whether DefaultPreemption runs at all: there are nodes, and no PostFilter plugin before it
// ended the cycle.
func (b *bench) reachesPreemption() bool {
	final := func(f trace.PostFiltered) bool { return f.Verdict.Code != trace.Unschedulable }
	return b.Ours.Nodes > 0 && !slices.ContainsFunc(b.Ours.PostFilter, final)
}

// sampled reports whether the search may have ended before all nodes were tried.
func sampled(p *trace.Preemption) bool { return p.Wanted < p.Potential }

// chosenByChance reports whether kube-scheduler may nominate another node than ours.
func (b *bench) chosenByChance() bool {
	theirs, ours := b.Theirs.Preemption, b.Ours.Preemption
	if ours == nil || ours.Node == "" || theirs.Nominated == "" {
		return false
	}
	return sampled(ours) || slices.Contains(theirs.Tied, ours.Node)
}

// nominatedHere is a message of theirs as if they had nominated our node, which
// is as good as theirs.
func (b *bench) nominatedHere(message string) string {
	before, _, found := strings.Cut(message, "preemption: found")
	if !found || !b.chosenByChance() {
		return message
	}
	return before + b.Ours.Preemption.Message
}

// inOurOrder is a message of theirs with the errors of preemption's dry run in the order of ours, if they are the same:
// kube-scheduler tries the nodes in the order of a map (framework.NodeToStatus.NodesForStatusCode, 1.37).
func (b *bench) inOurOrder(message string) string {
	if b.Ours.Preemption == nil {
		return message
	}
	var errors []string
	for _, r := range b.Ours.Preemption.Refused {
		if text := wrapped(r.Plugin, r.Verdict).Message(); r.Verdict.Code == trace.Error && !slices.Contains(errors, text) {
			errors = append(errors, text)
		}
	}
	before, theirs, found := strings.Cut(message, "preemption: [")
	theirs, closed := strings.CutSuffix(theirs, "]")
	if !found || !closed || !permuted(theirs, errors) {
		return message
	}
	return before + "preemption: [" + strings.Join(errors, ", ") + "]"
}

// permuted reports whether list is all of parts, each once and in any order, with commas between them.
func permuted(list string, parts []string) bool {
	for i, part := range parts {
		rest, starts := strings.CutPrefix(list, part)
		if !starts {
			continue
		}
		if len(parts) == 1 {
			return rest == ""
		}
		rest, more := strings.CutPrefix(rest, ", ")
		if more && permuted(rest, slices.Delete(slices.Clone(parts), i, i+1)) {
			return true
		}
	}
	return false
}

func ineligible(p *trace.Preemption) string {
	if p.Eligible {
		return ""
	}
	return strings.TrimPrefix(p.Message, "preemption: ")
}

func potential(p *trace.Preemption) []string {
	names := []string{}
	for i, name := range p.Nodes {
		if !slices.Contains(p.Unhelpful, int32(i)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// told is the result of our dry run for every node that it tried.
func told(p *trace.Preemption) map[string]string {
	found := map[string]string{}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		found[p.Nodes[c.Node]] = fmt.Sprintf("%v, %d violations", together(c.Victims), c.Violations())
	}
	for _, r := range p.Refused {
		found[p.Nodes[r.Node]] = textOf(wrapped(r.Plugin, r.Verdict))
	}
	return found
}

// best are the candidates that are equal by every criterion, sorted.
func best(p *trace.Preemption) []string {
	var names []string
	for _, c := range p.Candidates[:p.Tied] {
		names = append(names, p.Nodes[c.Node])
	}
	slices.Sort(names)
	return names
}
