// Package preemption finds out which pods would have to leave for a pod to fit: dry runs on drafts of the snapshot's
// nodes, and a ranking of what they find (framework/preemption, 1.37). It evicts no pod, and the plugin decides which
// pods may preempt at all.
package preemption

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Ask is the input of a preemption: a pod that fits nowhere, and the nodes where evictions may make room for it.
type Ask struct {
	Judge     framework.Judge // of the pod, as the Filter phase used it; it stays as it is
	Objects   *cluster.Objects
	Potential []*cluster.Node // in the order of the snapshot
	Offset    int             // the first of Potential that is tried; the others follow in a circle
	Wanted    int             // as many candidates, one of which harms no disruption budget, end the search
	Order     Order           // what candidates are compared by
	Now       time.Time       // when a pod started that has not started yet
	// Groups is where pod groups and their pods on other nodes are looked up; nil: pods of groups are pods like others.
	Groups *cluster.Snapshot
	// VictimChargedToEveryBudget counts a pod against every disruption budget that selects it, also after one was
	// exceeded.
	VictimChargedToEveryBudget bool
	// BudgetNotCountedDown makes a budget protect pods only while it allows no disruption at all.
	BudgetNotCountedDown bool
	// ProtectedVictimsFirst lists the victims that a budget protects before the others.
	ProtectedVictimsFirst bool
	// UnstartedPodStartsNow gives a pod that has not started the moment of each comparison as its start: of two such
	// pods the one read second is the less important.
	UnstartedPodStartsNow bool
	// Tries has the results for nodes from earlier cycles; nil: nothing is kept.
	Tries framework.Tries
}

// Answer is what the dry runs found. Every potential node is in one of the three lists.
type Answer struct {
	Candidates []Candidate // the best first
	// how many of the first candidates no criterion separates; the first of them in the order of the snapshot leads
	Tied int
	// of nodes where evicting did not help, in the order they were tried; Plugin is NoPlugin where no filter spoke
	Refusals []trace.Failure
	Untried  []*cluster.Node // passed over because enough candidates were found, in the order they would have been tried
}

// NoPlugin stands for a filter in a refusal that none of them spoke.
const NoPlugin int16 = -1

// Run tries the potential nodes one after the other. Only as many candidates are kept as are wanted; the search goes on
// beyond them as long as each would harm a disruption budget.
func Run(ask Ask) Answer {
	run := newDryRun(ask)
	a := Answer{Candidates: make([]Candidate, 0, ask.Wanted)}
	harmless := false
	for i := range ask.Potential {
		node := ask.Potential[(ask.Offset+i)%len(ask.Potential)]
		if harmless && len(a.Candidates) >= ask.Wanted {
			a.Untried = append(a.Untried, node)
			continue
		}
		candidate, refusal, fits := run.recall(node)
		switch {
		case !fits:
			a.Refusals = append(a.Refusals, refusal)
		case candidate.Violations == 0 || len(a.Candidates) < ask.Wanted:
			a.Candidates = append(a.Candidates, candidate)
			harmless = harmless || candidate.Violations == 0
		default:
			a.Untried = append(a.Untried, node)
		}
	}
	ask.Order.rank(a.Candidates)
	a.Tied = ask.Order.tied(a.Candidates)
	return a
}
