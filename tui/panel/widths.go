package panel

import (
	"github.com/schedstep/schedstep/tui/widget"
)

// widest is the width of the longest of some names.
func widest(names []string) int {
	width := 1
	for _, name := range names {
		if len(name) > width { // no text is wider than its bytes
			width = max(width, widget.Width(name))
		}
	}
	return width
}
