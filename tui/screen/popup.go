package screen

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// popup lies over the panes and takes the keys while it is open.
type popup interface {
	key(a *app, msg tea.KeyPressMsg) tea.Cmd
	draw(a *app)
	hints() []hint
	wheel(rows int)
	click(a *app, x, y int) tea.Cmd // in cells of the screen
}

// writable is a popup that text can be pasted into.
type writable interface{ insert(text string) tea.Cmd }

// hint is a key with what it does, for the footer.
type hint struct{ key, does string }

// reader is a popup that shows a text. With a question it also takes the answer, yes or no.
type reader struct {
	title string
	text  []widget.Paragraph
	yes   string   // the line to run when the answer is yes; "": there is no question
	lines []string // command lines that the keys 1, 2, ... choose
	edits int      // how many of them change something: the first ones
	at    int      // the one that is chosen, from 1 on; 0: none
	whole bool     // the last one is about the workload of the pod
	first bool     // it is what the screen begins with: ? does not close it, but lists the keys
	pager widget.Pager

	finding bool  // a text is being typed that lines must contain
	typed   entry // that text
}

// shown are the paragraphs that contain what was typed, in upper or lower case.
func (r *reader) shown() []widget.Paragraph {
	text := strings.ToLower(r.typed.String())
	if text == "" {
		return r.text
	}
	return slices.DeleteFunc(slices.Clone(r.text), func(p widget.Paragraph) bool {
		return !strings.Contains(strings.ToLower(p.String()), text)
	})
}

// find takes the keys while a text is being typed.
func (r *reader) find(pressed string, msg tea.KeyPressMsg) {
	switch pressed {
	case "enter":
		r.finding = false
	case "esc":
		r.finding, r.typed = false, entryOf("")
	default:
		r.typed.edit(msg)
		r.pager.Rewind()
	}
}

// mostChoices is how many lines of a page can be chosen with one key.
const mostChoices = 9

func newPage(p command.Page) *reader {
	r := &reader{title: p.Title, typed: entryOf(""), lines: p.Choices[:min(len(p.Choices), mostChoices)]}
	if p.Whole != "" {
		r.lines = append(slices.Clone(r.lines[:min(len(r.lines), mostChoices-1)]), p.Whole)
	}
	if r.edits, r.whole = len(r.lines), p.Whole != ""; r.whole {
		r.edits--
	}
	for _, l := range p.Lines {
		r.text = append(r.text, widget.Plain(themes.Text, l))
	}
	return r
}

func newQuestion(q command.Question) *reader {
	r := newPage(q.Page)
	r.yes = q.Yes
	return r
}

func (r *reader) hints() []hint {
	if r.yes != "" {
		return []hint{{"y", "yes"}, {"n", "no"}, {"up/down", "scroll"}}
	}
	if r.finding {
		return []hint{{"enter", "keep only these lines"}, {"esc", "all lines"}}
	}
	if r.at > 0 {
		return []hint{{"enter", "carry it out on a branch"}, {"up/down", "scroll"}, {"esc", "close"}}
	}
	keys := []hint{{"up/down", "scroll"}, {"/", "only lines with a text"}, {"y", "copy"}, {"esc", "close"}}
	return append(r.choices(), keys...)
}

// choices are the keys of the lines that can be chosen.
func (r *reader) choices() []hint {
	var keys []hint
	switch {
	case r.edits == 1:
		keys = append(keys, hint{"1", "choose it"})
	case r.edits > 1:
		keys = append(keys, hint{"1-" + strconv.Itoa(r.edits), "choose one"})
	}
	if n := len(r.lines); r.whole {
		keys = append(keys, hint{strconv.Itoa(n), "what all its pods need"})
	}
	return keys
}

func (r *reader) wheel(rows int) { r.pager.Scroll(rows) }

func (r *reader) click(a *app, _, _ int) tea.Cmd {
	if r.yes == "" {
		a.popup = nil
	}
	return nil
}

func (r *reader) key(a *app, msg tea.KeyPressMsg) tea.Cmd {
	pressed := msg.String()
	if r.finding {
		r.find(pressed, msg)
		return nil
	}
	if r.scroll(pressed) {
		return nil
	}
	if pressed == "/" && r.yes == "" {
		r.finding = true
		return nil
	}
	if r.yes != "" {
		return r.answer(a, pressed)
	}
	n, err := strconv.Atoi(pressed)
	switch isChoice := err == nil && n >= 1 && n <= len(r.lines); {
	case isChoice && n <= r.edits:
		r.at = n
		return nil
	case isChoice:
		a.popup = nil
		return a.do(r.lines[n-1])
	}
	a.popup = nil
	if pressed == "enter" && r.at > 0 {
		return a.do(r.lines[r.at-1])
	}
	switch pressed {
	case "esc", "q", "enter":
		return nil
	case "?":
		if r.first {
			return a.press(pressed)
		}
		return nil
	case "y":
		if err := a.options.May.Check(command.Clipboard); err != nil {
			a.refuse(a.language.Error(err))
			return nil
		}
		a.say("copied")
		return tea.SetClipboard(clipping(strings.Split(strings.TrimSuffix(r.plain(), "\n"), "\n")))
	}
	return a.press(pressed)
}

func (r *reader) scroll(pressed string) bool {
	switch pressed {
	case "up", "k":
		r.pager.Scroll(-1)
	case "down", "j":
		r.pager.Scroll(1)
	case "pgup", "ctrl+u":
		r.pager.ScrollPages(-1)
	case "pgdown", "ctrl+d", "space":
		r.pager.ScrollPages(1)
	case "home":
		r.pager.Rewind()
	case "end", "G":
		_, _, total := r.pager.Seen()
		r.pager.Scroll(total)
	default:
		return false
	}
	return true
}

// answer takes yes or no.
func (r *reader) answer(a *app, pressed string) tea.Cmd {
	switch pressed {
	case "y", "Y":
		a.popup = nil
		return a.do(r.yes)
	case "n", "N", "esc", "q":
		a.popup = nil
		a.say(a.language.Of("nothing was done"))
	default:
		a.refuse(a.language.Say("%s is no answer (y or n)", pressed))
	}
	return nil
}

// plain is the text as it can be copied.
func (r *reader) plain() string {
	var text strings.Builder
	for _, p := range r.text {
		text.WriteString(p.String() + "\n")
	}
	return text.String()
}

// The limits of a page's width.
const (
	narrowestPage = 40
	widestPage    = 110
)

func (r *reader) draw(a *app) {
	width := narrowestPage
	for _, p := range r.text {
		wide := 0
		for _, span := range p {
			wide += widget.Width(span.Text)
		}
		width = max(width, wide+4)
	}
	width = min(width, widestPage, a.size.Width)
	height := 0
	for _, p := range r.text {
		height += len(widget.Wrap(p, width-4))
	}
	rect := a.screen.Popup(width, height+2)
	box := widget.Box{Title: r.title, Focus: widget.Focused}
	if height+2 > rect.Height {
		box.Note = a.language.CountOf(height, "line", "lines")
	}
	inside := box.Draw(a.canvas.In(rect))
	body := layout.Rect{X: 1, Width: inside.Width() - 2, Height: inside.Height()}
	if r.finding || r.typed.String() != "" {
		body.Height--
		r.typed.draw(inside.Sub(layout.Rect{X: 1, Y: body.Height, Width: body.Width, Height: 1}), 0, "/", "")
	}
	r.pager.Draw(inside.Sub(body), r.pointed(inside.Glyphs().Pointer))
}

// pointed are the paragraphs that are shown; the one that is chosen has a pointer.
func (r *reader) pointed(pointer rune) []widget.Paragraph {
	shown := slices.Clone(r.shown())
	number := strconv.Itoa(r.at) + ". "
	for i, p := range shown {
		if text := p.String(); r.at > 0 && strings.HasPrefix(strings.TrimLeft(text, " "), number) {
			shown[i] = widget.Plain(themes.Accent.Strong(), string(pointer)+strings.TrimPrefix(text, " "))
			break
		}
	}
	return shown
}
