package admission

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	helpers "k8s.io/component-helpers/resource"
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

// aggregate says every error, in its order.
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
	for _, name := range resourceNames(limit.Min) {
		errs = append(errs, checkMin(limit.Type, name, limit.Min[name], requests, limits))
	}
	for _, name := range resourceNames(limit.Max) {
		errs = append(errs, checkMax(limit.Type, name, limit.Max[name], requests, limits))
	}
	for _, name := range resourceNames(limit.MaxLimitRequestRatio) {
		errs = append(errs, checkRatio(limit.Type, name, limit.MaxLimitRequestRatio[name], requests, limits))
	}
	return errs
}

func checkMin(
	kind corev1.LimitType, name corev1.ResourceName, bound resource.Quantity, requests, limits corev1.ResourceList,
) error {
	request, asked := requests[name]
	limit, limited := limits[name]
	switch {
	case !asked:
		return fmt.Errorf("minimum %s usage per %s is %s.  No request is specified", name, kind, bound.String())
	case request.Cmp(bound) < 0:
		return fmt.Errorf("minimum %s usage per %s is %s, but request is %s", name, kind, bound.String(), request.String())
	case limited && limit.Cmp(bound) < 0:
		return fmt.Errorf("minimum %s usage per %s is %s, but limit is %s", name, kind, bound.String(), limit.String())
	}
	return nil
}

func checkMax(
	kind corev1.LimitType, name corev1.ResourceName, bound resource.Quantity, requests, limits corev1.ResourceList,
) error {
	request, asked := requests[name]
	limit, limited := limits[name]
	switch {
	case !limited:
		return fmt.Errorf("maximum %s usage per %s is %s.  No limit is specified", name, kind, bound.String())
	case limit.Cmp(bound) > 0:
		return fmt.Errorf("maximum %s usage per %s is %s, but limit is %s", name, kind, bound.String(), limit.String())
	case asked && request.Cmp(bound) > 0:
		return fmt.Errorf("maximum %s usage per %s is %s, but request is %s", name, kind, bound.String(), request.String())
	}
	return nil
}

func checkRatio(
	kind corev1.LimitType, name corev1.ResourceName, bound resource.Quantity, requests, limits corev1.ResourceList,
) error {
	request, limit := requests[name], limits[name]
	switch {
	case request.IsZero():
		return fmt.Errorf(
			"%s max limit to request ratio per %s is %s, but no request is specified or request is 0", name, kind,
			bound.String(),
		)
	case limit.IsZero():
		return fmt.Errorf(
			"%s max limit to request ratio per %s is %s, but no limit is specified or limit is 0", name, kind,
			bound.String(),
		)
	}
	ratio := limit.AsApproximateFloat64() / request.AsApproximateFloat64()
	if ratio > bound.AsApproximateFloat64() {
		return fmt.Errorf(
			"%s max limit to request ratio per %s is %s, but provided ratio is %f", name, kind, bound.String(), ratio,
		)
	}
	return nil
}

// checkClaim holds a claim's storage request to a limit range.
func checkClaim(claim *corev1.PersistentVolumeClaim, r *corev1.LimitRange) error {
	var errs []error
	requests := claim.Spec.Resources.Requests
	for _, limit := range r.Spec.Limits {
		if limit.Type != corev1.LimitTypePersistentVolumeClaim {
			continue
		}
		for _, name := range resourceNames(limit.Min) {
			errs = append(errs, checkMin(limit.Type, name, limit.Min[name], requests, nil))
		}
		for _, name := range resourceNames(limit.Max) {
			request, asked := requests[name]
			bound := limit.Max[name]
			if !asked {
				errs = append(errs, fmt.Errorf(
					"maximum %s usage per %s is %s.  No request is specified", name, limit.Type, bound.String(),
				))
			} else if request.Cmp(bound) > 0 {
				errs = append(
					errs,
					fmt.Errorf("maximum %s usage per %s is %s, but request is %s", name, limit.Type, bound.String(), request.String()),
				)
			}
		}
	}
	return aggregate(errs)
}

func resourceNames(list corev1.ResourceList) []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func sortedNames(set map[string]string) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
