package generate

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"
)

// inTree are the plugins a configuration may name, one that does not exist
// included.
var inTree = []string{
	"SchedulingGates", "PrioritySort", "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
	"NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread",
	"InterPodAffinity", "DynamicResources", "DefaultPreemption", "NodeResourcesBalancedAllocation", "ImageLocality",
	"DefaultBinder", "NodeDeclaredFeatures", "Nonexistent",
}

// WildConfigurations draws KubeSchedulerConfigurations as JSON with any plugin
// enabled or disabled anywhere and any number anywhere, so that kube-scheduler
// refuses many of them.
func WildConfigurations() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		return (&configurator{dice: dice{t: t}}).wild()
	})
}

func (c *configurator) wild() []byte {
	configuration := configv1.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: configv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"},
	}
	for i := range 1 + c.below(2) {
		name := []string{corev1.DefaultSchedulerName, "second"}[i]
		if c.percent(3) {
			name = pick(&c.dice, []string{"", "second", corev1.DefaultSchedulerName})
		}
		profile := configv1.KubeSchedulerProfile{SchedulerName: &name, PercentageOfNodesToScore: c.number(8)}
		if c.percent(80) {
			profile.Plugins = c.wildPlugins()
		}
		profile.PluginConfig = c.wildArgs()
		configuration.Profiles = append(configuration.Profiles, profile)
	}
	configuration.PercentageOfNodesToScore = c.number(8)
	configuration.Parallelism = c.number(4)
	configuration.PodInitialBackoffSeconds = c.seconds()
	configuration.PodMaxBackoffSeconds = c.seconds()
	return encode(&configuration)
}

// number is nothing most of the time, else often one that is refused.
func (c *configurator) number(percent int) *int32 {
	if !c.percent(percent) {
		return nil
	}
	n := pick(&c.dice, []int32{50, 1, 0, 100, 101, -1})
	return &n
}

func (c *configurator) seconds() *int64 {
	if !c.percent(8) {
		return nil
	}
	n := pick(&c.dice, []int64{1, 2, 10, 30, 0, -1})
	return &n
}

func (c *configurator) wildPlugins() *configv1.Plugins {
	plugins := &configv1.Plugins{}
	for _, set := range []*configv1.PluginSet{
		&plugins.MultiPoint, &plugins.PreEnqueue, &plugins.QueueSort, &plugins.PreFilter, &plugins.Filter,
		&plugins.PostFilter, &plugins.PreScore,
		&plugins.Score, &plugins.Reserve, &plugins.Permit, &plugins.PreBind, &plugins.Bind, &plugins.PostBind,
	} {
		if c.percent(85) {
			continue
		}
		if c.percent(20) {
			set.Disabled = append(set.Disabled, configv1.Plugin{Name: "*"})
		}
		for range c.below(3) {
			set.Disabled = append(set.Disabled, configv1.Plugin{Name: pick(&c.dice, inTree)})
		}
		for range c.below(4) {
			set.Enabled = append(set.Enabled, configv1.Plugin{
				Name: pick(&c.dice, inTree[:len(inTree)-1+c.below(8)/7]), Weight: c.weight(),
			})
		}
	}
	return plugins
}

func (c *configurator) weight() *int32 {
	if c.percent(60) {
		return nil
	}
	weight := pick(&c.dice, []int32{1, 5, 100, 0, 2147483647, -1})
	return &weight
}

// wildArgs draws args, some for the wrong plugin or twice.
func (c *configurator) wildArgs() []configv1.PluginConfig {
	var args []configv1.PluginConfig
	add := func(name string, object runtime.Object) {
		args = append(args, configv1.PluginConfig{Name: name, Args: runtime.RawExtension{Raw: encode(object)}})
	}
	if c.percent(20) {
		add("NodeResourcesFit", c.wildFit())
	}
	if c.percent(15) {
		add("PodTopologySpread", c.wildSpread())
	}
	if c.percent(10) {
		add("InterPodAffinity", &configv1.InterPodAffinityArgs{HardPodAffinityWeight: c.number(80)})
	}
	if c.percent(10) {
		add(
			"DefaultPreemption",
			&configv1.DefaultPreemptionArgs{MinCandidateNodesPercentage: c.number(60), MinCandidateNodesAbsolute: c.number(60)},
		)
	}
	if c.percent(5) {
		add(pick(&c.dice, []string{"NodeAffinity", "ImageLocality", "Nonexistent", "NodeResourcesFit"}), c.nodeAffinity())
	}
	if c.percent(10) {
		add("NodeResourcesBalancedAllocation", &configv1.NodeResourcesBalancedAllocationArgs{Resources: c.resourceWeights()})
	}
	return args
}

func (c *configurator) resourceWeights() []configv1.ResourceSpec {
	var list []configv1.ResourceSpec
	for range c.below(4) {
		list = append(list, configv1.ResourceSpec{
			Name:   pick(&c.dice, []string{"cpu", "memory", "example.com/gpu", "bad name!", ""}),
			Weight: pick(&c.dice, []int64{1, 3, 100, 101, 0, -1}),
		})
	}
	return list
}

func (c *configurator) wildFit() runtime.Object {
	args := &configv1.NodeResourcesFitArgs{}
	if c.percent(30) {
		args.IgnoredResources = []string{pick(&c.dice, []string{"example.com/gpu", "cpu", "bad name!"})}
	}
	if c.percent(30) {
		args.IgnoredResourceGroups = []string{pick(&c.dice, []string{"example.com", "example.com/gpu", "bad group!"})}
	}
	if c.percent(80) {
		args.ScoringStrategy = &configv1.ScoringStrategy{
			Type: pick(&c.dice, []configv1.ScoringStrategyType{
				configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio,
				configv1.RequestedToCapacityRatio, "Wild",
			}),
			Resources: c.resourceWeights(),
		}
		if c.percent(50) {
			param := &configv1.RequestedToCapacityRatioParam{}
			for range c.below(4) {
				param.Shape = append(param.Shape, configv1.UtilizationShapePoint{
					Utilization: pick(&c.dice, []int32{0, 50, 100, 101, -1}), Score: pick(&c.dice, []int32{0, 10, 5, 11, -1}),
				})
			}
			args.ScoringStrategy.RequestedToCapacityRatio = param
		}
	}
	return args
}

func (c *configurator) wildSpread() runtime.Object {
	args := &configv1.PodTopologySpreadArgs{DefaultingType: pick(
		&c.dice, []configv1.PodTopologySpreadConstraintsDefaulting{
			configv1.ListDefaulting, configv1.SystemDefaulting, "", "Wild",
		})}
	for range c.below(3) {
		constraint := corev1.TopologySpreadConstraint{
			MaxSkew:     pick(&c.dice, []int32{1, 2, 0, -1}),
			TopologyKey: pick(&c.dice, []string{corev1.LabelTopologyZone, corev1.LabelHostname, "", "bad key!"}),
			WhenUnsatisfiable: pick(&c.dice, []corev1.UnsatisfiableConstraintAction{
				corev1.DoNotSchedule, corev1.ScheduleAnyway, "", "Wild",
			}),
		}
		if c.percent(15) {
			constraint.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		}
		args.DefaultConstraints = append(args.DefaultConstraints, constraint)
	}
	return args
}
