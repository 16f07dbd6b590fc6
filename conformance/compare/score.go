package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core/trace"
)

// scores compares every score of every scored node. A single feasible node is
// scored by the oracle alone.
func (b *bench) scores() {
	ours := b.Ours.Scores
	if ours == nil {
		if b.Theirs.Decision.FeasibleNodes > 1 && len(b.Theirs.Scores) > 0 {
			b.same(Difference{What: "scored nodes"}, fmt.Sprint(len(b.Theirs.Scores)), "none")
		}
		return
	}
	b.skippedScores()
	b.same(Difference{What: "scored nodes"}, fmt.Sprint(scoredByThem(b.Theirs.Scores)), fmt.Sprint(scoredByUs(ours)))
	for k, at := range ours.Index {
		node := ours.Nodes[at]
		i := slices.IndexFunc(b.Theirs.Scores, func(s oracle.NodeScores) bool { return s.Node == node })
		if i >= 0 {
			b.nodeScores(b.Theirs.Scores[i], k)
		}
	}
}

// skippedScores compares which plugins PreScore left out.
func (b *bench) skippedScores() {
	skipped := []string{}
	for _, f := range b.Ours.PreScores {
		if f.Verdict.Code == trace.Skip {
			skipped = append(skipped, f.Plugin)
		}
	}
	slices.Sort(skipped)
	b.same(Difference{What: "PreScore skips"}, fmt.Sprintf("%q", b.Theirs.PreScoreSkipped), fmt.Sprintf("%q", skipped))
}

// isExtender reports whether a scorer is the URL of an extender and not the name of a plugin. Of an extender's score
// upstream keeps only its weighted value, and that only for the nodes the extender named.
func isExtender(scorer string) bool { return strings.Contains(scorer, "://") }

func (b *bench) nodeScores(theirs oracle.NodeScores, k int) {
	scores := b.Ours.Scores
	named := func(plugin string) bool {
		return slices.ContainsFunc(theirs.Plugins, func(s oracle.PluginScore) bool { return s.Plugin == plugin })
	}
	plugins := []string{}
	for i := range scores.Columns {
		c := &scores.Columns[i]
		unnamed := isExtender(c.Plugin) && c.Weighted(k) == 0 && !named(c.Plugin)
		if !c.Skipped && !unnamed {
			plugins = append(plugins, c.Plugin)
		}
	}
	said := []string{}
	for _, score := range theirs.Plugins {
		said = append(said, score.Plugin)
		i := slices.IndexFunc(scores.Columns, func(c trace.ScoreColumn) bool { return c.Plugin == score.Plugin })
		if i < 0 || scores.Columns[i].Skipped {
			continue
		}
		column := &scores.Columns[i]
		b.tally.of(score.Plugin).score(score)
		about := Difference{Plugin: score.Plugin, Node: theirs.Node}
		if !isExtender(score.Plugin) {
			b.number(about, "raw score", score.Raw, column.Raw[k])
			b.number(about, "normalized score", score.Normalized, column.Normalized[k])
		}
		b.number(about, "weighted score", score.Weighted, column.Weighted(k))
	}
	b.same(Difference{What: "Score plugins", Node: theirs.Node}, fmt.Sprint(said), fmt.Sprint(plugins))
	b.number(Difference{Node: theirs.Node}, "total score", theirs.Total, scores.Totals[k])
}

func (b *bench) number(about Difference, what string, theirs, ours int64) {
	about.What = what
	b.same(about, fmt.Sprint(theirs), fmt.Sprint(ours))
}

func scoredByThem(scores []oracle.NodeScores) []string {
	names := make([]string, len(scores))
	for i, s := range scores {
		names[i] = s.Node
	}
	slices.Sort(names)
	return names
}

func scoredByUs(scores *trace.Scores) []string {
	names := make([]string, len(scores.Index))
	for i, at := range scores.Index {
		names[i] = scores.Nodes[at]
	}
	slices.Sort(names)
	return names
}
