package prose

import "github.com/schedstep/schedstep/core/cluster"

// Where a pod is.
const (
	textOnNode      = "on node %s"
	textAssumedOn   = "assumed on node %s; the API server has not confirmed it yet"
	textNoQueue     = "in no queue"
	textUnserved    = "pending: its schedulerName is %s, no profile has that name, and nobody here places it"
	textTrying      = "in flight: cycle %d is trying it"
	textOnItsWay    = "in flight, on its way to %s"
	textInFlight    = "in flight"
	textNoGroup     = "waiting for its PodGroup %s, which is not there"
	textGated       = "gated by %s: %s"
	textIn          = "in %s"
	textSince       = "%s since %s"
	textNeverTried  = ", not tried yet"
	textTriedOnce   = ", tried once"
	textTriedTimes  = ", tried %d times"
	textRejectedBy  = ", rejected by %s"
	textNominatedOn = ", nominated on %s"
	textIfWoken     = "; if woken, tried again no earlier than %s"
	textReserved    = "It is reserved on %s; %s of %s waits%s."
	textBecause     = ": %s"
)

// What would have a pod tried again.
const (
	textIsNext        = "popped next: nothing in activeQ has a higher priority, or the same and waits longer"
	textPoppedBefore  = "%s popped from activeQ before it; the last of them, %s, %s"
	textOnePopped     = "%d is"
	textManyPopped    = "%d are"
	textHigher        = "has the higher priority %d"
	textLonger        = "has the same priority and waits longer"
	textSameTime      = "has the same priority and came at the same moment"
	textGroupAdded    = "waits until its PodGroup %s is added"
	textGroupBacksOff = "its group is in backoffQ until %s"
	textSitsOut       = "in backoffQ until %s"
	textBacksOff      = "in backoffQ until %s; popped earlier when activeQ is empty"
	textWaitsFor      = "%s waits until %s"
	textAnyEvent      = "%s names no events that may help: any event of the cluster may have the pod tried again"
	textOr            = "; or "
	textEitherOr      = " or "
	textLastGate      = "waits until its last gate is removed"
	textGateWriter    = "%s removes %s when the pod may start; by hand it goes around %[1]s"
	textAnywaySoon    = "tried again anyway after 1 minute"
	textAnyway        = "tried again anyway after %g minutes"
	textItDoes        = "%[1]s %[2]s" // the object of an event, and what it does
	textIsAdded       = "is added"
	textIsDeleted     = "is deleted"
	textItChanges     = "changes"
	textAnObject      = "a %s"
)

// The pods that wait in the entry of a pod group.
const (
	textPodIsHere   = "%d pod is here"
	textPodsAreHere = "%d pods are here"
	textGroupRow    = "A pod group: %s, tried and bound together."
	textGangRow     = "A gang: %d of its pods must have a node at once (minCount); %s and %d on nodes."
	textGangWaits   = "It is not tried before they come: %s."
	textGangShrank  = "It has fewer pods now than it needs: %s."
	textMemberRow   = "%s, priority %d"
	textAnything    = "anything"
)

// changeWords describe what the object does in every single update.
var changeWords = [...]struct {
	action cluster.ActionType
	words  string
}{
	{cluster.UpdateNodeAllocatable, "changes its allocatable resources"},
	{cluster.UpdateNodeLabel, "changes its labels"},
	{cluster.UpdateNodeTaint, "changes its taints"},
	{cluster.UpdateNodeCondition, "changes a condition"},
	{cluster.UpdateNodeAnnotation, "changes its annotations"},
	{cluster.UpdateNodeDeclaredFeature, "changes its declared features"},
	{cluster.UpdateNodePreemptionPolicy, "changes its preemption policy"},
	{cluster.UpdatePodLabel, "changes its labels"},
	{cluster.UpdatePodScaleDown, "requests less"},
	{cluster.UpdatePodScaleUp, "requests more"},
	{cluster.UpdatePodToleration, "changes its tolerations"},
	{cluster.UpdatePodSchedulingGatesEliminated, "loses its last gate"},
	{cluster.UpdatePodGeneratedResourceClaim, "gets its resource claims"},
}

// subjectWords name the objects that have other names than their kind.
var subjectWords = map[cluster.Resource]string{
	cluster.AssignedPod:    "a pod on a node",
	cluster.UnscheduledPod: "another waiting pod",
	cluster.TargetPod:      "this pod",
	cluster.PodResource:    "a pod",
	cluster.NodeResource:   "a node",
	cluster.AnyResource:    textAnything,
}
