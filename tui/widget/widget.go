// Package widget draws the shapes a screen is made of: boxes, tables, lists, bars, strips. It knows cells,
// text and paints, and no word of scheduling: what a row means is the panel's affair.
//
// Everything is drawn on a Canvas, one buffer of cells for the whole screen. Whatever is drawn later lies on
// top, which is all an overlay needs. The canvas becomes a string once per frame, so that no widget measures
// or joins styled strings.
package widget

// Focus says whether keys go to a widget.
type Focus uint8

// A widget is blurred unless told otherwise.
const (
	Blurred Focus = iota
	Focused
)

// Align says where text lies in more room than it needs.
type Align uint8

// The three alignments.
const (
	Left Align = iota
	Right
	Center
)
