package framework

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Guest is a plugin with a state of its own: it remembers things between calls, it watches the cluster, and it acts
// besides answering. Plugins that were written for kube-scheduler's framework are guests; module host adapts them. The
// state of a guest is not in the Guest, which forks of a scheduler share, but in the Home that each scheduler has.
type Guest interface {
	Plugin
	// Found creates the home of all guests of one scheduler. The profiles are all those of that scheduler.
	Found(profiles []*Profile, around Around) Home
}

// Reader is a Guest that reads custom resources.
type Reader interface {
	Guest
	// Reads lists the resources in order, as plugins name them in their events: quotas.v1.quota.example.com.
	Reads() []string
}

// Home holds the state of all guests of one scheduler. It belongs to the State of that scheduler, and a guest finds it
// there: State.Companion and Snapshot.Companion.
type Home interface {
	cluster.Companion
	// Fork is the home of a copy of the scheduler. What is done in one home is not seen in the other.
	Fork(around Around) Home
	// Refill forgets what the guests know and begins again with what the scheduler's State has now.
	Refill()
	// Begin announces that an attempt of a pod begins: calls from here on are about that pod.
	Begin(pod *cluster.Pod, profile string, snapshot *cluster.Snapshot)
	// Continue announces that the attempt of a pod goes on: calls from here on are about that pod.
	Continue(pod *cluster.Pod, profile string)
	// BeginGroup announces an attempt of a pod group: attempts that begin from here on, until EndGroup, are of members.
	BeginGroup(group Group, profile string, snapshot *cluster.Snapshot)
	// BeginPlacement announces the tries on a placement of the group.
	BeginPlacement(placement Placement)
	// ChoosePlacement announces the placement of the group: later calls for its members continue their tries on the
	// placement of that number.
	ChoosePlacement(number int)
	// EndGroup ends the attempt of a group that began last. Attempts of groups may be nested.
	EndGroup()
	// Lend makes the home work for a copy of the scheduler until back is called. The copy tries something with the
	// guests themselves, not with copies of them: in kube-scheduler, too, plugins remember what was tried.
	Lend(to Around) (back func())
	// See passes on a change of the cluster. The State has it already.
	See(change *cluster.Change)
	// Heed sets a channel by which the user ends calls: a call that is under way when done is closed has one more
	// second, and is given up then. nil: only the longest time that the home allows ends a call. It returns the channel
	// that was set before. Forks share it.
	Heed(done <-chan struct{}) (before <-chan struct{})
	// Acts takes what the guests have done since the last call, in order.
	Acts() []Act
	// Notes are sentences that a user needs to judge the answers of the guests, each once.
	Notes() []string
	// Parts compares this home with that of another scheduler which took the same steps. It returns the first call that
	// a guest answered differently; false: there is none.
	Parts(from Home) (Parting, bool)
}

// Parting is the first call to a guest whose answers differ between two plays of the same steps.
type Parting struct {
	Plugin string    `json:"plugin"`
	Point  Point     `json:"point"`
	Pod    string    `json:"pod,omitempty"` // that it was called for
	At     time.Time `json:"at"`
}

// Around is the part of a scheduler that its home may read.
type Around interface {
	// Now is virtual time.
	Now() time.Time
	// State is read only.
	State() *cluster.State
	// Opening is the objects of CustomResourceDefinitions that were in the cluster when the scheduler started. The State
	// has them when their events have come.
	Opening() []cluster.Object
	// Waiting lists the pods that wait at Permit, in order of arrival.
	Waiting() []Waiting
	// Nominated lists the pods that a node is kept for, in the order they were nominated.
	Nominated(node string) []*cluster.Pod
	// Cycles is how many cycles have begun, which is the number of the one that runs.
	Cycles() int64
}

// Waiting is a pod that waits at Permit, on its node.
type Waiting struct {
	Pod     *cluster.Pod
	Plugins []string // those that hold it back, in the order of the profile
}

// GuestBinder is a BindPlugin that is a guest: BindGuest is called in place of Bind.
type GuestBinder interface {
	Guest
	// BindGuest does for a guest what Bind does for other plugins.
	BindGuest(ask BindAsk) trace.Verdict
}

// GuestGatherer is a guest that a configuration lists at Permit and that may also be a PlacementFeasiblePlugin: a
// configuration has no list for PlacementFeasible.
type GuestGatherer interface {
	Guest
	// Gathers returns the guest as a PlacementFeasiblePlugin; false: it is no such plugin.
	Gathers() (PlacementFeasiblePlugin, bool)
}

// GuestFollower is a PostBindPlugin that is a guest: PostBindGuest is called in place of PostBind.
type GuestFollower interface {
	Guest
	// PostBindGuest is PostBind.
	PostBindGuest(ask BindAsk)
}

// Act is something that a guest did besides answering. The types below are all there are. The scheduler carries them
// out in their order when the step that caused them is over: in kube-scheduler, what a plugin does to a pod that waits
// is noticed by a goroutine of that pod, after the cycle.
type Act interface{ act() }

// AllowWaiting takes a plugin's hold off a pod that waits at Permit.
type AllowWaiting struct{ Pod, Plugin string }

// RejectWaiting ends a pod's wait at Permit: the pod fails, rejected by that plugin.
type RejectWaiting struct{ Pod, Plugin, Reason string }

// ActivatePods moves pods that wait in the queue to activeQ, past their backoff.
type ActivatePods struct{ Pods []string }

// WriteObject is a write to the API by a guest at an extension point whose answer has no Writes.
type WriteObject struct {
	Plugin string
	Pod    *cluster.Pod // that the plugin ran for; nil: none
	Write
}

// EvictPod deletes a pod.
type EvictPod struct {
	Plugin string
	Pod    *cluster.Pod
	For    *cluster.Pod // that the plugin ran for; nil: none
}

// RecordEvent writes an event about a pod.
type RecordEvent struct {
	Pod                *cluster.Pod
	Type, Reason, Note string
}

// NominatePod keeps a node for a pod that waits, in the scheduler's memory alone; without Node none is kept for it.
type NominatePod struct{ Pod, UID, Node string }

func (NominatePod) act()   {}
func (AllowWaiting) act()  {}
func (RejectWaiting) act() {}
func (ActivatePods) act()  {}
func (WriteObject) act()   {}
func (EvictPod) act()      {}
func (RecordEvent) act()   {}

// Mindful is a Check of a guest, which may remember something of each call.
type Mindful interface {
	Check
	// Aside returns the same check for calls that kube-scheduler would not make: the receiver does not remember them.
	// Where the receiver is Disturbable, the result is too.
	Aside() Check
}

// firstGuest is a guest of the profiles; nil: they have none.
func firstGuest(profiles []*Profile) Guest {
	for _, p := range profiles {
		if g := p.Guests(); len(g) > 0 {
			return g[0]
		}
	}
	return nil
}

// FoundHome is the home of the guests that the profiles have; nil: they have none.
func FoundHome(profiles []*Profile, around Around) Home {
	if g := firstGuest(profiles); g != nil {
		return g.Found(profiles, around)
	}
	return nil
}

// Guests lists the plugins of the profile that are guests, each once, in the order of the extension points.
func (p *Profile) Guests() []Guest {
	var guests []Guest
	seen := map[string]bool{}
	add := func(plugin Plugin) {
		if g, is := plugin.(Guest); is && !seen[g.Name()] {
			seen[g.Name()] = true
			guests = append(guests, g)
		}
	}
	if sorter, is := p.QueueSort.(Plugin); is {
		add(sorter)
	}
	each(p.PreEnqueue, add)
	each(p.PreFilter, add)
	each(p.Filter, add)
	each(p.PostFilter, add)
	each(p.PreScore, add)
	for _, s := range p.Score {
		add(s.ScorePlugin)
	}
	each(p.Reserve, add)
	each(p.Permit, add)
	each(p.PreBind, add)
	each(p.Bind, add)
	each(p.PostBind, add)
	each(p.PlacementFeasible, add)
	if p.PlacementGenerate != nil {
		add(p.PlacementGenerate)
	}
	for _, s := range p.PlacementScore {
		add(s.PlacementScorePlugin)
	}
	each(p.PodGroupPostFilter, add)
	return guests
}
