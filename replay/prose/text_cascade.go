package prose

// What is told of evictions that lead to others.
const (
	textFallen        = "%s leaves %s for %s; created again, it %s"
	textFallenTo      = "is on %s in the end"
	textFallenNowhere = "has no node in the end"
	textLeftOne       = "%d pod has to leave in all"
	textLeft          = "%d pods have to leave in all"
	textLeftWithout   = "; without a node when the queues have settled: %d."
	textCascadeCut    = "It went on after that, and was not followed any further."
)
