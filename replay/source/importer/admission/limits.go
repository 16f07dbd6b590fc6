package admission

import (
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	helpers "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/internal/phrase"
)

// setLimitDefaults completes a limit range for containers: limits from max, requests from limits, then from min.
func setLimitDefaults(limit *corev1.LimitRangeItem) {
	for _, list := range []corev1.ResourceList{
		limit.Max, limit.Min, limit.Default, limit.DefaultRequest, limit.MaxLimitRequestRatio,
	} {
		roundUp(list)
	}
	if limit.Type != corev1.LimitTypeContainer {
		return
	}
	limit.Default = filled(limit.Default, limit.Max)
	limit.DefaultRequest = filled(limit.DefaultRequest, limit.Default)
	limit.DefaultRequest = filled(limit.DefaultRequest, limit.Min)
}

// fillFromRange gives containers the defaults of a limit range (LimitRanger, 1.37); a later item of the range wins.
func fillFromRange(pod *corev1.Pod, r *corev1.LimitRange) {
	limits, requests := corev1.ResourceList{}, corev1.ResourceList{}
	for _, limit := range r.Spec.Limits {
		if limit.Type != corev1.LimitTypeContainer {
			continue
		}
		for name, quantity := range limit.Default {
			limits[name] = quantity
		}
		for name, quantity := range limit.DefaultRequest {
			requests[name] = quantity
		}
	}
	for _, c := range containers(pod) {
		c.Resources.Limits = filled(c.Resources.Limits, limits)
		c.Resources.Requests = filled(c.Resources.Requests, requests)
	}
}

// checkRange holds a pod to a limit range (LimitRanger, 1.37), in its words.
func checkRange(pod *corev1.Pod, r *corev1.LimitRange) error {
	var errs []error
	for _, limit := range r.Spec.Limits {
		switch limit.Type {
		case corev1.LimitTypeContainer:
			for _, c := range containers(pod) {
				errs = append(errs, checkLimit(limit, c.Resources.Requests, c.Resources.Limits)...)
			}
		case corev1.LimitTypePod:
			requests, limits := podTotals(pod)
			errs = append(errs, checkLimit(limit, requests, limits)...)
		}
	}
	return aggregate(errs)
}

// aggregate joins every error, in its order.
func aggregate(errs []error) error {
	if joined := utilerrors.NewAggregate(errs); joined != nil {
		return errors.New(joined.Error())
	}
	return nil
}

// podTotals adds up containers, with CPU and memory of the pod as a whole in their place.
func podTotals(pod *corev1.Pod) (requests, limits corev1.ResourceList) {
	requests = helpers.AggregateContainerRequests(pod, helpers.PodResourcesOptions{})
	limits = helpers.AggregateContainerLimits(pod, helpers.PodResourcesOptions{})
	if pod.Spec.Resources == nil {
		return requests, limits
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if quantity, has := pod.Spec.Resources.Requests[name]; has {
			requests[name] = quantity
		}
		if quantity, has := pod.Spec.Resources.Limits[name]; has {
			limits[name] = quantity
		}
	}
	return requests, limits
}

func checkLimit(limit corev1.LimitRangeItem, requests, limits corev1.ResourceList) []error {
	var errs []error
	amounts := map[string]corev1.ResourceList{"request": requests, "limit": limits}
	for _, name := range slices.Sorted(maps.Keys(limit.Min)) {
		errs = append(errs, minimum.check(limit.Type, name, limit.Min[name], amounts))
	}
	for _, name := range slices.Sorted(maps.Keys(limit.Max)) {
		errs = append(errs, maximum.check(limit.Type, name, limit.Max[name], amounts))
	}
	for _, name := range slices.Sorted(maps.Keys(limit.MaxLimitRequestRatio)) {
		errs = append(errs, checkRatio(limit.Type, name, limit.MaxLimitRequestRatio[name], requests, limits))
	}
	return errs
}

// bound is one end of what a LimitRange allows two amounts to be: one must be there, the other may be.
type bound struct {
	word      string
	beyond    int // what Cmp answers for an amount that is not allowed
	must, may string
}

var (
	minimum = bound{word: "minimum", beyond: -1, must: "request", may: "limit"}
	maximum = bound{word: "maximum", beyond: 1, must: "limit", may: "request"}

	mostOfClaim = bound{word: "maximum", beyond: 1, must: "request"} // a claim has no limits
)

// check holds a resource to the bound at a quantity.
func (b bound) check(
	kind corev1.LimitType, name corev1.ResourceName, at resource.Quantity, amounts map[string]corev1.ResourceList,
) error {
	if _, has := amounts[b.must][name]; !has {
		return phrase.Errorf("%s %s usage per %s is %s.  No %s is specified", b.word, name, kind, at.String(), b.must)
	}
	for _, what := range []string{b.must, b.may} {
		if amount, has := amounts[what][name]; has && amount.Cmp(at) == b.beyond {
			return phrase.Errorf(
				"%s %s usage per %s is %s, but %s is %s", b.word, name, kind, at.String(), what, amount.String(),
			)
		}
	}
	return nil
}

func checkRatio(
	kind corev1.LimitType, name corev1.ResourceName, bound resource.Quantity, requests, limits corev1.ResourceList,
) error {
	request, limit := requests[name], limits[name]
	switch {
	case request.IsZero():
		return phrase.Errorf(
			"%s max limit to request ratio per %s is %s, but no request is specified or request is 0", name, kind,
			bound.String(),
		)
	case limit.IsZero():
		return phrase.Errorf(
			"%s max limit to request ratio per %s is %s, but no limit is specified or limit is 0", name, kind,
			bound.String(),
		)
	}
	ratio := limit.AsApproximateFloat64() / request.AsApproximateFloat64()
	if ratio > bound.AsApproximateFloat64() {
		return phrase.Errorf(
			"%s max limit to request ratio per %s is %s, but provided ratio is %f", name, kind, bound.String(), ratio,
		)
	}
	return nil
}

// checkClaim holds a claim's storage request to a limit range.
func checkClaim(claim *corev1.PersistentVolumeClaim, r *corev1.LimitRange) error {
	var errs []error
	amounts := map[string]corev1.ResourceList{"request": claim.Spec.Resources.Requests}
	for _, limit := range r.Spec.Limits {
		if limit.Type != corev1.LimitTypePersistentVolumeClaim {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(limit.Min)) {
			errs = append(errs, minimum.check(limit.Type, name, limit.Min[name], amounts))
		}
		for _, name := range slices.Sorted(maps.Keys(limit.Max)) {
			errs = append(errs, mostOfClaim.check(limit.Type, name, limit.Max[name], amounts))
		}
	}
	return aggregate(errs)
}
