package config

import (
	"cmp"
	"slices"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
)

// section is one plugin set of a profile: the extension point it stands for and where it is in the file.
type section struct {
	point framework.Point
	field string
	of    func(*configv1.Plugins) *configv1.PluginSet
}

// sections has every extension point that a file can configure, in the order of Points.
var sections = []section{
	{framework.PreEnqueue, "preEnqueue", func(p *configv1.Plugins) *configv1.PluginSet { return &p.PreEnqueue }},
	{framework.QueueSort, "queueSort", func(p *configv1.Plugins) *configv1.PluginSet { return &p.QueueSort }},
	{framework.PreFilter, "preFilter", func(p *configv1.Plugins) *configv1.PluginSet { return &p.PreFilter }},
	{framework.Filter, "filter", func(p *configv1.Plugins) *configv1.PluginSet { return &p.Filter }},
	{framework.PostFilter, "postFilter", func(p *configv1.Plugins) *configv1.PluginSet { return &p.PostFilter }},
	{framework.PreScore, "preScore", func(p *configv1.Plugins) *configv1.PluginSet { return &p.PreScore }},
	{framework.Score, "score", func(p *configv1.Plugins) *configv1.PluginSet { return &p.Score }},
	{framework.Reserve, "reserve", func(p *configv1.Plugins) *configv1.PluginSet { return &p.Reserve }},
	{framework.Permit, "permit", func(p *configv1.Plugins) *configv1.PluginSet { return &p.Permit }},
	{framework.PreBind, "preBind", func(p *configv1.Plugins) *configv1.PluginSet { return &p.PreBind }},
	{framework.Bind, "bind", func(p *configv1.Plugins) *configv1.PluginSet { return &p.Bind }},
	{framework.PostBind, "postBind", func(p *configv1.Plugins) *configv1.PluginSet { return &p.PostBind }},
	{framework.PlacementGenerate, "placementGenerate", func(p *configv1.Plugins) *configv1.PluginSet {
		return &p.PlacementGenerate
	}},
	{framework.PlacementScore, "placementScore", func(p *configv1.Plugins) *configv1.PluginSet {
		return &p.PlacementScore
	}},
	{framework.PodGroupPostFilter, "podGroupPostFilter", func(p *configv1.Plugins) *configv1.PluginSet {
		return &p.PodGroupPostFilter
	}},
}

// multiPoint enables a plugin at every point it has.
var multiPoint = section{"", "multiPoint", func(p *configv1.Plugins) *configv1.PluginSet { return &p.MultiPoint }}

// mergeDefaults is the default set as changed by a profile's multiPoint. Every other set has no defaults.
func (c *catalogue) mergeDefaults(custom configv1.Plugins, g Gates) configv1.Plugins {
	custom.MultiPoint = configv1.PluginSet{
		Enabled:  mergeEnabled(c.defaultSet(g), custom.MultiPoint),
		Disabled: custom.MultiPoint.Disabled,
	}
	return custom
}

// defaultSet is what the release enables at multiPoint with these feature gates.
func (c *catalogue) defaultSet(g Gates) []configv1.Plugin {
	var set []configv1.Plugin
	for i := range c.rows {
		r := &c.rows[i]
		if !g.enable(&r.Plugin) {
			continue
		}
		if c.provider != nil {
			r, _ = c.find(cmp.Or(c.provider.Instead[r.Name], r.Name))
		}
		p := configv1.Plugin{Name: r.Name}
		if weight := r.Weight; weight != 0 {
			p.Weight = &weight
		}
		set = append(set, p)
	}
	return set
}

// mergeEnabled keeps the defaults that are not disabled in their order, each replaced by the last custom entry of its
// name; all other custom entries follow, repeated ones included.
func mergeEnabled(defaults []configv1.Plugin, custom configv1.PluginSet) []configv1.Plugin {
	last := make(map[string]int, len(custom.Enabled))
	for i, p := range custom.Enabled {
		last[p.Name] = i
	}
	var merged []configv1.Plugin
	taken := make([]bool, len(custom.Enabled))
	for _, p := range defaults {
		if disables(custom, p.Name) {
			continue
		}
		if i, again := last[p.Name]; again {
			p = custom.Enabled[i]
			taken[i] = true
		}
		merged = append(merged, p)
	}
	for i, p := range custom.Enabled {
		if !taken[i] {
			merged = append(merged, p)
		}
	}
	return merged
}

// disables reports whether a set disables a plugin, by its name or with all others.
func disables(set configv1.PluginSet, name string) bool {
	return slices.ContainsFunc(set.Disabled, func(p configv1.Plugin) bool {
		return p.Name == name || p.Name == everything
	})
}

// everything disables all plugins of a set.
const everything = "*"
