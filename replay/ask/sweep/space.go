package sweep

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/schedstep/schedstep/internal/expression"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Space is the variants of a sweep: the product of axes, those of it for which an expression holds, or some of them
// drawn.
type Space struct {
	Axes   []Axis
	Where  string // an expression over the settings; "": all
	Sample int    // how many are drawn; 0: all
	Seed   uint64 // of the drawing
	Most   int    // how many variants there may be
}

// Seeds takes the axis of the seeds out of axes; without one there is the seed that is given.
func Seeds(axes []Axis, usual uint64) ([]Axis, []uint64) {
	var rest []Axis
	seeds := []uint64{usual}
	for _, a := range axes {
		if a.Key != seedKey {
			rest = append(rest, a)
			continue
		}
		seeds = nil
		for _, v := range a.Values {
			n, _ := strconv.ParseUint(v, 10, 64) // newAxis has read it
			seeds = append(seeds, n)
		}
	}
	return rest, seeds
}

// Size is how many variants the product has, before the filter.
func (s *Space) Size() *big.Int {
	size := big.NewInt(1)
	for _, a := range s.Axes {
		size.Mul(size, big.NewInt(int64(len(a.Values))))
	}
	return size
}

// mostLooked is how many variants of a product are looked at one by one.
const mostLooked = 10_000_000

// Variants are the base, and after it those of the space in the order of the axes, the last of which turns fastest.
func (s *Space) Variants() ([]Variant, error) {
	for i, a := range s.Axes {
		if slices.ContainsFunc(s.Axes[:i], func(b Axis) bool { return a.Key == b.Key }) {
			return nil, phrase.Errorf("%s is varied twice", a.Key)
		}
	}
	holds, err := s.filter()
	if err != nil {
		return nil, err
	}
	size := s.Size()
	var chosen []Variant
	switch {
	case size.Cmp(big.NewInt(mostLooked)) <= 0:
		chosen, err = s.all(int(size.Int64()), holds)
	case s.Sample > 0:
		chosen, err = s.draw(size, holds)
	default:
		err = phrase.Errorf("the product has %s variants, and %d is the most: --sample draws some of them", size, s.Most)
	}
	switch {
	case err != nil:
		return nil, err
	case len(chosen) == 0 && len(s.Axes) > 0:
		return nil, phrase.Errorf("the product is empty: --where holds for none of %s variants", size)
	case len(chosen)+1 > s.Most:
		return nil, phrase.Errorf("there are %d variants, and %d is the most: --sample draws some of them", len(chosen),
			s.Most)
	}
	variants := append([]Variant{{Settings: []Setting{}}}, chosen...)
	for i := range variants {
		variants[i].Number = i
	}
	return variants, nil
}

// all looks at every variant of the product.
func (s *Space) all(size int, holds func(Variant) (bool, error)) ([]Variant, error) {
	var chosen []Variant
	for i := range size {
		v := s.at(big.NewInt(int64(i)))
		if v.IsBase() {
			continue
		}
		held, err := holds(v)
		if err != nil {
			return nil, err
		}
		if held {
			chosen = append(chosen, v)
		}
	}
	if s.Sample == 0 || s.Sample >= len(chosen) {
		return chosen, nil
	}
	picked := s.chance().Perm(len(chosen))[:s.Sample]
	slices.Sort(picked)
	some := make([]Variant, len(picked))
	for i, at := range picked {
		some[i] = chosen[at]
	}
	return some, nil
}

// drawsForOne is how often a variant is drawn in vain before the filter is found to hold for too few.
const drawsForOne = 1000

// draw draws variants of a product that is too large to look at all.
func (s *Space) draw(size *big.Int, holds func(Variant) (bool, error)) ([]Variant, error) {
	chance, seen := s.chance(), map[string]bool{}
	var at []*big.Int
	for tries := 0; len(at) < s.Sample; tries++ {
		if tries > drawsForOne*s.Sample {
			return nil, phrase.Errorf(
				"--where holds for too few of %s variants: %d of %d were found in %d draws", size, len(at), s.Sample, tries-1)
		}
		n := below(chance, size)
		v := s.at(n)
		if seen[n.String()] || v.IsBase() {
			continue
		}
		seen[n.String()] = true
		held, err := holds(v)
		if err != nil {
			return nil, err
		}
		if held {
			at = append(at, n)
		}
	}
	slices.SortFunc(at, (*big.Int).Cmp)
	some := make([]Variant, len(at))
	for i, n := range at {
		some[i] = s.at(n)
	}
	return some, nil
}

func (s *Space) chance() *rand.Rand { return rand.New(rand.NewPCG(s.Seed, 0x5eed)) }

// below draws a number from 0 up to but not including a bound: bits, until they are below it.
func below(chance *rand.Rand, bound *big.Int) *big.Int {
	bits := bound.BitLen()
	words := (bits + 31) / 32
	for {
		n := new(big.Int)
		for range words {
			n.Or(n.Lsh(n, 32), big.NewInt(int64(chance.Uint32())))
		}
		if n.Rsh(n, uint(32*words-bits)); n.Cmp(bound) < 0 {
			return n
		}
	}
}

// at is a variant of the product by its index.
func (s *Space) at(index *big.Int) Variant {
	v := Variant{Settings: make([]Setting, len(s.Axes))}
	rest, digit := new(big.Int).Set(index), new(big.Int)
	for i := len(s.Axes) - 1; i >= 0; i-- {
		a := s.Axes[i]
		rest.DivMod(rest, big.NewInt(int64(len(a.Values))), digit)
		v.Settings[i] = Setting{a.Key, a.Values[digit.Int64()]}
	}
	return v
}

// filter compiles Where.
func (s *Space) filter() (func(Variant) (bool, error), error) {
	if s.Where == "" {
		return func(Variant) (bool, error) { return true, nil }, nil
	}
	var options []cel.EnvOption
	for _, key := range Keys() {
		if name, of := nameOf(key); of != nil && key != seedKey {
			options = append(options, cel.Variable(name, of))
		}
	}
	program, err := compiled("--where", s.Where, cel.BoolType, options)
	if err != nil {
		return nil, err
	}
	return func(v Variant) (bool, error) {
		out, _, err := program.Eval(valuesFor(v))
		if err != nil {
			return false, phrase.Errorf("--where %q: of %s: %w", s.Where, v.String(), err)
		}
		return out.Value() == true, nil
	}, nil
}

// compiled compiles an expression with the type that it must have. flag is where the user wrote it.
func compiled(flag, text string, want *cel.Type, options []cel.EnvOption) (cel.Program, error) {
	env, err := cel.NewEnv(append(options, cel.CrossTypeNumericComparisons(true))...)
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		column, sentence := expression.First(issues)
		return nil, phrase.Errorf("%s %q at column %d: %s", flag, text, column, sentence)
	}
	if got := ast.OutputType(); !got.IsExactType(want) && got != cel.DynType {
		if !(want == cel.DoubleType && got == cel.IntType) {
			return nil, phrase.Errorf("%s %q is %s, not %s", flag, text, got.String(), want.String())
		}
	}
	return env.Program(ast, cel.CostLimit(1_000_000))
}

// nameOf is what an expression calls a setting, and its type: weight.NodeResourcesFit, kube_version.
func nameOf(key string) (string, *cel.Type) {
	name := strings.ReplaceAll(strings.TrimSuffix(key, "."), "-", "_")
	switch key {
	case Weight, Nodes:
		return name, cel.MapType(cel.StringType, cel.IntType)
	case Gate:
		return name, cel.MapType(cel.StringType, cel.BoolType)
	case Percentage:
		return name, cel.IntType
	}
	return name, cel.StringType
}

// valuesFor is what an expression can speak of: where the variant leaves the input as it is "", -1, or no member of a
// map.
func valuesFor(v Variant) map[string]any {
	weights, gates, nodes := map[string]int64{}, map[string]bool{}, map[string]int64{}
	all := map[string]any{"weight": weights, "gate": gates, "nodes": nodes, Percentage: int64(-1)}
	for _, key := range Keys() {
		if name, of := nameOf(key); of == cel.StringType {
			all[name] = ""
		}
	}
	for _, s := range v.Settings {
		if s.Value == AsItIs {
			continue
		}
		n, _ := strconv.ParseInt(s.Value, 10, 64) // 0 of what is no number
		kind, name, _ := strings.Cut(s.Key, ".")
		switch kind + "." {
		case Weight:
			weights[name] = n
		case Nodes:
			nodes[name] = n
		case Gate:
			gates[name] = s.Value == "true"
		case Percentage + ".":
			all[Percentage] = n
		default:
			all[strings.ReplaceAll(s.Key, "-", "_")] = s.Value
		}
	}
	return all
}
