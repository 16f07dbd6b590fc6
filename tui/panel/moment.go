package panel

import (
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// which is the cycle that is shown, when it is not the one the cursor is in.
func which(f *session.Frame) string {
	if f.Cycle == nil && f.Last != nil {
		return f.Language.Say("cycle %d, the last one", f.Last.Number)
	}
	return ""
}

// listed is what there is of some parts, with commas between them.
func listed(lang words.Language, parts ...string) string { return joined(lang.Of(", "), parts...) }

// joined puts what is not empty side by side.
func joined(separator string, parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, separator)
}

// clock is a moment of virtual time.
func clock(lang words.Language, t time.Time) string {
	if t.IsZero() {
		return lang.Of("no time yet")
	}
	return words.Clock(t)
}

// matches reports whether text contains a filter, whatever the case of its letters.
func matches(text, filter string) bool {
	return filter == "" || strings.Contains(strings.ToLower(text), filter)
}
