// Package sweep plays inputs under many variants and gathers the figures of each run: variants as the product of axes,
// runs on several workers or shards, and what they come to as tables. It knows neither how an input is read nor how a
// variant becomes a player: the caller hands in both. Its results depend on the plan alone, never on the number of
// workers or shards or on the order in which runs end.
package sweep

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Setting is one thing that a variant sets.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // AsItIs: the variant leaves it alone
}

// AsItIs is the value of a setting that leaves the input as run would play it.
const AsItIs = "-"

// Variant is a set of settings that inputs are played under.
type Variant struct {
	Number   int       `json:"number"`   // 0 is the base, which sets nothing
	Settings []Setting `json:"settings"` // one for each axis, in the order of the axes; none of the base
}

// Of is what the variant sets for a key; AsItIs: nothing.
func (v Variant) Of(key string) string {
	for _, s := range v.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return AsItIs
}

// IsBase reports whether the variant sets nothing.
func (v Variant) IsBase() bool {
	for _, s := range v.Settings {
		if s.Value != AsItIs {
			return false
		}
	}
	return true
}

// String is the settings as a user writes them; "base": none.
func (v Variant) String() string {
	var said []string
	for _, s := range v.Settings {
		if s.Value != AsItIs {
			said = append(said, s.Key+"="+s.Value)
		}
	}
	if len(said) == 0 {
		return "base"
	}
	return strings.Join(said, " ")
}

// Plan is every run of a sweep: each input under each seed and each variant.
type Plan struct {
	Inputs   []string // names, in the order of the command line
	Seeds    []uint64
	Variants []Variant // the first is the base
}

// Run is one of them.
type Run struct {
	Number  int // from 0
	Input   int // index of Plan.Inputs
	Seed    uint64
	Variant Variant
}

// Runs is how many there are.
func (p *Plan) Runs() int { return len(p.Inputs) * len(p.Seeds) * len(p.Variants) }

// At is a run by its number. Variants turn fastest, then seeds, then inputs: neighbours share what they are compared
// with.
func (p *Plan) At(number int) Run {
	group, variant := number/len(p.Variants), number%len(p.Variants)
	return Run{
		Number: number, Input: group / len(p.Seeds), Seed: p.Seeds[group%len(p.Seeds)], Variant: p.Variants[variant],
	}
}

// Shard is the runs of one of n shards, from 0 on: from up to but not including to. Sizes differ by one at the most.
func (p *Plan) Shard(i, n int) (from, to int) {
	runs := p.Runs()
	return runs * i / n, runs * (i + 1) / n
}

// CheckShard refuses a shard that there cannot be.
func CheckShard(i, n int) error {
	if n < 1 || i < 0 || i >= n {
		return phrase.Errorf("shard %d of %d: shards are counted from 0 to one less than how many there are", i, n)
	}
	return nil
}
