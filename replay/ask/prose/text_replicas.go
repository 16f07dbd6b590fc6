package prose

// The texts about workloads of which pods were made.
const (
	textReplicas        = "replicas"
	textReplicaPods     = "pods"
	textMissing         = "missing %s"
	textFitOf           = "%d of %d %s fit: %s %s"
	textSmallestChange  = "smallest change for %s: %s"
	textSmallestNone    = "%s needs no change: it comes to %s when it is tried"
	textSmallestUnknown = "no change was found that gives %s a node"
)
