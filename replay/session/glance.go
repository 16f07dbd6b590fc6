package session

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/schedstep/schedstep/core/trace"
)

// glance is what is kept of every cycle for conditions, besides its mark: 96 bytes, and the text of its message, which
// the notes of the line hold anyway.
type glance struct {
	node, nominated, message   string
	plugins                    []string // shared by all cycles that the same plugins rejected
	nodes, evaluated, feasible int32
	priority, attempt, victims int32
}

// see adds what a fact of the cycle shows.
func (g *glance) see(fact trace.Fact) {
	switch f := fact.(type) {
	case trace.Popped:
		*g = glance{nodes: int32(f.Nodes), priority: f.Entity.Priority, attempt: int32(f.Attempt)}
	case trace.Preempted:
		g.victims = 0
		if f.Preemption != nil {
			g.victims = int32(len(f.Victims))
		}
	case trace.Ended:
		g.node, g.nominated, g.evaluated, g.feasible = f.Node, f.NominatedNode, int32(f.Evaluated), int32(f.Feasible)
		g.message, g.plugins = f.Message, f.Plugins
	}
}

// share has a glance of the line use the list of plugins of an earlier cycle that the same ones rejected.
func (l *line) share(g *glance) {
	if len(g.plugins) == 0 {
		g.plugins = nil
		return
	}
	key := strings.Join(g.plugins, ",")
	if _, known := l.rejecters[key]; !known {
		if l.rejecters == nil {
			l.rejecters = map[string][]string{}
		}
		l.rejecters[key] = slices.Clone(g.plugins)
	}
	g.plugins = l.rejecters[key]
}

// unseen is what a condition can use that neither a mark nor a glance has: how often a breakpoint was hit is known of
// no cycle by itself.
var unseen = []*cel.AttributePatternType{cel.AttributePattern("hits")}

// mayHold reports whether a condition may hold of a cycle, as far as its mark and its glance show. The outcomes of the
// pods of a group are in neither.
func (c *condition) mayHold(m *Mark, g glance) bool {
	if len(m.Members) > 0 || IsGroup(m.Pod) {
		return true
	}
	namespace, name, _ := strings.Cut(m.Pod, "/")
	known, err := cel.PartialVars(map[string]any{
		"cycle": m.Cycle, "nodes": int64(g.nodes), "evaluated": int64(g.evaluated), "feasible": int64(g.feasible),
		"outcome": string(m.Outcome), "node": g.node, "nominated": g.nominated, "message": g.message,
		"victims": int64(g.victims), "plugins": slices.Concat([]string{}, g.plugins), "pod": map[string]any{
			"name": name, "namespace": namespace, "priority": int64(g.priority), "attempt": int64(g.attempt),
		},
	}, append(ofObject(), unseen...)...)
	if err != nil {
		return true
	}
	out, _, err := c.program.Eval(known)
	return err != nil || out != types.False
}

// glanceAt is the glance of a cycle that is kept.
func (l *line) glanceAt(number int64) glance { return l.glances[number-l.gone-1] }

// mayHit reports whether a breakpoint that only cycles can hit may be hit by one of some marks.
func (l *line) mayHit(b *Breakpoint, marks []Mark) bool {
	// the hits of a condition that counts them are those of all cycles
	asks := b.condition != nil && !strings.Contains(b.Cond, "hits")
	return slices.ContainsFunc(marks, func(m Mark) bool {
		if m.Cycle == 0 || b.needsMark() && !b.mayMean(m) {
			return false
		}
		return !asks || b.condition.mayHold(&m, l.glanceAt(m.Cycle))
	})
}
