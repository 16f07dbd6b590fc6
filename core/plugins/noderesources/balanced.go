package noderesources

import (
	"math"
	"slices"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// balancedAllocationName is kube-scheduler's name of BalancedAllocation.
const balancedAllocationName = "NodeResourcesBalancedAllocation"

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// BalanceWithPodOnly makes BalancedAllocation score how even the use of a node is with the pod, without comparing
	// that with the use before (1.35 and earlier, balanced_allocation.go).
	BalanceWithPodOnly bool
	// BalanceOfCPUAndMemory makes BalancedAllocation score by the difference between the used fractions of CPU and
	// memory, with default requests for pods that have none; a full node gets 0 (1.19 and earlier,
	// balanced_allocation.go, balancedResourceScorer).
	BalanceOfCPUAndMemory bool
	// UnrequestedShortageRejects makes Fit reject a node whose pods request more of a resource than it has, also
	// where the pod requests none of it, if the pod requests anything (1.19 and earlier, fit.go, fitsRequest).
	UnrequestedShortageRejects bool
	// OnlyFirstShortage makes Fit return only the first resource that a node has too little of; the number of pods is
	// one of them (1.17 and earlier, fit.go, Filter).
	OnlyFirstShortage bool
	// OverfullScoresZero makes MostAllocated score a resource with 0 if the node would have too little of it (1.17
	// and earlier, most_allocated.go, mostRequestedScore).
	OverfullScoresZero bool
	// TooSmallNodeIsResolvable makes Fit return Unschedulable for a node that is too small even when empty, so that
	// preemption tries it in vain (1.33 and earlier, fit.go, Filter).
	TooSmallNodeIsResolvable bool
	// BalanceWithoutRequests makes BalancedAllocation also score nodes for pods that request none of its resources
	// (1.32 and earlier, balanced_allocation.go, where PreScore returns no Skip).
	BalanceWithoutRequests bool
	// NoDeviceClassHint makes Fit register no event of a DeviceClass (without DRAExtendedResource; fit.go,
	// EventsToRegister).
	NoDeviceClassHint bool
	// NoScaleDownHint makes Fit register no hint for a pod that lowers its own requests (without
	// InPlacePodVerticalScaling; fit.go, EventsToRegister).
	NoScaleDownHint bool
}

// BalancedAllocation prefers nodes on which the pod evens out how full the resources are.
type BalancedAllocation struct {
	resources []resource
	compiler  compiler
	ways      Ways
}

var _ framework.ScorePlugin = (*BalancedAllocation)(nil)

// NewBalancedAllocation takes arguments that were defaulted and validated; weights play no part.
func NewBalancedAllocation(args configv1.NodeResourcesBalancedAllocationArgs, ways Ways) *BalancedAllocation {
	return &BalancedAllocation{resources: resourcesOf(args.Resources), compiler: newCompiler(), ways: ways}
}

// Name is NodeResourcesBalancedAllocation.
func (b *BalancedAllocation) Name() string { return balancedAllocationName }

// PreScore skips pods that request none of the resources, so that they do not all go to the best balanced node (1.33
// and later).
func (b *BalancedAllocation) PreScore(
	pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node,
) framework.Scoring {
	if b.ways.BalanceOfCPUAndMemory {
		return framework.Scoring{Scorer: &distanceScorer{demand: demandOf(pod)}}
	}
	columns := columnsOf(b.resources, &pod.Requests, snapshot.Objects(), b.compiler)
	asks := slices.ContainsFunc(columns, func(c column) bool { return c.request != 0 })
	if asks || b.ways.BalanceWithoutRequests {
		return framework.Scoring{Scorer: &balanceScorer{columns: columns, endCounts: b.ways.BalanceWithPodOnly}}
	}
	return framework.Scoring{Verdict: trace.Verdict{Code: trace.Skip}}
}

// balanceScorer scores nodes by what the pod does to the balance of their resources, or by what it comes to.
type balanceScorer struct {
	columns   []column
	endCounts bool
}

var _ framework.Reasoner = (*balanceScorer)(nil)

// Score is 75 when the balance stays as it is, towards 100 when the pod improves it, towards 50 when it makes it worse.
func (s *balanceScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	scratch := make([]float64, 0, 2*len(s.columns))
	for k, node := range nodes {
		with, without := s.balances(node, scratch)
		raw[k] = score(with, without)
		if s.endCounts {
			raw[k] = with
		}
	}
	return trace.Verdict{}
}

const half = framework.MaxNodeScore / 2

// score brings the difference of two balances, each 50 to 100, back into that range.
func score(with, without int64) int64 { return half + (half+with-without)/2 }

// balances is how even the node's resources are with the pod and without it.
func (s *balanceScorer) balances(node *cluster.Node, scratch []float64) (with, without int64) {
	fractions := scratch[:0]
	for i := range s.columns {
		c := &s.columns[i]
		if used, capacity := c.requested(node); capacity != 0 {
			fractions = append(fractions, fraction(used+c.request, capacity))
		}
	}
	count := len(fractions)
	for i := range s.columns {
		c := &s.columns[i]
		if used, capacity := c.requested(node); capacity != 0 {
			fractions = append(fractions, fraction(used, capacity))
		}
	}
	return balance(fractions[:count]), balance(fractions[count:])
}

func fraction(requested, capacity int64) float64 {
	return min(1, float64(requested)/float64(capacity))
}

// balance is 100 less the standard deviation of the fractions in hundredths: 100 when all are equal, 50 at worst.
func balance(fractions []float64) int64 {
	deviation := 0.0
	switch n := float64(len(fractions)); {
	case n == 2:
		deviation = math.Abs((fractions[0] - fractions[1]) / 2)
	case n > 2:
		total, sum := 0.0, 0.0
		for _, f := range fractions {
			total += f
		}
		mean := total / n
		for _, f := range fractions {
			sum = sum + (f-mean)*(f-mean)
		}
		deviation = math.Sqrt(sum / n)
	}
	return int64((1 - deviation) * float64(framework.MaxNodeScore))
}

// Normalize leaves the scores alone: they are 50 to 100 already.
func (s *balanceScorer) Normalize(_ []*cluster.Node, _ []int64) trace.Verdict {
	return trace.Verdict{}
}

// Why lists the amounts of each resource that takes part, and the balance with the pod and without it, and how the
// score is made of the two.
func (s *balanceScorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	for i := range s.columns {
		c := &s.columns[i]
		if used, capacity := c.requested(node); capacity != 0 {
			why = append(why, c.amounts(used, capacity))
		}
	}
	with, without := s.balances(node, nil)
	why = append(why,
		trace.Evidence{What: "balance with the pod", Have: trace.Count(with)},
		trace.Evidence{What: "balance without the pod", Have: trace.Count(without)},
	)
	if s.endCounts {
		return why
	}
	return append(why, trace.Evidence{
		What: "score of the two", Have: trace.Wordsf("50 + (50 + %d - %d) / 2 = %d", with, without, score(with, without)),
	})
}
