// Package address hides the addresses in a sentence of another program: a recording and a page keep the sentence, and
// no reader of it learns where a server is.
package address

import (
	"regexp"
	"strings"
)

// Hidden stands in the place of an address.
const Hidden = "(address)"

var addresses = regexp.MustCompile(
	`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'` + "`" + `]+` + // a URL
		`|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b` + // IPv4
		`|\[[0-9a-fA-F:]*:[0-9a-fA-F:.]*(?:%\w+)?\](?::\d+)?` + // IPv6 as Go's network errors have it
		`|\blookup [^\s:]+`, // a host's name
)

// documented are addresses that are reserved for examples (RFC 5737).
const documented = `(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}`

// harmless hosts are reserved for examples (RFC 2606), or are the machine itself.
const harmless = `(?:(?:[a-z0-9-]+\.)*(?:example|localhost|example\.(?:com|org|net))|127\.0\.0\.1|\[::1\]|` +
	documented + `)(?::\d+)?`

var (
	prefix   = regexp.MustCompile(`^https?://` + harmless + `$`)
	reserved = regexp.MustCompile(`^(?:https?://` + harmless + `(?:/(?:filter|prioritize|preempt|bind))?|` +
		documented + `(?::\d+)?)$`)
)

// IsHarmless reports whether a URL shows nothing of a system: its host is reserved for examples, or is the machine
// itself, and it has no user, path or query.
func IsHarmless(url string) bool { return prefix.MatchString(url) }

// Hide is a text with the addresses and the names of hosts in it hidden. Hiding twice is hiding once.
func Hide(text string) string {
	if !strings.ContainsAny(text, ".:") && !strings.Contains(text, "lookup ") {
		return text
	}
	return addresses.ReplaceAllStringFunc(text, func(found string) string {
		is := strings.TrimRight(found, ".,:;)")
		switch {
		case reserved.MatchString(is):
			return found
		case strings.HasPrefix(is, "lookup "):
			return "lookup " + Hidden
		}
		return Hidden + found[len(is):]
	})
}
