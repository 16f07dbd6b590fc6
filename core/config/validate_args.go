package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

// validate judges the completed args of one plugin; at is the path of its args. A plugin without args is always right.
func (a *arguments) validate(at *field.Path, plugin string) reasons {
	switch plugin {
	case "DefaultPreemption":
		return list(validatePreemption(at, &a.defaultPreemption))
	case "DynamicResources":
		return list(validateDynamicResources(at, &a.dynamicResources))
	case "InterPodAffinity":
		return list(within(at.Child("hardPodAffinityWeight"), int64(*a.interPodAffinity.HardPodAffinityWeight), 0, 100))
	case "NodeAffinity":
		return validateNodeAffinity(at.Child("addedAffinity"), a.nodeAffinity.AddedAffinity)
	case "NodeResourcesBalancedAllocation":
		return list(validateBalancedAllocation(at.Child("resources"), a.balancedAllocation.Resources))
	case "NodeResourcesFit":
		return list(validateFit(at, &a.fit))
	case "PodTopologySpread":
		return list(validateSpread(at, &a.podTopologySpread))
	case "VolumeBinding":
		return list(validateVolumeBinding(at, &a.volumeBinding, a.ways.VolumeBinding.StorageNotScored))
	}
	return a.former.validate(at, plugin)
}

func list(found field.ErrorList) reasons {
	errs := make(reasons, len(found))
	for i, err := range found {
		errs[i] = err
	}
	return errs
}

// within refuses a number outside a closed range.
func within(at *field.Path, is, low, high int64) field.ErrorList {
	if is < low || is > high {
		return field.ErrorList{field.Invalid(at, is, fmt.Sprintf("not in valid range [%d, %d]", low, high))}
	}
	return nil
}

func validatePreemption(at *field.Path, args *configv1.DefaultPreemptionArgs) field.ErrorList {
	percentage, absolute := *args.MinCandidateNodesPercentage, *args.MinCandidateNodesAbsolute
	errs := within(at.Child("minCandidateNodesPercentage"), int64(percentage), 0, 100)
	if absolute < 0 {
		errs = append(errs, field.Invalid(at.Child("minCandidateNodesAbsolute"), absolute, "not in valid range [0, inf)"))
	}
	if percentage == 0 && absolute == 0 {
		errs = append(errs, field.Invalid(
			at.Child("minCandidateNodesPercentage"), percentage,
			"cannot be zero at the same time as minCandidateNodesAbsolute",
		),
			field.Invalid(
				at.Child("minCandidateNodesAbsolute"), absolute,
				"cannot be zero at the same time as minCandidateNodesPercentage",
			))
	}
	return errs
}

func validateDynamicResources(at *field.Path, args *configv1.DynamicResourcesArgs) field.ErrorList {
	var errs field.ErrorList
	if d := args.FilterTimeout.Duration; d < 0 {
		errs = append(errs, field.Invalid(at.Child("filterTimeout"), d.String(), "must be zero or positive"))
	}
	if d := args.BindingTimeout.Duration; d < time.Second {
		errs = append(errs, field.Invalid(at.Child("bindingTimeout"), d.String(), "must be at least 1 second"))
	}
	return errs
}

func validateNodeAffinity(at *field.Path, added *corev1.NodeAffinity) reasons {
	if added == nil {
		return nil
	}
	var errs reasons
	if required := added.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		_, err := nodeaffinity.NewNodeSelector(
			required, field.WithPath(at.Child("requiredDuringSchedulingIgnoredDuringExecution")),
		)
		errs = append(errs, flat(err)...)
	}
	if preferred := added.PreferredDuringSchedulingIgnoredDuringExecution; len(preferred) > 0 {
		_, err := nodeaffinity.NewPreferredSchedulingTerms(
			preferred, field.WithPath(at.Child("preferredDuringSchedulingIgnoredDuringExecution")),
		)
		errs = append(errs, flat(err)...)
	}
	return errs
}

// flat takes an aggregate apart.
func flat(err error) reasons {
	var many utilerrors.Aggregate
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		return utilerrors.Flatten(many).Errors()
	}
	return reasons{err}
}

func validateBalancedAllocation(at *field.Path, resources []configv1.ResourceSpec) field.ErrorList {
	var errs field.ErrorList
	seen := make(map[string]bool)
	for i, r := range resources {
		if seen[r.Name] {
			errs = append(errs, field.Duplicate(at.Index(i).Child("name"), r.Name))
		}
		seen[r.Name] = true
		if r.Weight != 1 {
			errs = append(errs, field.Invalid(at.Index(i).Child("weight"), r.Weight, "must be 1"))
		}
	}
	return errs
}

func validateFit(at *field.Path, args *configv1.NodeResourcesFitArgs) field.ErrorList {
	var errs field.ErrorList
	for i, name := range args.IgnoredResources {
		errs = append(errs, metav1validation.ValidateLabelName(name, at.Child("ignoredResources").Index(i))...)
	}
	for i, group := range args.IgnoredResourceGroups {
		at := at.Child("ignoredResourceGroups").Index(i)
		if strings.Contains(group, "/") {
			errs = append(errs, field.Invalid(at, group, "resource group name can't contain '/'"))
		}
		errs = append(errs, metav1validation.ValidateLabelName(group, at)...)
	}
	return append(errs, validateStrategy(at.Child("scoringStrategy"), args.ScoringStrategy)...)
}

func validateStrategy(at *field.Path, strategy *configv1.ScoringStrategy) field.ErrorList {
	var errs field.ErrorList
	switch strategy.Type {
	case configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio:
	default:
		errs = append(errs, field.NotSupported(at.Child("type"), strategy.Type,
			[]configv1.ScoringStrategyType{configv1.LeastAllocated, configv1.MostAllocated, configv1.RequestedToCapacityRatio}))
	}
	for i, r := range strategy.Resources {
		if r.Weight <= 0 || r.Weight > 100 {
			errs = append(errs, field.Invalid(at.Child("resources").Index(i).Child("weight"), r.Weight,
				fmt.Sprintf("resource weight of %s not in valid range (0, 100]", r.Name)))
		}
	}
	ratio, isRatio := strategy.RequestedToCapacityRatio, strategy.Type == configv1.RequestedToCapacityRatio
	at = at.Child("requestedToCapacityRatio")
	switch {
	case isRatio && ratio == nil:
		errs = append(errs, field.Required(at, "must be specified when type is RequestedToCapacityRatio"))
	case isRatio:
		errs = append(errs, validateShape(at.Child("shape"), ratio.Shape)...)
	case ratio != nil:
		errs = append(errs, field.Forbidden(at, "must be nil when type is not RequestedToCapacityRatio"))
	}
	return errs
}

// validateShape judges a piecewise linear function: utilization rises strictly within 0..100, scores are within 0..10.
func validateShape(at *field.Path, shape []configv1.UtilizationShapePoint) field.ErrorList {
	if len(shape) == 0 {
		return field.ErrorList{field.Required(at, "at least one point must be specified")}
	}
	var errs field.ErrorList
	for i := 1; i < len(shape); i++ {
		if shape[i-1].Utilization >= shape[i].Utilization {
			errs = append(errs, field.Invalid(
				at.Index(i).Child("utilization"), shape[i].Utilization, "values must be sorted in increasing order",
			))
			break
		}
	}
	for i, point := range shape {
		errs = append(errs, within(at.Index(i).Child("utilization"), int64(point.Utilization), 0, 100)...)
		errs = append(errs, within(at.Index(i).Child("score"), int64(point.Score), 0, 10)...)
	}
	return errs
}

// validateVolumeBinding judges the args of VolumeBinding; one that leaves nodes unscored takes no shape.
func validateVolumeBinding(at *field.Path, args *configv1.VolumeBindingArgs, unscored bool) field.ErrorList {
	var errs field.ErrorList
	if s := *args.BindTimeoutSeconds; s < 0 {
		errs = append(errs, field.Invalid(
			at.Child("bindTimeoutSeconds"), s, "invalid BindTimeoutSeconds, should not be a negative value",
		))
	}
	switch {
	case !unscored:
		errs = append(errs, validateShape(at.Child("shape"), args.Shape)...)
	case len(args.Shape) > 0:
		errs = append(errs, field.Invalid(
			at.Child("shape"), args.Shape,
			"unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring",
		))
	}
	return errs
}

func validateSpread(at *field.Path, args *configv1.PodTopologySpreadArgs) field.ErrorList {
	var errs field.ErrorList
	kind := at.Child("defaultingType")
	switch args.DefaultingType {
	case configv1.ListDefaulting:
	case configv1.SystemDefaulting:
		if len(args.DefaultConstraints) > 0 {
			errs = append(errs, field.Invalid(kind, args.DefaultingType, "when .defaultConstraints are not empty"))
		}
	default:
		errs = append(errs, field.NotSupported(kind, args.DefaultingType,
			[]configv1.PodTopologySpreadConstraintsDefaulting{configv1.SystemDefaulting, configv1.ListDefaulting}))
	}
	for i := range args.DefaultConstraints {
		errs = append(errs, validateConstraint(
			at.Child("defaultConstraints").Index(i), &args.DefaultConstraints[i], args.DefaultConstraints[:i],
		)...)
	}
	return errs
}

func validateConstraint(
	at *field.Path, c *corev1.TopologySpreadConstraint, earlier []corev1.TopologySpreadConstraint,
) field.ErrorList {
	var errs field.ErrorList
	if c.MaxSkew <= 0 {
		errs = append(errs, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "not in valid range (0, inf)"))
	}
	if c.TopologyKey == "" {
		errs = append(errs, field.Required(at.Child("topologyKey"), "can not be empty"))
	} else {
		errs = append(errs, metav1validation.ValidateLabelName(c.TopologyKey, at.Child("topologyKey"))...)
	}
	switch c.WhenUnsatisfiable {
	case corev1.DoNotSchedule, corev1.ScheduleAnyway:
	case "":
		errs = append(errs, field.Required(at.Child("whenUnsatisfiable"), "can not be empty"))
	default:
		errs = append(errs, field.NotSupported(at.Child("whenUnsatisfiable"), c.WhenUnsatisfiable,
			[]corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}))
	}
	if c.LabelSelector != nil {
		errs = append(errs, field.Forbidden(
			at.Child("labelSelector"), "constraint must not define a selector, as they deduced for each pod",
		))
	}
	for i := range earlier {
		if earlier[i].TopologyKey == c.TopologyKey && earlier[i].WhenUnsatisfiable == c.WhenUnsatisfiable {
			errs = append(errs, field.Duplicate(at, fmt.Sprintf("{%s, %s}", c.TopologyKey, c.WhenUnsatisfiable)))
			break
		}
	}
	return errs
}
