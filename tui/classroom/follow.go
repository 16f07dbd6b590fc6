package classroom

import (
	"context"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/screen"
)

// scene opens what the teacher has open, where the teacher is.
func (c *Class) scene(ctx context.Context, lead class.Lead) (*open, error) {
	o, err := c.opened(ctx, lead)
	if err != nil {
		return nil, err
	}
	return o, o.playing().Stand(ctx, lead.Standing)
}

// opened opens a demo, or a lesson at a page, without keeping progress.
func (c *Class) opened(ctx context.Context, at class.Lead) (*open, error) {
	if at.Lesson == "" {
		for i := range c.Demos {
			if c.Demos[i].Name == at.Demo {
				return c.Demos[i].opened(), nil
			}
		}
		return nil, phrase.Errorf("there is no demo %q", at.Demo)
	}
	l, err := c.Room.Course().Find(at.Lesson)
	if err != nil {
		return nil, err
	}
	walk, err := l.At(ctx, c.Play, c.Language, at.Page)
	if err != nil {
		return nil, err
	}
	return c.walking(walk, l, func(lesson.Standing) error { return nil }), nil
}

// walking is a lesson that a student or the teacher walks through.
func (c *Class) walking(walk *lesson.Walk, l *lesson.Lesson, keep func(lesson.Standing) error) *open {
	made := &screen.Class{Walk: walk, Words: c.Room.Words(), Keep: keep}
	if c.Clock != nil {
		opened := c.Clock.Now()
		made.Since = func() time.Duration { return c.Clock.Since(opened) }
	}
	return &open{name: l.Name, lesson: made}
}

// placeOf is the place of a student or the teacher.
func (o *open) placeOf(page *lesson.Page, s *session.Session) class.Place {
	p := class.Place{Lesson: o.name, Demo: o.demo, Cycle: s.Cycle()}
	if page == nil {
		return p
	}
	p.Page, p.Pages, p.Hints, p.Hint = page.Number, page.Of, len(page.Hints), len(page.Hints)+page.More
	p.Answer = page.Answer
	if len(page.Task) > 0 {
		p.Task, p.Done = o.lesson.Walk.Standing().Page, page.Done
	}
	return p
}

// leadOf is the teacher's place, for the students that follow.
func (o *open) leadOf(page *lesson.Page, s *session.Session) (class.Lead, error) {
	standing, err := s.Standing()
	l := class.Lead{Lesson: o.name, Demo: o.demo, Standing: standing}
	if page != nil {
		l.Page = page.Number
	}
	return l, err
}

// follow shows the student what the teacher sees, until they let go or the teacher does, or opens something else.
func (s *student) follow(ctx context.Context, lead class.Lead) {
	o, err := s.scene(ctx, lead)
	if err != nil {
		s.seat.LetGo() // what cannot be shown is not followed
		return
	}
	inner, over := s.while(ctx, func() bool { return s.seat.Led().SameScene(lead) })
	defer over()
	seat := s.listening()
	seat.Follow = func(ctx context.Context, at *session.Session) error { return at.Stand(ctx, s.seat.Led().Standing) }
	_ = screen.Run(inner, o.playing(), s.options(inner, o.lesson, seat)) // whatever ended it, the student goes on
	if inner.Err() == nil {
		s.seat.LetGo()
	}
}

// while is a context that ends when something does not hold any more.
func (s *student) while(ctx context.Context, holds func() bool) (context.Context, context.CancelFunc) {
	inner, over := context.WithCancel(ctx)
	go func() {
		for {
			changed := s.Room.Changed()
			if !holds() {
				over()
				return
			}
			select {
			case <-changed:
			case <-inner.Done():
				return
			}
		}
	}()
	return inner, over
}

// listening is a seat that receives the news of the class.
func (s *student) listening() *screen.Seat {
	return &screen.Seat{Changed: s.Room.Changed, Guess: s.seat.Guess, Heard: func() screen.Heard {
		q := s.Room.Question()
		h := screen.Heard{Round: q.Number, Open: q.Open, Question: q.Lines, Led: s.seat.Led().Number}
		if v, there := s.seat.Verdict(); there {
			h.Verdict = v.Lines
		}
		return h
	}}
}
