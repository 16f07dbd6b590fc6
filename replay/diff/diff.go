// Package diff plays one input under two settings and lists the pods that end otherwise, with the first cause of each.
// It knows neither what the settings are nor how the input was read, and it judges neither side.
package diff

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
)

// Side is the input under one of the settings.
type Side struct {
	Name string // as the user writes it, such as "kube-version=1.36"
	// Play is a player before its first step. Every player that it makes takes the same course.
	Play func(trace.Detail) *replay.Player
	// Over reports whether the n-th step, from 0 on, comes after the end; nil: the end is that of the input.
	Over func(n int, step *replay.Step) bool
}

// What is in which way a pod ends otherwise under B.
type What string

// The ways.
const (
	Elsewhere What = "elsewhere" // on another node
	Gained    What = "gained"    // on a node, and under A on none
	Lost      What = "lost"      // on no node, and under A on one
	Evicted   What = "evicted"   // it has to leave for another pod, and under A it has not
	Spared    What = "spared"    // the other way round
	Victims   What = "victims"   // others have to leave for it
	Message   What = "message"   // on no node under both, for other reasons or in other words
)

// Whats are all ways, in the order in which they are counted.
func Whats() []What { return []What{Elsewhere, Gained, Lost, Evicted, Spared, Victims, Message} }

// Result is what became of a pod under one side. Its JSON is stable: members are added, and none changes its meaning.
type Result struct {
	Cycle     int64    `json:"cycle"` // the last about it; 0: it was never tried
	Node      string   `json:"node"`  // "": none
	Nominated string   `json:"nominatedNode"`
	Message   string   `json:"message"`
	Victims   []string `json:"victims,omitempty"`   // of all its preemptions, in order
	Gate      string   `json:"gate,omitempty"`      // the plugin that keeps it out of activeQ at the end
	EvictedBy string   `json:"evictedBy,omitempty"` // the pod that it has to leave for
}

// Difference is a pod that ends otherwise.
type Difference struct {
	Pod   string `json:"pod"`
	What  What   `json:"what"`
	A     Result `json:"a"`
	B     Result `json:"b"`
	Cause Cause  `json:"cause"`
}

// Count is how many pods end otherwise for one cause.
type Count struct {
	Kind   Kind   `json:"kind"`
	Plugin string `json:"plugin,omitempty"`
	Pods   int    `json:"pods"`
}

// Report is what differs.
type Report struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Pods        int          `json:"pods"`  // that were tried, or had to leave, under either
	First       string       `json:"first"` // the pod that ends otherwise and was tried first; "": none
	Differences []Difference `json:"differences"`
	Causes      []Count      `json:"causes"` // the most frequent first
}

// Of is how many pods end otherwise in one way.
func (r *Report) Of(what What) int {
	n := 0
	for i := range r.Differences {
		if r.Differences[i].What == what {
			n++
		}
	}
	return n
}

// Run plays both sides to their end.
func Run(ctx context.Context, a, b Side) (*Report, error) {
	under := [2]course{}
	for i, side := range []Side{a, b} {
		c, err := played(ctx, side)
		if err != nil {
			return nil, err
		}
		under[i] = c
	}
	r := &Report{A: a.Name, B: b.Name, Pods: len(keys(under)), Differences: []Difference{}, Causes: []Count{}}
	for _, pod := range keys(under) {
		d := Difference{Pod: pod, A: under[0].of(pod), B: under[1].of(pod)}
		if d.What = what(&d.A, &d.B); d.What != "" {
			r.Differences = append(r.Differences, d)
		}
	}
	slices.SortStableFunc(r.Differences, func(x, y Difference) int { return cmp.Compare(turn(&x), turn(&y)) })
	if len(r.Differences) > 0 {
		r.First = r.Differences[0].Pod
	}
	if err := explain(ctx, r, a, b); err != nil {
		return nil, err
	}
	r.count()
	return r, nil
}

// turn is when a pod was tried last: pods that were never tried come last.
func turn(d *Difference) int64 {
	return cmp.Or(d.A.Cycle, d.B.Cycle, int64(1)<<62)
}

// what is in which way two results differ; "" where they do not.
func what(a, b *Result) What {
	switch {
	case a.EvictedBy == "" && b.EvictedBy != "":
		return Evicted
	case a.EvictedBy != "" && b.EvictedBy == "":
		return Spared
	case a.Node == "" && b.Node != "":
		return Gained
	case a.Node != "" && b.Node == "":
		return Lost
	case a.Node != b.Node:
		return Elsewhere
	case !slices.Equal(a.Victims, b.Victims):
		return Victims
	case a.Node == "" && (a.Message != b.Message || a.Gate != b.Gate):
		return Message
	}
	return ""
}

// count sums the causes up.
func (r *Report) count() {
	at := map[Count]int{}
	for i := range r.Differences {
		c := r.Differences[i].Cause
		key := Count{Kind: c.Kind, Plugin: c.Plugin}
		k, known := at[key]
		if !known {
			k = len(r.Causes)
			at[key] = k
			r.Causes = append(r.Causes, key)
		}
		r.Causes[k].Pods++
	}
	slices.SortStableFunc(r.Causes, func(x, y Count) int {
		return cmp.Or(cmp.Compare(y.Pods, x.Pods), strings.Compare(string(x.Kind), string(y.Kind)),
			strings.Compare(x.Plugin, y.Plugin))
	})
}
