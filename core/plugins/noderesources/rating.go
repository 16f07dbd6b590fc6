package noderesources

import (
	"math"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
)

// rating turns how full a node would be into a score.
type rating struct {
	strategy configv1.ScoringStrategyType
	shape    framework.Shape // of RequestedToCapacityRatio
	up       bool            // RequestedToCapacityRatio rounds how full a node is up to the next percent (1.19)

	fullIsNone bool // of MostAllocated, see Ways
}

func ratingOf(strategy *configv1.ScoringStrategy) rating {
	r := rating{strategy: strategy.Type}
	switch strategy.Type {
	case configv1.LeastAllocated, configv1.MostAllocated:
	case configv1.RequestedToCapacityRatio:
		r.shape = framework.ShapeOf(strategy.RequestedToCapacityRatio.Shape)
	default:
		panic("scoring strategy " + string(strategy.Type) + " passed validation")
	}
	return r
}

// of is the score, 0 to 100, of one resource of which a node has capacity (more than 0) and would have requested in
// use.
func (r *rating) of(requested, capacity int64) int64 {
	switch r.strategy {
	case configv1.LeastAllocated:
		if requested > capacity {
			return 0
		}
		return (capacity - requested) * framework.MaxNodeScore / capacity
	case configv1.MostAllocated:
		if r.fullIsNone && requested > capacity {
			return 0
		}
		return min(requested, capacity) * framework.MaxNodeScore / capacity
	}
	if requested > capacity {
		return r.shape.At(100)
	}
	if r.up {
		return r.shape.At(100 - (capacity-requested)*100/capacity)
	}
	return r.shape.At(requested * 100 / capacity)
}

// ofNone is the score of a resource that a node does not have, where it counts at all (1.19).
func (r *rating) ofNone() int64 {
	if r.strategy == configv1.RequestedToCapacityRatio {
		return r.shape.At(100)
	}
	return 0
}

// counts reports whether a resource with that score takes part in the mean.
func (r *rating) counts(score int64) bool {
	return r.strategy != configv1.RequestedToCapacityRatio || score > 0
}

// mean is the weighted mean; RequestedToCapacityRatio rounds it to the nearest, the others down.
func (r *rating) mean(weighted, weights int64) int64 {
	if weights == 0 {
		return 0
	}
	if r.strategy == configv1.RequestedToCapacityRatio {
		return int64(math.Round(float64(weighted) / float64(weights)))
	}
	return weighted / weights
}
