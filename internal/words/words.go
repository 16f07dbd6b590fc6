// Package words writes numbers and moments as all texts of schedstep have them: with the right form of the noun, and as
// the time of day of virtual time. It knows nothing of schedulers and of no other language than English.
package words

import (
	"fmt"
	"strconv"
	"time"
)

// Count is a number with its noun, whose plural has an s: "1 node", "3 nodes".
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf is Count with a plural of its own: "1 entity", "3 entities".
func CountOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Sentence is a format with one verb for the number: one for 1, many for any other.
func Sentence(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(many, n)
}

// Clock is the time of day, in UTC, with milliseconds.
func Clock(t time.Time) string { return t.UTC().Format(time.TimeOnly + ".000") }
