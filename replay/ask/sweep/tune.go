package sweep

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Tuning is a search for the settings under which an objective is least. It draws candidates within the bounds, plays
// them on few cases, keeps the better half and plays that on more cases; each further round draws in a narrower space
// around the best one. At the end, settings without which the best one is as good are taken out of it.
type Tuning struct {
	Axes      []Axis // the bounds
	Where     string // an expression over the settings; "": all
	Objective *Objective
	Seen      []Case // in the order in which they are played
	Unseen    []Case // for the comparison of the best one with the base
	Trials    int    // candidates of the first round; a further round draws half as many
	Rounds    int
	Seed      uint64
	// Step takes each step when it is over, and what was found by then. An error ends the search.
	Step func(*Step, *Tuned) error
	// Played is called with each run of a step.
	Played func(done, all int)
}

// Check refuses bounds that a search cannot have.
func (t *Tuning) Check() error {
	for _, a := range t.Axes {
		switch {
		case a.Key == Order:
			return phrase.Errorf("tune varies the order in which pods arrive by itself: leave out %s", a.Key)
		case a.Key == seedKey:
			return phrase.Errorf("tune takes one seed (--seed), and draws those of its cases from it: leave out %s", a.Key)
		case len(a.Values) == 1 && a.Values[0] == AsItIs:
			return phrase.Errorf("%s: there is nothing to choose from", a.Key)
		}
	}
	if len(t.Axes) == 0 {
		return phrase.Errorf("there is nothing to choose from")
	}
	_, err := t.draw(t.Axes, t.Trials, t.Seed)
	return err
}

// Probes are variants that have a value of one axis alone: of a range of numbers the first and the last. axes are these
// values. They find out what an input can be played under at all.
func Probes(bounds []Axis) (variants []Variant, axes []Axis) {
	variants = []Variant{{Settings: []Setting{}}}
	for _, a := range bounds {
		probed := Axis{Key: a.Key, Values: a.Values}
		if n := len(a.Values); isNumber(a.Key) && n > 2 {
			probed.Values = []string{a.Values[0], a.Values[n-1]}
		}
		axes = append(axes, probed)
		for _, value := range probed.Values {
			if value != AsItIs {
				v := Variant{Number: len(variants), Settings: []Setting{{a.Key, value}}}
				variants = append(variants, v)
			}
		}
	}
	return variants, axes
}

// draw draws candidates of a space.
func (t *Tuning) draw(axes []Axis, trials int, seed uint64) ([]Variant, error) {
	space := Space{Axes: axes, Where: t.Where, Sample: trials, Seed: seed, Most: trials + 1}
	variants, err := space.Variants()
	if err != nil {
		return nil, err
	}
	return variants[1:], nil
}

// trial is a candidate, and what it came to.
type trial struct {
	variant Variant   // with its number in the search
	values  []float64 // by seen case: the objective; +Inf: it has no figures; shorter: not played
	fault   string    // why it has no figures
}

// mean is the objective over the first cases.
func (t *trial) mean(cases int) float64 {
	sum := 0.0
	for _, v := range t.values[:cases] {
		sum += v
	}
	return settled(sum / float64(cases))
}

// search is a tuning that goes on.
type search struct {
	*Tuning
	options Options
	all     []*trial                    // by number; the first is the base
	holds   func(Variant) (bool, error) // --where
	known   map[string]bool
	found   *Tuned
	courses map[string]bool // of the base on cases that were seen, with the number of their input
}

// Search carries the search out. When the context ends it returns what was found, with the cause.
func (t *Tuning) Search(ctx context.Context, o Options) (*Tuned, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	holds, err := (&Space{Where: t.Where}).filter()
	if err != nil {
		return nil, err
	}
	s := &search{
		Tuning: t, options: o, holds: holds, known: map[string]bool{"base": true}, courses: map[string]bool{},
	}
	s.all = []*trial{{variant: Variant{Settings: []Setting{}}}}
	s.found = &Tuned{
		APIVersion: apiVersion, Kind: "Tuning", Objective: t.Objective.String(), Vary: t.Axes, Where: t.Where, Seed: t.Seed,
		Steps: []Step{}, Seen: t.Seen, Unseen: []Compared{}, Verdict: Unfinished,
	}
	return s.found, s.rounds(ctx)
}

func (s *search) rounds(ctx context.Context) error {
	box, best := s.Axes, s.all[0]
	for round := range s.Rounds {
		trials := s.Trials
		if round > 0 {
			trials, box = max(1, s.Trials/2), s.narrowed(round, best)
		}
		drawn, err := s.draw(box, trials, s.Seed+uint64(round))
		if err != nil && round == 0 {
			return err
		}
		alive := s.added(drawn) // none: the narrower space has nothing that --where holds for
		if len(alive) == 0 {
			continue
		}
		if best != s.all[0] {
			alive = append([]*trial{best}, alive...)
		}
		if best, err = s.halve(ctx, round+1, alive); err != nil {
			return err
		}
		if s.base().mean(len(s.Seen)) <= best.mean(len(s.Seen)) {
			best = s.base()
		}
	}
	best, err := s.simplify(ctx, best)
	if err != nil {
		return err
	}
	return s.compare(ctx, best)
}

func (s *search) base() *trial { return s.all[0] }

// added are candidates that were not tried before.
func (s *search) added(drawn []Variant) []*trial {
	var fresh []*trial
	for _, v := range drawn {
		if s.known[v.String()] {
			continue
		}
		s.known[v.String()] = true
		v.Number = len(s.all)
		fresh = append(fresh, &trial{variant: v})
		s.all = append(s.all, fresh[len(fresh)-1])
	}
	return fresh
}

// narrowed is the space around a candidate: of numbers half as wide as in the round before.
func (s *search) narrowed(round int, best *trial) []Axis {
	box := slices.Clone(s.Axes)
	for i, a := range box {
		at := slices.Index(a.Values, best.variant.Of(a.Key))
		if !isNumber(a.Key) || at < 0 {
			continue
		}
		reach := max(1, len(a.Values)>>(round+1))
		box[i].Values = a.Values[max(0, at-reach):min(len(a.Values), at+reach+1)]
	}
	return box
}

// halve plays candidates on ever more cases, and keeps the better half of them each time.
func (s *search) halve(ctx context.Context, round int, alive []*trial) (*trial, error) {
	for from := 0; from < len(s.Seen); {
		to := min(max(1, 2*from), len(s.Seen))
		if len(alive) == 1 {
			to = len(s.Seen)
		}
		step := Step{Round: round, Kind: Drawn, Cases: to, Candidates: len(alive)}
		if from > 0 {
			step.Kind = Halved
		}
		if err := s.play(ctx, &step, from, to, alive); err != nil {
			return nil, err
		}
		keep := (len(alive) + 1) / 2
		if to == len(s.Seen) {
			keep = 1
		}
		kept := ranked(alive, to)[:keep]
		if err := s.finish(&step, alive, kept); err != nil {
			return nil, err
		}
		alive, from = kept, to
	}
	return alive[0], nil
}

// ranked are candidates with the best first; those that are equal in the order of their numbers.
func ranked(all []*trial, cases int) []*trial {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *trial) int {
		return cmp.Or(cmp.Compare(a.mean(cases), b.mean(cases)), cmp.Compare(a.variant.Number, b.variant.Number))
	})
	return sorted
}

// simplify takes settings out of the best candidate, one after the other, without which it is as good.
func (s *search) simplify(ctx context.Context, best *trial) (*trial, error) {
	for i, setting := range best.variant.Settings {
		if setting.Value == AsItIs {
			continue
		}
		plainer := Variant{Settings: slices.Clone(best.variant.Settings)}
		plainer.Settings[i].Value = AsItIs
		// What an expression over the setting that is taken out comes to is not known: it does not hold.
		if held, err := s.holds(plainer); err != nil || !held || plainer.IsBase() {
			continue
		}
		fresh := s.added([]Variant{plainer})
		if len(fresh) == 0 {
			continue
		}
		step := Step{Round: s.Rounds, Kind: Simplified, Cases: len(s.Seen), Candidates: 1}
		if err := s.play(ctx, &step, 0, len(s.Seen), fresh); err != nil {
			return nil, err
		}
		if fresh[0].mean(len(s.Seen)) <= best.mean(len(s.Seen)) {
			best = fresh[0]
		}
		if err := s.finish(&step, fresh, []*trial{best}); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// play plays candidates, and the base, on the seen cases from one up to but not including another that they were not
// played on before.
func (s *search) play(ctx context.Context, step *Step, from, to int, candidates []*trial) error {
	var left []*trial
	for _, c := range candidates {
		if len(c.values) <= from {
			left = append(left, c)
		}
	}
	if len(s.base().values) <= from {
		left = append([]*trial{s.base()}, left...)
	}
	results, err := s.played(ctx, s.Seen[from:to], left)
	if err != nil {
		return err
	}
	for k, c := range left {
		for i := range to - from {
			value, fault := s.valueOf(results[i][k])
			c.values = append(c.values, value)
			if c.fault == "" {
				c.fault = fault
			}
			step.Runs++
			if c == s.base() {
				s.courses[courseOn(s.Seen[from+i], results[i][k])] = true
			}
		}
	}
	if s.base().fault != "" {
		return phrase.Errorf("the base has no figures to compare with: %s", s.base().fault)
	}
	return nil
}

// courseOn is what the base did on a case: two cases of one input with the same course are one.
func courseOn(c Case, r *Result) string { return strconv.Itoa(c.Input) + " " + r.Row.Course }

// valueOf is the objective of a run, and why it has none.
func (s *search) valueOf(r *Result) (value float64, fault string) {
	if r.Row.Status != Done {
		if r.Row.Message == "" {
			return math.Inf(1), string(r.Row.Status)
		}
		return math.Inf(1), r.Row.Message
	}
	value, err := s.Objective.of(r)
	if err != nil {
		return math.Inf(1), err.Error()
	}
	return value, ""
}

// played plays candidates on cases. The results are by case, then by candidate.
func (s *search) played(ctx context.Context, cases []Case, candidates []*trial) ([][]*Result, error) {
	plan := &Plan{Seeds: []uint64{0}, Variants: []Variant{s.base().variant}}
	at := make([]int, len(candidates)) // of each, in the variants of the plan
	for i, c := range candidates {
		if c == s.base() {
			continue
		}
		v := c.variant
		v.Number = len(plan.Variants)
		at[i] = v.Number
		plan.Variants = append(plan.Variants, v)
	}
	for _, c := range cases {
		plan.Inputs = append(plan.Inputs, c.Name)
	}
	variants := len(plan.Variants)
	wanted := make([]bool, variants)
	for _, i := range at {
		wanted[i] = true
	}
	results := make([]*Result, plan.Runs())
	done, all := 0, len(candidates)*len(cases)
	o := s.options
	o.Has = func(run int) bool { return !wanted[run%variants] }
	o.Open = func(ctx context.Context, i int) (*Input, error) { return cases[i].open(ctx, s.options.Open) }
	o.Save = func(r *Result) error {
		r.Pods = nil
		results[r.Row.Run] = r
		done++
		s.Played(done, all)
		return nil
	}
	if err := Carry(ctx, plan, 0, plan.Runs(), o); err != nil {
		return nil, err
	}
	ordered := make([][]*Result, len(cases))
	for i := range cases {
		for k := range candidates {
			ordered[i] = append(ordered[i], results[i*variants+at[k]])
		}
	}
	return ordered, nil
}

// finish writes a step down.
func (s *search) finish(step *Step, played, kept []*trial) error {
	step.Number = len(s.found.Steps) + 1
	step.Base = s.base().mean(step.Cases)
	for _, c := range ranked(played, step.Cases) {
		t := Tried{Candidate: c.variant.Number, Settings: c.variant.String(), Kept: slices.Contains(kept, c), Fault: c.fault}
		if mean := c.mean(step.Cases); !math.IsInf(mean, 0) {
			t.Mean = &mean
		}
		step.Tried = append(step.Tried, t)
	}
	s.found.Steps = append(s.found.Steps, *step)
	s.found.best(kept[0], step.Cases)
	return s.Step(step, s.found)
}
