package screen

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/panel"
)

// Class is a lesson that the screen shows beside its session.
type Class struct {
	Walk  *lesson.Walk
	Words lesson.Words
	Keep  func(lesson.Standing) error // keeps how far the learner is; it is called outside of Update
	Next  string                      // the lesson after this one; "": it is the last
	Since func() time.Duration        // how long the lesson is open; nil: nothing measures it
}

// vocabulary is the words of the course in the user's language.
func (a *app) vocabulary() lesson.Words {
	if a.options.Class == nil {
		return lesson.WordsIn(a.language.String())
	}
	return a.options.Class.Words
}

// narrate opens the narrator where a lesson lies, or closes it.
func (a *app) narrate() {
	a.panes.narrating = !a.panes.narrating
	a.mode.Lesson = a.panes.narrating || a.options.Class != nil && !a.options.Class.Walk.InSandbox()
	switch {
	case a.panes.narrating:
		a.focusLesson()
	case a.mode.Focus == layout.Lesson && !a.mode.Lesson:
		a.focus(layout.Main)
	}
}

// The keys of a lesson.
const (
	keyLesson  = "L"
	keyHint    = "H"
	keyAnswer  = "A"
	keyAgain   = "R"
	keySandbox = "X"
	keyNext    = ">"
	keyBack    = "<"

	keyNarrator = "T"
)

func lessonKeys() []binding {
	return grouped(textLearn, []binding{
		{keys: []string{keyNext, "."}, does: "the next page of the lesson", line: "page", unable: (*app).cannotTurnOn},
		{keys: []string{keyBack, ","}, does: "the page before", line: "page back", unable: (*app).cannotTurnBack},
		{keys: []string{keyHint}, does: "one more hint about the task", line: "hint", unable: (*app).noHint},
		{
			keys: []string{keyAnswer}, does: "answer what the task asks", line: "answer ...",
			act: prompting(lesson.AnswerVerb + " "), unable: (*app).noAnswer,
		},
		{
			keys: []string{keyAgain}, does: "begin the page again, with the cluster as it was", line: "again",
			unable: (*app).noLesson,
		},
		{
			keys: []string{keySandbox}, does: "leave the page for its cluster, where every key works and nothing counts",
			line: "sandbox", unable: (*app).noSandbox,
		},
		{keys: []string{keyLesson}, does: "go to the lesson", line: "lesson", unable: (*app).noLesson},
	})
}

// noLesson returns why keys of lessons do nothing.
func (a *app) noLesson() string {
	if a.options.Class == nil {
		return a.language.Of("no lesson is open (schedstep learn lists them)")
	}
	return a.busy()
}

// noSandbox returns why the sandbox cannot be opened.
func (a *app) noSandbox() string {
	if why := a.noLesson(); why != "" || !a.options.Class.Walk.InSandbox() {
		return why
	}
	return a.options.Class.Words.Say("in-sandbox")
}

func (a *app) cannotTurnOn() string {
	if why := a.noLesson(); why != "" || a.options.Class.Walk.CanTurn(1) {
		return why
	}
	if next := a.options.Class.Next; next != "" {
		return a.options.Class.Words.Say("last-page-next", next)
	}
	return a.options.Class.Words.Say("last-page")
}

func (a *app) cannotTurnBack() string {
	if why := a.noLesson(); why != "" || a.options.Class.Walk.CanTurn(-1) {
		return why
	}
	return a.options.Class.Words.Say("first-page")
}

func (a *app) noHint() string {
	if why := a.noSandbox(); why != "" {
		return why
	}
	switch page := a.options.Class.Walk.Page(); {
	case len(page.Task) == 0:
		return a.options.Class.Words.Say("no-task")
	case page.Done:
		return a.options.Class.Words.Say("is-done")
	case page.More == 0:
		return a.options.Class.Words.Say("no-hint")
	}
	return ""
}

func (a *app) noAnswer() string {
	if why := a.noSandbox(); why != "" {
		return why
	}
	if !a.options.Class.Walk.Page().Asks {
		return a.options.Class.Words.Say("no-question")
	}
	return ""
}

// learn carries out a verb about lessons.
func (a *app) learn(r command.Request, text string) (tea.Cmd, error) {
	c := a.options.Class
	if why := a.noLesson(); why != "" {
		return nil, errors.New(why)
	}
	switch r {
	case command.RequestPage:
		return a.turn(text)
	case command.RequestHint:
		if why := a.noHint(); why != "" {
			return nil, errors.New(why)
		}
		c.Walk.Hint()
		a.focusLesson()
	case command.RequestAnswer:
		if why := a.noAnswer(); why != "" {
			return nil, errors.New(why)
		}
		if strings.TrimSpace(text) == "" {
			return nil, errors.New(c.Words.Say("which-answer"))
		}
		before := c.Walk.Page()
		c.Walk.Answer(text)
		a.praise()
		if now := c.Walk.Page(); !now.Done {
			a.refuse(c.reply(text, &before, &now))
		}
		return a.keepIfDone(), nil
	case command.RequestAgain:
		if err := c.Walk.Again(a.ctx); err != nil {
			return nil, err
		}
		a.opened()
		a.say(c.Words.Say("begun-again"))
	case command.RequestSandbox:
		if why := a.noSandbox(); why != "" {
			return nil, errors.New(why)
		}
		a.leavePage()
	default:
		return nil, a.returnToPage()
	}
	return nil, nil
}

// leavePage gives the screen to the scene of the page.
func (a *app) leavePage() {
	a.options.Class.Walk.Sandbox()
	a.panes.narrating, a.mode.Lesson = false, false
	if a.mode.Focus == layout.Lesson {
		a.focus(layout.Main)
	}
	a.say(a.options.Class.Words.Say("sandbox", keyLesson))
}

// returnToPage shows the page again, after a sandbox too.
func (a *app) returnToPage() error {
	c := a.options.Class
	if !c.Walk.InSandbox() {
		a.panes.narrating = false
		a.focus(layout.Lesson)
		return nil
	}
	if err := c.Walk.Return(a.ctx); err != nil {
		return err
	}
	a.opened()
	a.focus(layout.Lesson)
	return nil
}

// reply is the answer to a student whose answer does not do the task: why it is wrong, or what is missing yet.
func (c *Class) reply(text string, before, now *lesson.Page) string {
	if now.Points == before.Points {
		return c.Words.Say("both", c.Words.Say("answered", text), c.Words.Say("missing", c.missing()))
	}
	if why := now.ReasonLines(); len(why) > 0 {
		return strings.Join(why, " ")
	}
	return now.Wrong(c.Words, text)
}

func (c *Class) missing() string {
	page := c.Walk.Page()
	return page.Missing()
}

func (a *app) turn(text string) (tea.Cmd, error) {
	by, err := command.Pages(text)
	if err != nil {
		return nil, err
	}
	why := a.cannotTurnOn
	if by < 0 {
		why = a.cannotTurnBack
	}
	if why := why(); why != "" {
		return nil, errors.New(why)
	}
	if err := a.options.Class.Walk.Turn(a.ctx, by); err != nil {
		return nil, err
	}
	a.opened()
	return a.keep(), nil
}

// opened shows the session of a page that was opened.
func (a *app) opened() {
	if s := a.options.Class.Walk.Session(); s != a.session {
		a.session = s
		a.panes.forget()
	}
	a.show(a.session.Frame())
	a.panes.narrating, a.mode.Lesson = false, true
	a.focusLesson()
}

// focusLesson shows the lesson where it has no place of its own.
func (a *app) focusLesson() {
	if layout.KindOf(a.size) == layout.Narrow || a.mode.Zoomed {
		a.focus(layout.Lesson)
	}
}

// learned hands a line that was carried out to the lesson.
func (a *app) learned(done jobDone) tea.Cmd {
	c := a.options.Class
	if c == nil || done.err != nil {
		return nil
	}
	line := done.job.name
	if v, args, err := command.Parse(line); err == nil {
		line = strings.TrimSpace(v.Name + " " + strings.Join(args, " "))
	}
	if c.Walk.Page().Done || c.Walk.InSandbox() {
		return nil
	}
	c.Walk.Did(line)
	return a.keepIfDone()
}

// praise reports in the footer that the task is done.
func (a *app) praise() {
	words := a.options.Class.Words
	done := words.Say("task-done", keyLesson, keyNext)
	if !a.options.Class.Walk.CanTurn(1) {
		done = words.Say("last-task-done", keyLesson, keySandbox)
	}
	a.say(string(a.styles.Glyphs.Pass) + " " + done)
}

// open is how long a capstone is open; 0: nothing measures it.
func (c *Class) open() time.Duration {
	if c.Since == nil || c.Walk.Page().Minutes == 0 {
		return 0
	}
	return c.Since()
}

// ticked is a message that the time of a capstone goes on.
type ticked struct{}

// awaitTick waits a second, after which another time of a capstone is to be shown.
func (a *app) awaitTick() tea.Cmd {
	if c := a.options.Class; c == nil || c.Since == nil || c.Walk.Page().Minutes == 0 {
		return nil
	}
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return ticked{} })
}

// keepIfDone keeps that the task is done.
func (a *app) keepIfDone() tea.Cmd {
	if !a.options.Class.Walk.Page().Done {
		return nil
	}
	if c := a.options.Class; c.Since != nil && c.Walk.Page().Minutes > 0 {
		c.Walk.Took(int(c.open().Minutes()))
	}
	return a.keep()
}

// kept is the result of saving how far the learner is.
type kept struct{ err error }

func (a *app) keep() tea.Cmd {
	c := a.options.Class
	standing := c.Walk.Standing()
	return func() tea.Msg { return kept{c.Keep(standing)} }
}

// showLesson gives the panel what there is to show.
func (a *app) showLesson() {
	c := a.options.Class
	if c == nil {
		return
	}
	page := c.Walk.Page()
	a.panes.why.Quiet = len(page.Task) > 0 && !page.Done && len(page.Hints) == 0 && !c.Walk.InSandbox()
	row := func(key, word string, why func() string) panel.LessonKey {
		return panel.LessonKey{Key: key, Does: c.Words.Say(word), Blocked: why() != ""}
	}
	keys := []panel.LessonKey{
		row(keyNext, "key-next", a.cannotTurnOn), row(keyBack, "key-back", a.cannotTurnBack),
	}
	keys[0].Now = len(page.Task) == 0 || page.Done
	if len(page.Task) > 0 && !page.Done {
		keys = append(keys, row(keyHint, "key-hint", a.noHint))
		if page.Asks {
			answer := row(keyAnswer, "key-answer", a.noAnswer)
			answer.Now = true
			keys = append(keys, answer)
		}
	}
	if !c.Walk.CanTurn(1) {
		keys = append(keys, row("q", "key-leave", a.noLesson), row(keySandbox, "key-sandbox", a.noSandbox))
	}
	keys = append(keys, row(keyAgain, "key-again", a.noLesson), row(keyNarrator, "key-narrator", a.busy))
	a.panes.lesson.Show(page, c.Words, keys, keyLesson, c.open())
}
