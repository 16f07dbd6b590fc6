package core

// The texts of kube-scheduler 1.37 that no plugin writes.
const (
	noNodesMessage = "no nodes available to schedule pods"
	noteLimit      = 1024 // bytes of an event's note
	noteCut        = " ..."
)

// note cuts a message to the length an event may have.
func note(message string) string {
	if len(message) <= noteLimit {
		return message
	}
	return message[:noteLimit-len(noteCut)] + noteCut
}
