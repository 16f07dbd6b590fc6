package oracle

import (
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"

	"github.com/schedstep/schedstep/conformance/oracle/fwk"
)

// profilePlugins are the plugin instances of one profile, in profile order, as
// far as the framework hands them out: all that implement EnqueueExtensions.
type profilePlugins struct {
	framework  framework.Framework
	preEnqueue []fwk.PreEnqueuePlugin
	filters    []filterPlugin
	preemption *defaultpreemption.DefaultPreemption
	weights    map[string]int64
	names      map[string][]string
}

// filterPlugin is one plugin with its PreFilter and Filter halves; either may
// be nil.
type filterPlugin struct {
	name      string
	preFilter fwk.PreFilterPlugin
	filter    fwk.FilterPlugin
}

// studyProfiles finds the plugin instances and hints of every profile.
func (o *Oracle) studyProfiles(others func(profile string) []fwk.Plugin) error {
	o.profiles = map[string]*profilePlugins{}
	o.hints = map[string][]registeredHint{}
	for name, f := range o.scheduler.Profiles {
		var more []fwk.Plugin
		if others != nil {
			more = others(name)
		}
		p, err := study(f, more)
		if err != nil {
			return fmt.Errorf("profile %s: %w", name, err)
		}
		o.profiles[name] = p
		if o.hints[name], err = registeredHints(o.ctx, f); err != nil {
			return fmt.Errorf("profile %s: %w", name, err)
		}
		if p.preemption != nil {
			spareVictims(p)
		}
	}
	return nil
}

func study(f framework.Framework, more []fwk.Plugin) (*profilePlugins, error) {
	p := &profilePlugins{framework: f, weights: map[string]int64{}, names: map[string][]string{}}
	instances := map[string]fwk.Plugin{}
	for _, plugin := range f.EnqueueExtensions() {
		instances[plugin.Name()] = plugin
	}
	for _, plugin := range more {
		instances[plugin.Name()] = plugin
	}
	p.preEnqueue = f.PreEnqueuePlugins()
	p.preemption = preemptionOf(f, instances)
	plugins := f.ListPlugins()
	p.names["PreEnqueue"] = names(plugins.PreEnqueue)
	p.names["PreFilter"] = names(plugins.PreFilter)
	p.names["Filter"] = names(plugins.Filter)
	p.names["PreScore"] = names(plugins.PreScore)
	p.names["Score"] = names(plugins.Score)
	for _, score := range plugins.Score.Enabled {
		p.weights[score.Name] = int64(score.Weight)
	}
	halves := map[string]*filterPlugin{}
	var order []string
	half := func(name string) *filterPlugin {
		if halves[name] == nil {
			halves[name] = &filterPlugin{name: name}
			order = append(order, name)
		}
		return halves[name]
	}
	for _, name := range p.names["Filter"] {
		instance, ok := instances[name].(fwk.FilterPlugin)
		if !ok {
			return nil, fmt.Errorf("plugin %s: the framework does not hand out its Filter", name)
		}
		half(name).filter = instance
	}
	for _, name := range p.names["PreFilter"] {
		instance, ok := instances[name].(fwk.PreFilterPlugin)
		if !ok {
			return nil, fmt.Errorf("plugin %s: the framework does not hand out its PreFilter", name)
		}
		half(name).preFilter = instance
	}
	for _, name := range order {
		p.filters = append(p.filters, *halves[name])
	}
	return p, nil
}

func names(set config.PluginSet) []string {
	var list []string
	for _, plugin := range set.Enabled {
		list = append(list, plugin.Name)
	}
	return list
}
