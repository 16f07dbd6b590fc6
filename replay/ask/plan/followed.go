package plan

import (
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/course"
)

// taken is the course of a run until now, to be followed.
func (r *run) taken() *course.Course {
	c := r.course.Fork()
	c.Ends = r.start.Add(horizon).Sub(r.began)
	return &c
}

// Course is what the first run did, to be followed from the moment of the fleet on; nil: there was none.
func (p *Plan) Course() *course.Course {
	if p.course == nil {
		return nil
	}
	c := p.course.Fork()
	c.Goal, c.Steps = p.Goal, make([]course.Step, len(p.Steps))
	for i := range p.Steps {
		c.Steps[i] = p.Steps[i].followed()
	}
	return &c
}

// Course is what the first run did.
func (l *Lost) Course() *course.Course { return numbered(l.course, l.Goal) }

// Course is what the first run did.
func (c *Capacity) Course() *course.Course { return numbered(c.course, c.Goal) }

// Course is what the run of the best mix did.
func (b *Bought) Course() *course.Course { return numbered(b.course, b.Goal) }

// numbered is the course of a run whose report has no steps.
func numbered(of *course.Course, goal string) *course.Course {
	if of == nil {
		return nil
	}
	c := of.Fork()
	c.Goal = goal
	c.NumberAll()
	return &c
}

// followed is the step as a course has it.
func (s *Step) followed() course.Step {
	f := course.Step{Command: phrase.Verbatim(s.Kubectl), After: s.At}
	if s.command != "" {
		f.Command = s.command
	}
	if s.Refused != nil {
		f.Refused = s.Refused.Message
	}
	for i := range s.Moves {
		m := &s.Moves[i]
		f.Comes = append(f.Comes, course.Landing{Pod: m.Pod, Node: m.To, Sure: string(m.Sure), Among: m.Among})
	}
	return f
}
