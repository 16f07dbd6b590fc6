package sweep

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/page"
)

// Page is the report as a page shows it, in a language.
func (r *Report) Page(l words.Language) page.Page {
	done := r.Statuses[Done]
	p := page.Page{Title: l.Say("Sweep of %s", r.named(l)), Language: l, Said: l.Say(
		"%d of %d runs have figures: %s, %s, %s. Less is better in each objective.",
		done, r.Runs, l.Count(r.Variants, "variant"), l.Count(len(r.Inputs), "input"), l.Count(r.Seeds, "seed"))}
	if done < r.Runs {
		var rows [][]page.Cell
		for _, status := range []Status{Refused, OutTime, OutRoom, Failed} {
			if n := r.Statuses[status]; n > 0 {
				rows = append(rows, page.Plain(l.Of(string(status)), strconv.Itoa(n)))
			}
		}
		if r.Missing > 0 {
			rows = append(rows, page.Plain(l.Of("missing"), strconv.Itoa(r.Missing)))
		}
		p.Add(l.Of("Runs without figures"), l.Each("why", "runs"), rows)
	}
	head := append(l.Each("variant"), r.Objectives...)
	head = append(head, l.Each("pods that end otherwise")...)
	best := r.Best
	if r.Base != nil && !slices.ContainsFunc(best, func(s Standing) bool { return s.Variant == 0 }) {
		best = append(slices.Clip(best), *r.Base)
	}
	p.AddFigures(l.Of("The best, and the base"), head, r.standings(best, l))
	p.AddFigures(l.Of("Pareto front: no other variant is as good in all objectives and better in one"), head,
		r.standings(r.Front, l))
	p.AddFigures(l.Of("What each value does: difference from the mean of all variants, and its spread over inputs and seeds"),
		append(l.Each("setting", "value", "runs"), r.Objectives...), r.effects(l))
	return p
}

// mostNamed is how many inputs a title names at the most.
const mostNamed = 3

// named is the inputs in a title: without their folders, unless two would look the same.
func (r *Report) named(l words.Language) string {
	if len(r.Inputs) > mostNamed {
		return l.Count(len(r.Inputs), "input")
	}
	short, seen := slices.Clone(r.Inputs), map[string]bool{}
	for i, name := range short {
		files := strings.Split(name, "+")
		for k, file := range files {
			files[k] = path.Base(file)
		}
		if short[i] = strings.Join(files, "+"); seen[short[i]] {
			return strings.Join(r.Inputs, ", ")
		}
		seen[short[i]] = true
	}
	return strings.Join(short, ", ")
}

// Number is a figure with as many digits as matter.
func Number(f float64) string {
	switch size := math.Abs(f); {
	case f == math.Trunc(f) && size < 1e15:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case size >= 100:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case size >= 1:
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}

// withSpread is a figure with its spread.
func withSpread(mean, spread float64) string {
	if spread == 0 {
		return Number(mean)
	}
	return Number(mean) + " ± " + Number(spread)
}

// standings are rows of variants. Beside each figure is how far it is from the base.
func (r *Report) standings(all []Standing, l words.Language) [][]page.Cell {
	rows := make([][]page.Cell, len(all))
	for i, s := range all {
		name := l.Of("base")
		if s.Variant > 0 {
			name = s.Settings
		}
		if s.Alike > 0 {
			name += l.Say(" (and %d alike)", s.Alike)
		}
		row := page.Plain(name)
		for k, mean := range s.Mean {
			text := withSpread(mean, s.Spread[k])
			if r.Base != nil && s.Variant > 0 && mean != r.Base.Mean[k] {
				text += " (" + signed(mean-r.Base.Mean[k]) + ")"
			}
			row = append(row, page.Cell{Text: text})
		}
		rows[i] = append(row, page.Cell{Text: Number(s.Otherwise)})
	}
	return rows
}

func signed(f float64) string {
	if f > 0 {
		return "+" + Number(f)
	}
	return Number(f)
}

// strength is how long the bar of an effect is: one that is not larger than its spread is none.
func strength(effect, spread float64) float64 {
	if math.Abs(effect) <= spread {
		return 0
	}
	return math.Abs(effect)
}

// effects are rows of values. The bar is how strong a value is among those of its objective.
func (r *Report) effects(l words.Language) [][]page.Cell {
	var rows [][]page.Cell
	for _, e := range r.Effects {
		value := e.Value
		if value == AsItIs {
			value = l.Of("as it is")
		}
		row := page.Plain(e.Key, value, strconv.Itoa(e.Runs))
		for k, effect := range e.Effect {
			if e.Runs == 0 {
				row = append(row, page.Cell{}) // nothing is known of it
				continue
			}
			cell := page.Cell{Text: signed(effect)}
			if e.Spread[k] > 0 {
				cell.Text += " ± " + Number(e.Spread[k])
			}
			if most := r.strongest(k); most > 0 {
				cell.Bar = int(100 * strength(effect, e.Spread[k]) / most)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// strongest is the largest effect on an objective.
func (r *Report) strongest(objective int) float64 {
	most := 0.0
	for _, e := range r.Effects {
		most = max(most, strength(e.Effect[objective], e.Spread[objective]))
	}
	return most
}
