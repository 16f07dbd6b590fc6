package sweep

import (
	"math"
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Report is what a sweep came to. Its JSON is stable: members are added, and none changes its meaning. Means and
// spreads are in the order of Objectives; a spread is the standard deviation over inputs and seeds.
type Report struct {
	Inputs     []string       `json:"inputs"`
	Seeds      int            `json:"seeds"`
	Variants   int            `json:"variants"` // with the base
	Runs       int            `json:"runs"`
	Statuses   map[Status]int `json:"statuses"`
	Missing    int            `json:"missing"`    // runs that the folder does not have
	Objectives []string       `json:"objectives"` // the less the better
	Base       *Standing      `json:"base"`       // null: it has not all of its runs
	Best       []Standing     `json:"best"`       // five at the most
	Front      []Standing     `json:"front"`      // no other is as good in all objectives and better in one
	Effects    []Effect       `json:"effects"`
}

// Standing is what a variant came to.
type Standing struct {
	Variant  int       `json:"variant"`
	Settings string    `json:"settings"`
	Mean     []float64 `json:"mean"`
	Spread   []float64 `json:"spread"`
	// Pods that end otherwise than in the base, on average over the runs.
	Otherwise float64 `json:"otherwise"`
	// Alike are further variants with the same means.
	Alike int `json:"alike"`
}

// Effect is what one value of a setting does: by how much the figures of its variants differ from the mean of all where
// this is not due to the other settings, and by how much that differs from input to input and seed to seed.
type Effect struct {
	Key    string    `json:"key"`
	Value  string    `json:"value"`
	Runs   int       `json:"runs"`
	Effect []float64 `json:"effect"`
	Spread []float64 `json:"spread"`
}

// mostBest is how many of the best variants a report names.
const mostBest = 5

// Usual are the objectives of a report for which none is named: pods without a node, then money or nodes, waiting and
// evictions.
func (l *Loaded) Usual() []string {
	middle := "used"
	if slices.ContainsFunc(l.results, func(r *Result) bool { return r != nil && r.Row.Cost > 0 }) {
		middle = "cost"
	}
	return []string{"unplaced", middle, "waiting.p95", "evicted"}
}

// Report sums a sweep up. Variants are ranked by the first objective, those that are equal there by the next.
func (l *Loaded) Report(objectives []*Objective) (*Report, error) {
	if len(objectives) == 0 {
		return nil, phrase.Errorf("a report needs an objective")
	}
	r := &Report{
		Inputs: l.plan.Inputs, Seeds: len(l.plan.Seeds), Variants: len(l.plan.Variants), Runs: l.plan.Runs(),
		Statuses: map[Status]int{}, Best: []Standing{}, Front: []Standing{}, Effects: []Effect{},
	}
	for _, o := range objectives {
		r.Objectives = append(r.Objectives, o.String())
	}
	numbers := make([][]float64, len(l.results)) // by run; nil: it has no figures
	for i, result := range l.results {
		if result == nil {
			r.Missing++
			continue
		}
		if r.Statuses[result.Row.Status]++; result.Row.Status != Done {
			continue
		}
		for _, o := range objectives {
			n, err := o.of(result)
			if err != nil {
				return nil, err
			}
			numbers[i] = append(numbers[i], n)
		}
	}
	all := l.standings(numbers, len(objectives))
	if len(all) > 0 && all[0].Variant == 0 {
		r.Base = &all[0]
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b Standing) int { return slices.Compare(a.Mean, b.Mean) })
	ranked = distinct(ranked)
	r.Best = append(r.Best, ranked[:min(len(ranked), mostBest)]...)
	r.Front = append(r.Front, front(ranked)...)
	r.Effects = append(r.Effects, l.effects(numbers, len(objectives))...)
	return r, nil
}

// standings are those of the variants all of whose runs have figures.
func (l *Loaded) standings(numbers [][]float64, objectives int) []Standing {
	var all []Standing
	variants := len(l.plan.Variants)
	for v := range variants {
		s := Standing{Variant: v, Settings: l.plan.Variants[v].String()}
		var rows [][]float64
		for run := v; run < len(numbers); run += variants {
			if numbers[run] == nil {
				break
			}
			rows = append(rows, numbers[run])
			s.Otherwise += float64(l.results[run].Row.Otherwise)
		}
		if len(rows)*variants != len(numbers) {
			continue
		}
		s.Otherwise /= float64(len(rows))
		for k := range objectives {
			mean, spread := moments(column(rows, k))
			s.Mean, s.Spread = append(s.Mean, mean), append(s.Spread, spread)
		}
		all = append(all, s)
	}
	return all
}

// moments are the mean and the standard deviation of numbers.
func moments(numbers []float64) (mean, spread float64) {
	if len(numbers) == 0 {
		return 0, 0
	}
	for _, n := range numbers {
		mean += n
	}
	mean = settled(mean / float64(len(numbers)))
	for _, n := range numbers {
		spread += (n - mean) * (n - mean)
	}
	spread = settled(math.Sqrt(spread / float64(len(numbers))))
	if spread < insignificant*math.Abs(mean) {
		spread = 0
	}
	return mean, spread
}

// column is one number of each row.
func column(rows [][]float64, k int) []float64 {
	numbers := make([]float64, len(rows))
	for i, row := range rows {
		numbers[i] = row[k]
	}
	return numbers
}

// insignificant is the share of a number below which a difference is one of rounding.
const insignificant = 1e-9

// settled is a number with 12 digits, so that means of the same runs in another grouping are equal.
func settled(f float64) float64 {
	if f == 0 {
		return 0
	}
	scale := math.Pow(10, 11-math.Floor(math.Log10(math.Abs(f))))
	if whole := math.Round(f * scale); !math.IsInf(whole, 0) && !math.IsNaN(whole) {
		return whole / scale
	}
	return f
}

// distinct keeps the first of the variants with the same means, and counts the others. They are neighbours.
func distinct(ranked []Standing) []Standing {
	var out []Standing
	for _, s := range ranked {
		if n := len(out); n > 0 && slices.Equal(out[n-1].Mean, s.Mean) {
			out[n-1].Alike++
			continue
		}
		out = append(out, s)
	}
	return out
}

// front are the variants that are not dominated. One that dominates another comes before it in the ranking.
func front(ranked []Standing) []Standing {
	var kept []Standing
	for _, s := range ranked {
		dominated := slices.ContainsFunc(kept, func(k Standing) bool {
			for i := range s.Mean {
				if k.Mean[i] > s.Mean[i] {
					return false
				}
			}
			return true
		})
		if !dominated {
			kept = append(kept, s)
		}
	}
	return kept
}
