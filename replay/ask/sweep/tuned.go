package sweep

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Case is an input under one order of arrival and one seed.
type Case struct {
	Name  string `json:"name"`
	Input int    `json:"input"` // index of the inputs
	Order string `json:"order"` // AsItIs: as the input has it
	Seed  uint64 `json:"seed"`
}

// Cases are what candidates are played on, and what the best of them is compared with the base on: each input as it is
// and in further orders of arrival. Unseen are the inputs from held on; without such a third of three or more inputs,
// by the seed; of fewer inputs other orders of arrival.
func Cases(inputs []string, held, each int, seed uint64) (seen, unseen []Case) {
	chance := rand.New(rand.NewPCG(seed, 0xca5e))
	hidden := make([]bool, len(inputs))
	switch {
	case held < len(inputs):
		for i := held; i < len(inputs); i++ {
			hidden[i] = true
		}
	case len(inputs) >= 3:
		for _, i := range chance.Perm(len(inputs))[:len(inputs)/3] {
			hidden[i] = true
		}
	}
	split := slices.Contains(hidden, true)
	for round := range 2 * each {
		for i, name := range inputs {
			c := Case{Name: name, Input: i, Order: AsItIs, Seed: seed}
			if round > 0 {
				c.Order, c.Seed = shuffled, chance.Uint64()>>2
				c.Name += " " + shuffled + " " + strconv.FormatUint(c.Seed, 10)
			}
			switch late := round >= each; {
			case split && late:
			case hidden[i], late:
				unseen = append(unseen, c)
			default:
				seen = append(seen, c)
			}
		}
	}
	return seen, unseen
}

// open is the input as the case plays it.
func (c Case) open(ctx context.Context, open func(context.Context, int) (*Input, error)) (*Input, error) {
	in, err := open(ctx, c.Input)
	if err != nil || c.Order == AsItIs {
		return in, err
	}
	ordered := *in
	ordered.Play = func(v Variant, _ uint64) (*play.Player, error) {
		v.Settings = append(slices.Clip(v.Settings), Setting{Order, c.Order})
		return in.Play(v, c.Seed)
	}
	return &ordered, nil
}

// Tuned is what a search came to. Its JSON is stable: members are added, and none changes its meaning.
type Tuned struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Version    string   `json:"version"` // of schedstep
	Inputs     []Hashed `json:"inputs"`
	Objective  string   `json:"objective"` // the less the better
	Vary       []Axis   `json:"vary"`      // the bounds
	Where      string   `json:"where,omitempty"`
	Seed       uint64   `json:"seed"`
	Steps      []Step   `json:"steps"`
	// What was found: the best candidate and the base on the cases of the last step.
	Best     string    `json:"best"` // "base": no candidate is better
	Settings []Setting `json:"settings"`
	OnSeen   *Pair     `json:"onSeen"`
	Seen     []Case    `json:"seen"`
	// The comparison on cases that the search has not played.
	Unseen  []Compared `json:"unseen"`
	Alike   int        `json:"alike"` // unseen cases that turned out to be the same as others, and do not count
	Summary *Summary   `json:"summary"`
	Verdict Verdict    `json:"verdict"`
}

// Pair is the objective of the base and of the best candidate.
type Pair struct {
	Base float64 `json:"base"`
	Best float64 `json:"best"`
}

// Compared is both on one unseen case.
type Compared struct {
	Case Case `json:"case"`
	Pair
}

// Summary is the comparison over all unseen cases. The difference is best less base: below 0 it is better.
type Summary struct {
	Cases      int     `json:"cases"`
	Better     int     `json:"better"`
	Worse      int     `json:"worse"`
	Base       float64 `json:"base"`
	Best       float64 `json:"best"`
	Difference float64 `json:"difference"`
	Spread     float64 `json:"spread"` // a standard deviation over cases
	// The probability of a mean difference as far from 0 on its side, if each case were as likely to differ the other way.
	Chance float64 `json:"chance"`
}

// Verdict is whether the best candidate is better than the base on what the search has not seen.
type Verdict string

// The verdicts of a search.
const (
	Better     Verdict = "better"
	Worse      Verdict = "worse"
	NotShown   Verdict = "not shown" // the difference may be chance
	NoneFound  Verdict = "none"      // no candidate was better than the base on the seen cases
	NoneUnseen Verdict = "unknown"   // there was no unseen case
	Unfinished Verdict = "unfinished"
)

// StepKind is what a step of a search does.
type StepKind string

// The kinds of steps.
const (
	Drawn      StepKind = "drawn"      // new candidates on the first case
	Halved     StepKind = "halved"     // the better half on more cases
	Simplified StepKind = "simplified" // the best one without one of its settings
)

// Step is one step of a search.
type Step struct {
	Number     int      `json:"step"` // from 1
	Round      int      `json:"round"`
	Kind       StepKind `json:"kind"`
	Cases      int      `json:"cases"` // the first so many of the seen ones
	Candidates int      `json:"candidates"`
	Runs       int      `json:"runs"` // that were played in this step
	Base       float64  `json:"base"`
	Tried      []Tried  `json:"tried"` // the best first
}

// Tried is a candidate in a step.
type Tried struct {
	Candidate int      `json:"candidate"` // its number; 0 is the base
	Settings  string   `json:"settings"`
	Mean      *float64 `json:"mean"` // of the objective over the cases; null: a run has no figures
	Kept      bool     `json:"kept"`
	Fault     string   `json:"fault,omitempty"` // why a run has no figures
}

// best notes what is the best at the end of a step.
func (t *Tuned) best(c *trial, cases int) {
	base := t.Steps[len(t.Steps)-1].Base
	if mean := c.mean(cases); mean < base {
		t.Best, t.Settings, t.OnSeen = c.variant.String(), c.variant.Settings, &Pair{base, mean}
		return
	}
	t.Best, t.Settings, t.OnSeen = "base", []Setting{}, &Pair{base, base}
}

// likely is the probability up to which a difference is not taken for chance.
const likely = 0.05

// compare plays the best candidate and the base on the unseen cases.
func (s *search) compare(ctx context.Context, best *trial) error {
	if best == s.base() {
		s.found.Verdict = NoneFound
		return nil
	}
	results, err := s.played(ctx, s.Unseen, []*trial{s.base(), best})
	if err != nil {
		return err
	}
	var differences []float64
	sum := Summary{}
	for i, pair := range results {
		course := courseOn(s.Unseen[i], pair[0])
		if s.courses[course] {
			s.found.Alike++
			continue
		}
		s.courses[course] = true
		p, err := s.pairOf(s.Unseen[i], pair)
		if err != nil {
			return err
		}
		s.found.Unseen = append(s.found.Unseen, Compared{s.Unseen[i], p})
		sum.add(p)
		differences = append(differences, p.Best-p.Base)
	}
	if s.found.Verdict = NoneUnseen; sum.Cases == 0 {
		return nil
	}
	sum.judge(differences, s.Seed)
	s.found.Summary, s.found.Verdict = &sum, sum.verdict()
	return nil
}

// pairOf is the objective of the base and of the best candidate on a case.
func (s *search) pairOf(c Case, results []*Result) (Pair, error) {
	var values [2]float64
	for i, r := range results {
		value, fault := s.valueOf(r)
		if fault != "" {
			return Pair{}, phrase.Errorf("%s: there are no figures to compare with: %s", c.Name, fault)
		}
		values[i] = value
	}
	return Pair{values[0], values[1]}, nil
}

func (m *Summary) add(p Pair) {
	m.Cases, m.Base, m.Best = m.Cases+1, m.Base+p.Base, m.Best+p.Best
	switch d := p.Best - p.Base; {
	case d < 0:
		m.Better++
	case d > 0:
		m.Worse++
	}
}

// judge fills in what follows from the differences.
func (m *Summary) judge(differences []float64, seed uint64) {
	n := float64(m.Cases)
	m.Base, m.Best = settled(m.Base/n), settled(m.Best/n)
	m.Difference, m.Spread = moments(differences)
	m.Chance = byChance(differences, seed)
}

func (m *Summary) verdict() Verdict {
	switch {
	case m.Chance > likely:
		return NotShown
	case m.Difference < 0:
		return Better
	}
	return Worse
}

// mostSigns is up to how many differences all their signs are gone through; of more, so many are drawn.
const mostSigns, drawnSigns = 16, 1 << 16

// byChance is how probable a sum as large as that of differences, on its side of 0, is if the sign of each were a toss
// of a coin.
func byChance(differences []float64, seed uint64) float64 {
	size := make([]float64, len(differences))
	sum := 0.0
	for i, d := range differences {
		size[i] = math.Abs(d)
		sum += d
	}
	sum = math.Abs(sum)
	chance := rand.New(rand.NewPCG(seed, 0x7055))
	all, as := drawnSigns, 0
	if len(size) <= mostSigns {
		all = 1 << len(size)
	}
	for k := range all {
		signs, other := uint64(k), 0.0
		for i, s := range size {
			if len(size) > mostSigns && i%64 == 0 {
				signs = chance.Uint64()
			}
			if signs&(1<<(i%64)) != 0 {
				s = -s
			}
			other += s
		}
		if other >= sum-insignificant*math.Abs(sum) {
			as++
		}
	}
	return float64(as) / float64(all)
}

// The files of a tuning.
const (
	tunedFile = "tune.json"
	stepsFile = "steps.csv"
	bestFile  = "best.yaml"
)

// OfTuning reports whether a file is one that Write writes, or began to write.
func OfTuning(name string) bool {
	return name == tunedFile || name == stepsFile || name == bestFile || isLeftover(name)
}

// Write writes what was found to a folder: all of it as JSON, a row for each candidate of each step, and the best
// settings as sweep --vary reads them.
func (t *Tuned) Write(folder string) error {
	err := replace(folder, tunedFile, func(to io.Writer) error {
		out := json.NewEncoder(to)
		out.SetIndent("", "  ")
		return out.Encode(t)
	})
	if err == nil {
		err = replace(folder, stepsFile, t.writeSteps)
	}
	if err != nil {
		return err
	}
	return replace(folder, bestFile, func(to io.Writer) error {
		settings := yaml.Node{Kind: yaml.MappingNode}
		for _, s := range t.Settings {
			if s.Value != AsItIs {
				settings.Content = append(settings.Content, scalar(s.Key), scalar(s.Value))
			}
		}
		out := yaml.NewEncoder(to)
		if err := out.Encode(map[string]*yaml.Node{"vary": &settings}); err != nil {
			return err
		}
		return out.Close()
	})
}

func scalar(text string) *yaml.Node {
	var n yaml.Node
	n.SetString(text)
	return &n
}

func (t *Tuned) writeSteps(to io.Writer) error {
	out := csv.NewWriter(to)
	rows := [][]string{{"step", "round", "kind", "cases", "base", "candidate", "settings", "mean", "kept", "fault"}}
	for i := range t.Steps {
		s := &t.Steps[i]
		for _, c := range s.Tried {
			mean := ""
			if c.Mean != nil {
				mean = plainNumber(*c.Mean)
			}
			rows = append(rows, []string{
				strconv.Itoa(s.Number), strconv.Itoa(s.Round), string(s.Kind), strconv.Itoa(s.Cases), plainNumber(s.Base),
				strconv.Itoa(c.Candidate), c.Settings, mean, strconv.FormatBool(c.Kept), c.Fault,
			})
		}
	}
	return out.WriteAll(rows)
}

func plainNumber(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
