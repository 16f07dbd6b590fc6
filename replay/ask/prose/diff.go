package prose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/diff"
)

// The texts of a comparison of two settings.
const (
	textDiffAlso      = ", "
	textDiffNominated = "nominated %s"
	textDiffNone      = "%d pod ends as before: nothing differs"
	textDiffNoneOfAll = "%d pods end as before: nothing differs"
	textDiffOne       = "%d of 1 pod ends otherwise: %s; first %s"
	textDiffSome      = "%d of %d pods end otherwise: %s; first %s"
)

// Became is the result for a pod under one of two settings, in a few words.
func Became(lang words.Language, r *diff.Result) string {
	switch {
	case r.EvictedBy != "":
		return lang.Of(string(diff.Evicted))
	case r.Node != "":
		return r.Node
	case r.Gate != "":
		return lang.Of("gated")
	case r.Nominated != "":
		return lang.Say(textDiffNominated, r.Nominated)
	}
	return "-"
}

// DiffSum is a comparison in one line.
func DiffSum(lang words.Language, r *diff.Report) string {
	if len(r.Differences) == 0 {
		return lang.Sentence(r.Pods, textDiffNone, textDiffNoneOfAll)
	}
	var parts []string
	for _, what := range diff.Whats() {
		if n := r.Of(what); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, lang.Of(string(what))))
		}
	}
	ways := strings.Join(parts, lang.Of(textDiffAlso))
	if r.Pods == 1 {
		return lang.Say(textDiffOne, len(r.Differences), ways, r.First)
	}
	return lang.Say(textDiffSome, len(r.Differences), r.Pods, ways, r.First)
}

// DiffVerdict is the one sentence of a comparison that decides. A side without a setting has its letter for a name.
func DiffVerdict(lang words.Language, r *diff.Report) string {
	lost := r.Of(diff.Lost) + r.Of(diff.Evicted)
	a, b := lang.Render(r.A), lang.Render(r.B)
	if r.A == diff.AsItIs {
		a = "A"
	}
	if r.B == diff.AsItIs {
		b = "B"
	}
	if lost == 0 {
		return lang.Say("No pod that has a node under %s is without one under %s.", a, b)
	}
	return lang.Say("Pods that have a node under %s and none under %s: %d.", a, b, lost)
}

// DiffFigures are the figures of both sides, in rows of three: the name, A's and B's.
func DiffFigures(lang words.Language, r *diff.Report) [][]string {
	a, b := &r.Sides.A, &r.Sides.B
	rows := [][]string{
		{lang.Of("pods with a node"), strconv.Itoa(a.Placed), strconv.Itoa(b.Placed)},
		{lang.Of("pods without a node"), strconv.Itoa(a.Pending), strconv.Itoa(b.Pending)},
	}
	if a.Evicted+b.Evicted > 0 {
		rows = append(rows, []string{lang.Of("pods evicted for others"), strconv.Itoa(a.Evicted), strconv.Itoa(b.Evicted)})
	}
	inUse := func(f *diff.Figures) string { return lang.Say("%d of %d", f.Used, f.Nodes) }
	rows = append(
		rows, []string{lang.Of("nodes in use"), inUse(a), inUse(b)},
		[]string{lang.Of("nodes in use here alone"), strconv.Itoa(len(r.Sides.OnlyA)), strconv.Itoa(len(r.Sides.OnlyB))},
	)
	for i := range a.Resources {
		if name := a.Resources[i].Name; i < len(b.Resources) && b.Resources[i].Name == name && a.Resources[i].Capacity > 0 {
			rows = append(rows, []string{
				lang.Say("requested of %s", name), percentOf(a.Resources[i].Packing()), percentOf(b.Resources[i].Packing()),
			})
		}
	}
	if max(a.Longest, b.Longest) > 0 {
		rows = append(
			rows, []string{lang.Of("waiting time, median"), secondsOf(a.Median), secondsOf(b.Median)},
			[]string{lang.Of("waiting time, 95th percentile"), secondsOf(a.P95), secondsOf(b.P95)},
			[]string{lang.Of("waiting time, longest"), secondsOf(a.Longest), secondsOf(b.Longest)},
		)
	}
	return rows
}

func percentOf(percent float64) string { return strconv.FormatFloat(percent, 'f', 1, 64) + " %" }

func secondsOf(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) + " s" }
