// Package diff plays one input under two settings and lists the pods that end otherwise, with the first cause of each.
// It knows neither what the settings are nor how the input was read, and it judges neither side.
package diff

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Side is the input under one of the settings.
type Side struct {
	Name phrase.Text // as the user writes it, such as "kube-version=1.36"
	// Play is a player before its first step. Every player that it makes takes the same course.
	Play func(trace.Detail) *play.Player
	// Over reports whether the n-th step, from 0 on, comes after the end; nil: the end is that of the input.
	Over func(n int, step *play.Step) bool
}

// AsItIs is the name of a side without a setting.
const AsItIs phrase.Text = "as it is"

// What is in which way a pod ends otherwise under B.
type What string

// The ways.
const (
	Lost      What = "lost"      // on no node, and under A on one
	Evicted   What = "evicted"   // it has to leave for another pod, and under A it has not
	Gained    What = "gained"    // on a node, and under A on none
	Spared    What = "spared"    // it has to leave under A alone
	Victims   What = "victims"   // others have to leave for it
	Message   What = "message"   // on no node under both, for other reasons or in other words
	Elsewhere What = "elsewhere" // on another node
)

// Whats are all ways, the gravest first: in this order differences are listed and counted.
func Whats() []What { return []What{Lost, Evicted, Gained, Spared, Victims, Message, Elsewhere} }

// isAboutANode reports whether a pod has a node under one side alone.
func (w What) isAboutANode() bool { return w == Lost || w == Gained }

// Result is the result for a pod under one side. Its JSON is stable: members are added, and none changes its meaning.
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

// Way is how many pods end otherwise in one way for one cause.
type Way struct {
	What    What   `json:"what"`
	Kind    Kind   `json:"kind"`
	Plugin  string `json:"plugin,omitempty"`
	Pods    int    `json:"pods"`
	Example string `json:"example"` // the first of the pods
}

// Report is what differs.
type Report struct {
	A           phrase.Text  `json:"a"`
	B           phrase.Text  `json:"b"`
	Pods        int          `json:"pods"`        // that were tried, or had to leave, under either
	First       string       `json:"first"`       // the pod that ends otherwise and was tried first; "": none
	Differences []Difference `json:"differences"` // by the order of Whats, then by when the pod was tried
	Causes      []Count      `json:"causes"`      // the most frequent first
	Ways        []Way        `json:"ways"`        // in the order of Whats, and the most frequent cause first
	Sides       Sides        `json:"sides"`
}

// Sides are the figures of both sides at their end.
type Sides struct {
	A Figures `json:"a"`
	B Figures `json:"b"`
	// Nodes that pods are on under A alone, and under B alone, in the order of the snapshot.
	OnlyA []string `json:"onlyA"`
	OnlyB []string `json:"onlyB"`
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

// mostListed is how many pods on another node, or with another message, are listed one by one.
const mostListed = 20

// Folds reports whether the pods of a way are counted by their causes and not listed, unless the user wants them
// listed: they are many, and the node of each matters little.
func (r *Report) Folds(what What) bool {
	return (what == Elsewhere || what == Message) && r.Of(what) > mostListed
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
	r := &Report{
		A: a.Name, B: b.Name, Pods: len(keys(under)), Differences: []Difference{}, Causes: []Count{}, Ways: []Way{},
		Sides: sidesOf(under),
	}
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
	slices.SortStableFunc(r.Differences, func(x, y Difference) int {
		return cmp.Compare(slices.Index(Whats(), x.What), slices.Index(Whats(), y.What))
	})
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

// count sums the causes up, and those of each way.
func (r *Report) count() {
	at, ways := map[Count]int{}, map[Way]int{}
	for i := range r.Differences {
		d := &r.Differences[i]
		key := Count{Kind: d.Cause.Kind, Plugin: d.Cause.Plugin}
		k, known := at[key]
		if !known {
			k = len(r.Causes)
			at[key] = k
			r.Causes = append(r.Causes, key)
		}
		r.Causes[k].Pods++
		way := Way{What: d.What, Kind: key.Kind, Plugin: key.Plugin}
		k, known = ways[way]
		if !known {
			k = len(r.Ways)
			ways[way] = k
			way.Example = d.Pod
			r.Ways = append(r.Ways, way)
		}
		r.Ways[k].Pods++
	}
	slices.SortStableFunc(r.Causes, func(x, y Count) int {
		return cmp.Or(cmp.Compare(y.Pods, x.Pods), strings.Compare(string(x.Kind), string(y.Kind)),
			strings.Compare(x.Plugin, y.Plugin))
	})
	slices.SortStableFunc(r.Ways, func(x, y Way) int {
		return cmp.Or(cmp.Compare(slices.Index(Whats(), x.What), slices.Index(Whats(), y.What)), cmp.Compare(y.Pods, x.Pods))
	})
}
