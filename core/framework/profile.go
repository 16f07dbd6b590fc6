package framework

import (
	"slices"

	"github.com/schedstep/schedstep/core/queue"
)

// Profile is one scheduler: which plugins it runs at each extension point, in order. It is made once by core/config and
// read only afterwards.
type Profile struct {
	SchedulerName string

	QueueSort  queue.Sorter
	PreEnqueue []PreEnqueuePlugin
	PreFilter  []FilterPlugin
	Filter     []FilterPlugin
	PostFilter []PostFilterPlugin
	PreScore   []ScorePlugin
	Score      []WeightedScore
	Reserve    []ReservePlugin
	Permit     []PermitPlugin
	PreBind    []PreBindPlugin
	Bind       []BindPlugin
	PostBind   []PostBindPlugin

	// Extenders are called in this order; those whose failures are ignored come last.
	Extenders []Extender

	// The plugins that only cycles of pod groups run.
	PlacementFeasible  []PlacementFeasiblePlugin
	PlacementGenerate  PlacementGeneratePlugin // nil: the nodes are one placement
	PlacementScore     []WeightedPlacementScore
	PodGroupPostFilter []PodGroupPostFilterPlugin

	// Behaviour is what no plugin decides.
	Behaviour Behaviour
	// Batching has the scores of one pod tried on the next that is like it (OpportunisticBatching).
	Batching bool
	// Percentage of all nodes that are enough when they are feasible; 0: chosen by the size of the cluster.
	Percentage int32
	// Unjudged names the enabled plugins that this build knows by name and does not run yet, in the profile's order.
	Unjudged []string
}

// WeightedScore is a score plugin with what its score counts for, 1 or more.
type WeightedScore struct {
	ScorePlugin
	Weight int64
}

// DefaultNormalize scales scores so that the highest is MaxNodeScore (helper.DefaultNormalizeScore, 1.37).
func DefaultNormalize(scores []int64) {
	highest := int64(0)
	for _, s := range scores {
		highest = max(highest, s)
	}
	if highest == 0 {
		return
	}
	for i, s := range scores {
		scores[i] = MaxNodeScore * s / highest
	}
}

// DefaultNormalizeReverse scales scores so that the highest becomes 0 and 0 becomes MaxNodeScore
// (helper.DefaultNormalizeScore with reverse, 1.37).
func DefaultNormalizeReverse(scores []int64) {
	highest := int64(0)
	for _, s := range scores {
		highest = max(highest, s)
	}
	for i, s := range scores {
		if highest == 0 {
			scores[i] = MaxNodeScore
			continue
		}
		scores[i] = MaxNodeScore - MaxNodeScore*s/highest
	}
}

// Wakers lists, once each, the plugins that reject pods and list the events that may help, in the order of the
// profile's extension points.
func (p *Profile) Wakers() []Waker {
	if p.Behaviour.Waits != nil {
		return p.waits()
	}
	var wakers []Waker
	seen := map[string]bool{}
	add := func(plugin Plugin) {
		w, ok := itself(plugin).(Waker)
		if !ok || seen[w.Name()] {
			return
		}
		seen[w.Name()] = true
		wakers = append(wakers, w)
	}
	each(p.PreEnqueue, add)
	each(p.PreFilter, add)
	each(p.Filter, add)
	each(p.PostFilter, add)
	each(p.Reserve, add)
	each(p.Permit, add)
	return wakers
}

// each calls see with the plugins of one extension point, in their order.
func each[P Plugin](plugins []P, see func(Plugin)) {
	for _, plugin := range plugins {
		see(plugin)
	}
}

// waits are the plugins of Behaviour.Waits that the profile enables.
func (p *Profile) waits() []Waker {
	var wakers []Waker
	for _, w := range p.Behaviour.Waits {
		named := func(plugin FilterPlugin) bool { return plugin.Name() == w.Plugin }
		gates := func(plugin PreEnqueuePlugin) bool { return plugin.Name() == w.Plugin }
		if slices.ContainsFunc(p.Filter, named) || slices.ContainsFunc(p.PreFilter, named) ||
			slices.ContainsFunc(p.PreEnqueue, gates) {
			wakers = append(wakers, hintless{w.Plugin, w.Hints})
		}
	}
	return wakers
}

// hintless is a plugin by the events that it waits for.
type hintless struct {
	name   string
	events []queue.Hint
}

// Name is the plugin's.
func (h hintless) Name() string { return h.name }

// Hints has no hint for any event: each always helps.
func (h hintless) Hints() []queue.Hint { return h.events }
