package generate

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"
)

// Configurations draws KubeSchedulerConfigurations as JSON, all valid for kube-scheduler 1.37 and all with the one
// profile of the pods drawn here. The simplest is empty and so means the defaults. The plugins named stay as they are,
// for a release that knows less of them.
func Configurations(left ...string) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		return (&configurator{dice: dice{t: t}, left: left}).draw()
	})
}

type configurator struct {
	dice
	left []string // plugins whose arguments are the defaults
}

func (c *configurator) draw() []byte {
	name := corev1.DefaultSchedulerName
	profile := configv1.KubeSchedulerProfile{SchedulerName: &name}
	for _, option := range []struct {
		plugin string
		args   func() runtime.Object
	}{
		{"NodeResourcesFit", c.fit},
		{"NodeResourcesBalancedAllocation", c.balanced},
		{"InterPodAffinity", c.podAffinity},
		{"NodeAffinity", c.nodeAffinity},
		{"PodTopologySpread", c.spread},
		{"DefaultPreemption", c.preemption},
		{"VolumeBinding", c.volumes},
	} {
		if !slices.Contains(c.left, option.plugin) && c.percent(35) {
			profile.PluginConfig = append(profile.PluginConfig, configv1.PluginConfig{
				Name: option.plugin, Args: runtime.RawExtension{Raw: encode(option.args())},
			})
		}
	}
	if c.percent(35) {
		profile.Plugins = c.plugins()
	}
	configuration := configv1.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"},
		Profiles: []configv1.KubeSchedulerProfile{profile},
	}
	if c.percent(15) {
		percentage := pick(&c.dice, []int32{100, 70, 1})
		configuration.PercentageOfNodesToScore = &percentage
	}
	return encode(&configuration)
}

func encode(object runtime.Object) []byte {
	data, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", object, err))
	}
	return data
}

// plugins changes weights, order or membership of the default set.
func (c *configurator) plugins() *configv1.Plugins {
	plugins := &configv1.Plugins{}
	switch c.below(4) {
	case 0: // other weights, same plugins
		for _, name := range []string{"TaintToleration", "NodeAffinity", "ImageLocality"} {
			weight := int32(c.between(1, 20))
			plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, configv1.Plugin{Name: name, Weight: &weight})
		}
	case 1: // fewer scorers
		for _, name := range some(
			&c.dice,
			[]string{"NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation"}, 3,
		) {
			plugins.Score.Disabled = append(plugins.Score.Disabled, configv1.Plugin{Name: name})
		}
	case 2: // fewer plugins
		for _, name := range some(&c.dice, []string{
			"DefaultPreemption", "PodTopologySpread", "VolumeZone", "TaintToleration", "DynamicResources",
			"VolumeRestrictions", "VolumeBinding", "NodeVolumeLimits",
		}, 2) {
			plugins.MultiPoint.Disabled = append(plugins.MultiPoint.Disabled, configv1.Plugin{Name: name})
		}
	default: // another order of filters
		plugins.Filter.Enabled = []configv1.Plugin{{Name: "NodeResourcesFit"}, {Name: "InterPodAffinity"}}
	}
	return plugins
}

func (c *configurator) fit() runtime.Object {
	args := &configv1.NodeResourcesFitArgs{ScoringStrategy: &configv1.ScoringStrategy{
		Type: pick(&c.dice, []configv1.ScoringStrategyType{
			configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio,
		}),
	}}
	for _, name := range []string{"cpu", "memory", "ephemeral-storage", string(extendedResources[0]), gpuResource} {
		if name == "cpu" || c.percent(50) {
			args.ScoringStrategy.Resources = append(
				args.ScoringStrategy.Resources, configv1.ResourceSpec{Name: name, Weight: int64(c.between(1, 5))},
			)
		}
	}
	if args.ScoringStrategy.Type == configv1.RequestedToCapacityRatio {
		args.ScoringStrategy.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{Shape: c.shape()}
	}
	if c.percent(20) {
		args.IgnoredResources = []string{string(extendedResources[0])}
	}
	if c.percent(10) {
		args.IgnoredResourceGroups = []string{"example.com"}
	}
	return args
}

func (c *configurator) shape() []configv1.UtilizationShapePoint {
	var shape []configv1.UtilizationShapePoint
	for _, utilization := range []int32{0, 35, 80, 100} {
		if utilization == 0 || utilization == 100 || c.percent(50) {
			shape = append(shape, configv1.UtilizationShapePoint{Utilization: utilization, Score: int32(c.below(11))})
		}
	}
	return shape
}

func (c *configurator) balanced() runtime.Object {
	args := &configv1.NodeResourcesBalancedAllocationArgs{}
	for _, name := range []string{"cpu", "memory", "ephemeral-storage", string(extendedResources[0])} {
		if c.percent(60) {
			args.Resources = append(args.Resources, configv1.ResourceSpec{Name: name, Weight: 1})
		}
	}
	return args
}

func (c *configurator) podAffinity() runtime.Object {
	weight := int32(c.between(0, 100))
	return &configv1.InterPodAffinityArgs{
		HardPodAffinityWeight: &weight, IgnorePreferredTermsOfExistingPods: c.percent(50),
	}
}

func (c *configurator) nodeAffinity() runtime.Object {
	w := world{dice: c.dice}
	added := &corev1.NodeAffinity{}
	if c.percent(60) {
		added.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{w.nodeTerm(), w.nodeTerm()},
		}
	}
	if c.percent(60) {
		added.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{
			{Weight: int32(c.between(1, 100)), Preference: w.nodeTerm()},
		}
	}
	if added.RequiredDuringSchedulingIgnoredDuringExecution == nil &&
		added.PreferredDuringSchedulingIgnoredDuringExecution == nil {
		added = nil
	}
	return &configv1.NodeAffinityArgs{AddedAffinity: added}
}

func (c *configurator) spread() runtime.Object {
	args := &configv1.PodTopologySpreadArgs{DefaultingType: configv1.ListDefaulting}
	for i, key := range []string{corev1.LabelTopologyZone, corev1.LabelHostname} {
		if c.percent(60) {
			action := []corev1.UnsatisfiableConstraintAction{corev1.ScheduleAnyway, corev1.DoNotSchedule}[i*c.below(2)]
			args.DefaultConstraints = append(args.DefaultConstraints, corev1.TopologySpreadConstraint{
				MaxSkew: int32(c.between(1, 5)), TopologyKey: key, WhenUnsatisfiable: action,
			})
		}
	}
	return args
}

func (c *configurator) preemption() runtime.Object {
	percentage, absolute := int32(c.between(1, 100)), int32(pick(&c.dice, []int{100, 1, 3}))
	return &configv1.DefaultPreemptionArgs{MinCandidateNodesPercentage: &percentage, MinCandidateNodesAbsolute: &absolute}
}

func (c *configurator) volumes() runtime.Object {
	seconds := int64(60)
	return &configv1.VolumeBindingArgs{BindTimeoutSeconds: &seconds, Shape: c.shape()}
}
