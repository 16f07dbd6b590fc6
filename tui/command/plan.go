package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/plan"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/session"
)

// The words behind plan that move through the plan that is carried out.
const (
	planNext = "next"
	planBack = "back"
)

// mostOfOffers is the largest file of offers that is read, in bytes.
const mostOfOffers = 16 << 20

// planned works a plan out and goes to its beginning on a branch of its own, or goes on in the one that is carried out.
func planned(c Call) (Answer, error) {
	switch {
	case len(c.Args) == 0:
		return planPage(c)
	case len(c.Args) == 1 && c.Args[0] == planNext:
		return stepOfPlan(c, session.Forward), nil
	case len(c.Args) == 1 && c.Args[0] == planBack:
		return stepOfPlan(c, session.Backward), nil
	}
	if err := c.room(); err != nil {
		return Answer{}, err
	}
	fleet, err := plan.At(c.Session.At())
	if err != nil {
		return Answer{}, err
	}
	read := func(path string) ([]byte, error) { return c.readFile(path, mostOfOffers) }
	found, err := fleet.Worked(c.Context, c.Args, read, c.Progress)
	if err != nil {
		return Answer{}, err
	}
	branch, _, err := c.Session.Edit(session.Follow(found.Course))
	if err != nil {
		return Answer{}, err
	}
	return Answer{Moved: true, Said: c.lang().Say(
		"%s; on branch %s: plan next goes to its next step, plan lists them, undo removes the branch", found.Said,
		branch,
	)}, nil
}

// stepOfPlan goes to another step of the plan, and says which.
func stepOfPlan(c Call, direction session.Direction) Answer {
	a := stopped(c.lang(), c.Session.Move(c.Context, session.ToPlanned, direction, c.Progress))
	if p := c.Session.At().Plan(); p != nil && p.Done > 0 && a.Stop.Reason == session.StoppedAtStep {
		a.Said = c.lang().Say("step %d of %d", p.Done, len(p.Steps)) + ": " + stepInWords(c.lang(), &p.Steps[p.Done-1])
	}
	return a
}

// planPage lists the steps of the plan that is carried out at the cursor.
func planPage(c Call) (Answer, error) {
	p := c.Session.At().Plan()
	if p == nil {
		return Answer{}, c.lang().Errorf("plan: which? (%s; plan drain NODE)", strings.Join(plan.Goals(), ", "))
	}
	page := Page{Title: c.lang().Say("Plan %s: %d of %d steps", p.Goal, p.Done, len(p.Steps))}
	for i := range p.Steps {
		page.Lines = append(page.Lines, planLine(c.lang(), p, i))
	}
	page.Lines = append(page.Lines,
		c.lang().Of("plan next goes to the next step, plan back to the one before (keys as shipped: ) and ()"))
	return Answer{Page: page}, nil
}

// planLine is a step of a plan: where the cursor is, what is requested, and where pods come to.
func planLine(lang words.Language, p *session.Planned, i int) string {
	mark := "   "
	switch {
	case i+1 == p.Done:
		mark = " > "
	case i+1 < p.Done:
		mark = " * "
	}
	return mark + strconv.Itoa(i+1) + ". " + stepInWords(lang, &p.Steps[i])
}

// stepInWords is what a step of a plan requests, and what comes of it.
func stepInWords(lang words.Language, s *course.Step) string {
	line := lang.Render(s.Command)
	if s.Refused != "" {
		line += ": " + lang.Say("BLOCKED: %s", s.Refused)
	}
	var comes []string
	for k := range s.Comes {
		comes = append(comes, landing(lang, &s.Comes[k]))
	}
	if len(comes) > 0 {
		line += "; " + strings.Join(comes, ", ")
	}
	return line
}

// landing is where a pod comes to, and how sure that is.
func landing(lang words.Language, l *course.Landing) string {
	sure := lang.Of(l.Sure)
	switch {
	case len(l.Among) > 1:
		return lang.Say("%s comes to %s (%s)", l.Pod, strings.Join(l.Among, "|"), sure)
	case l.Node == "":
		return lang.Say("%s gets no node (%s)", l.Pod, sure)
	}
	return lang.Say("%s comes to %s (%s)", l.Pod, l.Node, sure)
}

// planWords is what may come next behind plan.
func (w Vocabulary) planWords(before []string) []string {
	if len(before) == 0 {
		return append(plan.Goals(), planNext, planBack)
	}
	flags := plan.FlagsOf(before[0])
	switch last := before[len(before)-1]; {
	case len(before) > 1 && slices.Contains(flags, last) && last != "--force" && last != "--delete-emptydir-data":
		return nil // the value of a flag
	case before[0] == "capacity" || before[0] == "room":
		return slices.Concat(w.workloads, w.pods, flags)
	case before[0] == "lose":
		return append([]string{"zone=", "node="}, flags...)
	case len(flags) > 0:
		return slices.Concat(w.nodes, flags)
	}
	return nil
}
