package session

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/expression"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
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
	"pod": map[string]any{
		"name": "", "namespace": "", "priority": int64(0), "attempt": int64(0), "requests": map[string]any{},
		"labels": map[string]string{}, "owner": "", "gates": []string{}, "age": float64(0),
	},
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
	words = append(words, "pod.name", "pod.namespace", "pod.priority", "pod.attempt")
	return append(words, "pod.requests.cpu", `pod.labels["app"]`, "pod.owner", "pod.gates", "pod.age")
}

// ofObject are what a condition speaks of that stands in the object of the pod.
func ofObject() []*cel.AttributePatternType {
	var all []*cel.AttributePatternType
	for _, name := range []string{"requests", "labels", "owner", "gates", "age"} {
		all = append(all, cel.AttributePattern("pod").QualString(name))
	}
	return all
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
	example, err := cel.PartialVars(subjects, ofObject()...) // which resources and labels there are, only pods tell
	if err == nil {
		_, _, err = c.program.Eval(example)
	}
	if err != nil {
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
	if err != nil && strings.Contains(err.Error(), "no such key") {
		return false, nil // of a label or a resource: other names were looked for when the condition was set
	}
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, phrase.Errorf("it is not true or false")
	}
	return holds, nil
}

// speaksOf is what a condition sees of a step, after which the scheduler is as it is here: zero where the step is no
// cycle.
func speaksOf(facts []trace.Fact, hits int, after *core.Scheduler) map[string]any {
	of := maps.Clone(subjects)
	of["hits"] = int64(hits)
	if c, isCycle := trace.Fold(spokenOf(facts)); isCycle {
		speakOf(c, of)
		if p, is := after.State().Pod(c.Entity.Key()); is {
			speakOfObject(p, after.Now(), of["pod"].(map[string]any))
		}
	}
	return of
}

// speakOfObject fills in what stands in the object of the pod: requests in cores, bytes and numbers, the age in seconds
// of virtual time, the owner as KIND/NAME of the workload that makes the pod.
func speakOfObject(p *cluster.Pod, now time.Time, of map[string]any) {
	requests := map[string]any{
		string(corev1.ResourceCPU):              float64(p.Requests.MilliCPU) / 1000,
		string(corev1.ResourceMemory):           float64(p.Requests.Memory),
		string(corev1.ResourceEphemeralStorage): float64(p.Requests.EphemeralStorage),
	}
	for _, s := range p.Requests.Scalars {
		requests[string(s.Name)] = float64(s.Value)
	}
	gates := []string{}
	for _, g := range p.API.Spec.SchedulingGates {
		gates = append(gates, g.Name)
	}
	of["requests"], of["labels"], of["gates"] = requests, maps.Clone(p.API.Labels), gates
	if metav1.GetControllerOf(p.API) != nil {
		on := owner.PlaceOf(p).On
		of["owner"] = string(on.Kind) + "/" + on.Name
	}
	if created := p.API.CreationTimestamp; !created.IsZero() {
		of["age"] = now.Sub(created.Time).Seconds()
	}
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
	pod := maps.Clone(subjects["pod"].(map[string]any))
	pod["name"], pod["namespace"] = c.Entity.Name, c.Entity.Namespace
	pod["priority"], pod["attempt"] = int64(c.Entity.Priority), int64(c.Attempt)
	of["pod"] = pod
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
