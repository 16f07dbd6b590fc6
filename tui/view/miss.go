package view

import (
	"cmp"

	"github.com/schedstep/schedstep/core/trace"
)

// miss is how far a node is from fitting. Misses are ordered by compare.
type miss struct {
	failures int     // failing filters; unknown: more than any
	final    int     // of them, those that preemption cannot help
	shortage float64 // the sum of what is lacking, each as a part of what is wanted; 1 for what has no number
}

// unknownMiss is the miss of a node on which no filter ran.
const unknownMiss = 1 << 30

func (m miss) compare(o miss) int {
	return cmp.Or(cmp.Compare(m.failures, o.failures), cmp.Compare(m.final, o.final), cmp.Compare(m.shortage, o.shortage))
}

// missOf measures a node of a matrix.
func missOf(m *trace.Matrix, node int) miss {
	failures := m.OnNode(node)
	if len(failures) == 0 && !m.Evaluated(node) && !m.Complete {
		return miss{failures: unknownMiss}
	}
	far := miss{failures: len(failures)}
	for i := range failures {
		verdict := &failures[i].Verdict
		if verdict.Code == trace.UnschedulableAndUnresolvable {
			far.final++
		}
		far.shortage += shortageOf(verdict.Evidence)
	}
	return far
}

// shortageOf sums up what one verdict lacks.
func shortageOf(evidence []trace.Evidence) float64 {
	total, counted := 0.0, false
	for i := range evidence {
		lacking, ok := lack(&evidence[i])
		if !ok {
			continue
		}
		counted = true
		short, _ := lacking.Number()
		want, _ := evidence[i].Want.Number()
		total += float64(short) / float64(max(want, 1))
	}
	if !counted {
		return 1
	}
	return total
}

// lack is how much less there is than wanted, in the unit of the comparison; false when the comparison is not one of
// numbers, or nothing is lacking.
func lack(e *trace.Evidence) (trace.Value, bool) {
	want, wants := e.Want.Number()
	have, has := e.Have.Number()
	if !wants || !has || have >= want {
		return trace.Value{}, false
	}
	return e.Want.With(want - have), true
}
