package queue

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Rules are what a Queue goes by. They are read when it is made and shared by its forks.
type Rules struct {
	Sort     Sorter
	Profiles map[string]ProfileRules // by schedulerName
	// Groups makes the pods of a PodGroup one entity (GenericWorkload); without it they are pods like others.
	Groups bool

	InitialBackoff time.Duration // after the first failure; doubled by each further one
	MaxBackoff     time.Duration // never more; 0: no pod backs off
	Discipline                   // of the release
}

// ProfileRules are what holds for the pods of one scheduler.
type ProfileRules struct {
	PreEnqueue []Gate // in the order they run; the one that gates a pod runs first the next time
	// Hints has a row for each plugin that names the events it waits for; one without events waits for none. A plugin that
	// rejects and has no row waits for every event of the resources kube-scheduler watches for such plugins, and always
	// returns Queue.
	Hints []PluginHints
}

// Gate is a PreEnqueue plugin.
type Gate struct {
	Plugin string
	// Check answers Success, or why the pod is gated.
	Check func(pod *cluster.Pod, known *cluster.State) trace.Verdict
}

// PluginHints is what one plugin waits for on behalf of the pods it rejected.
type PluginHints struct {
	Plugin string
	Hints  []Hint
}

// pluginSet is a set of plugins of one profile, one bit each. Plugins that have no row, and those beyond the 63rd,
// share the last bit, so the set only serves to find plugins whose hints need not run.
type pluginSet uint64

const sharedBit = 63

// discipline is Rules made ready.
type discipline struct {
	Rules
	profiles []*profile // by name; the last is of pods that no profile is responsible for
	byName   map[string]*profile
	waits    map[string][]cluster.ClusterEvent // by plugin, of all profiles
}

type profile struct {
	ProfileRules
	index   int                  // in discipline.profiles
	unknown bool                 // no plugin is responsible
	groups  bool                 // Rules.Groups
	bits    map[string]pluginSet // of the plugins that have a row
}

func compile(rules Rules) *discipline {
	d := &discipline{Rules: rules, byName: map[string]*profile{}, waits: map[string][]cluster.ClusterEvent{}}
	names := make([]string, 0, len(rules.Profiles))
	for name := range rules.Profiles {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		p := &profile{ProfileRules: rules.Profiles[name], index: i, groups: rules.Groups, bits: map[string]pluginSet{}}
		for n, row := range p.Hints {
			p.bits[row.Plugin] = 1 << min(n, sharedBit)
			for _, h := range row.Hints {
				d.waits[row.Plugin] = append(d.waits[row.Plugin], h.Event)
			}
		}
		d.profiles = append(d.profiles, p)
		d.byName[name] = p
	}
	d.profiles = append(d.profiles, &profile{index: len(names), groups: rules.Groups, unknown: true})
	return d
}

// of is the profile responsible for a pod.
func (d *discipline) of(pod *cluster.Pod) *profile {
	if p, ok := d.byName[pod.API.Spec.SchedulerName]; ok {
		return p
	}
	return d.profiles[len(d.profiles)-1]
}

// before is the order of activeQ. kube-scheduler leaves entities that Sorter holds for equal to the order of its
// heap; here the one that came first goes first, which is the same wherever the clock moves between arrivals.
func (d *discipline) before(a, b *Item) bool {
	if d.Sort.Less(a, b) {
		return true
	}
	if d.Sort.Less(b, a) {
		return false
	}
	return a.arrival < b.arrival
}

// endsBefore is the order of backoffQ: by the end of backoff, and activeQ's order among those that end together.
func (d *discipline) endsBefore(a, b *Item) bool {
	if c := a.BackoffUntil.Compare(b.BackoffUntil); c != 0 {
		return c < 0
	}
	return d.before(a, b)
}

func failsBefore(a, b *Item) bool {
	if c := a.BackoffUntil.Compare(b.BackoffUntil); c != 0 {
		return c < 0
	}
	return a.arrival < b.arrival
}

func waitsLonger(a, b *Item) bool {
	if c := a.waitingSince().Compare(b.waitingSince()); c != 0 {
		return c < 0
	}
	return a.arrival < b.arrival
}

// set is the set of the named plugins.
func (p *profile) set(names []string) pluginSet {
	var set pluginSet
	for _, name := range names {
		if bit, ok := p.bits[name]; ok {
			set |= bit
		} else {
			set |= 1 << sharedBit
		}
	}
	return set
}

// interested is the set of plugins that wait for the event. Where no plugin is responsible, every event is as good.
func (p *profile) interested(e cluster.ClusterEvent) pluginSet {
	var set pluginSet
	if p.unknown || p.watchedForAll(e) {
		set = 1 << sharedBit
	}
	for _, row := range p.Hints {
		for _, h := range row.Hints {
			if h.Event.Matches(e) {
				set |= p.bits[row.Plugin]
				break
			}
		}
	}
	return set
}

// ungates reports whether a gating plugin waits for the event, in whichever profile.
func (d *discipline) ungates(plugin string, e cluster.ClusterEvent) bool {
	events, has := d.waits[plugin]
	if !has {
		return ReachesUnlisted(e, d.Groups)
	}
	return slices.ContainsFunc(events, func(w cluster.ClusterEvent) bool { return w.Matches(e) })
}

func (p *profile) watchedForAll(e cluster.ClusterEvent) bool { return ReachesUnlisted(e, p.groups) }

// ReachesUnlisted reports whether an event reaches plugins that name no events (UnrollWildCardResource, 1.37, which
// leaves out volume attachments, resource slices and custom resources, and pod groups where they are pods like others).
func ReachesUnlisted(e cluster.ClusterEvent, groups bool) bool {
	switch e.Resource {
	case cluster.VolumeAttachmentResource, cluster.ResourceSliceResource, cluster.AnyResource:
		return false
	case cluster.PodGroupResource:
		return groups
	}
	return !e.Resource.IsCustom() // only a plugin that lists it waits for it
}
