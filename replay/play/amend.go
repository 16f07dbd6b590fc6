package play

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Amendment makes a what-if last: it changes the later events of the script about one object, which would undo it.
type Amendment struct {
	Kind cluster.Kind
	Key  string // as cluster.Key has it
	UID  string // of the object that was changed; another one under its name is left alone

	// Change returns the event as it is now; false when it does not happen any more. The object it is given is read only.
	Change func(cluster.Event) (cluster.Event, bool)
}

// Amend makes a change last, whatever events the script still has.
func (p *Player) Amend(a Amendment) { p.amendments = append(slices.Clip(p.amendments), a) }

// amended is an event of the script as the amendments leave it.
func (p *Player) amended(e cluster.Event) (cluster.Event, bool) {
	kind, _ := cluster.KindOf(e.Object)
	for _, a := range p.amendments {
		if a.Kind != kind || a.Key != cluster.Key(e.Object) || a.UID != string(e.Object.GetUID()) {
			continue
		}
		var happens bool
		if e, happens = a.Change(e); !happens {
			return e, false
		}
	}
	return e, true
}

// passOver is the step of an event that a what-if has made impossible.
func (p *Player) passOver(e cluster.Event) Step {
	kind, _ := cluster.KindOf(e.Object)
	return Step{Kind: Delivered, At: p.scheduler.Now(), Facts: []trace.Fact{trace.Observed{
		Action: e.Action.String(), Kind: string(kind), Object: cluster.Key(e.Object), Note: "does not happen on this branch",
	}}}
}
