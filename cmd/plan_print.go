package cmd

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

// mostShown is how many rows of one list a table has; JSON has all.
const mostShown = 20

// The sentences about plans.
const (
	textDrained    = "%s: every pod moves; none is left without a node"
	textDrainStuck = "%s: BLOCKED at step %d by %s: %s"
	textMayStuck   = "%s: BLOCKED in some runs at step %d by %s: %s"
	textMayRefuse  = "step %d is refused in some runs (%s), by %s: %s"
	textDrainWaits = "%s: every step is carried out, and %d pods are left without a node"
	textDrainMay   = "%s: every step is carried out, and in some runs pods are left without a node, %d in all"
	textUnmade     = "%s: every step is carried out; pods that a quota does not let be made again: %d"
	textDenied     = "a quota leaves %[2]s without pods: %[1]d: %[3]s"
	textWasDenied  = "before the plan too, a quota left %[2]s without pods: %[1]d: %[3]s"
	textMoves      = "moves %d, at least %d; %s of virtual time; %d runs"
	textPlanBudget = "budget %s: lowest slack %d"
	textPlanStays  = "stays: %s (%s)"
	textPlanWaits  = "without a node: %s, priority %d: %s"
	textWaitsSome  = "without a node in some runs (%s): %s, priority %d: %s"
	textPlanBefore = "without a node before the plan: %d pods"
	textPreempts   = "has to go for others: %s"
	textMayPreempt = "has to go for others in some runs: %s"
	textAssumed    = "assumed: %s"
	textUnlock     = "unlocks it, and was run: %s"
	textUnlockUndo = "unlocks it, and was run: %s; afterwards: %s"
	textAndMore    = "and %d more"
	textLost       = "%s: %d nodes and %d pods are lost; at the end %d pods wait and %d are stuck"
	textLostRange  = "over all runs between %d and %d pods wait: equal nodes are drawn among, and pods take longer or " +
		"shorter"
	textMoment     = "after %s: %d Ready, %d without a node, %d stuck on lost nodes"
	textLostOf     = "%s: %d of %d Ready pods lost, %d Ready at the end"
	textMajority   = "%s: %d of %d Ready pods lost, %d Ready at the end; majority of replicas lost"
	textLostLeast  = "%s: in another run %d Ready at the end"
	textLostOther  = "%s: in other runs %d to %d Ready at the end"
	textBroken     = "budget %s: %d below what it wants, at the worst moment"
	textCapacity   = "%s: %d more fit; at most %d by room on each node"
	textCapacities = "%s: %d to %d more fit, by what kube-scheduler draws among equal nodes; at most %d by room on " +
		"each node"
	textEnough     = "%s: all %d that are wanted fit; at most %d by room on each node"
	textNext       = "the next one: %s"
	textNextEvicts = "the next one would have another pod go: %s"
	textLift       = "without %s alone: %d more"
	textLiftRun    = "with %s raised, which was run: %d more: %s"
	textComes      = "%d on %s"
	textUnlifted   = "not looked at: %d constraints"
	textNoLift     = "no constraint alone makes room for more"
)

// sheet is lines for a person.
type sheet struct {
	l     words.Language
	lines []string
}

func (p *sheet) add(text string, values ...any) {
	p.lines = append(p.lines, clean(p.l.Say(text, values...)))
}

// some adds a line for each of a list, and how many more there are.
func (p *sheet) some(n int, add func(i int)) {
	for i := range min(n, mostShown) {
		add(i)
	}
	if n > mostShown {
		p.add(textAndMore, n-mostShown)
	}
}

// write writes the lines.
func (p *sheet) write(out io.Writer) error {
	for _, line := range p.lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

func (f *planFlags) printDrain(s Streams, p *plan.Plan, l words.Language) error {
	if is, err := f.isData(s, p, p); is {
		return err
	}
	head, rest := sheet{l: l}, sheet{l: l}
	head.verdict(p)
	if f.isPage() {
		return f.printPlanPage(s.Out, p, &head, &rest, nil)
	}
	return f.printPlan(s, p, &head, &rest, l)
}

// verdict is the first line.
func (p *sheet) verdict(of *plan.Plan) {
	switch of.Verdict {
	case plan.Done:
		p.add(textDrained, of.Goal)
	case plan.Pending:
		if n := plan.Unmade(of.Denied); n > 0 && len(of.Pending) == 0 {
			p.add(textUnmade, of.Goal, n)
			return
		}
		p.add(left(of), of.Goal, len(of.Pending))
	case plan.Blocked:
		s, b := firstBlock(of)
		switch {
		case b == nil:
			p.add(left(of), of.Goal, len(of.Pending))
		case s.RefusedIn != "":
			p.add(textMayStuck, of.Goal, s.N, b.Object, b.Message)
		default:
			p.add(textDrainStuck, of.Goal, s.N, b.Object, b.Message)
		}
	}
}

// firstBlock is the first step that is refused, here or in another run, and why.
func firstBlock(all *plan.Plan) (*plan.Step, *plan.Block) {
	for _, of := range []func(s *plan.Step) *plan.Block{
		func(s *plan.Step) *plan.Block { return s.Refused }, func(s *plan.Step) *plan.Block { return s.MayRefuse },
	} {
		for i := range all.Steps {
			if b := of(&all.Steps[i]); b != nil {
				return &all.Steps[i], b
			}
		}
	}
	return nil, nil
}

// left is the sentence for pods that are left without a node: in every run, or in some.
func left(of *plan.Plan) string {
	if len(of.Pending) > 0 && !slices.ContainsFunc(of.Pending, func(w plan.Wait) bool { return w.Sure == "" }) {
		return textDrainMay
	}
	return textDrainWaits
}

// printSteps is the table of steps.
func printSteps(out io.Writer, steps []plan.Step, l words.Language) error {
	header := l.Each("STEP", "AFTER", "REQUEST", "COMES", "SURE", "AWAY")
	rows := aligned{out: out}
	rows.add(header...)
	for i := range steps {
		rows.add(stepCells(&steps[i], l)...)
	}
	return rows.flush()
}

// stepCells is a row of the table of steps.
func stepCells(s *plan.Step, l words.Language) []string {
	what := s.Kubectl
	if s.Pod != "" {
		what = "evict " + s.Pod
	}
	cells := []string{strconv.Itoa(s.N), seconds(s.At), clean(what), "", "", ""}
	switch {
	case s.Refused != nil:
		if cells[3] = l.Of("BLOCKED"); s.RefusedIn != "" {
			cells[4] = word(l, string(s.RefusedIn))
		}
	case len(s.Moves) > 0:
		m := &s.Moves[0]
		cells[3], cells[4] = clean(m.Pod+" -> "+comesTo(m, l)), word(l, string(m.Sure))
		cells[5] = awayFor(m)
	}
	return cells
}

// drain is what follows the table of a drain.
func (p *sheet) drain(of *plan.Plan) {
	p.unlocks(of)
	p.mayRefuse(of)
	p.waits(of.Pending)
	p.denied(of.Denied)
	p.some(len(of.Stays), func(i int) { p.add(textPlanStays, of.Stays[i].Pod, p.l.Render(of.Stays[i].Why)) })
	p.some(len(of.Budgets), func(i int) { p.add(textPlanBudget, of.Budgets[i].Name, of.Budgets[i].Slack) })
	p.afterPlan(of)
}

// mayRefuse are the steps that are carried out in the table, and refused in another run.
func (p *sheet) mayRefuse(of *plan.Plan) {
	var all []*plan.Step
	for i := range of.Steps {
		if of.Steps[i].MayRefuse != nil {
			all = append(all, &of.Steps[i])
		}
	}
	p.some(len(all), func(i int) {
		b := all[i].MayRefuse
		p.add(textMayRefuse, all[i].N, word(p.l, string(all[i].RefusedIn)), b.Object, p.l.Render(b.Message))
	})
}

// others is what a page has no table for.
func (p *sheet) others(of *plan.Plan) {
	p.mayRefuse(of)
	p.denied(of.Denied)
	p.some(len(of.Stays), func(i int) { p.add(textPlanStays, of.Stays[i].Pod, p.l.Render(of.Stays[i].Why)) })
	p.afterPlan(of)
}

// unlocks are the changes after which a plan is done.
func (p *sheet) unlocks(of *plan.Plan) {
	p.some(len(of.Unlocks), func(i int) {
		u := of.Unlocks[i]
		change := strings.Join(append(u.Kubectl, u.Flag), "")
		if len(u.Undo) > 0 {
			p.add(textUnlockUndo, change, strings.Join(u.Undo, "; "))
			return
		}
		p.add(textUnlock, change)
	})
}

// afterPlan are the last lines about a plan.
func (p *sheet) afterPlan(of *plan.Plan) {
	p.some(len(of.Preempts), func(i int) { p.add(textPreempts, of.Preempts[i]) })
	p.some(len(of.MayPreempt), func(i int) { p.add(textMayPreempt, of.MayPreempt[i]) })
	if len(of.Before) > 0 {
		p.add(textPlanBefore, len(of.Before))
	}
	p.add(textMoves, of.Moves.Found, of.Moves.AtLeast, seconds(of.Seconds), of.Runs)
	p.assumed(of.Assumed)
}

func (p *sheet) assumed(all []phrase.Text) {
	for _, a := range all {
		p.add(textAssumed, p.l.Render(a))
	}
}

// denied are the workloads whose pods a quota does not let be made.
func (p *sheet) denied(all []plan.Denied) {
	p.some(len(all), func(i int) {
		d := &all[i]
		if more := d.Missing - d.Before; more > 0 {
			p.add(textDenied, more, d.Owner, d.Message)
		} else {
			p.add(textWasDenied, d.Missing, d.Owner, d.Message)
		}
	})
}

func (p *sheet) waits(all []plan.Wait) {
	p.some(len(all), func(i int) {
		if w := &all[i]; w.Sure != "" {
			p.add(textWaitsSome, word(p.l, string(w.Sure)), w.Pod, w.Priority, w.Message)
		} else {
			p.add(textPlanWaits, w.Pod, w.Priority, w.Message)
		}
	})
}

func (f *planFlags) printLosses(s Streams, all []plan.Lost, l words.Language) error {
	if f.output == "json" || f.output == "yaml" {
		return writeData(s.Out, all, f.output)
	}
	if f.isPage() {
		return f.lossPage(s.Out, all, l)
	}
	for i := range all {
		p := sheet{l: l}
		p.lost(&all[i])
		if err := p.write(s.Out); err != nil {
			return err
		}
	}
	return nil
}

// loss is the verdict on a loss.
func (p *sheet) loss(of *plan.Lost) {
	last := of.Moments[len(of.Moments)-1]
	p.add(textLost, of.Goal, len(of.Nodes), of.Pods, last.Pending, last.Stuck)
	p.lossRange(of)
}

// lossRange is how many pods wait at the end of the runs, where they differ.
func (p *sheet) lossRange(of *plan.Lost) {
	if of.Least < of.Most {
		p.add(textLostRange, of.Least, of.Most)
	}
}

func (p *sheet) lost(of *plan.Lost) {
	p.loss(of)
	for _, m := range of.Moments {
		p.add(textMoment, seconds(m.Seconds), m.Ready, m.Pending, m.Stuck)
	}
	p.some(len(of.Workloads), func(i int) {
		w := of.Workloads[i]
		text := textLostOf
		if w.Majority {
			text = textMajority
		}
		p.add(text, w.Owner, w.Lost, w.Had, w.Now)
		switch {
		case w.Least < w.Now && w.Most > w.Now:
			p.add(textLostOther, w.Owner, w.Least, w.Most)
		case w.Least < w.Now:
			p.add(textLostLeast, w.Owner, w.Least)
		case w.Most > w.Now:
			p.add(textLostLeast, w.Owner, w.Most)
		}
	})
	p.waits(of.Pending)
	p.denied(of.Denied)
	p.some(len(of.Broken), func(i int) { p.add(textBroken, of.Broken[i].Name, -of.Broken[i].Slack) })
	p.afterLoss(of)
}

// afterLoss are the last lines about a loss.
func (p *sheet) afterLoss(of *plan.Lost) {
	p.some(len(of.Preempts), func(i int) { p.add(textPreempts, of.Preempts[i]) })
	p.some(len(of.MayPreempt), func(i int) { p.add(textMayPreempt, of.MayPreempt[i]) })
	if len(of.Before) > 0 {
		p.add(textPlanBefore, len(of.Before))
	}
	p.assumed(of.Assumed)
}

func (f *planFlags) printCapacity(s Streams, found *plan.Capacity, l words.Language) error {
	if f.output == "json" || f.output == "yaml" {
		return writeData(s.Out, found, f.output)
	}
	head, rest := sheet{l: l}, sheet{l: l}
	switch {
	case found.Wanted > 0 && found.Least == found.Wanted:
		head.add(textEnough, found.Goal, found.Wanted, found.Most)
	case found.Least < found.Greatest:
		head.add(textCapacities, found.Goal, found.Least, found.Greatest, found.Most)
	default:
		head.add(textCapacity, found.Goal, found.Placed, found.Most)
	}
	switch {
	case len(found.Evicts) > 0:
		rest.add(textNextEvicts, strings.Join(found.Evicts, ", "))
	case found.Message != "":
		rest.add(textNext, found.Message)
	}
	for _, lift := range found.Lifts {
		if len(lift.Kubectl) > 0 {
			rest.add(textLiftRun, lift.What, lift.More, strings.Join(lift.Kubectl, "; "))
		} else {
			rest.add(textLift, lift.What, lift.More)
		}
	}
	switch {
	case found.Unseen > 0:
		rest.add(textUnlifted, found.Unseen)
	case found.Message != "" && found.Quota == "" && len(found.Lifts) == 0:
		rest.add(textNoLift)
	}
	if f.isPage() {
		return f.capacityPage(s.Out, found, &head, &rest)
	}
	head.some(len(found.On), func(i int) { head.add(textComes, found.On[i].Pods, found.On[i].Node) })
	head.lines = append(head.lines, rest.lines...)
	return head.write(s.Out)
}
