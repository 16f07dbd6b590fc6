package generate

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"
)

// FormerConfigurations draws KubeSchedulerConfigurations of v1beta1 as JSON, with which kube-scheduler 1.19 starts, all
// with the one profile of the pods drawn here. They have no defaultConstraints, which is a gap of the table.
func FormerConfigurations() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		c := &former{dice: dice{t: t}, plugins: map[string]*pluginSet{}}
		return c.draw()
	})
}

type former struct {
	dice
	plugins map[string]*pluginSet
	args    []entry
}

type pluginSet struct {
	Enabled  []entry `json:"enabled,omitempty"`
	Disabled []entry `json:"disabled,omitempty"`
}

func (f *former) draw() []byte {
	f.scores()
	f.filters()
	f.options()
	profile := entry{"schedulerName": "default-scheduler", "plugins": f.plugins, "pluginConfig": f.args}
	data, err := json.Marshal(entry{
		"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration",
		"profiles": []entry{profile},
	})
	if err != nil {
		panic(fmt.Sprintf("a drawn configuration: %v", err))
	}
	return data
}

func (f *former) at(point string) *pluginSet {
	if f.plugins[point] == nil {
		f.plugins[point] = &pluginSet{}
	}
	return f.plugins[point]
}

// scores disables some of the plugins that score, enables some of them again with a weight, and adds others.
func (f *former) scores() {
	for _, name := range []string{
		"NodeResourcesBalancedAllocation", "ImageLocality", "NodeResourcesLeastAllocated", "NodeAffinity",
		"NodePreferAvoidPods",
	} {
		if !f.percent(30) {
			continue
		}
		set := f.at("score")
		if set.Disabled = append(set.Disabled, entry{"name": name}); f.percent(60) {
			set.Enabled = append(set.Enabled, entry{"name": name, "weight": f.between(1, 9)})
		}
	}
	if f.percent(35) {
		f.at("score").Enabled = append(f.at("score").Enabled, entry{"name": "NodeResourcesMostAllocated"})
	}
	if f.percent(35) {
		f.at("score").Enabled = append(f.at("score").Enabled, entry{"name": "RequestedToCapacityRatio", "weight": 2})
		f.args = append(f.args, entry{"name": "RequestedToCapacityRatio", "args": (&policist{dice: f.dice}).ratio()})
	}
}

// filters disables or moves some of the plugins that filter, and adds NodeLabel or ServiceAffinity.
func (f *former) filters() {
	for _, name := range some(&f.dice, []string{
		"NodeName", "TaintToleration", "NodeAffinity", "VolumeZone", "AzureDiskLimits", "NodeUnschedulable",
	}, 2) {
		set := f.at("filter")
		if set.Disabled = append(set.Disabled, entry{"name": name}); f.percent(60) {
			set.Enabled = append(set.Enabled, entry{"name": name})
		}
	}
	if f.percent(25) {
		f.at("filter").Enabled = append(f.at("filter").Enabled, entry{"name": "NodeLabel"})
		f.args = append(f.args, entry{"name": "NodeLabel", "args": entry{
			"presentLabels": some(&f.dice, labelsOfNodes[:3], 1), "absentLabels": some(&f.dice, labelsOfNodes[3:], 1),
		}})
	}
	if f.percent(25) {
		for _, point := range []string{"preFilter", "filter"} {
			f.at(point).Enabled = append(f.at(point).Enabled, entry{"name": "ServiceAffinity"})
		}
		f.args = append(f.args, entry{"name": "ServiceAffinity", "args": entry{
			"affinityLabels": some(&f.dice, labelsOfNodes, 2),
		}})
	}
	if f.percent(15) {
		f.at("postFilter").Disabled = []entry{{"name": "*"}}
	}
}

// options are args of plugins that are there anyway.
func (f *former) options() {
	if f.percent(35) {
		f.args = append(f.args, entry{"name": "InterPodAffinity", "args": entry{
			"hardPodAffinityWeight": f.between(0, 100),
		}})
	}
	if f.percent(25) {
		f.args = append(f.args, entry{"name": "NodeResourcesFit", "args": entry{
			"ignoredResources": []string{string(extendedResources[0])},
		}})
	}
	if f.percent(25) {
		f.args = append(f.args, entry{"name": "NodeResourcesLeastAllocated", "args": entry{"resources": []entry{
			{"name": "cpu", "weight": f.between(1, 9)},
			{"name": "memory", "weight": 1},
			{"name": "ephemeral-storage", "weight": f.between(1, 9)},
		}}})
	}
}
