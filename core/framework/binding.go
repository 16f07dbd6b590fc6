package framework

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// ReservePlugin keeps something for a pod between its placement and its binding. What it keeps is not in the plugin
// but in its answer: objects as the State is to believe them, and a Hold.
//
//	Reserve --> (Permit) --> PreFlight --> PreBind --Wait--> PreBind ... --> Bind
//	   |           |            |             |                |
//	   +-----------+------------+-------------+----------------+--> Unreserve, when anything fails
type ReservePlugin interface {
	Plugin
	// Reserve takes hold; a rejection undoes the placement.
	Reserve(ask ReserveAsk) Reservation
	// Unreserve returns what to write so that the outside is as if there had been no Reserve. What the State was to
	// believe is dropped by itself. It is called in reverse order, and with a nil Hold when nothing was reserved.
	Unreserve(ask BindAsk) []Write
}

// ReserveAsk is the input of a ReservePlugin.
type ReserveAsk struct {
	Pod   *cluster.Pod  // on its node
	Node  *cluster.Node // with the pod on it
	Check Check         // what the plugin's own PreFilter made for this pod; nil: it skipped the pod, or does not filter
	Known *cluster.State
}

// Reservation is the answer of a ReservePlugin.
type Reservation struct {
	Verdict trace.Verdict
	Hold    Hold                 // handed back to the plugin at PreBind and Unreserve; nil: nothing is kept
	Assume  []cluster.Assumption // what the State believes from now on
}

// Hold is what a plugin keeps for one pod between two extension points. Only the plugin that made it looks inside. It
// is a value: what changes is another Hold, so that copies of a scheduler may share it.
type Hold interface {
	// String describes what is kept.
	String() string
}

// PreBindPlugin does what must be done before a pod is bound. The plugins of PreBind work side by side, as those of
// kube-scheduler 1.37 allow (PreBindPreFlightResult.AllowParallel): each begins without waiting for another, and the
// pod is bound when all are done.
type PreBindPlugin interface {
	Plugin
	// PreFlight returns whether PreBind will have work to do: Success, Skip, or an error. It runs before the pod waits
	// at Permit. Where PreBind has work, the pod is nominated to its node, so that others see where it is about to go.
	PreFlight(ask BindAsk) trace.Verdict
	// PreBind does the work, or goes on with it: Success, Wait, or an error. It does not run when PreFlight returned
	// Skip.
	PreBind(ask BindAsk) PreBound
}

// BindAsk is the input of a plugin for a pod on its way to its node.
type BindAsk struct {
	Pod   *cluster.Pod // on its node
	Node  string
	Hold  Hold // the plugin's own: from Reserve, or from its last PreBind; nil: none
	Known *cluster.State
	Now   time.Time
	Since time.Time // when the PreBind phase began; zero before
	Round int       // how often this plugin's PreBind has said Wait
}

// PreBound is the answer of a PreBindPlugin.
type PreBound struct {
	Verdict trace.Verdict
	Again   time.Time // with Wait: when to ask next, after Now; nothing but time brings the question back
	Hold    Hold      // handed back next time; nil: as before
	Writes  []Write
	Event   *Event // to be written about the pod; nil: none
}

// Event is a Kubernetes event of type Normal.
type Event struct{ Reason, Note string }

// Write is an object of the API to be created, updated or deleted.
type Write struct {
	Action cluster.Action
	Object cluster.Object // as it is to be; its resourceVersion is the one the change was made from
	Note   trace.Wording  // what the write is for
}
