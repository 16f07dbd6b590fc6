package view

import (
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Listed is what there is of some parts, with commas between them.
func Listed(lang words.Language, parts ...string) string { return Joined(lang.Of(", "), parts...) }

// Joined puts what is not empty side by side.
func Joined(separator string, parts ...string) string {
	var said []string
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, separator)
}

// Clock is a moment of virtual time.
func Clock(lang words.Language, t time.Time) string {
	if t.IsZero() {
		return lang.Of("no time yet")
	}
	return words.Clock(t)
}

// Matches reports whether text contains a filter, whatever the case of its letters.
func Matches(text, filter string) bool {
	return filter == "" || strings.Contains(strings.ToLower(text), filter)
}

// Unjudged lists the plugins of the profile that this build does not have; "" when it has all.
func Unjudged(f *session.Frame) string {
	if len(f.Unjudged) == 0 {
		return ""
	}
	return f.Language.Say("not judged yet: %s", strings.Join(f.Unjudged, ", "))
}

// ActiveName is how the queue is called that pods are taken from.
func ActiveName(f *session.Frame) string {
	if f.Queue.InLine {
		return "FIFO"
	}
	return "active"
}

// IsWalking reports whether the session stands inside the Filter phase, at one cell.
func IsWalking(f *session.Frame) bool {
	return f.Cell != nil && f.Cycle != nil && f.Cycle.Latest().Matrix != nil
}
