package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/widget"
)

// commandLine is the command line: in the footer, with what would complete the line in a drawer above it.
type commandLine struct {
	typed   entry
	words   command.Vocabulary
	lang    words.Language
	offered []string // whole lines
	chosen  int      // of offered; -1: none yet
	earlier []string // lines entered before, the newest last
	back    int      // how far back in earlier the line is from
	problem string   // why the line could not be carried out; "" as soon as it is edited
}

// mend opens the command line with a line that could not be carried out, and shows the reason.
func (a *app) mend(text string, why error) {
	a.openCommandLine(text)
	p := a.popup.(*commandLine)
	if !strings.Contains(text, " ") && len(p.words.Complete(text+" ")) > 0 { // what it lacks can be typed at once
		p.insert(" ")
	}
	p.problem = why.Error()
}

// offeredRows is how many completions are shown.
const offeredRows = 8

// openCommandLine opens the command line. The session must be at rest.
func (a *app) openCommandLine(text string) {
	p := &commandLine{
		typed: entryOf(text), words: command.VocabularyOf(a.session, a.frame, themes.Names(a.options.Themes...)),
		earlier: slices.Clone(a.entered), lang: a.language,
		chosen: -1,
	}
	p.offer()
	a.popup = p
}

func (p *commandLine) offer() {
	p.chosen, p.problem = -1, ""
	text := p.typed.String()
	p.offered = p.words.Complete(text)
	if len(p.offered) == 0 && !strings.Contains(text, " ") {
		p.offered = command.Saying(p.lang, text)
	}
}

func (p *commandLine) hints() []hint {
	return []hint{{"enter", "do it"}, {"tab", "complete"}, {"up", "earlier lines"}, {"esc", "close"}}
}

func (p *commandLine) wheel(int) {}

func (p *commandLine) click(*app, int, int) tea.Cmd { return nil }

func (p *commandLine) insert(text string) tea.Cmd {
	p.typed.insert(text)
	p.offer()
	return nil
}

func (p *commandLine) key(a *app, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		a.popup = nil
	case "enter":
		return p.enter(a)
	case "tab":
		p.choose(1)
	case "shift+tab":
		p.choose(-1)
	case "up", "ctrl+p":
		p.recall(1)
	case "down", "ctrl+n":
		p.recall(-1)
	case "backspace":
		if p.typed.String() == "" {
			a.popup = nil
			return nil
		}
		p.typed.edit(msg)
		p.offer()
	default:
		if p.typed.edit(msg) {
			p.offer()
			return nil
		}
		a.refuse(a.language.Say("%s does nothing here", msg.String()))
	}
	return nil
}

// mostEntered is how many lines can be called back.
const mostEntered = 200

func (p *commandLine) enter(a *app) tea.Cmd {
	a.popup = nil
	text := strings.TrimSpace(p.typed.String())
	if text == "" {
		return nil
	}
	a.entered = a.entered[max(len(a.entered)-mostEntered, 0):]
	a.entered = append(slices.DeleteFunc(a.entered, func(s string) bool { return s == text }), text)
	return a.doTyped(text)
}

// choose goes through the completions.
func (p *commandLine) choose(by int) {
	n := len(p.offered)
	if n == 0 {
		return
	}
	p.chosen = (max(p.chosen, min(-by, 0)) + by + n) % n
	offered, chosen := p.offered, p.chosen
	p.typed = entryOf(offered[chosen])
	if n == 1 {
		p.typed.insert(" ")
		p.offer()
	}
}

// recall goes through the lines entered before.
func (p *commandLine) recall(by int) {
	p.back = min(max(p.back+by, 0), len(p.earlier))
	text := ""
	if p.back > 0 {
		text = p.earlier[len(p.earlier)-p.back]
	}
	p.typed = entryOf(text)
	p.offer()
}

func (p *commandLine) draw(a *app) {
	r := a.canvas.In(a.screen.Footer)
	p.typed.draw(r, 0, ":", p.ghost())
	p.drawHints(a, r)
	if p.problem != "" {
		p.drawProblem(a)
		return
	}
	if len(p.offered) == 0 {
		p.drawUsage(a)
		return
	}
	rows := min(len(p.offered), offeredRows)
	first := min(max(p.chosen-rows+1, 0), len(p.offered)-rows)
	box := widget.Box{Title: a.language.Of("Completions"), Note: a.language.CountOf(len(p.offered), "row", "rows")}
	inside := box.Draw(a.canvas.In(a.screen.Drawer(rows + 2)))
	for y, text := range p.offered[first : first+rows] {
		paint := themes.Text
		if first+y == p.chosen {
			paint = themes.Accent.Selected()
		}
		inside.Fit(0, y, inside.Width(), paint, p.describe(a.language, text), widget.Left)
	}
}

// drawUsage draws above the line what its verb takes, where a word is to be typed that cannot be offered.
func (p *commandLine) drawUsage(a *app) {
	verb, rest, _ := strings.Cut(p.typed.String(), " ")
	v, err := command.Named(verb)
	if err != nil || !strings.HasSuffix(p.typed.String(), " ") || v.Request == command.RequestAnswer {
		return
	}
	if strings.TrimSpace(rest) != "" && v.Synopsis() == v.Name {
		return
	}
	text := widget.Plain(themes.Text, p.describe(a.language, v.Name))
	box := widget.Box{Title: a.language.Of("Usage")}
	inside := box.Draw(a.canvas.In(a.screen.Drawer(len(widget.Wrap(text, max(a.size.Width-2, 1))) + 2)))
	widget.DrawParagraph(inside, 0, text)
}

// drawHints draws the keys at the right end of the line, as many as leave room to write.
func (p *commandLine) drawHints(a *app, r widget.Region) {
	const room = 12 // columns to write in
	all := p.hints()
	left := r.Width() - widget.Width(":"+p.typed.String()+p.ghost()) - room
	for ; len(all) > 0; all = all[:len(all)-1] {
		width := 0
		for _, h := range all {
			width += widget.Width(h.key) + 1 + widget.Width(a.language.Of(h.does)) + 2
		}
		if width <= left {
			drawHints(r.Sub(layout.Rect{X: r.Width() - width, Width: width, Height: 1}), a.language, all, nil)
			return
		}
	}
}

// drawProblem draws above the line why it could not be carried out.
func (p *commandLine) drawProblem(a *app) {
	text := widget.Plain(themes.Error, p.problem)
	lines := len(widget.Wrap(text, max(a.size.Width-2, 1)))
	box := widget.Box{Title: a.language.Of("Not done; mend the line, or esc")}
	inside := box.Draw(a.canvas.In(a.screen.Drawer(lines + 2)))
	widget.DrawParagraph(inside, 0, text)
}

// ghost is the rest of the first completion, if the line is its beginning.
func (p *commandLine) ghost() string {
	if p.chosen >= 0 || len(p.offered) == 0 || !p.typed.isAtEnd() {
		return ""
	}
	rest, ok := strings.CutPrefix(p.offered[0], p.typed.String())
	if !ok {
		return ""
	}
	return rest
}

// describe is a completion as the drawer shows it: a verb with its arguments and what it does.
func (p *commandLine) describe(lang words.Language, text string) string {
	if strings.Contains(text, " ") {
		return text[strings.LastIndex(text, " ")+1:]
	}
	v, err := command.Named(text)
	if err != nil {
		return text
	}
	const column = 30
	name := v.Synopsis()
	return name + strings.Repeat(" ", max(column-widget.Width(name), 2)) + lang.Of(v.Does)
}
