package lesson

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
)

// Check plays a lesson in every language it has: each page is opened, each solution must do its task, and nothing else
// may, neither doing nothing nor a wrong run. The text that a page quotes must be in the output of the scene.
func (l *Lesson) Check(ctx context.Context, act Play) Mistakes {
	wrong := &problems{}
	for _, language := range slices.Sorted(maps.Keys(l.texts)) {
		c := checker{lesson: l, act: act, wrong: wrong, language: language}
		c.all(ctx)
	}
	return wrong.all
}

// checker goes through a lesson in one language.
type checker struct {
	lesson   *Lesson
	act      Play
	wrong    *problems
	language string
	quotes   []para // of the pages since the last that began anew
}

func (c *checker) book() string { return c.lesson.path + "/" + bookFile }

// walk is a way through the lesson that nothing was done on yet.
func (c *checker) walk() *Walk {
	return &Walk{
		lesson: c.lesson, language: c.language, act: c.act, points: map[string]int{}, minutes: map[string]int{},
	}
}

func (c *checker) all(ctx context.Context) {
	w := c.walk()
	for at := range c.lesson.pages {
		p := &c.lesson.pages[at]
		if p.scene != "" {
			c.look(ctx, w.session)
		}
		if err := w.open(ctx, at); err != nil {
			c.wrong.at(c.book(), p.line).Errorf("page %s: %w", p.id, err)
			return
		}
		if p.task != nil {
			c.try(ctx, w, at)
		}
		if w.shown.problem != "" {
			c.wrong.at(w.shown.problem, 0).Errorf("page %s", p.id)
		}
		for _, said := range w.words().all() {
			if said.shape == Quote {
				said.text, _ = said.fill(w.session, w.beside)
				c.quotes = append(c.quotes, said)
			}
		}
	}
	c.look(ctx, w.session)
}

// try plays what may do a task, and at last what does.
func (c *checker) try(ctx context.Context, w *Walk, at int) {
	p := &c.lesson.pages[at]
	if w.shown.Done {
		c.wrong.at(c.book(), p.task.checks[0].line).Errorf("the task of page %s is done before anything is", p.id)
		return
	}
	for i, k := range p.task.checks {
		if k.kept && !w.shown.Wants[i].Met {
			c.wrong.at(c.book(), k.line).Errorf("check %s of page %s is to be kept, and does not hold at the beginning",
				k.id, p.id)
		}
	}
	for i, k := range p.task.checks {
		if c.lesson.minutes > 0 && w.shown.Wants[i].Met && len(w.words().whyBroken(k.id)) == 0 {
			c.wrong.at(c.lesson.in(c.language).file, w.words().line).Errorf(
				"page %s does not say what it means when check %s holds no more (want: ### broken %s)", p.id, k.id, k.id,
			)
		}
	}
	for _, r := range p.task.wrong {
		other := c.walk()
		if err := other.open(ctx, at); err != nil {
			c.wrong.at(c.book(), p.line).Errorf("page %s: %w", p.id, err)
			return
		}
		c.carryOut(ctx, other, r.lines)
		if other.shown.Done {
			c.wrong.at(c.book(), r.at).Errorf("this wrong run does the task of page %s", p.id)
		}
	}
	for w.Hint() {
	}
	c.carryOut(ctx, w, p.task.solution)
	for i, want := range w.shown.Wants {
		if !want.Met && !w.shown.Done {
			c.wrong.at(c.book(), p.task.checks[i].line).Errorf("after the solution of page %s its check %s does not hold", p.id,
				p.task.checks[i].id)
		}
	}
}

func (c *checker) carryOut(ctx context.Context, w *Walk, lines []line) {
	for _, l := range lines {
		if err := w.Do(ctx, l.text); err != nil {
			c.wrong.at(c.book(), l.at).Errorf("%w", err)
			return
		}
	}
}

// look finds the quotes that are in no output up to the end of the scene.
func (c *checker) look(ctx context.Context, s *session.Session) {
	if len(c.quotes) == 0 || s == nil {
		return
	}
	s.Move(ctx, session.Continue, session.Forward, nil)
	var said strings.Builder
	_, err := s.Again(ctx, func(step play.Step, _ *core.Scheduler) {
		for _, f := range step.Facts {
			said.WriteString(f.String() + "\n")
			if m, is := f.(trace.Filtered); is {
				said.WriteString(verdictsOf(m.Matrix))
			}
		}
	})
	if err != nil {
		c.wrong.at(c.book(), 0).Errorf("%w", err)
	}
	all := inOneLine(said.String())
	for _, q := range c.quotes {
		if !strings.Contains(all, inOneLine(q.text)) {
			c.wrong.at(c.lesson.in(c.language).file, q.line).Errorf("nobody says this in the scene: %s", q.text)
		}
	}
	c.quotes = nil
}

// verdictsOf are the reasons in a matrix, also those of filters that kube-scheduler did not run.
func verdictsOf(m *trace.Matrix) string {
	var reasons []string
	for node := range m.Nodes {
		for plugin := range m.Plugins {
			if v, ok := m.Verdict(node, plugin); ok {
				reasons = append(reasons, v.Message())
			}
		}
	}
	return strings.Join(slices.Compact(reasons), "\n") + "\n"
}

func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
