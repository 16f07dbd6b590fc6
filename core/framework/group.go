package framework

import (
	"time"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// GroupRules are how a profile treats the pods of a PodGroup. The zero value treats them as pods like others.
type GroupRules struct {
	Together    bool // they wait, and are tried, as one entity (GenericWorkload); the same in all profiles
	ByPlacement bool // sets of nodes are tried one after the other and compared (TopologyAwareWorkloadScheduling)
	OwnPolicy   bool // the group decides whether it may preempt, not its pods (PodGroupPreemptionPolicy)
}

// Group is a pod group that a cycle tries to place.
type Group struct {
	API     *schedulingv1beta1.PodGroup // read only
	Members []*cluster.Pod              // to be placed, in the order they are tried
	Beside  cluster.Companion           // of the State, where guests find their home; nil: there is none
}

// Key of the PodGroup.
func (g Group) Key() string { return cluster.Key(g.API) }

// PlacementFeasiblePlugin decides whether a group can get what it needs. It runs before the first member of a placement
// is tried, and after each.
//
//	Success        it has enough
//	Wait           it may have enough when more members find a node
//	Unschedulable  however many do, it will not: no further member is tried
type PlacementFeasiblePlugin interface {
	Plugin
	// PlacementFeasible takes how many members have a node, those that found one in this placement included, and how many
	// were not tried yet.
	PlacementFeasible(group Group, scheduled, remaining int) trace.Verdict
}

// Placement is a set of nodes that a group may go to as a whole.
type Placement struct {
	Name   string
	Nodes  []*cluster.Node // in the order of the snapshot
	Number int             // of the placement among those of the group's attempt
}

// Assignment is the node that a member found.
type Assignment struct {
	Pod  *cluster.Pod
	Node string
}

// PlacementGeneratePlugin divides the nodes into placements. A profile has at most one.
type PlacementGeneratePlugin interface {
	Plugin
	// Placements answers Success with one or more placements in the order they are to be tried; none is Unschedulable.
	Placements(group Group, snapshot *cluster.Snapshot) Division
}

// Division is the result of a PlacementGeneratePlugin.
type Division struct {
	Verdict    trace.Verdict
	Placements []Placement
}

// PlacementScorePlugin compares placements that all take the group.
type PlacementScorePlugin interface {
	Plugin
	// ScorePlacement is the raw score of one placement with those of the members that found a node there.
	ScorePlacement(
		group Group, snapshot *cluster.Snapshot, placement Placement, placed []Assignment,
	) (int64, trace.Verdict)
	// NormalizePlacements turns the raw scores of all placements into 0 to MaxNodeScore in place.
	NormalizePlacements(group Group, placements []Placement, scores []int64) trace.Verdict
}

// WeightedPlacementScore is a plugin with what its score counts for, 1 or more.
type WeightedPlacementScore struct {
	PlacementScorePlugin
	Weight int64
}

// PodGroupPostFilterPlugin runs when a group gets no placement. It may make room (preemption of pod groups).
type PodGroupPostFilterPlugin interface {
	Plugin
	// PodGroupPostFilter answers Success with nominations, or why nothing can be done.
	PodGroupPostFilter(ask GroupPostFilterAsk) GroupPostFilterAnswer
}

// GroupPostFilterAsk is the argument of a PodGroupPostFilterPlugin.
type GroupPostFilterAsk struct {
	Group    Group
	Snapshot *cluster.Snapshot
	Studies  []MemberStudy // of the members that were tried last, in order
	Trial    func(without []*cluster.Pod) Trial
	Now      time.Time
	Detail   trace.Detail
}

// MemberStudy is what the cycle knows of one member.
type MemberStudy struct {
	Pod *cluster.Pod
	Ask func() PostFilterAsk // as if the member were alone
}

// Trial is the group tried once more on a cluster without some of its pods.
type Trial interface {
	// Verdict of the group there, as kube-scheduler words it.
	Verdict() trace.Verdict
	// Nodes is where its members would go, in the order they were tried. Members that found no node are left out.
	Nodes() []trace.MemberNode
	// Return puts pods back that were taken away, and reports whether every member still fits on its node with all before
	// it; if one does not, the pods are taken away again.
	Return(pods []*cluster.Pod) bool
	// Members are those that found a node, in the order they were tried, for a plugin that lets pods back by itself.
	Members() []TrialMember
	// PutBack puts a pod back that was taken away, and TakeOff takes it away again. No check learns of it.
	PutBack(pod *cluster.Pod)
	TakeOff(pod *cluster.Pod)
}

// TrialMember is a member that found a node in a Trial.
type TrialMember struct {
	Pod    *cluster.Pod
	Node   string
	Checks []Check // one for each place of the profile's Filter; nil where the plugin does not run
	// Reserve puts the member on its node and calls the Reserve plugins; Unreserve undoes that.
	Reserve   func() trace.Verdict
	Unreserve func()
}

// GroupPostFilterAnswer is the result of a PodGroupPostFilterPlugin.
type GroupPostFilterAnswer struct {
	Verdict trace.Verdict
	Nodes   []trace.MemberNode // where members are to be nominated; with Success
	Victims []*cluster.Pod     // to evict, in this order
	Facts   []trace.Fact
	Writes  []MemberWrite // what is to be written at once
}

// MemberWrite is a Write on behalf of a member.
type MemberWrite struct {
	Pod *cluster.Pod
	Write
}
