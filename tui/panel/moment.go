package panel

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedstep/schedstep/replay/session"
)

// which says which cycle is shown, when it is not the one the cursor is in.
func which(f *session.Frame) string {
	if f.Cycle == nil && f.Last != nil {
		return fmt.Sprintf("cycle %d, the last one", f.Last.Number)
	}
	return ""
}

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

// span is a length of time as short as it can be read: "2.5s", "4m05s", "3h12m", "2d04h".
func span(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%s%.1fs", sign, d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%s%dm%02ds", sign, int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%s%dh%02dm", sign, int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%s%dd%02dh", sign, int(d.Hours())/24, int(d.Hours())%24)
}

// clock is a moment of virtual time.
func clock(t time.Time) string {
	if t.IsZero() {
		return "no time yet"
	}
	return t.UTC().Format("15:04:05.000")
}

// many is a number with its noun: "1 node", "5 nodes".
func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// matches says whether text contains a filter, whatever the case of its letters.
func matches(text, filter string) bool {
	return filter == "" || strings.Contains(strings.ToLower(text), filter)
}
