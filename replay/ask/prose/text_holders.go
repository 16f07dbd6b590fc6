package prose

// What holds what a pod lacks, since when, and what came in the place of the pod before it.
const (
	textHolders   = "What holds what it lacks, and since when"
	textHeldOn    = "%s of %s, where nothing else is missing"
	textHolding   = "%s: %s, %s"
	textBoundAt   = ", bound at %s"
	textBoundFrom = ", bound from %s to %s"
	textWasBefore = "%s was on %s before, until it was deleted at %s; what was bound there since:"
	textPlaceOf   = "%s was on %s until it was deleted at %s; what was bound there since:"
	textWasThere  = "%s was on %s until it was deleted at %s; nothing was bound there since that is still there"
)
