package session

import (
	"cmp"

	"github.com/schedstep/schedstep/replay/play"
)

// Trial is a player of its own after some what-ifs, carried out in order at the position. Nothing more comes of the
// log, so that what it does next comes of the edits alone. The session stays as it is.
func (k *At) Trial(edits ...Edit) (*play.Player, error) {
	if k.lost {
		return nil, errLost
	}
	_, p := k.quiet()
	p.CutLog()
	c, err := k.carryOut(Together("trial", edits...), p)
	if err != nil {
		return nil, err
	}
	for _, event := range c.events {
		p.Deliver(event)
	}
	for p.Owes() {
		p.Receive()
	}
	return p, nil
}

// Onward is a player of its own at the position, after the what-ifs of the branch that it is on. The log goes on, in a
// world that is simulated from here on. The session stays as it is.
func (k *At) Onward() (*play.Player, error) {
	if k.lost {
		return nil, errLost
	}
	_, p := k.quiet()
	if _, simulated := p.World().(*play.Simulated); !simulated {
		p.Enter(play.NewSimulated())
	}
	return p, nil
}

// carryOut has an edit change a player, and gathers the events that come of it. From then on its world is a simulated
// one.
func (k *At) carryOut(e Edit, p *play.Player) (*change, error) {
	world, ok := p.World().(*play.Simulated)
	if !ok {
		world = play.NewSimulated()
		p.Enter(world)
	}
	about := &k.session.about
	c := &change{player: p, world: world, version: k.version(), configure: about.Configure, regate: about.Regate}
	if err := e.apply(c); err != nil {
		return nil, err
	}
	return c, nil
}

// version is that of the release that decides at the position.
func (k *At) version() string { return cmp.Or(k.origin.version, k.session.about.Version) }

// quiet is a player of its own at the first end of a step, not before the position, at which nothing of the world's is
// due. Steps that were never run are run on the line on which what is known came about.
func (k *At) quiet() (step int, p *play.Player) {
	step, p = k.steps, k.player.Fork()
	for p.Owes() {
		if step++; step > k.origin.steps {
			k.origin.extend()
		}
		p.Step()
	}
	return step, p.Branch()
}
