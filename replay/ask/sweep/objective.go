package sweep

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/schedstep/schedstep/internal/expression"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Objective is a number over the figures of a run, the smaller the better.
type Objective struct {
	text    string
	program cel.Program
}

// values are the variables of an expression: the names of run --expect, and used, cost, compared, diverged and
// otherwise. All of them are floating-point numbers.
func (r *Result) values() map[string]any {
	row := &r.Row
	of := map[string]any{
		"pods": float64(row.Pods), "placed": float64(row.Placed), "unplaced": float64(row.Unplaced),
		"nodes": float64(row.Nodes), "used": float64(row.Used), "empty": float64(row.Empty),
		"cycles": float64(row.Cycles), "attempts": float64(row.Attempts), "preemptions": float64(row.Preemptions),
		"evicted": float64(row.Evicted), "errors": float64(row.Errors), "seconds": row.Seconds,
		"waiting": map[string]float64{
			"median": row.WaitingMedian, "p95": row.WaitingP95, "p99": row.WaitingP99, "longest": row.WaitingLongest,
		},
		"cost": row.Cost, "compared": float64(row.Compared), "diverged": float64(row.Diverged),
		"otherwise": float64(row.Otherwise),
	}
	packing, spread, fragmentation := map[string]float64{}, map[string]float64{}, map[string]float64{}
	stranded := map[string]float64{}
	for i := range r.Resources {
		x := &r.Resources[i]
		packing[x.Resource], spread[x.Resource] = x.Packing, x.Spread
		fragmentation[x.Resource], stranded[x.Resource] = x.Fragmentation, float64(x.Stranded)
	}
	of["packing"], of["spread"], of["fragmentation"], of["stranded"] = packing, spread, fragmentation, stranded
	return of
}

// ParseObjective compiles an expression such as "unplaced * 100 + cost". Integers in it become floating-point numbers,
// because CEL does not mix the two.
func ParseObjective(text string) (*Objective, error) {
	known := (&Result{}).values()
	names := slices.Sorted(maps.Keys(known))
	var variables []cel.EnvOption
	for _, name := range names {
		of := cel.DoubleType
		if _, single := known[name].(float64); !single {
			of = cel.MapType(cel.StringType, cel.DoubleType)
		}
		variables = append(variables, cel.Variable(name, of))
	}
	env, err := cel.NewEnv(variables...)
	if err != nil {
		return nil, err
	}
	parsed, issues := env.Parse(text)
	if issues.Err() == nil {
		parsed, issues = env.Check(withPoints(parsed))
	}
	if issues.Err() != nil {
		column, sentence := expression.First(issues)
		return nil, phrase.Errorf("%q at column %d: %s (available: %s)", text, column, sentence, strings.Join(names, ", "))
	}
	if got := parsed.OutputType(); !got.IsExactType(cel.DoubleType) {
		return nil, phrase.Errorf("%q is %s, and an objective is a number", text, got.String())
	}
	program, err := env.Program(parsed, cel.CostLimit(100_000))
	if err != nil {
		return nil, phrase.Errorf("%q: %w", text, err)
	}
	return &Objective{text, program}, nil
}

// withPoints turns the integers of an expression into floating-point numbers.
func withPoints(parsed *cel.Ast) *cel.Ast {
	native := parsed.NativeRep()
	factory := ast.NewExprFactory()
	ast.PostOrderVisit(native.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.LiteralKind {
			return
		}
		if n, whole := e.AsLiteral().(types.Int); whole {
			e.SetKindCase(factory.NewLiteral(e.ID(), types.Double(n)))
		}
	}))
	return parsed
}

// String is the expression.
func (o *Objective) String() string { return o.text }

// of evaluates the objective for a run.
func (o *Objective) of(r *Result) (float64, error) {
	out, _, err := o.program.Eval(r.values())
	if err != nil {
		return 0, phrase.Errorf("%q of run %d: %w", o.text, r.Row.Run, err)
	}
	return float64(out.(types.Double)), nil
}
