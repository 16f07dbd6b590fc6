package classroom

import (
	"context"

	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/serve"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/screen"
	"github.com/schedstep/schedstep/tui/widget"
)

// Demo is a replay that the teacher offers.
type Demo struct {
	Name  string
	About string
	Open  func() *session.Session // anew for everybody
}

func (d *Demo) opened() *open { return &open{demo: d.Name, session: d.Open()} }

// Class is what can be opened in a class, and how.
type Class struct {
	Room     *class.Room
	Demos    []Demo
	Language string // tag of that of the lessons, and of all else that schedstep speaks
	Play     lesson.Play
	Theme    themes.Palette
	Limits   Limits
	Memory   Memory
	Turns    Turns
	Clock    clock.WithDelayedExecution
}

// speaks is the language of what is no lesson.
func (c *Class) speaks() words.Language { return words.LanguageIn(c.Language) }

// open is the lesson or demo that a terminal has open.
type open struct {
	name   string
	lesson *screen.Class // nil: it is a demo

	demo    string
	session *session.Session // of the demo
}

// student is one student at a terminal.
type student struct {
	*Class
	seat   *class.Seat
	place  *place
	bounds screen.Bounds
	has    *open // nil: they choose
}

// Host shows the class to a guest until they go.
func (c *Class) Host(ctx context.Context, g serve.Guest, t *serve.Terminal) string {
	if c.Memory.full() {
		return c.speaks().Of("The class's machine has no memory left for one more. Come in again in a few minutes.")
	}
	seat, err := c.Room.Enter(g.Name, g.Key, func(why phrase.Text) { t.Dismiss(c.speaks().Render(why)) })
	if err != nil {
		return widget.Sanitize(c.speaks().Error(err))
	}
	defer seat.Leave()
	s := &student{
		Class: c, seat: seat, place: &place{terminal: t, language: c.speaks()},
		bounds: c.Limits.bounds(c.Turns, c.Memory, c.Clock),
	}
	for s.step(ctx) {
	}
	return c.speaks().Say("Goodbye, %s. How far you are is kept.", g.Name)
}

// step shows one thing until it is over; false: nothing is to come.
func (s *student) step(ctx context.Context) bool {
	lead := s.seat.Led()
	switch {
	case ctx.Err() != nil:
		return false
	case lead.On:
		s.follow(ctx, lead)
	case s.has == nil:
		return s.choose(ctx)
	default:
		s.show(ctx)
	}
	return true
}

// free is a context that ends when the student is to follow the teacher.
func (s *student) free(ctx context.Context) (context.Context, context.CancelFunc) {
	return s.while(ctx, func() bool { return !s.seat.Led().On })
}

// choose has the student choose what to open; false: they go.
func (s *student) choose(ctx context.Context) bool {
	s.seat.Here(class.Place{})
	inner, over := s.free(ctx)
	defer over()
	l := s.lobby(inner, s.place, s.seat.Progress())
	l.leaving = l.language.Of("leave the class")
	if !s.place.run(inner, l) {
		return ctx.Err() == nil && inner.Err() != nil
	}
	if l.chosen == nil {
		return false
	}
	s.has = s.begin(ctx, l.chosen)
	return true
}

// lobby is the list of what can be opened.
func (c *Class) lobby(ctx context.Context, at *place, progress lesson.Progress) *lobby {
	l := &lobby{
		ctx: ctx, place: at, language: c.speaks(), title: c.speaks().Of("The class"), canvas: widget.NewCanvas(),
		styles:  themes.Derive(c.Theme, themes.Unicode()),
		choices: choices(c.Room.Course(), progress, c.Demos, c.Room.Words(), c.Language),
	}
	l.list.MoveTo(l, next(l.choices))
	return l
}

// begin opens what was chosen, where the student left it.
func (s *student) begin(ctx context.Context, chosen *choice) *open {
	if chosen.lesson == nil {
		return chosen.demo.opened()
	}
	walk, err := s.seat.Progress().Begin(ctx, chosen.lesson, s.Play, s.Language)
	if err != nil {
		return nil // every lesson was opened when the class began
	}
	keep := func(now lesson.Standing) error { return s.seat.Keep(chosen.lesson.Name, now) }
	return s.walking(walk, chosen.lesson, keep)
}

// show shows what the student has open, until they close it or are to follow the teacher.
func (s *student) show(ctx context.Context) {
	inner, over := s.free(ctx)
	defer over()
	seat := s.listening()
	has := s.has
	seat.See = func(page *lesson.Page, at *session.Session) { s.seat.Here(has.placeOf(page, at)) }
	_ = screen.Run(inner, has.playing(), s.options(inner, has.lesson, seat)) // whatever ended it, they choose anew
	if inner.Err() == nil {
		s.has = nil
	}
}

// playing is the session that is open.
func (o *open) playing() *session.Session {
	if o.lesson != nil {
		return o.lesson.Walk.Session()
	}
	return o.session
}

// options are those of a student's screen: it reaches nothing.
func (s *student) options(ctx context.Context, l *screen.Class, seat *screen.Seat) screen.Options {
	return screen.Options{
		Class: l, Seat: seat, Bounds: s.bounds, Theme: s.Theme.Name,
		Program: s.place.program(ctx), Resized: s.place.terminal.Resized(), Size: s.place.size,
	}
}
