package widget

import (
	"github.com/schedstep/schedstep/themes"
)

// Input draws one line that is being written: a prompt, the text, and behind it the rest of the word that would
// complete it. It does not edit the text.
type Input struct {
	Prompt string
	Value  string
	Cursor int    // in code points of Value; beyond its end is after the last
	Ghost  string // shown behind the value, muted
}

// Draw draws the line on row y of the region, scrolled so that the cursor is seen, and returns the column
// of the cursor.
func (i Input) Draw(r Region, y int) int {
	r.Row(y).Fill(themes.Text)
	start := r.Text(0, y, themes.Accent, i.Prompt)
	if start > r.Width()/2 {
		start = 0 // a prompt that leaves too little room is written over
	}
	field := r.Row(y)
	_, field.rect = field.rect.Left(start)
	field.Fill(themes.Text)
	value := []rune(i.Value)
	at := min(max(i.Cursor, 0), len(value))
	before, after := string(value[:at]), string(value[at:])
	cursor := Width(before)
	x := -max(cursor-field.Width()+1, 0)
	x = field.Text(x, 0, themes.Text, before)
	end := field.Text(x, 0, themes.Text, after)
	field.Text(end, 0, themes.Muted, i.Ghost)
	under := field
	_, under.rect = field.rect.Left(x)
	under.rect, _ = under.rect.Left(1)
	under.Select()
	return start + x
}
