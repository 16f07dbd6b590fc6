package prompt

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/tui/command"
)

// class is a lesson that a conversation is about.
type class struct {
	walk  *lesson.Walk
	words lesson.Words
	keep  func(lesson.Standing) error // keeps how far the learner is
	since func() time.Duration        // how long the lesson is open; nil: nothing measures it
}

// vocabulary is the words of the course in the user's language.
func (c *class) vocabulary() lesson.Words {
	if c == nil {
		return lesson.WordsIn(lesson.English)
	}
	return c.words
}

// Learning is what goes with a lesson. Keep is called when a page was opened or a task done.
type Learning struct {
	Words lesson.Words
	Keep  func(lesson.Standing) error // keeps how far the learner is
	Since func() time.Duration        // how long the lesson is open; nil: nothing measures it
}

// Learn is Run with a lesson, which the verbs about lessons lead through.
func Learn(
	ctx context.Context, w *lesson.Walk, o Learning, in io.Reader, out io.Writer,
) error {
	r := newConversation(ctx, w.Session(), nil, out)
	r.lines = linesOf(in, out, r.complete)
	r.class = &class{w, o.Words, o.Keep, o.Since}
	r.print(o.Words.Say("plain-verbs"))
	if err := r.class.show(r); err != nil {
		return err
	}
	return r.listen()
}

// show prints the page, and keeps that it is open.
func (c *class) show(r *conversation) error {
	r.session = c.walk.Session()
	page := c.walk.Page()
	r.print(page.Lines(c.words)...)
	return c.keep(c.walk.Standing())
}

// did hands a carried out line to the lesson, and prints which parts of the task are met by it, or no longer met.
func (c *class) did(r *conversation, v command.Verb, args []string) {
	if c == nil {
		return
	}
	before := c.walk.Page()
	c.walk.Did(strings.TrimSpace(v.Name + " " + strings.Join(args, " ")))
	c.tell(r, before)
}

// tell prints what changed in the task since before.
func (c *class) tell(r *conversation, before lesson.Page) {
	if c.since != nil && c.walk.Page().Minutes > 0 {
		c.walk.Took(int(c.since().Minutes()))
	}
	now := c.walk.Page()
	for i, want := range now.Wants {
		if want.Met != before.Wants[i].Met {
			r.print(want.Line(c.words))
			r.print(want.ReasonLines()...)
		}
	}
	if now.Done && !before.Done {
		r.print(now.AfterLines(c.words)...)
		if err := c.keep(c.walk.Standing()); err != nil {
			r.sayf("error: %s", err)
		}
	}
}

// fulfil carries out a verb about lessons.
func (c *class) fulfil(r *conversation, v command.Verb, text string) error {
	if c == nil {
		return command.NoLesson(v)
	}
	before := c.walk.Page()
	if c.walk.InSandbox() && (v.Request == command.RequestHint || v.Request == command.RequestAnswer) {
		return errors.New(c.words.Say("in-sandbox"))
	}
	switch v.Request {
	case command.RequestSandbox:
		c.walk.Sandbox()
		r.print(c.words.Say("sandbox-plain"))
	case command.RequestPage:
		return c.turn(r, text)
	case command.RequestHint:
		if !c.walk.Hint() {
			return errors.New(c.words.Say("no-hint"))
		}
		now := c.walk.Page()
		r.print(now.HintLines(c.words, len(now.Hints)-1)...)
	case command.RequestAnswer:
		switch {
		case !before.Asks:
			return errors.New(c.words.Say("no-question"))
		case strings.TrimSpace(text) == "":
			return errors.New(c.words.Say("which-answer"))
		}
		c.walk.Answer(text)
		c.tell(r, before)
		if now := c.walk.Page(); !now.Done && slices.EqualFunc(now.Wants, before.Wants, lesson.Want.Same) {
			if why := now.ReasonLines(); len(why) > 0 {
				r.print(append([]string{c.words.Say("wrong-answer", text)}, why...)...)
			} else {
				r.print(now.Wrong(c.words, text))
			}
		}
	case command.RequestAgain:
		if err := c.walk.Again(r.ctx); err != nil {
			return err
		}
		return c.show(r)
	default:
		if err := c.walk.Return(r.ctx); err != nil {
			return err
		}
		return c.show(r)
	}
	return nil
}

func (c *class) turn(r *conversation, text string) error {
	by, err := command.Pages(text)
	if err != nil {
		return err
	}
	if !c.walk.CanTurn(by) {
		return errors.New(c.words.Say(map[int]string{1: "last-page-plain", -1: "first-page"}[by]))
	}
	if err := c.walk.Turn(r.ctx, by); err != nil {
		return err
	}
	return c.show(r)
}
