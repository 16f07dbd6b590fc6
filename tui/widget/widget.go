// Package widget draws the shapes a screen is made of: boxes, tables, lists, bars, strips. It knows cells,
// text and paints, and nothing of scheduling: the panels know what a row means.
//
// Everything is drawn on a Canvas, one buffer of cells for the whole screen. What is drawn later covers what was
// drawn before; overlays need nothing else. The canvas becomes a string once per frame, so that no widget measures
// or joins styled strings.
package widget

// Focus reports whether keys go to a widget.
type Focus uint8

// Blurred is the zero value: keys go elsewhere.
const (
	Blurred Focus = iota
	Focused
)

// Align is where text lies in more room than it needs.
type Align uint8

// The three alignments.
const (
	Left Align = iota
	Right
	Center
)
