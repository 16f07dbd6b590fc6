package prose

// The texts about a pod of a gang, and about a pod that others are evicted for.
const (
	textFitsItself = "It fits by itself: %s has room for it."
	textItself     = "It was %s."
	textGang       = "Its gang needs %s pods with a node at once, and has %s."
	textNoNodeFor  = "no node for %s: %s"
	textUntried    = "not tried: %s"
	textAbsent     = "%d pod is missing"
	textAbsents    = "%d pods are missing"
	textRoomMade   = "It is nominated on %s; these pods are evicted for it: %s."

	textNoPlacementTried = "kube-scheduler tried no placement, so it did not try %s."
	textMemberUntried    = "%s has no node %s: %s."
	textNumberOf         = "Pod %d of %d of its group, tried %s"
	textTakenAsPlaced    = ", with these pods taken as placed: %s"
	textIsTrying         = "It is being tried: %s."
	textWouldGoTo        = "It would go to %s."
	textFindsNoNode      = "It finds no node: %s"
	textNoReason         = "no reason was given"
	textCouldNotComeTo   = "After %s, %s said: %s. With %s left, the group could not have %d nodes."
	textOnlyATry         = "That was only a try: the group went to %s."

	textTryingIn          = "being tried: %s"
	textBound             = "bound"
	textReservedWaits     = "waits with its node reserved"
	textReleasedNominated = "its node is released; nominated on %s"
	textReleased          = "its node is released: not all can be placed"
	textBeingTried        = "being tried, %d of %d"
	textDomainChosen      = "chosen"
	textDomainTakes       = "takes the group"
	textDomainTakesToo    = "takes the group too"
)
