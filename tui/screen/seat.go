package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
)

// Seat is a place in a class: what the screen reports about itself, and what it receives about the class.
type Seat struct {
	// See is called with the position of the user when it may have changed and no job uses the session. It must not block.
	// page is nil where no lesson is open.
	See func(page *lesson.Page, s *session.Session)
	// Changed is closed at the next change of what Heard returns; both must not block.
	Changed func() <-chan struct{}
	Heard   func() Heard
	Guess   func(text string) error
	// Follow brings the session to where the teacher is; nil: the person goes their own way.
	Follow func(ctx context.Context, s *session.Session) error
}

// Heard is the news of the class for one screen.
type Heard struct {
	Round    int      // the round in which all guess, from 1; 0: there was none
	Open     bool     // it can be guessed
	Question []string // of it
	Verdict  []string // of the person's guess, once it is closed
	Led      int      // another number when the teacher is somewhere else
}

// heard is the message that something in the class may have changed.
type heard struct{}

// awaitClass waits for the next change in the class.
func (a *app) awaitClass() tea.Cmd {
	if a.options.Seat == nil {
		return nil
	}
	changed := a.options.Seat.Changed()
	return func() tea.Msg {
		select {
		case <-changed:
			return heard{}
		case <-a.ctx.Done():
			return nil
		}
	}
}

// hearFirst takes the news of the class when the screen begins.
func (a *app) hearFirst() tea.Cmd {
	if a.options.Seat == nil {
		return nil
	}
	if a.isLed() {
		a.heard.Led = a.options.Seat.Heard().Led
	}
	a.see()
	return a.hear()
}

// hear shows the news of the class.
func (a *app) hear() tea.Cmd {
	again := a.awaitClass()
	now, was := a.options.Seat.Heard(), a.heard
	switch {
	case now.Open && (!was.Open || now.Round != was.Round):
		a.popup = newPage(command.Page{Title: a.language.Of("The class guesses"), Lines: now.Question})
	case was.Open && !now.Open && len(now.Verdict) > 0:
		a.popup = newPage(command.Page{Title: a.language.Of("What your guess came to"), Lines: now.Verdict})
	case was.Open && !now.Open:
		a.say(a.language.Of("the round is closed"))
	}
	if a.options.Seat.Follow != nil && now.Led != was.Led {
		if a.job != nil { // it may be on its way to an older place
			now.Led = was.Led
			a.heard = now
			return again
		}
		a.heard = now
		return tea.Batch(again, a.lead())
	}
	a.heard = now
	return again
}

// lead brings the session to where the teacher is.
func (a *app) lead() tea.Cmd {
	return a.begin(a.language.Of("following the teacher"), nil, func(c command.Call) (command.Answer, error) {
		return command.Answer{Moved: true}, a.options.Seat.Follow(c.Context, c.Session)
	})
}

// isLed reports whether the person follows the teacher.
func (a *app) isLed() bool { return a.options.Seat != nil && a.options.Seat.Follow != nil }

// ledWhy is why a session that follows cannot be used.
const ledWhy = "you follow the teacher; q lets go, and brings you back to where you were"

var errLed = phrase.Errorf(ledWhy)

// see reports the position of the user to the class.
func (a *app) see() {
	if a.options.Seat == nil || a.options.Seat.See == nil || a.job != nil {
		return
	}
	var page *lesson.Page
	if c := a.options.Class; c != nil {
		now := c.Walk.Page()
		page = &now
	}
	a.options.Seat.See(page, a.session)
}

// guessing takes guesses of a round that is open; nil: none is.
func (a *app) guessing() func(text string) error {
	if a.options.Seat == nil || !a.heard.Open {
		return nil
	}
	return a.options.Seat.Guess
}
