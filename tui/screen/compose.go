package screen

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
	"github.com/schedstep/schedstep/tui/widget"
)

// compose draws the whole screen.
func (a *app) compose() {
	a.showLesson()
	a.mode.MainRows = a.mainRows()
	a.screen = layout.Arrange(a.size, a.mode)
	a.places = map[layout.Pane]layout.Rect{}
	a.tabs = layout.Rect{}
	a.canvas.Reset(a.size, a.styles)
	header := panel.Header{
		Run: panel.Run{
			Running: a.running, Moving: a.job != nil && a.job.long, Steps: a.steps(), Following: a.following,
		},
		Hint: a.hint(), Alarm: a.cutOff(), Behind: a.connection(),
	}
	header.Draw(a.frame, a.canvas.In(a.screen.Header))
	if a.screen.Kind == layout.Tiny {
		a.drawNotice()
	} else {
		a.drawPanes()
		a.drawFooter()
		if a.popup != nil {
			a.popup.draw(a)
		}
	}
	a.view = tea.View{Content: a.canvas.Render(), AltScreen: true, WindowTitle: "schedstep " +
		widget.Sanitize(a.frame.Title), ProgressBar: a.progressBar()}
	if !a.options.NoMouse {
		a.view.MouseMode = tea.MouseModeCellMotion
	}
}

// mainRows is how many rows the main pane can fill, its border, phases and tabs included; 0: all.
func (a *app) mainRows() int {
	if rows := rowsOf(a.panes.at(layout.Main), a.frame); rows > 0 {
		return rows + 5
	}
	return 0
}

// hint is the end of the first line: how many notes there are, and which keys help.
func (a *app) hint() string {
	keys := a.language.Of("? help  : command")
	if a.isLed() {
		keys = a.language.Of("you follow the teacher, q lets go")
	}
	if live := a.connection(); live != "" {
		keys = live + "  " + keys
	}
	if n := len(a.frame.Notes); n > 0 {
		return "! " + a.language.CountOf(n, "note", "notes") + "  " + keys
	}
	return keys
}

// steps is how many steps the job under way has done.
func (a *app) steps() int {
	if a.job == nil {
		return 0
	}
	return int(a.job.steps.Load())
}

// progressBar reports a running job to terminals that can show it.
func (a *app) progressBar() *tea.ProgressBar {
	if a.job == nil || !a.job.long {
		return nil
	}
	return &tea.ProgressBar{State: tea.ProgressBarIndeterminate}
}

func (a *app) drawNotice() {
	size := layout.Enlarge()
	widget.DrawParagraph(a.canvas.In(a.screen.Notice), 0, widget.Plain(themes.Muted, a.language.Say(
		"too small for panes: from %d columns and %d rows they are shown; q quits", size.Width, size.Height)))
}

func (a *app) drawPanes() {
	if !a.screen.Tabs.IsEmpty() {
		a.paneTabs().Draw(a.canvas.In(a.screen.Tabs), 0)
	}
	a.panes.why.Explain(a.selection())
	for _, p := range []layout.Pane{layout.Queue, layout.Main, layout.Timeline, layout.Lesson, layout.Why} {
		a.drawPane(p)
	}
	if !a.screen.Task.IsEmpty() && a.options.Class != nil {
		a.panes.lesson.DrawTask(a.canvas.In(a.screen.Task))
	}
}

// paneTabs are the panes by title, for screens that show one at a time.
func (a *app) paneTabs() widget.Tabs {
	all := a.allPanes()
	titles := make([]string, len(all))
	for _, p := range places() {
		if at := slices.Index(all, p.pane); titles[at] == "" || p.pane == layout.Main && p.tab == a.panes.tab {
			titles[at] = a.language.Of(p.title)
		}
	}
	if a.mode.Lesson {
		titles[0] = a.language.Of("Lesson")
		if a.panes.narrating {
			titles[0] = a.language.Of("Narrator")
		}
	}
	return widget.Tabs{Titles: titles, Current: slices.Index(all, a.mode.Focus)}
}

func (a *app) drawPane(p layout.Pane) {
	rect := a.screen.Pane(p)
	if rect.IsEmpty() {
		return
	}
	shown := a.panes.at(p)
	box := widget.Box{Title: shown.Title(a.frame), Note: shown.Note(a.frame)}
	if p == a.mode.Focus {
		box.Focus = widget.Focused
	}
	if p == layout.Main {
		box.Title = panel.CycleTitle(a.frame)
		if _, is := shown.(ofMember); is {
			if who := a.panes.group.Who(a.frame); who != "" {
				box.Title = a.language.Say("%s, of %s", who, box.Title)
			}
		}
	}
	outer := a.canvas.In(rect)
	inside := box.Draw(outer)
	place := rect
	if inside.Height() != outer.Height() {
		place = rect.Inset(1)
	}
	if p == layout.Main {
		inside, place = a.drawMainHead(inside, place)
	}
	a.places[p] = place
	focus := box.Focus
	if a.popup != nil {
		focus = widget.Blurred
	}
	shown.Draw(a.frame, inside, focus)
}

// phaseOf are the phases that tabs are called after: in the words of the release.
var phaseOf = map[tab]trace.Phase{tabFilter: trace.PhaseFilter, tabScore: trace.PhaseScore}

// mainTabs are the tabs of the main pane.
func (a *app) mainTabs() widget.Tabs {
	t := widget.Tabs{}
	titles := tabTitles()
	for i, shown := range tabsOf(a.frame, a.panes.tab) {
		title := titles[shown]
		if phase, is := phaseOf[shown]; is && a.frame != nil {
			title = a.frame.NameOf(phase)
		}
		t.Titles = append(t.Titles, a.language.Of(title))
		if shown == a.panes.tab {
			t.Current = i
		}
	}
	return t
}

// The heights from which the main pane shows, above its tabs, the phases and the pod's requests.
const (
	headFrom  = 8
	wantsFrom = 14
)

// drawMainHead draws the phases and the tabs, and returns what is left below.
func (a *app) drawMainHead(inside widget.Region, place layout.Rect) (widget.Region, layout.Rect) {
	head := 1
	if inside.Height() >= headFrom {
		head = 2
		panel.DrawPhases(a.frame, inside, 0)
	}
	if inside.Height() >= wantsFrom && panel.DrawWants(a.frame, inside, head-1) {
		head++
	}
	if inside.Height() >= headFrom && panel.DrawDisplays(a.frame, inside, head-1) {
		head++
	}
	if inside.Height() <= head {
		return inside, place
	}
	a.drawTabs(inside.Row(head - 1))
	a.tabs = layout.Rect{X: place.X, Y: place.Y + head - 1, Width: place.Width, Height: 1}
	_, below := place.Top(head)
	return inside.Sub(layout.Rect{Y: head, Width: inside.Width(), Height: inside.Height() - head}), below
}

// drawTabs draws the tabs and, where there is room, the key for the next one.
func (a *app) drawTabs(r widget.Region) {
	tabs := a.mainTabs()
	tabs.Draw(r, 0)
	for _, says := range []string{a.language.Of("next tab"), a.language.Of("next"), ""} {
		if x := r.Width() - 3 - widget.Width(says); x > tabs.Width() {
			r.Text(r.Text(x, 0, themes.Accent, "]")+1, 0, themes.Muted, says)
			return
		}
	}
}

func (a *app) drawFooter() {
	r := a.canvas.In(a.screen.Footer)
	switch {
	case a.note.text != "":
		a.drawNote()
	case a.job != nil && a.job.long:
		a.drawProgress(r)
	default:
		a.drawWhatIsNext(r)
	}
}

// drawWhatIsNext draws the keys of the popup, or where there is none, those of the screen.
func (a *app) drawWhatIsNext(r widget.Region) {
	if a.popup != nil {
		drawHints(r, a.language, a.popup.hints(), nil)
		return
	}
	a.drawKeys(r)
}

// mostNoteLines is how many lines a note may cover. A longer one is cut.
const mostNoteLines = 4

// drawNote draws the note in the footer. A note longer than a line also covers what is above the footer: its end names
// the next possible steps. After a shorter note, keys follow. The keys of a popup are always seen: a note that takes
// their room stands above them.
func (a *app) drawNote() {
	at := a.screen.Footer
	if a.popup != nil && at.Y > 0 && 2*widget.Width(a.note.text) > at.Width {
		a.drawWhatIsNext(a.canvas.In(at))
		at.Y--
	}
	lines := widget.Wrap(widget.Plain(a.note.paint, a.note.text), at.Width)
	n := min(len(lines), mostNoteLines, at.Y+1)
	r := a.canvas.In(layout.Rect{X: at.X, Y: at.Y + 1 - n, Width: at.Width, Height: n})
	r.Fill(themes.Text)
	for y, line := range lines[:n] {
		text := line.String()
		if y == n-1 && n < len(lines) {
			text += " " + lines[n].String()
		}
		r.Fit(0, y, r.Width(), a.note.paint, text, widget.Left)
	}
	const apart = 4
	if x := widget.Width(a.note.text) + apart; n == 1 && x < r.Width() && at.Y == a.screen.Footer.Y {
		a.drawWhatIsNext(r.Sub(layout.Rect{X: x, Width: r.Width() - x, Height: 1}))
	}
}

// drawProgress draws the running job and its progress. The total is known only within the known steps.
func (a *app) drawProgress(r widget.Region) {
	text := a.language.Say("%s: %s; esc stops  ", a.job.name, a.language.CountOf(a.steps(), "step", "steps"))
	x := r.Text(0, 0, themes.Text, text)
	if left := a.frame.Steps - a.frame.Position.Step; a.frame.Whole && left > 0 {
		bar := r.Sub(layout.Rect{X: x, Width: r.Width() - x, Height: 1})
		widget.DrawProgress(bar, 0, themes.Accent, a.steps(), left)
	}
}

// footerKeys are the keys whose hints the footer shows, the most useful first.
var footerKeys = [...]string{"space", "n", "s", "b", "x", "/", "?", ":", "tab", "c", "q", "a", "w", "B", "m", "t"}

func (a *app) drawKeys(r widget.Region) {
	var hints []hint
	blocked := map[string]bool{}
	keys := footerKeys[:]
	if len(a.frame.Breaks) > 0 { // there is something to continue to
		keys = slices.Concat([]string{"c"}, slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == "c" }))
	}
	for _, key := range keys {
		b, _ := a.bindingOf(key)
		if key == "space" && (a.running || a.following) {
			b.hint = "pause"
		}
		hints = append(hints, hint{key, b.hint})
		blocked[key] = b.blocked(a) != ""
	}
	drawHints(r, a.language, hints, blocked)
}

// drawHints draws as many hints as fit.
func drawHints(r widget.Region, lang words.Language, hints []hint, blocked map[string]bool) {
	x := 0
	for _, h := range hints {
		says := lang.Of(h.does)
		if x+widget.Width(h.key)+1+widget.Width(says) > r.Width() {
			return
		}
		key, does := themes.Accent, themes.Text
		if blocked[h.key] {
			key, does = themes.Muted, themes.Muted
		}
		x = r.Text(x, 0, key, h.key)
		x = r.Text(x+1, 0, does, says) + 2
	}
}
