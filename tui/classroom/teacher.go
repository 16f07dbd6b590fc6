package classroom

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/predict"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/screen"
	"github.com/schedstep/schedstep/tui/widget"
)

// Teacher is the teacher's desk.
type Teacher struct {
	Class   *Class
	How     string // students come in
	Screen  screen.Options
	Results func() (string, error) // writes the results, and returns the name of the file
	// Program gives Bubble Tea the desk's input, output, size and environment. None: the terminal of this process.
	Program []tea.ProgramOption

	has *open
}

// Sit shows the desk, and what the teacher opens, until they close the class or ctx ends.
func (t *Teacher) Sit(ctx context.Context) error {
	note := ""
	for {
		d := &desk{
			ctx: ctx, room: t.Class.Room, language: t.Class.speaks(), how: t.How, note: note, canvas: widget.NewCanvas(),
			styles: themes.Derive(t.Class.Theme, themes.Unicode()),
		}
		if t.has != nil {
			d.opened = t.has.name + t.has.demo
		}
		if _, err := tea.NewProgram(d, t.program(ctx)...).Run(); err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if d.wants == orderClose {
			return nil
		}
		var err error
		if note, err = t.obey(ctx, d.wants); err != nil {
			note = t.Class.speaks().Error(err)
		}
	}
}

func (t *Teacher) program(ctx context.Context) []tea.ProgramOption {
	return append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}, t.Program...)
}

// nothingOpen is the error of a command that needs an open lesson or demo.
func (t *Teacher) nothingOpen() error {
	return t.Class.speaks().Errorf("open something first (w), and walk to where the class is to be")
}

// obey carries out an order of the desk, and returns the note to show.
func (t *Teacher) obey(ctx context.Context, wants order) (note string, err error) {
	switch wants {
	case orderOpen:
		t.has = nil
		err = t.walk(ctx)
	case orderWalk:
		err = t.walk(ctx)
	case orderFollow:
		err = t.lead()
	case orderRound:
		err = t.round(ctx)
	case orderResults:
		note, err = t.Results()
	case orderNothing, orderClose:
	}
	return note, err
}

// walk shows the teacher what they have open, or lets them open something.
func (t *Teacher) walk(ctx context.Context) error {
	if t.has == nil {
		l := t.Class.lobby(ctx, &place{}, lesson.Progress{})
		l.leaving = l.language.Of("back to the desk")
		if _, err := tea.NewProgram(l, t.program(ctx)...).Run(); err != nil || l.chosen == nil {
			return err
		}
		var err error
		if t.has, err = t.Class.opened(ctx, beginning(l.chosen)); err != nil {
			return err
		}
		if err := t.tell(); err != nil {
			return err
		}
	}
	o := t.Screen
	o.Class, o.May, o.Program = t.has.lesson, command.Everything, t.Program
	o.Seat = &screen.Seat{
		Changed: t.Class.Room.Changed, Heard: func() screen.Heard { return screen.Heard{} },
		See: func(page *lesson.Page, s *session.Session) {
			if lead, err := t.has.leadOf(page, s); err == nil && t.Class.Room.Lead().On {
				t.Class.Room.Follow(lead)
			}
		},
	}
	return screen.Run(ctx, t.has.playing(), o)
}

// beginning is what was chosen, at its beginning.
func beginning(chosen *choice) class.Lead {
	if chosen.lesson == nil {
		return class.Lead{Demo: chosen.demo.Name}
	}
	return class.Lead{Lesson: chosen.lesson.Name, Page: 1}
}

// here is where the teacher is.
func (t *Teacher) here() (class.Lead, error) {
	var page *lesson.Page
	if t.has.lesson != nil {
		now := t.has.lesson.Walk.Page()
		page = &now
	}
	return t.has.leadOf(page, t.has.playing())
}

// tell sends the teacher's position to the students that follow.
func (t *Teacher) tell() error {
	if !t.Class.Room.Lead().On {
		return nil
	}
	return t.gather()
}

// gather makes all students follow to the teacher's position.
func (t *Teacher) gather() error {
	lead, err := t.here()
	if err == nil {
		t.Class.Room.Follow(lead)
	}
	return err
}

// lead makes all students follow, or lets them go their own way.
func (t *Teacher) lead() error {
	if t.Class.Room.Lead().On {
		t.Class.Room.Release()
		return nil
	}
	if t.has == nil {
		return t.nothingOpen()
	}
	return t.gather()
}

// round has the class guess the next cycle, or closes the open round.
func (t *Teacher) round(ctx context.Context) error {
	room := t.Class.Room
	if room.Question().Open {
		return room.Close()
	}
	if t.has == nil {
		return t.nothingOpen()
	}
	lead, err := t.here()
	if err != nil {
		return err
	}
	judge, err := t.Class.scene(ctx, lead)
	if err != nil {
		return err
	}
	asked := predict.Ask(ctx, predict.New(room.Words()), t.has.playing(), judge.playing())
	if asked == nil {
		return errors.New(room.Words().Say("predict-end"))
	}
	room.Ask(asked.Question, asked.Judge, asked.Answer())
	return t.tell()
}

// Report writes what happens in the class line by line until ctx ends, where there is no screen.
func (t *Teacher) Report(ctx context.Context, to io.Writer) error {
	told := 0
	for {
		changed := t.Class.Room.Changed()
		news, all := t.Class.Room.NewsSince(told)
		for _, n := range news {
			line := n.At.Format("15:04:05 ") + widget.Sanitize(n.Name+" "+t.Class.speaks().Render(n.What))
			if _, err := fmt.Fprintln(to, line); err != nil {
				return err
			}
		}
		told = all
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
