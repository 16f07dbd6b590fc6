package prose

// What is told of a pod of a gang, and of a pod that others leave for.
const (
	textFitsItself = "It fits by itself: %s would take it."
	textGang       = "Its gang needs %s pods with a node at once, and has %s. Missing"
	textNoNodeFor  = "no node for %s: %s"
	textUntried    = "not tried: %s"
	textAbsent     = "%d pod is not there yet"
	textAbsents    = "%d pods are not there yet"
	textRoomMade   = "It is nominated on %s; these pods have to leave for it: %s."
)
