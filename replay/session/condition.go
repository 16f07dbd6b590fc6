package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/expression"
	"github.com/schedstep/schedstep/internal/phrase"
)

// condition is a CEL expression over what a step left.
type condition struct {
	text    string
	program cel.Program
}

// subjects are what a condition can speak of, with an example of each; the type of the example is the type it has.
var subjects = map[string]any{
	"cycle": int64(0), "nodes": int64(0), "evaluated": int64(0), "feasible": int64(0), "victims": int64(0),
	"hits":    int64(0),
	"outcome": "", "node": "", "nominated": "", "message": "", "plugins": []string{},
	"pod": map[string]any{"name": "", "namespace": "", "priority": int64(0), "attempt": int64(0)},
}

var subjectTypes = map[string]*cel.Type{
	"cycle": cel.IntType, "nodes": cel.IntType, "evaluated": cel.IntType, "feasible": cel.IntType,
	"victims": cel.IntType, "hits": cel.IntType,
	"outcome": cel.StringType, "node": cel.StringType, "nominated": cel.StringType, "message": cel.StringType,
	"plugins": cel.ListType(cel.StringType), "pod": cel.MapType(cel.StringType, cel.DynType),
}

// ConditionWords are what a condition can speak of.
func ConditionWords() []string {
	words := slices.Sorted(maps.Keys(subjects))
	return append(words, "pod.name", "pod.namespace", "pod.priority", "pod.attempt")
}

// parseCondition compiles an expression, and evaluates it once, so that a misspelt name is found at once.
func parseCondition(text string) (*condition, error) {
	compiled, program, err := compile(text, subjectTypes)
	if err != nil {
		return nil, phrase.Errorf("cond: %q%w (available: %s)", text, err, strings.Join(ConditionWords(), ", "))
	}
	if compiled.OutputType() != cel.BoolType {
		return nil, phrase.Errorf("cond: %q is %s, not true or false (try feasible == 0)", text, compiled.OutputType())
	}
	c := &condition{text: text, program: program}
	if _, err := c.holds(subjects); err != nil {
		return nil, phrase.Errorf("cond: %q: %w (available: %s)", text, err, strings.Join(ConditionWords(), ", "))
	}
	return c, nil
}

// compile makes a program of an expression that speaks of some things. The error goes after the expression.
func compile(text string, of map[string]*cel.Type, more ...cel.EnvOption) (*cel.Ast, cel.Program, error) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		more = append(more, cel.Variable(name, of[name]))
	}
	env, err := cel.NewEnv(more...)
	if err != nil {
		return nil, nil, phrase.Errorf(": %w", err)
	}
	compiled, issues := env.Compile(text)
	if issues.Err() != nil {
		column, sentence := expression.First(issues)
		return nil, nil, phrase.Errorf(" at column %d: %s", column, sentence)
	}
	program, err := env.Program(compiled, cel.CostLimit(100_000), cel.EvalOptions(cel.OptPartialEval))
	if err != nil {
		return nil, nil, phrase.Errorf(": %w", err)
	}
	return compiled, program, nil
}

func (c *condition) holds(of map[string]any) (bool, error) {
	out, _, err := c.program.Eval(of)
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, phrase.Errorf("it is not true or false")
	}
	return holds, nil
}

// speaksOf is what a condition sees of a step: zero where the step is no cycle.
func speaksOf(facts []trace.Fact, hits int) map[string]any {
	of := maps.Clone(subjects)
	of["hits"] = int64(hits)
	if c, isCycle := trace.Fold(spokenOf(facts)); isCycle {
		speakOf(c, of)
	}
	return of
}

// spokenOf is those facts of a step that a condition can speak of: to fold all of them costs as much as a tenth of a
// cycle. Of a pod group it is every fact.
func spokenOf(facts []trace.Fact) []trace.Fact {
	few := make([]trace.Fact, 0, 4)
	for _, fact := range facts {
		switch fact.(type) {
		case trace.Gathered:
			return facts
		case trace.Popped, trace.Preempted, trace.Ended:
			few = append(few, fact)
		}
	}
	return few
}

// speakOf fills in the values of a cycle.
func speakOf(c *trace.Cycle, of map[string]any) {
	of["cycle"], of["nodes"] = c.Number, int64(c.Nodes)
	of["pod"] = map[string]any{
		"name": c.Entity.Name, "namespace": c.Entity.Namespace, "priority": int64(c.Entity.Priority),
		"attempt": int64(c.Attempt),
	}
	if p := c.Latest().Preemption; p != nil {
		of["victims"] = int64(len(p.Victims))
	}
	if e := c.Ended; e != nil {
		of["evaluated"], of["feasible"], of["plugins"] = int64(e.Evaluated), int64(e.Feasible), slices.Concat(
			[]string{}, e.Plugins,
		)
		of["outcome"], of["node"], of["nominated"], of["message"] = string(e.Outcome), e.Node, e.NominatedNode, e.Message
	}
}
