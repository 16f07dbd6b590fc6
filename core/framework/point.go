package framework

// Point is an extension point, by kube-scheduler's name of it.
type Point string

// The extension points, in the order a pod meets them.
const (
	PreEnqueue         Point = "PreEnqueue"
	QueueSort          Point = "QueueSort"
	PreFilter          Point = "PreFilter"
	Filter             Point = "Filter"
	PostFilter         Point = "PostFilter"
	PreScore           Point = "PreScore"
	Score              Point = "Score"
	Reserve            Point = "Reserve"
	Permit             Point = "Permit"
	PreBind            Point = "PreBind"
	Bind               Point = "Bind"
	PostBind           Point = "PostBind"
	PlacementGenerate  Point = "PlacementGenerate"
	PlacementScore     Point = "PlacementScore"
	PodGroupPostFilter Point = "PodGroupPostFilter"
)
