package screen

import (
	"unicode"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/tui/widget"
)

// entry is one line of text that the user is writing. Bubbles' textinput edits it. Three things of textinput are off:
// its suggestions, because completion is package command's; its paste key, because it reads the clipboard of the
// machine that the program runs on; and its blinking cursor, because it redraws the screen without a reason. The line
// is drawn by widget.Input, because the screen is made of cells in the roles of a theme and not of strings with colours
// in them.
type entry struct{ edited textinput.Model }

// longestLine is how many characters one line may have: more than any command needs, and small enough for the history
// of lines.
const longestLine = 4096

func entryOf(text string) entry {
	m := textinput.New()
	m.CharLimit = longestLine
	m.SetVirtualCursor(false)
	for _, b := range []*key.Binding{
		&m.KeyMap.Paste, &m.KeyMap.AcceptSuggestion, &m.KeyMap.NextSuggestion, &m.KeyMap.PrevSuggestion,
	} {
		b.SetEnabled(false)
	}
	m.Focus() // without it textinput takes no keys; its command only blinks
	m.SetValue(text)
	m.CursorEnd()
	return entry{m}
}

func (e *entry) String() string { return e.edited.Value() }

// isAtEnd reports whether the cursor is behind the last character.
func (e *entry) isAtEnd() bool { return e.edited.Position() == len([]rune(e.edited.Value())) }

// edit does what a key does to a line; false when it does nothing to lines.
func (e *entry) edit(pressed tea.KeyPressMsg) bool {
	keys := &e.edited.KeyMap
	if !key.Matches(pressed,
		keys.CharacterForward, keys.CharacterBackward, keys.WordForward, keys.WordBackward, keys.LineStart, keys.LineEnd,
		keys.DeleteWordBackward, keys.DeleteWordForward, keys.DeleteAfterCursor, keys.DeleteBeforeCursor,
		keys.DeleteCharacterBackward, keys.DeleteCharacterForward,
	) && !isWritten(pressed.Text) {
		return false
	}
	e.edited, _ = e.edited.Update(pressed)
	return true
}

// isWritten reports whether a key stands for text.
func isWritten(text string) bool {
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return text != ""
}

// insert puts text at the cursor; line breaks become spaces.
func (e *entry) insert(text string) bool {
	before := e.edited.Value()
	e.edited, _ = e.edited.Update(tea.PasteMsg{Content: text})
	return e.edited.Value() != before
}

// draw draws the line after a label; ghost is the muted rest of what would complete it.
func (e *entry) draw(r widget.Region, y int, label, ghost string) {
	widget.Input{Prompt: label, Value: e.String(), Cursor: e.edited.Position(), Ghost: ghost}.Draw(r, y)
}
