package framework

import configv1 "k8s.io/kube-scheduler/config/v1"

// maxShapeScore is the highest score of a shape in a configuration (MaxCustomPriorityScore, 1.37). It stands for
// MaxNodeScore.
const maxShapeScore = 10

// Shape maps a utilization of 0 to 100 percent to a score, 0 to MaxNodeScore. Its points are in ascending order of
// utilization, and straight lines join them.
type Shape []shapePoint

type shapePoint struct{ utilization, score int64 }

// ShapeOf puts the points of a configuration, in ascending order, on the scale of node scores.
func ShapeOf(points []configv1.UtilizationShapePoint) Shape {
	shape := make(Shape, len(points))
	for i, p := range points {
		shape[i] = shapePoint{
			utilization: int64(p.Utilization), score: int64(p.Score) * (MaxNodeScore / maxShapeScore),
		}
	}
	return shape
}

// At is what a utilization is worth: before the first point what the first is worth, after the last what the last is. A
// shape has at least one point.
func (s Shape) At(utilization int64) int64 {
	for i, p := range s {
		if utilization > p.utilization {
			continue
		}
		if i == 0 {
			return p.score
		}
		before := s[i-1]
		rise, run := p.score-before.score, p.utilization-before.utilization
		return before.score + rise*(utilization-before.utilization)/run
	}
	return s[len(s)-1].score
}
