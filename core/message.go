package core

const (
	noteLimit = 1024 // bytes that the note of an event may have
	noteCut   = " ..."
)

// Note cuts a message to the length an event may have.
func Note(message string) string {
	if len(message) <= noteLimit {
		return message
	}
	return message[:noteLimit-len(noteCut)] + noteCut
}
