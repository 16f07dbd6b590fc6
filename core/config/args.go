package config

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/preemption"
	"github.com/schedstep/schedstep/core/release"
)

// arguments are the args of every plugin that takes any, completed with defaults once a profile is read.
type arguments struct {
	defaultPreemption  configv1.DefaultPreemptionArgs
	dynamicResources   configv1.DynamicResourcesArgs
	interPodAffinity   configv1.InterPodAffinityArgs
	nodeAffinity       configv1.NodeAffinityArgs
	balancedAllocation configv1.NodeResourcesBalancedAllocationArgs
	fit                configv1.NodeResourcesFitArgs
	podTopologySpread  configv1.PodTopologySpreadArgs
	volumeBinding      configv1.VolumeBindingArgs
	former             formerArgs

	// No args: what the release and its feature gates make of plugins.
	groups     framework.GroupRules
	devices    dynamicresources.Gates
	preemption preemption.Order
	batching   bool
	policy     bool // a Policy enables the plugins
	ways       release.Ways
}

// of is where the args of a plugin are kept; nil for a plugin that takes none.
func (a *arguments) of(plugin string) runtime.Object {
	args, takes := map[string]runtime.Object{
		"DefaultPreemption": &a.defaultPreemption, "DynamicResources": &a.dynamicResources,
		"InterPodAffinity": &a.interPodAffinity, "NodeAffinity": &a.nodeAffinity,
		"NodeResourcesBalancedAllocation": &a.balancedAllocation, "NodeResourcesFit": &a.fit,
		"PodTopologySpread": &a.podTopologySpread, "VolumeBinding": &a.volumeBinding,
	}[plugin]
	if !takes {
		return a.former.of(plugin)
	}
	return args
}

// read decodes the args of one pluginConfig entry into their place.
func (a *arguments) read(at *field.Path, r *release.Release, plugin string, raw []byte) reasons {
	into := a.of(plugin)
	if errs := decodeStrict(at, raw, into); len(errs) > 0 {
		return errs
	}
	is := into.GetObjectKind().GroupVersionKind()
	var errs reasons
	if want := plugin + "Args"; is.Kind != "" && is.Kind != want {
		errs = append(errs, field.Invalid(at.Child("kind"), is.Kind, fmt.Sprintf("%s takes %s", plugin, want)))
	}
	if group := is.GroupVersion(); !group.Empty() && !slices.Contains(r.Configurations, group.String()) {
		errs = append(errs, field.Invalid(
			at.Child("apiVersion"), group.String(), needs(r).String(),
		))
	}
	return errs
}

// setDefaults completes what was not given (pkg/scheduler/apis/config/v1, 1.37, default feature gates).
func (a *arguments) setDefaults() {
	fallback(&a.defaultPreemption.MinCandidateNodesPercentage, a.ways.DefaultPreemption.Enough())
	fallback(&a.defaultPreemption.MinCandidateNodesAbsolute, 100)
	fallback(&a.dynamicResources.FilterTimeout, metav1.Duration{Duration: configv1.DynamicResourcesFilterTimeoutDefault})
	fallback(&a.dynamicResources.BindingTimeout, metav1.Duration{Duration: configv1.DynamicResourcesBindingTimeoutDefault})
	fallback(&a.interPodAffinity.HardPodAffinityWeight, 1)
	a.balancedAllocation.Resources = weighed(a.balancedAllocation.Resources)
	if a.fit.ScoringStrategy == nil {
		a.fit.ScoringStrategy = &configv1.ScoringStrategy{Type: configv1.LeastAllocated}
	}
	a.fit.ScoringStrategy.Resources = weighed(a.fit.ScoringStrategy.Resources)
	if a.podTopologySpread.DefaultingType == "" && a.ways.PodTopologySpread.NoSystemDefaults {
		a.podTopologySpread.DefaultingType = configv1.ListDefaulting
	}
	if a.podTopologySpread.DefaultingType == "" {
		a.podTopologySpread.DefaultingType = configv1.SystemDefaulting
	}
	a.former.setDefaults(a.policy)
	fallback(&a.volumeBinding.BindTimeoutSeconds, int64((10*time.Minute)/time.Second))
	if len(a.volumeBinding.Shape) == 0 && !a.ways.VolumeBinding.StorageNotScored {
		a.volumeBinding.Shape = []configv1.UtilizationShapePoint{{Utilization: 0, Score: 10}, {Utilization: 100, Score: 0}}
	}
}

// fallback points to value where nothing was given.
func fallback[T int32 | int64 | bool | string | metav1.Duration](given **T, value T) {
	if *given == nil {
		*given = &value
	}
}

// weighed is cpu and memory where nothing was given, and weight 1 where no weight was given.
func weighed(given []configv1.ResourceSpec) []configv1.ResourceSpec {
	if len(given) == 0 {
		return []configv1.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}
	}
	for i := range given {
		if given[i].Weight == 0 {
			given[i].Weight = 1
		}
	}
	return given
}
