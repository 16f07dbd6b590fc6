package sweep

import (
	"math"
	"slices"
)

// effects are what each value of each axis does. In the whole product every value meets all values of the others
// equally often. Where variants are drawn or left out, where runs are missing or have no figures, it does not: so
// effects are those that, added up, come nearest to the figures (least squares), and not means of a value's runs, which
// would count what the others do too.
func (l *Loaded) effects(numbers [][]float64, objectives int) []Effect {
	levels := l.levels()
	rows := make([][][]float64, len(levels.all)) // by value, then by group: the runs that have input and seed in common
	runs := make([]int, len(levels.all))
	for from := 0; from < len(numbers); from += len(l.plan.Variants) {
		own, group := l.group(numbers, from, levels.of)
		counts := levels.counts(own)
		var by [][]float64 // by objective, then by value
		for k := range objectives {
			by = append(by, levels.fitted(own, column(group, k)))
		}
		for level, n := range counts {
			if runs[level] += n; n == 0 {
				continue
			}
			row := make([]float64, objectives)
			for k := range row {
				row[k] = by[k][level]
			}
			rows[level] = append(rows[level], row)
		}
	}
	all := make([]Effect, len(levels.all))
	for level, e := range levels.all {
		e.Runs = runs[level]
		for k := range objectives {
			mean, spread := moments(column(rows[level], k))
			e.Effect, e.Spread = append(e.Effect, mean), append(e.Spread, spread)
		}
		all[level] = e
	}
	return all
}

// group are the runs from one on that have input and seed in common and have figures: the values of each, and its
// numbers. The base is left out, for it is no part of the product.
func (l *Loaded) group(numbers [][]float64, from int, of [][]int) (own [][]int, group [][]float64) {
	for v := 1; v < len(l.plan.Variants); v++ {
		if row := numbers[from+v]; row != nil {
			own, group = append(own, of[v]), append(group, row)
		}
	}
	return own, group
}

// levels are the values of all axes, one after the other, and which of them each variant has.
type levels struct {
	all  []Effect // named, without figures
	axis []int    // of each value
	of   [][]int  // by variant: its values, one of each axis
}

func (l *Loaded) levels() *levels {
	out := &levels{of: make([][]int, len(l.plan.Variants))}
	for i, a := range l.Manifest.Vary {
		for _, value := range a.Values {
			for v := 1; v < len(l.plan.Variants); v++ {
				if l.plan.Variants[v].Of(a.Key) == value {
					out.of[v] = append(out.of[v], len(out.all))
				}
			}
			out.all, out.axis = append(out.all, Effect{Key: a.Key, Value: value}), append(out.axis, i)
		}
	}
	return out
}

// counts are how many runs have each value.
func (l *levels) counts(own [][]int) []int {
	counts := make([]int, len(l.all))
	for _, run := range own {
		for _, level := range run {
			counts[level]++
		}
	}
	return counts
}

// fitted are the effects of values, by the method of conjugate gradients: from nothing on it ends at the smallest of
// the effects that come nearest to the figures, so that two settings whose values always come together share what they
// do.
// The effects of an axis are 0 on average over the runs.
func (l *levels) fitted(own [][]int, figures []float64) []float64 {
	effects := make([]float64, len(l.all))
	middle, spread := moments(figures)
	if spread == 0 {
		return effects
	}
	left := make([]float64, len(figures)) // what no effect accounts for yet
	for i, f := range figures {
		left[i] = f - middle
	}
	slope := l.gathered(own, left)
	step, steep, rounds := slices.Clone(slope), square(slope), 2*len(effects)
	for first := steep; rounds > 0 && steep > first*insignificant*insignificant; rounds-- {
		change := l.added(own, step)
		far := steep / square(change)
		for i := range effects {
			effects[i] += far * step[i]
		}
		for i := range left {
			left[i] -= far * change[i]
		}
		slope = l.gathered(own, left)
		before := steep
		steep = square(slope)
		for i := range step {
			step[i] = slope[i] + steep/before*step[i]
		}
	}
	return l.centered(own, effects, insignificant*math.Abs(middle))
}

// added are the sums of the effects of each run's values.
func (l *levels) added(own [][]int, effects []float64) []float64 {
	sums := make([]float64, len(own))
	for i, run := range own {
		for _, level := range run {
			sums[i] += effects[level]
		}
	}
	return sums
}

// gathered are the sums of the figures of each value's runs.
func (l *levels) gathered(own [][]int, figures []float64) []float64 {
	sums := make([]float64, len(l.all))
	for i, run := range own {
		for _, level := range run {
			sums[level] += figures[i]
		}
	}
	return sums
}

// centered takes the mean of an axis over the runs off its effects. One that is smaller than least is one of rounding.
func (l *levels) centered(own [][]int, effects []float64, least float64) []float64 {
	counts := l.counts(own)
	sums, runs := map[int]float64{}, map[int]int{}
	for level, n := range counts {
		sums[l.axis[level]] += effects[level] * float64(n)
		runs[l.axis[level]] += n
	}
	for level := range effects {
		mean := sums[l.axis[level]] / float64(max(runs[l.axis[level]], 1))
		if effects[level] = settled(effects[level] - mean); math.Abs(effects[level]) < least {
			effects[level] = 0
		}
	}
	return effects
}

func square(numbers []float64) float64 {
	var sum float64
	for _, n := range numbers {
		sum += n * n
	}
	return sum
}
