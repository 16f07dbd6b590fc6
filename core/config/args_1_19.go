package config

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/former/nodelabel"
	"github.com/schedstep/schedstep/core/former/serviceaffinity"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

// formerArgs are the args of plugins that were gone before kubescheduler.config.k8s.io/v1 came (1.19).
type formerArgs struct {
	nodeLabel       nodeLabelArgs
	serviceAffinity serviceAffinityArgs
	leastAllocated  allocatedArgs
	mostAllocated   allocatedArgs
	ratio           ratioArgs
}

type nodeLabelArgs struct {
	metav1.TypeMeta `json:",inline"`
	nodelabel.Args  `json:",inline"`
}

type serviceAffinityArgs struct {
	metav1.TypeMeta      `json:",inline"`
	serviceaffinity.Args `json:",inline"`
}

type allocatedArgs struct {
	metav1.TypeMeta `json:",inline"`
	Resources       []configv1.ResourceSpec `json:"resources,omitempty"`
}

type ratioArgs struct {
	metav1.TypeMeta `json:",inline"`
	Shape           []configv1.UtilizationShapePoint `json:"shape"`
	Resources       []configv1.ResourceSpec          `json:"resources,omitempty"`
}

// DeepCopyObject makes a runtime.Object of them; it is never called.
func (a *nodeLabelArgs) DeepCopyObject() runtime.Object { of := *a; return &of }

// DeepCopyObject makes a runtime.Object of them; it is never called.
func (a *serviceAffinityArgs) DeepCopyObject() runtime.Object { of := *a; return &of }

// DeepCopyObject makes a runtime.Object of them; it is never called.
func (a *allocatedArgs) DeepCopyObject() runtime.Object { of := *a; return &of }

// DeepCopyObject makes a runtime.Object of them; it is never called.
func (a *ratioArgs) DeepCopyObject() runtime.Object { of := *a; return &of }

// of is where the args of a plugin are kept; nil for a plugin that takes none of these.
func (a *formerArgs) of(plugin string) runtime.Object {
	return map[string]runtime.Object{
		"NodeLabel": &a.nodeLabel, "ServiceAffinity": &a.serviceAffinity,
		"NodeResourcesLeastAllocated": &a.leastAllocated, "NodeResourcesMostAllocated": &a.mostAllocated,
		"RequestedToCapacityRatio": &a.ratio,
	}[plugin]
}

// setDefaults completes what was not given (pkg/scheduler/apis/config/v1beta1, 1.19). A ratio in a Policy has the
// resources that the Policy lists, and may have none.
func (a *formerArgs) setDefaults(policy bool) {
	for _, args := range []*allocatedArgs{&a.leastAllocated, &a.mostAllocated} {
		if len(args.Resources) == 0 { // a weight that is missing among others is refused
			args.Resources = weighed(nil)
		}
	}
	if len(a.ratio.Resources) == 0 && !policy {
		a.ratio.Resources = weighed(nil)
	}
}

// validate judges the args of one plugin (pkg/scheduler/apis/config/validation, 1.19).
func (a *formerArgs) validate(at *field.Path, plugin string) reasons {
	switch plugin {
	case "NodeLabel":
		return append(
			conflict(at, "presentLabels", a.nodeLabel.PresentLabels, "absentLabels", a.nodeLabel.AbsentLabels),
			conflict(at, "presentLabelsPreference", a.nodeLabel.PresentLabelsPreference,
				"absentLabelsPreference", a.nodeLabel.AbsentLabelsPreference)...,
		)
	case "NodeResourcesLeastAllocated":
		return validateWeights(at, a.leastAllocated.Resources, 100)
	case "NodeResourcesMostAllocated":
		return validateWeights(at, a.mostAllocated.Resources, 100)
	case "RequestedToCapacityRatio":
		wrong := list(validateShape(at.Child("shape"), a.ratio.Shape))
		return append(wrong, validateWeights(at, a.ratio.Resources, 0)...)
	}
	return nil
}

// checkWishes refuses a profile in which NodeLabel scores without a label to score by.
func (p *profile) checkWishes(e Expansion) reasons {
	labels := &p.args.former.nodeLabel
	if len(labels.PresentLabelsPreference)+len(labels.AbsentLabelsPreference) > 0 ||
		!p.known.release.TakesArgs("NodeLabel") ||
		!slices.ContainsFunc(e.At(framework.Score), func(plugin Enabled) bool { return plugin.Name == "NodeLabel" }) {
		return nil
	}
	return reasons{field.Required(p.at.Child("pluginConfig"), fmt.Sprintf(
		"NodeLabel scores, and needs presentLabelsPreference or absentLabelsPreference (kube-scheduler %s ends with the "+
			"first pod without)", p.known.release.Version,
	))}
}

// conflict refuses a label that must be there and must not.
func conflict(at *field.Path, field string, present []string, other string, absent []string) reasons {
	for _, key := range present {
		if slices.Contains(absent, key) {
			return reasons{phrase.Errorf("%s: label %q is in %s and in %s", at, key, field, other)}
		}
	}
	return nil
}

// validateWeights wants weights above 0 and not above most; 0 is no limit.
func validateWeights(at *field.Path, resources []configv1.ResourceSpec, most int64) reasons {
	var errs reasons
	for i, r := range resources {
		if r.Weight < 1 || most > 0 && r.Weight > most {
			wanted := "must not be less than 1"
			if most > 0 {
				wanted = fmt.Sprintf("not in valid range [1, %d]", most)
			}
			errs = append(errs, field.Invalid(at.Child("resources").Index(i).Child("weight"), r.Weight, wanted))
		}
	}
	return errs
}
