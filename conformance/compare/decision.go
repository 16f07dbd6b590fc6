package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core/trace"
)

// decision compares how the cycle ended.
func (b *bench) decision() {
	theirs, ours := b.Theirs.Decision, b.Ours.Ended
	if ours == nil {
		b.same(Difference{What: "end of the cycle"}, "there", "missing")
		return
	}
	if theirs.Error != "" {
		b.tally.Errors++
		b.same(Difference{What: "error"}, theirs.Error, b.Message)
		return
	}
	b.same(Difference{What: "nodes evaluated"}, fmt.Sprint(theirs.EvaluatedNodes), fmt.Sprint(ours.Evaluated))
	b.same(Difference{What: "nodes feasible"}, fmt.Sprint(theirs.FeasibleNodes), fmt.Sprint(ours.Feasible))
	searched := b.Theirs.PreFilter.Code == success && b.Ours.Nodes > 0
	b.batch()
	if searched && (b.Ours.Nominated == nil || !b.Ours.Nominated.Feasible) && !b.reused() {
		b.same(Difference{What: "start index"}, fmt.Sprint(theirs.StartIndex), fmt.Sprint(ours.StartIndex))
	}
	if theirs.Host == "" {
		b.rejection()
		return
	}
	b.choice()
}

// batch compares the use of scores of an earlier cycle, and what was kept for
// the next.
func (b *bench) batch() {
	hint, kept := "none", []string(nil)
	if batch := b.Ours.Batch; batch != nil {
		if batch.Hint != nil {
			hint = batch.Hint.Node
		}
		if batch.Kept != nil {
			kept = batch.Kept.Nodes
		}
	}
	theirs := b.Theirs.Decision.Batch
	b.same(Difference{What: "hint from the scores of an earlier cycle"}, orNone(theirs.Hint), hint)
	b.same(Difference{What: "scores kept"}, fmt.Sprintf("%q", theirs.Kept), fmt.Sprintf("%q", kept))
	if theirs.Hint != "" {
		b.tally.Hinted++
	}
	if b.reused() {
		b.tally.Reused++
	}
}

// reused reports whether the hint was taken.
func (b *bench) reused() bool {
	return b.Ours.Batch != nil && b.Ours.Batch.Hint != nil && b.Ours.Batch.Hint.Feasible
}

func (b *bench) rejection() {
	theirs, ours := b.Theirs.Decision, b.Ours.Ended
	b.tally.Unplaced++
	b.same(Difference{What: "host"}, "none", orNone(ours.Node))
	b.same(Difference{What: "message"}, b.inOurOrder(b.nominatedHere(theirs.FitErrorAfter)), b.Message)
	b.same(Difference{What: "unschedulable plugins"}, fmt.Sprintf("%q", theirs.UnschedulablePlugins), fmt.Sprintf(
		"%q", orEmpty(ours.Plugins),
	))
	b.same(Difference{What: "pending plugins"}, fmt.Sprintf("%q", theirs.PendingPlugins), fmt.Sprintf(
		"%q", orEmpty(ours.Pending),
	))
	b.deallocation()
	b.preemption()
	if b.chosenByChance() {
		b.tally.NominatedByChance++
		return
	}
	b.same(Difference{What: "nominated node"}, orNone(b.Theirs.Preemption.Nominated), orNone(ours.NominatedNode))
}

// deallocation counts what DynamicResources did to make room; the messages, which are compared, show whether both did
// it.
func (b *bench) deallocation() {
	for _, f := range b.Ours.PostFilter {
		if f.Plugin != preemptionPlugin && strings.Contains(b.Theirs.Decision.FitErrorAfter, f.Verdict.Message()) {
			b.tally.of(f.Plugin).reasons(oracle.Verdict{Reasons: f.Verdict.Reasons})
		}
	}
}

// choice compares the host. Upstream walks a PreFilter node set in the order of
// a map, so that it may take another of the best nodes.
func (b *bench) choice() {
	theirs := b.Theirs.Decision
	b.tally.Placed++
	if b.Ours.Selected == nil {
		b.same(Difference{What: "host"}, theirs.Host, "none: "+b.Message)
		return
	}
	tied := slices.Sorted(slices.Values(b.Ours.Selected.Tied))
	b.same(Difference{What: "best hosts"}, fmt.Sprint(theirs.Best), fmt.Sprint(tied))
	if len(theirs.Best) > 1 {
		b.tally.Tied++
	}
	if theirs.HostByChance {
		b.tally.Chance++
		return
	}
	b.same(Difference{What: "host"}, theirs.Host, b.Ours.Selected.Node)
	if b.Ours.Ended.Outcome == trace.Scheduled {
		b.same(Difference{What: "bound to"}, b.Ours.Selected.Node, b.Ours.Ended.Node)
	}
}

func orNone(name string) string {
	if name == "" {
		return "none"
	}
	return name
}

func orEmpty(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}
