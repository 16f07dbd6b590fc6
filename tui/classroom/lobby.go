package classroom

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
	"github.com/schedstep/schedstep/tui/widget"
)

// choice is one thing that can be opened.
type choice struct {
	lesson *lesson.Lesson // nil: it is a demo
	demo   *Demo
	title  string
	note   string // how far one is
	about  string
	done   bool
}

// lobby is the list of what can be opened.
type lobby struct {
	ctx      context.Context
	place    *place
	language words.Language
	title    string
	leaving  string // what q does
	choices  []choice
	chosen   *choice

	list   widget.List
	styles themes.Styles
	canvas *widget.Canvas
	size   layout.Size
}

// Init listens for the size of the terminal.
func (l *lobby) Init() tea.Cmd { return l.place.awaitSize(l.ctx) }

// Update takes one message.
func (l *lobby) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.size = layout.Size{Width: msg.Width, Height: msg.Height}
	case screen.Resized:
		return l, tea.Batch(msg.Tell(), l.place.awaitSize(l.ctx))
	case tea.KeyPressMsg:
		return l, l.key(msg.String())
	}
	return l, nil
}

// arrow is the key that a letter stands for where nothing is typed.
func arrow(pressed string) string {
	switch pressed {
	case "k":
		return "up"
	case "j":
		return "down"
	}
	return pressed
}

func (l *lobby) key(pressed string) tea.Cmd {
	if l.list.Press(l, arrow(pressed)) {
		return nil
	}
	switch pressed {
	case "home":
		l.list.MoveTo(l, 0)
	case "end":
		l.list.MoveTo(l, len(l.choices)-1)
	case "enter", "space", "right", "l":
		if at, ok := l.list.Cursor(l); ok {
			l.chosen = &l.choices[at]
			return tea.Quit
		}
	case "q", "ctrl+c", "esc":
		return tea.Quit
	}
	return nil
}

// View is the list, with a sentence about what the cursor is on.
func (l *lobby) View() tea.View {
	l.canvas.Reset(l.size, l.styles)
	all := l.canvas.All()
	top, below := layout.Rect{Width: l.size.Width, Height: l.size.Height}.Top(l.size.Height - 3)
	box := widget.Box{Title: l.title, Focus: widget.Focused}
	l.list.Draw(box.Draw(all.Sub(top)), l, widget.Focused)
	if at, ok := l.list.Cursor(l); ok {
		widget.DrawParagraph(all.Sub(below), 0, widget.Plain(themes.Muted, l.choices[at].about))
	}
	last := all.Row(l.size.Height - 1)
	x := 0
	for _, k := range [][2]string{
		{"up/down", l.language.Of("choose")}, {"enter", l.language.Of("open")}, {"q", l.leaving},
	} {
		x = last.Text(x, 0, themes.Accent, k[0])
		x = last.Text(x+1, 0, themes.Text, k[1]) + 2
	}
	return tea.View{Content: l.canvas.Render(), AltScreen: true, WindowTitle: "schedstep class"}
}

// Len is the number of rows.
func (l *lobby) Len() int { return len(l.choices) }

// IsHeading is false: every row can be chosen.
func (l *lobby) IsHeading(int) bool { return false }

// DrawLine draws one row.
func (l *lobby) DrawLine(row int, r widget.Region) {
	c := &l.choices[row]
	mark := " "
	if c.done {
		mark = string(r.Glyphs().Pass)
	}
	r.Text(0, 0, themes.Pass, mark)
	note := widget.Width(c.note)
	r.Fit(2, 0, max(r.Width()-note-3, 0), themes.Text, c.title, widget.Left)
	r.Text(max(r.Width()-note, 0), 0, themes.Muted, c.note)
}

// choices are the lessons, with the student's progress in each, and the demos.
func choices(
	course lesson.Course, progress lesson.Progress, demos []Demo, said lesson.Words, language string,
) []choice {
	var all []choice
	for i, l := range course {
		done, of := progress.Of(l)
		all = append(all, choice{
			lesson: l, title: fmt.Sprintf("%2d  %s", i+1, l.Title(language)), about: l.About(language),
			note: said.Say("tasks-done", done, of), done: done == of,
		})
	}
	for i := range demos {
		about := words.LanguageIn(language).Of(demos[i].About)
		all = append(all, choice{demo: &demos[i], title: "    demo " + demos[i].Name, about: about})
	}
	return all
}

// next is the first lesson that is not done.
func next(all []choice) int {
	for i := range all {
		if all[i].lesson != nil && !all[i].done {
			return i
		}
	}
	return 0
}
