package screen

import (
	"slices"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/tui/widget"
)

// line is one line of text that is being written.
type line struct {
	text []rune
	at   int // the cursor, in code points
}

func lineOf(text string) line {
	l := line{text: []rune(text)}
	l.at = len(l.text)
	return l
}

func (l *line) String() string { return string(l.text) }

// edit does what a key does to a line; false when it does nothing to lines.
func (l *line) edit(key tea.KeyPressMsg) bool {
	switch key.String() {
	case "left", "ctrl+b":
		l.at = max(l.at-1, 0)
	case "right", "ctrl+f":
		l.at = min(l.at+1, len(l.text))
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.text)
	case "backspace", "ctrl+h":
		l.cut(max(l.at-1, 0), l.at)
	case "delete", "ctrl+d":
		l.cut(l.at, min(l.at+1, len(l.text)))
	case "ctrl+w", "alt+backspace":
		l.cut(l.wordStart(), l.at)
	case "ctrl+u":
		l.cut(0, l.at)
	case "ctrl+k":
		l.cut(l.at, len(l.text))
	default:
		return l.insert(key.Text)
	}
	return true
}

func (l *line) cut(from, to int) {
	l.text = slices.Delete(l.text, from, to)
	l.at = from
}

// insert puts text at the cursor; line breaks become spaces, other control characters are left out.
func (l *line) insert(text string) bool {
	var wanted []rune
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			wanted = append(wanted, ' ')
		case unicode.IsPrint(r):
			wanted = append(wanted, r)
		}
	}
	l.text = slices.Insert(l.text, l.at, wanted...)
	l.at += len(wanted)
	return len(wanted) > 0
}

// wordStart is where the word before the cursor begins.
func (l *line) wordStart() int {
	at := l.at
	for at > 0 && l.text[at-1] == ' ' {
		at--
	}
	for at > 0 && l.text[at-1] != ' ' {
		at--
	}
	return at
}

// draw draws the line behind a prompt.
func (l *line) draw(r widget.Region, y int, prompt, ghost string) {
	widget.Input{Prompt: prompt, Value: l.String(), Cursor: l.at, Ghost: ghost}.Draw(r, y)
}
