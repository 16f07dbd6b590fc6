package session

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Plugins are the names of the plugins that any profile has, by name.
func (k *At) Plugins() []string {
	var all []string
	for _, p := range k.player.Scheduler().Profiles() {
		all = append(all, pluginsOf(p)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Schedulers are the names of all schedulers, in the order of their turns.
func (k *At) Schedulers() []string { return namesOf(k.player) }

func namesOf(p *play.Player) []string {
	var names []string
	for _, scheduler := range p.Schedulers() {
		names = append(names, scheduler.Name())
	}
	return names
}

// LookAt has frames show the queue and the cache of one scheduler; "" lets them show those of the scheduler that ran
// the last cycle. It moves nothing.
func (s *Session) LookAt(name string) error {
	if all := s.here().Schedulers(); name != "" && !slices.Contains(all, name) {
		return phrase.Errorf("there is no scheduler %q here (there are %s)", name, strings.Join(all, ", "))
	}
	s.chosen = name
	s.look()
	return nil
}

// look turns the players at the cursor to the scheduler that is looked at. In the middle of a cycle that is the
// scheduler whose cycle it is.
func (s *Session) look() {
	number := slices.Index(namesOf(s.after), s.chosen)
	s.after.LookAt(number)
	if s.before == nil {
		return
	}
	if number < 0 && s.kind == play.Tried {
		number = s.after.Acted()
	}
	s.before.LookAt(number)
}

// schedulersOf are the names of all schedulers and of the one that is looked at; nothing where there is one alone.
func schedulersOf(p *play.Player) (all []string, shown string) {
	if all = namesOf(p); len(all) < 2 {
		return nil, ""
	}
	return all, p.Scheduler().Name()
}

// everywhere changes every scheduler; false when that changed none of them.
func (c *change) everywhere(f func(*core.Scheduler) bool) (changed bool) {
	for _, s := range c.player.Schedulers() {
		changed = f(s) || changed
	}
	return changed
}
