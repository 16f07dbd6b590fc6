package config

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/gangscheduling"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/internal/phrase"
)

// build makes one plugin for each name in an expansion and puts it where the expansion lists it.
func (p *profile) build(e Expansion) (*framework.Profile, reasons) {
	judged := &framework.Profile{
		SchedulerName: p.name, Behaviour: p.behaviour, Batching: p.args.batching,
	}
	plugins := make(map[string]framework.Plugin)
	var errs reasons
	bare := !p.known.release.TakesArgs("NodeResourcesFit") // there are no args for it
	if bare {
		p.args.fit.IgnoredResources = p.ignored
	}
	if len(p.ignored) > 0 && !bare && p.fitArgs == nil && !slices.Contains(p.needed(e), "NodeResourcesFit") {
		return judged, reasons{phrase.Errorf(
			"%s: couldn't build extenders: can't find NodeResourcesFitArgs in plugin config",
			p.at.Child("pluginConfig"),
		)}
	}
	for _, name := range p.needed(e) {
		r, _ := p.known.find(name)
		if r.outside != nil {
			plugin, wrong := p.makeOutside(r.outside)
			plugins[name], errs = plugin, append(errs, wrong...)
			continue
		}
		if r.make == nil {
			judged.Unjudged = append(judged.Unjudged, name)
			continue
		}
		if name == "NodeResourcesFit" && len(p.ignored) > 0 {
			p.args.fit.IgnoredResources = p.ignored
		}
		if name == "NodeResourcesFit" && p.fitArgs != nil {
			if wrong := p.args.validate(p.fitArgs, name); len(wrong) > 0 {
				errs = append(errs, wrong...)
				continue
			}
		}
		plugin, err := r.make(&p.args)
		if err != nil {
			errs = append(errs, phrase.Errorf("%s: plugin %s: %w", p.at.Child("pluginConfig"), name, err))
			continue
		}
		plugins[name] = plugin
	}
	if len(errs) > 0 {
		return judged, errs
	}
	for _, asked := range e.Points {
		for _, enabled := range asked.Plugins {
			if plugin, has := plugins[enabled.Name]; has {
				place(judged, asked.Point, enabled, plugin)
			}
		}
	}
	if p.args.groups.Together {
		gather(judged, plugins)
	}
	return judged, nil
}

// gather lists the plugins that decide whether a group can get what it needs: no file lists this point.
func gather(judged *framework.Profile, plugins map[string]framework.Plugin) {
	if gang, has := plugins[gangscheduling.Name]; has {
		judged.PlacementFeasible = []framework.PlacementFeasiblePlugin{
			must[framework.PlacementFeasiblePlugin]("PlacementFeasible", gang),
		}
	}
	for _, permit := range judged.Permit {
		if guest, is := permit.(framework.GuestGatherer); is {
			if plugin, gathers := guest.Gathers(); gathers {
				judged.PlacementFeasible = append(judged.PlacementFeasible, plugin)
			}
		}
	}
}

// needed is every plugin of an expansion once: in multiPoint's order, then in the order of points.
func (p *profile) needed(e Expansion) []string {
	asked := make(map[string]bool)
	var names []string
	for _, point := range e.Points {
		for _, enabled := range point.Plugins {
			if !asked[enabled.Name] {
				asked[enabled.Name] = true
				names = append(names, enabled.Name)
			}
		}
	}
	var ordered []string
	for _, m := range p.plugins.MultiPoint.Enabled {
		if asked[m.Name] && !slices.Contains(ordered, m.Name) {
			ordered = append(ordered, m.Name)
		}
	}
	for _, name := range names {
		if !slices.Contains(ordered, name) {
			ordered = append(ordered, name)
		}
	}
	return ordered
}

// place appends a plugin to the list of an extension point.
func place(to *framework.Profile, p framework.Point, e Enabled, plugin framework.Plugin) {
	switch p {
	case framework.PreEnqueue:
		to.PreEnqueue = append(to.PreEnqueue, must[framework.PreEnqueuePlugin](p, plugin))
	case framework.QueueSort:
		to.QueueSort = must[sorter](p, plugin)
	case framework.PreFilter:
		to.PreFilter = append(to.PreFilter, must[framework.FilterPlugin](p, plugin))
	case framework.Filter:
		to.Filter = append(to.Filter, as(p, plugin, framework.FilterOf))
	case framework.PostFilter:
		to.PostFilter = append(to.PostFilter, must[framework.PostFilterPlugin](p, plugin))
	case framework.PreScore:
		to.PreScore = append(to.PreScore, must[framework.ScorePlugin](p, plugin))
	case framework.Score:
		scored := framework.WeightedScore{ScorePlugin: as(p, plugin, framework.ScoreOf), Weight: int64(e.Weight)}
		to.Score = append(to.Score, scored)
	case framework.Reserve:
		to.Reserve = append(to.Reserve, must[framework.ReservePlugin](p, plugin))
	case framework.Permit:
		to.Permit = append(to.Permit, must[framework.PermitPlugin](p, plugin))
	case framework.PreBind:
		to.PreBind = append(to.PreBind, must[framework.PreBindPlugin](p, plugin))
	case framework.Bind:
		to.Bind = append(to.Bind, must[framework.BindPlugin](p, plugin))
	case framework.PostBind:
		to.PostBind = append(to.PostBind, must[framework.PostBindPlugin](p, plugin))
	case framework.PlacementGenerate:
		to.PlacementGenerate = must[framework.PlacementGeneratePlugin](p, plugin)
	case framework.PlacementScore:
		scored := framework.WeightedPlacementScore{
			PlacementScorePlugin: must[framework.PlacementScorePlugin](p, plugin), Weight: int64(e.Weight),
		}
		to.PlacementScore = append(to.PlacementScore, scored)
	case framework.PodGroupPostFilter:
		to.PodGroupPostFilter = append(to.PodGroupPostFilter, must[framework.PodGroupPostFilterPlugin](p, plugin))
	}
}

// sorter is what a plugin of QueueSort has to be.
type sorter interface {
	framework.Plugin
	queue.Sorter
}

// must is the plugin as the catalogue promises it.
func must[T framework.Plugin](p framework.Point, plugin framework.Plugin) T {
	return as(p, plugin, func(plugin framework.Plugin) (T, bool) {
		t, is := plugin.(T)
		return t, is
	})
}

// as is the plugin as an extension point calls it, which the catalogue promises that it can be.
func as[T framework.Plugin](p framework.Point, plugin framework.Plugin, of func(framework.Plugin) (T, bool)) T {
	t, is := of(plugin)
	if !is {
		panic(fmt.Sprintf("config: %s is listed for %s, and %T has no such method", plugin.Name(), p, plugin))
	}
	return t
}
