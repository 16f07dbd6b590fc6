// Package panel draws the parts of the screen: each panel turns some of a session.Frame into text inside one region.
// A panel holds only what belongs to looking (cursor, window, order, filter); it moves nothing in the session,
// opens no file, knows no key, and draws no box around itself.
//
// All panels work alike: Title and Note are for the box around it, Draw fills the region, Move, MovePages, MoveTo and
// Point put the cursor somewhere, Selection returns what is under it.
package panel

// emptyRows is how many rows a table fills that has nothing to show but a sentence.
const emptyRows = 6

// End is a place to move to without counting.
type End uint8

// The two ends.
const (
	First End = iota
	Last
)
