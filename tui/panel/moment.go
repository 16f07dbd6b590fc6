package panel

import (
	"github.com/schedstep/schedstep/replay/session"
)

// which is the cycle that is shown, when it is not the one the cursor is in.
func which(f *session.Frame) string {
	if f.Cycle == nil && f.Last != nil {
		return f.Language.Say("cycle %d, the last one", f.Last.Number)
	}
	return ""
}
