package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/expression"
	"github.com/schedstep/schedstep/internal/phrase"
)

// figures are what an expression can speak of, by name.
func (r *Report) figures() map[string]any {
	of := map[string]any{
		"pods": int64(r.Pods), "placed": int64(r.Placed), "unplaced": int64(len(r.Unplaced)), "cycles": r.Cycles,
		"preemptions": int64(r.Preemptions), "evicted": int64(len(r.Evicted)), "nodes": int64(r.Nodes.All),
		"empty": int64(r.Nodes.Empty), "seconds": r.Seconds, "errors": int64(r.Outcomes[trace.SchedulerError]),
		"attempts": int64(0), "waiting": map[string]any{
			"median": r.Waiting.Median, "p95": r.Waiting.P95, "p99": r.Waiting.P99, "longest": r.Waiting.Longest,
		},
	}
	if len(r.Attempts) > 0 {
		of["attempts"] = int64(r.Attempts[len(r.Attempts)-1].Times)
	}
	packing, spread, fragmentation, stranded := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	for i := range r.Resources {
		x := &r.Resources[i]
		packing[x.Name], spread[x.Name] = x.Packing(), x.Spread()
		fragmentation[x.Name], stranded[x.Name] = x.Fragmentation, x.Stranded
	}
	of["packing"], of["spread"], of["fragmentation"], of["stranded"] = packing, spread, fragmentation, stranded
	return of
}

// Expectation is an expression that must hold of a report.
type Expectation struct {
	text    string
	program cel.Program
}

// expectable is what an expectation can speak of.
func expectable() []string { return slices.Sorted(maps.Keys((&Report{}).figures())) }

// Expect compiles an expression of the Common Expression Language, such as "unplaced == 0 && waiting.p95 < 30.0".
func Expect(text string) (*Expectation, error) {
	var options []cel.EnvOption
	for _, name := range expectable() {
		options = append(options, cel.Variable(name, typeOf((&Report{}).figures()[name])))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	compiled, issues := env.Compile(text)
	if issues.Err() != nil {
		column, sentence := expression.First(issues)
		return nil, phrase.Errorf("%q at column %d: %s (available: %s)", text, column, sentence,
			strings.Join(expectable(), ", "))
	}
	if compiled.OutputType() != cel.BoolType {
		return nil, phrase.Errorf("%q is %s, not true or false (try unplaced == 0)", text, compiled.OutputType())
	}
	program, err := env.Program(compiled, cel.CostLimit(100_000))
	if err != nil {
		return nil, phrase.Errorf("%q: %w", text, err)
	}
	return &Expectation{text, program}, nil
}

func typeOf(example any) *cel.Type {
	switch example.(type) {
	case int64:
		return cel.IntType
	case float64:
		return cel.DoubleType
	}
	return cel.MapType(cel.StringType, cel.DynType)
}

// Holds reports whether the expression holds of a report.
func (e *Expectation) Holds(r *Report) (bool, error) {
	out, _, err := e.program.Eval(r.figures())
	if err != nil {
		return false, phrase.Errorf("%q: %w", e.text, err)
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, phrase.Errorf("it is not true or false")
	}
	return holds, nil
}

// String is the expression.
func (e *Expectation) String() string { return e.text }
