package view

import (
	"strings"

	"github.com/schedstep/schedstep/tui/widget"
)

// Shortener makes names short but still different from each other: what all of them end with goes first.
type Shortener struct {
	domain string // from a point on, such as ".eu-west-1.compute.internal"; "": they have none in common
}

// ShortenerOf is for some names that are all different.
func ShortenerOf(count int, name func(i int) string) Shortener {
	if count < 2 {
		return Shortener{}
	}
	_, domain, _ := strings.Cut(name(0), ".")
	for domain != "" {
		all := true
		for i := 0; i < count && all; i++ {
			all = strings.HasSuffix(name(i), "."+domain)
		}
		if all {
			return Shortener{"." + domain}
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return Shortener{}
}

// Short is one of the names, without what all end with where it is wider than a width.
func (s Shortener) Short(name string, width int) string {
	if len(name) > width {
		name = strings.TrimSuffix(name, s.domain)
	}
	return name
}

// Cut is one of the names in a width, for lines of text. A region draws Short with FitName.
func (s Shortener) Cut(name string, width int) string { return cutMiddle(s.Short(name, width), width) }

// cutMiddle shortens a name in its middle: names differ mostly at their beginning and their end.
func cutMiddle(name string, width int) string {
	runes := []rune(widget.Sanitize(name))
	if len(runes) <= width || width < 4 {
		return string(runes)
	}
	head := width / 2
	return string(runes[:head]) + "~" + string(runes[len(runes)-(width-head-1):])
}
