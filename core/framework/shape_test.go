package framework_test

import (
	"testing"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
)

func TestShapeIsConstantOutsideAndStraightBetweenItsPoints(t *testing.T) {
	shape := framework.ShapeOf([]configv1.UtilizationShapePoint{
		{Utilization: 20, Score: 10}, {Utilization: 60, Score: 2}, {Utilization: 80, Score: 3},
	})
	for utilization, want := range map[int64]int64{
		0: 100, 20: 100, 21: 98, 40: 60, 60: 20, 61: 20, 63: 21, 70: 25, 80: 30, 100: 30,
	} {
		if got := shape.At(utilization); got != want {
			t.Errorf("at %d: got %d, want %d", utilization, got, want)
		}
	}
}
