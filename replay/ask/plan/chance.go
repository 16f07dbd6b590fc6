package plan

import (
	"cmp"
	"slices"
)

// Sure is whether a part of an answer is certain.
type Sure string

// How sure a part of an answer is.
const (
	certain Sure = "certain" // the same in every run
	tie     Sure = "tie"     // among equal nodes, here or before
	timed   Sure = "timing"  // other when pods take longer, or shorter, to stop and to get Ready
)

// Where equal nodes were chosen among, other draws of the scheduler are run, until so many in a row show nothing new,
// and of a short plan, whose runs are short, twice as many. All draws of a long one move as many pods together.
const (
	seeds     = 4
	fewSteps  = 40
	mostSeeds = 24
	mostMoved = 4000
)

// trials are how many draws are run.
type trials struct {
	inARow int // that show nothing new
	most   int // in all
}

// usualTrials are those of a plan that moves few pods in long runs.
var usualTrials = trials{inARow: seeds, most: mostSeeds}

// trialsOf are those of a plan of so many pods, of which a run is as long.
func trialsOf(pods int) trials {
	t := usualTrials.moving(pods)
	if pods <= fewSteps {
		t.inARow *= 2
	}
	return t
}

// moving are those of a plan that moves so many pods in each run.
func (t trials) moving(pods int) trials {
	t.most = min(t.most, max(seeds, mostMoved/max(pods, 1)))
	return t
}

// otherRuns runs something again: with pods that take no time, with those that take four times as long, and with other
// draws. run reports whether that run showed something new, and whether to go on.
func otherRuns(of trials, tied func() bool, run func(times int, seed uint64, because Sure) (isNew, goOn bool)) {
	for _, times := range []int{0, 4} {
		if _, goOn := run(times, 0, timed); !goOn {
			return
		}
	}
	draws(of, tied, func(seed uint64) (isNew, goOn bool) { return run(1, seed, tie) })
}

// draws runs something again with other draws of the scheduler, for as long as equal nodes were chosen among.
func draws(of trials, tied func() bool, run func(seed uint64) (isNew, goOn bool)) {
	seed, idle := uint64(0), 0
	for range of.most {
		if idle == of.inARow || !tied() {
			return
		}
		seed++
		isNew, goOn := run(seed)
		if !goOn {
			return
		}
		if idle++; isNew {
			idle = 0
		}
	}
}

// hasTie reports whether some move is among equal nodes, or controllers made pods at the same moment.
func (p *Plan) hasTie() bool {
	return p.raced || slices.ContainsFunc(p.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Moves, func(m Move) bool { return m.Sure == tie })
	})
}

// weaken marks the moves that go elsewhere in another run, and takes over what that run leaves undone. It reports
// whether the run showed something new.
func (p *Plan) weaken(other *Plan, because Sure) (isNew bool) {
	to := map[string]*Move{}
	for i := range other.Steps {
		for k := range other.Steps[i].Moves {
			to[other.Steps[i].Pod] = &other.Steps[i].Moves[k]
		}
	}
	for i := range p.Steps {
		for k := range p.Steps[i].Moves {
			m := &p.Steps[i].Moves[k]
			elsewhere, known := to[p.Steps[i].Pod]
			if known && (elsewhere.To != m.To || elsewhere.ends != m.ends) {
				isNew = m.mark(because, m.To, m.ends, elsewhere.To, elsewhere.ends) || isNew
			}
		}
	}
	if other.Verdict != Done && p.Verdict == Done {
		p.Verdict, isNew = other.Verdict, true
	}
	isNew = p.weakenBlocks(other, because) || isNew
	isNew = weakenPreempts(&p.Preempts, &p.MayPreempt, other.Preempts) || isNew
	p.Denied = alsoDenied(p.Denied, other.Denied)
	return weakenWaits(&p.Pending, other.Pending, because) || isNew
}

// weakenBlocks marks the steps that are refused in one of two runs only. A budget may be used up by a pod that had to
// go for another one, and which pod has to go is a matter of chance.
func (p *Plan) weakenBlocks(other *Plan, because Sure) (isNew bool) {
	refused := map[string]*Block{}
	for i := range other.Steps {
		if s := &other.Steps[i]; s.Refused != nil {
			refused[s.about()] = s.Refused
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		block := refused[s.about()]
		if s.RefusedIn != "" || (s.Refused == nil) == (block == nil) {
			continue
		}
		if s.RefusedIn, isNew = because, true; s.Refused == nil {
			s.MayRefuse = block
		}
	}
	return isNew
}

// about names what a step does, in every run by the same words.
func (s *Step) about() string { return cmp.Or(s.Pod, s.Kubectl) }

// among marks a move that goes elsewhere in another run. It reports whether that is new.
func (m *Move) among(other *Move, because Sure) (isNew bool) {
	return other.To != m.To && m.mark(because, m.To, other.To)
}

// mark notes the nodes that a pod may come to.
func (m *Move) mark(because Sure, nodes ...string) (isNew bool) {
	if m.Sure == certain {
		m.Sure = because
	}
	for _, node := range nodes {
		if node != "" && !slices.Contains(m.Among, node) {
			m.Among, isNew = append(m.Among, node), true
		}
	}
	slices.Sort(m.Among)
	return isNew
}

// weakenWaits marks the pods that wait in some runs only, and adds those that wait in another run.
func weakenWaits(all *[]Wait, other []Wait, because Sure) (isNew bool) {
	of := func(waits []Wait, pod string) bool {
		return slices.ContainsFunc(waits, func(w Wait) bool { return w.Pod == pod })
	}
	for i := range *all {
		if w := &(*all)[i]; w.Sure == "" && !of(other, w.Pod) {
			w.Sure, isNew = because, true
		}
	}
	for _, w := range other {
		if !of(*all, w.Pod) {
			w.Sure, isNew = because, true
			*all = append(*all, w)
		}
	}
	return isNew
}

// weaken marks what another run of the same loss shows otherwise. It reports whether the run showed something new.
func (l *Lost) weaken(other *Lost, because Sure) (isNew bool) {
	isNew = weakenWaits(&l.Pending, other.Pending, because)
	l.Denied = alsoDenied(l.Denied, other.Denied)
	if other.Verdict != Done && l.Verdict == Done {
		l.Verdict, isNew = other.Verdict, true
	}
	last := other.Moments[len(other.Moments)-1]
	l.Least, l.Most = min(l.Least, last.Pending), max(l.Most, last.Pending)
	for i := range l.Workloads {
		w := &l.Workloads[i]
		k := slices.IndexFunc(other.Workloads, func(o LostWorkload) bool { return o.Owner == w.Owner })
		if k < 0 {
			continue
		}
		now := other.Workloads[k].Now
		if now < w.Least || now > w.Most {
			isNew = true
			w.Least, w.Most = min(w.Least, now), max(w.Most, now)
		}
	}
	for _, b := range other.Broken {
		k := slices.IndexFunc(l.Broken, func(o Budget) bool { return o.Name == b.Name })
		switch {
		case k < 0:
			l.Broken, isNew = append(l.Broken, b), true
		case b.Slack < l.Broken[k].Slack:
			l.Broken[k].Slack, isNew = b.Slack, true
		}
	}
	return weakenPreempts(&l.Preempts, &l.MayPreempt, other.Preempts) || isNew
}

// weakenPreempts moves the pods that are preempted in one of two runs only to those that may be.
func weakenPreempts(all, may *[]string, other []string) (isNew bool) {
	for _, pod := range slices.Concat(*all, other) {
		if slices.Contains(*all, pod) != slices.Contains(other, pod) && !slices.Contains(*may, pod) {
			*may, isNew = append(*may, pod), true
		}
	}
	*all = slices.DeleteFunc(slices.Clone(*all), func(pod string) bool { return slices.Contains(*may, pod) })
	slices.Sort(*may)
	return isNew
}
