package session

import (
	"context"
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// Edit is a what-if: something done to the cluster or to the configuration that the recording knows nothing of.
type Edit struct {
	name  string // of the branch, before its number
	deeds []deed // what is done, in order
}

// Together is several what-ifs as one: they are carried out in order, and each sees what those before it did.
func Together(name string, edits ...Edit) Edit {
	var did []deed
	for _, e := range edits {
		did = append(did, e.deeds...)
	}
	return Edit{name, did}
}

// apply does what an edit is made of. A deed notes in itself what can be found out only now.
func (e Edit) apply(c *change) error {
	said := make([]phrase.Phrase, 0, len(e.deeds))
	for i := range e.deeds {
		d, before := &e.deeds[i], len(c.events)
		if err := table[d.Do].carry(c, d); err != nil {
			return err
		}
		c.touched = append(c.touched, d.touched(c.events[before:])...)
		said = append(said, c.said)
	}
	c.said = phrase.Join("; ", said...)
	return nil
}

// change is an edit being carried out on a player of its own.
type change struct {
	player *play.Player
	world  *play.Simulated
	events []cluster.Event
	said   phrase.Phrase

	touched []string // by each deed, in order

	version   string                                                                   // of the release that decides
	configure func(version string, text []byte, source string) (*config.Config, error) // as About has it

	regate func(version, gates string) (*config.Config, error) // likewise

	probe  *play.Player // knows of the first events; nil: of none
	probed int          // how many of the events it knows
}

// Edit carries out a what-if and returns in words what was done. History does not change: it happens on a branch, and
// the cursor goes to the end of the last event that comes of it. The branch begins at the first end of a step, not
// before the cursor, at which nothing is due that the world has sent before, so that no older news of an object undoes
// the edit. It leaves the branch that the cursor is on or, where the cursor is before the edit of that branch, the one
// before that.
func (s *Session) Edit(e Edit) (branch string, said phrase.Phrase, err error) {
	return s.editAs(s.nameOf(&e, strconv.Itoa(s.ids+1)), e)
}

// editAs is Edit with the name of the branch.
func (s *Session) editAs(name string, e Edit) (branch string, said phrase.Phrase, err error) {
	k, parent := s.here(), s.origin()
	if k.lost {
		return "", phrase.Phrase{}, errLost
	}
	from, p := k.quiet()
	c, err := k.carryOut(e, p)
	if err != nil {
		return "", phrase.Phrase{}, err
	}
	for _, event := range c.events {
		p.Send(source.Timed{At: p.Scheduler().Now(), Event: event})
	}
	l := s.branches[parent].leave(from, p)
	l.parent, l.left, l.edit, l.version = parent, wholeStep(from), &e, c.version
	l.touched = c.touched
	if c.version != k.version() {
		l.opened, l.anew = nil, true
	}
	s.line.at, s.branches[parent].at = s.at, s.at // so that dropping the branch leads to where the edit was made
	s.ids++
	s.after = nil
	s.enter(name, l, wholeStep(from))
	for range c.events {
		s.Move(context.Background(), Out, Forward, nil)
	}
	if e.isPlan() {
		s.stop = Stop{Reason: StoppedAtStep, Text: c.said}
	}
	return name, c.said, nil
}

// origin is the branch on which what is known at the cursor came about: that of the cursor, or one before it when the
// cursor was moved to before the edit that made the branch.
func (s *Session) origin() string {
	name := s.branch
	for l := s.line; l.parent != "" && s.ended() < l.left.Step; l = s.branches[name] {
		name = l.parent
	}
	return name
}

// do notes an event that comes of the edit.
func (c *change) do(action cluster.Action, object cluster.Object) {
	c.events = append(c.events, cluster.Event{Action: action, Object: object})
}

// last registers a function that changes or drops the later events of the script about an object.
func (c *change) last(object cluster.Object, as func(cluster.Event) (cluster.Event, bool)) {
	kind, _ := cluster.KindOf(object)
	c.player.Amend(play.Amendment{Kind: kind, Key: cluster.Key(object), UID: string(object.GetUID()), Change: as})
}

// gone is what remains of the events of an object that a what-if removed: none.
func gone(e cluster.Event) (cluster.Event, bool) { return e, false }

// state is the cluster after the events so far.
func (c *change) state() *cluster.State {
	if len(c.events) == 0 {
		return c.player.Scheduler().State()
	}
	if c.probe == nil {
		c.probe = c.player.Branch()
	}
	for ; c.probed < len(c.events); c.probed++ {
		c.probe.Deliver(c.events[c.probed])
	}
	return c.probe.Scheduler().State()
}

// node is a node of the cluster, described.
func (c *change) node(name string) (*cluster.Node, error) {
	snapshot := c.state().Snapshot()
	if n, ok := snapshot.Node(name); ok {
		return n, nil
	}
	return nil, phrase.Errorf(
		"there is no node %q here%s", name, nearestName(name, slices.Sorted(slices.Values(snapshot.Names))),
	)
}

// pod is a live pod.
func (c *change) pod(key string) (*cluster.Pod, error) {
	if p, ok := c.state().Pod(key); ok {
		return p, nil
	}
	return nil, phrase.Errorf("there is no pod %q here", key)
}
