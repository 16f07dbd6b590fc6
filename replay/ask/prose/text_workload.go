package prose

// The texts about a whole workload.
const (
	textOfFit         = "%s: %d of %d %s fit."
	textAllFit        = "For %d of %d: %s."
	textNoneForAll    = "No change was found with which %d of %d fit."
	textFitByThemself = "It needs no change: %d of %d fit when its pods are tried again."
	textQuotaForAll   = "For %d of %d: raise the quota."
	textNotMade       = "Pods that a quota does not let be made: %d"
	textQuotaRaised   = "raise the quota: %d of %d fit"
	textWhyNotMade    = "No pod waits; why the others are not made, the input does not show."
	textNoPodYet      = "%d of them have no pod yet."
	textWantsNone     = "%s wants no pod."
	textWantsNoneFor  = "%s wants no pod: %s."
	textNextReplicas  = "What the next replicas need"
	textRejectedPods  = "%s: %s"
	textNotYetTried   = "no cycle has tried them"
	textMoreWithout   = "and %d more pods without a node"
	textForAll        = "The smallest changes for %d of %d; each was run over all replicas"
	textFewerFit      = "No change was found with which %d of %d fit. Fewer would all fit: %s."
	textForFewer      = "Fewer replicas, all of which have a node; it was run"
	textForSome       = "Not all then"
	textReaches       = "%s: %d of %d"
	textFirstWithout  = "The first pod without a node"
	textRanOver       = "Carried out over all replicas: %s, each of at most %d changes."
	textSeveralNodes  = "add %s"
)
