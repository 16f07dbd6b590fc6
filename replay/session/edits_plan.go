package session

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/course"
)

// Follow has controllers act in the cluster, and a plan be carried out in it. Nothing more comes of the log.
func Follow(c *course.Course) Edit {
	return Edit{branchOf(c.Goal), []deed{{Do: followed, With: strings.Fields(c.Goal), Course: c}}}
}

// followed is the row of the table of edits that carries a plan out.
const followed = "plan"

// branchOf is what the branch of a plan is called: its goal in one word, without the names of more than one thing.
func branchOf(goal string) string {
	words := strings.Fields(goal)
	if len(words) > 2 {
		words = words[:1]
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("=/:;", r) {
			return '-'
		}
		return r
	}, strings.Join(words, "-"))
	return followed + "-" + name
}

// isPlan reports whether an edit carries a plan out.
func (e *Edit) isPlan() bool {
	return slices.ContainsFunc(e.deeds, func(d deed) bool { return d.Do == followed })
}

// nameOf is a name for the branch of an edit that no branch has: that of a plan has no number where it needs none.
func (s *Session) nameOf(e *Edit, number string) string {
	if _, taken := s.branches[e.name]; e.isPlan() && !taken {
		return e.name
	}
	return e.name + "-" + number
}

// follow carries a plan out from here on.
func (c *change) follow(d *deed) error {
	if d.Course == nil {
		return phrase.Errorf("plan: there is none")
	}
	if c.world.IsManaged() {
		return phrase.Errorf("plan: controllers act on this branch already; make the plan on the branch it left")
	}
	d.Course.Follow(c.player)
	c.said = phrase.New("plan %s begins here: %d steps", d.Course.Goal, len(d.Course.Steps))
	return nil
}

// Planned is the plan that is carried out at a position, and how far it is.
type Planned struct {
	Goal  string
	Steps []course.Step
	Done  int // steps that are carried out, or refused
}

// Plan is the plan that is carried out at the position; nil: none is.
func (k *At) Plan() *Planned {
	if k == nil || k.session == nil {
		return nil
	}
	for l := k.origin; l != nil; l = k.session.branches[l.parent] {
		if l.edit == nil {
			continue
		}
		for i := range l.edit.deeds {
			if c := l.edit.deeds[i].Course; c != nil {
				return &Planned{Goal: c.Goal, Steps: c.Steps, Done: k.stepOfPlan()}
			}
		}
	}
	return nil
}

// stepOfPlan is the number of the last step of a plan that lies behind the position.
func (k *At) stepOfPlan() int {
	for _, m := range slices.Backward(k.timeline()) {
		if m.Planned > 0 {
			return m.Planned
		}
	}
	return 0
}
