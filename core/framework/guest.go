package framework

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Guest is a plugin with a memory: between two questions it keeps what it learned, it watches the cluster, and it acts
// besides answering. Plugins that were written for kube-scheduler's framework are such; module host adapts them. What a
// guest remembers is not in the Guest, which forks of a scheduler share, but in the Home of each scheduler.
type Guest interface {
	Plugin
	// Found makes the home of all guests of one scheduler, whose profiles these are.
	Found(profiles []*Profile, around Around) Home
}

// Reader is a Guest that reads custom resources.
type Reader interface {
	Guest
	// Reads lists the resources in order, as plugins name them in their events: quotas.v1.quota.example.com.
	Reads() []string
}

// Home is where the guests of one scheduler live. It goes with the scheduler's State, where a guest finds it:
// State.Companion and Snapshot.Companion.
type Home interface {
	cluster.Companion
	// Fork is the home of a copy of the scheduler. What is done in one home is not seen in the other.
	Fork(around Around) Home
	// Refill forgets what the guests know and begins again with what the scheduler's State has now.
	Refill()
	// Begin announces that the plugins are called for a pod from here on, in an attempt that begins.
	Begin(pod *cluster.Pod, profile string, snapshot *cluster.Snapshot)
	// Continue announces that the plugins are called for a pod from here on, in the attempt that has begun.
	Continue(pod *cluster.Pod, profile string)
	// BeginGroup announces an attempt of a pod group: attempts that begin from here on, until EndGroup, are of members.
	BeginGroup(group Group, profile string, snapshot *cluster.Snapshot)
	// BeginPlacement announces the tries on a placement of the group.
	BeginPlacement(placement Placement)
	// ChoosePlacement has what follows of the members go on with their tries on the placement of that number.
	ChoosePlacement(number int)
	// EndGroup ends the attempt of a group that began last: attempts may be within each other.
	EndGroup()
	// Lend has the home look at a copy of the scheduler, which tries something with the guests themselves, until the
	// result is called. In kube-scheduler plugins remember what was tried.
	Lend(to Around) (back func())
	// See takes in a change of the cluster, which the State has already.
	See(change *cluster.Change)
	// Heed has a call given up that goes on when done is closed, or goes on then for a second; nil: nothing but its own
	// patience ends a call. It returns what was heeded before. Forks share it.
	Heed(done <-chan struct{}) (before <-chan struct{})
	// Acts takes what the guests have done since the last call, in order.
	Acts() []Act
	// Notes are sentences that a reader of the guests' answers has to know, each once.
	Notes() []string
	// Parts returns the first call to which a guest answered otherwise than in the home of another scheduler, which was
	// played the same; false: there is none.
	Parts(from Home) (Parting, bool)
}

// Parting is where two plays of the same part: a call to a guest.
type Parting struct {
	Plugin string    `json:"plugin"`
	Point  Point     `json:"point"`
	Pod    string    `json:"pod,omitempty"` // that it was called for
	At     time.Time `json:"at"`
}

// Around is what a home can look at in its scheduler.
type Around interface {
	// Now is virtual time.
	Now() time.Time
	// State is read only.
	State() *cluster.State
	// Waiting lists the pods that wait at Permit, in order of arrival.
	Waiting() []Waiting
	// Nominated lists the pods that a node is kept for, in the order they were nominated.
	Nominated(node string) []*cluster.Pod
}

// Waiting is a pod that waits at Permit, on its node.
type Waiting struct {
	Pod     *cluster.Pod
	Plugins []string // those that hold it back, in the order of the profile
}

// GuestBinder is a BindPlugin that is a guest: BindGuest is called in place of Bind.
type GuestBinder interface {
	Guest
	// BindGuest is Bind.
	BindGuest(ask BindAsk) trace.Verdict
}

// GuestGatherer is a Permit plugin that is a guest and may be a PlacementFeasiblePlugin too, where it is listed at
// Permit: no file lists that point.
type GuestGatherer interface {
	Guest
	// Gathers is the guest at PlacementFeasible; false: it is none.
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

// WriteObject is a write to the API that belongs to no extension point with Writes in its answer.
type WriteObject struct {
	Plugin string
	Pod    *cluster.Pod // that the plugin was asked about; nil: none
	Write
}

// EvictPod deletes a pod.
type EvictPod struct {
	Plugin string
	Pod    *cluster.Pod
	For    *cluster.Pod // that the plugin was asked about; nil: none
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

// Mindful is a Check of a guest, which may keep something of each call.
type Mindful interface {
	Check
	// Aside is the same check for calls that kube-scheduler would not make: what it keeps of them, the receiver does
	// not know. When the check is Disturbable, so is this one.
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
