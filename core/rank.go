package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// ranking is the Score phase: one column for each score plugin, one row for each feasible node.
type ranking struct {
	columns []trace.ScoreColumn
	scorers []framework.Scorer // one per column; nil: skipped
	totals  []int64
	lots    []uint64 // what decides between equal totals, once an extender has scored; nil: the profile's tie-break
}

// rank ranks the feasible nodes by the scores of the plugins, then with those of the extenders.
func (c *cycle) rank() bool {
	if !c.rate() {
		return false
	}
	c.askScores()
	c.keepScores()
	return true
}

// rate runs PreScore, then Score, then NormalizeScore, and adds up the weighted scores.
func (c *cycle) rate() bool {
	r := &ranking{
		totals:  c.zeros(),
		columns: make([]trace.ScoreColumn, len(c.profile.Score)),
		scorers: make([]framework.Scorer, len(c.profile.Score)),
	}
	c.choice.ranking = r
	scorings, plugin, verdict := c.studyScores(c.search.feasible, func(plugin string, v trace.Verdict) {
		if c.scheduler.detail >= trace.Reported {
			c.fact(trace.PreScored{Plugin: plugin, Verdict: v})
		}
	})
	if plugin != "" {
		c.breaks("PreScore", plugin, verdict.Message())
		return false
	}
	for i, plugin := range c.profile.Score {
		r.scorers[i] = scorings[i].Scorer
		r.columns[i] = trace.ScoreColumn{
			Plugin: plugin.Name(), Weight: plugin.Weight, Skipped: r.scorers[i] == nil,
		}
	}
	for i, scorer := range r.scorers {
		if scorer == nil {
			continue
		}
		if message := c.scoreColumn(i, scorer); message != "" {
			c.failure = broken(message)
			return false
		}
	}
	return true
}

// draw gives each of the drawn rows a lot, from one number of chance.
func (r *ranking) draw(drawn []bool, chance uint64) {
	r.lots = make([]uint64, len(drawn))
	for k, is := range drawn {
		if is {
			r.lots[k] = 1 + mix(chance+uint64(k+1)*golden)>>1
		}
	}
}

// unasked is the scoring of a plugin that the profile does not run at PreScore. A plugin that is also a filter scores
// by what it found while filtering.
func (c *cycle) unasked(score int, nodes []*cluster.Node) framework.Scoring {
	if seat := c.profile.scores[score]; seat >= 0 {
		if ranker, ok := c.studied.judge.Checks[seat].(framework.Ranker); ok {
			return ranker.Rank(nodes)
		}
	}
	return c.profile.Score[score].PreScore(c.pod, c.snapshot, nodes)
}

// spokenScoring is a scoring in a release where no plugin skips.
func (c *cycle) spokenScoring(scoring framework.Scoring) framework.Scoring {
	if !c.profile.Behaviour.NoPluginSkipped || scoring.Verdict.Code != trace.Skip {
		return scoring
	}
	if scoring.Verdict = (trace.Verdict{}); scoring.Scorer == nil {
		scoring.Scorer = framework.Zero{}
	}
	return scoring
}

// studyScores runs the PreScore plugins, in order, and passes the answer of each to told. The scorings are one for each
// of profile.Score. An answer that is no scoring ends it: then plugin and verdict are set.
func (c *cycle) studyScores(
	nodes []*cluster.Node, told func(plugin string, v trace.Verdict),
) (scorings []framework.Scoring, plugin string, verdict trace.Verdict) {
	scorings = make([]framework.Scoring, len(c.profile.Score))
	asked := make([]bool, len(c.profile.Score))
	for i, plugin := range c.profile.PreScore {
		scoring := c.spokenScoring(c.scoring(i, nodes))
		told(plugin.Name(), scoring.Verdict)
		switch scoring.Verdict.Code {
		case trace.Success:
		case trace.Skip:
			scoring.Scorer = nil
		default:
			return nil, plugin.Name(), scoring.Verdict
		}
		for _, k := range c.profile.studies[i] {
			scorings[k], asked[k] = scoring, true
		}
	}
	for i := range c.profile.Score {
		if !asked[i] {
			scorings[i] = c.spokenScoring(c.unasked(i, nodes))
		}
		if scorings[i].Verdict.Code == trace.Skip {
			scorings[i].Scorer = nil
		}
	}
	return scorings, "", trace.Verdict{}
}

// scoreColumn fills a column and adds it to the totals; it returns what went wrong, in kube-scheduler's words.
func (c *cycle) scoreColumn(plugin int, scorer framework.Scorer) string {
	column := &c.choice.ranking.columns[plugin]
	if c.recallScores(plugin, column, scorer) {
		return ""
	}
	raw := make([]int64, len(c.search.feasible))
	words, scale := c.profile.Behaviour.Message, c.profile.Behaviour.Scale
	if v := scorer.Score(c.search.feasible, raw); v.Code != trace.Success {
		return words.BrokenScore("Score", column.Plugin, c.pod, v.Message())
	}
	normalized := slices.Clone(raw)
	if v := scorer.Normalize(c.search.feasible, normalized); v.Code != trace.Success {
		return words.BrokenScore("NormalizeScore", column.Plugin, c.pod, v.Message())
	}
	for i, score := range normalized {
		if !scale.ScoresUnchecked && (score < 0 || score > scale.Max) {
			return words.OffScale(column.Plugin, c.pod, score, scale.Max)
		}
		c.choice.ranking.totals[i] += score * column.Weight
	}
	column.Raw, column.Normalized = raw, normalized
	return ""
}

// keepScores turns the ranking into a fact, when facts of that detail are kept.
func (c *cycle) keepScores() {
	if c.scheduler.detail >= trace.Reported {
		c.fact(trace.Scored{Scores: c.scores(c.scheduler.detail == trace.Reasoned)})
	}
}

// scores is the ranking of the feasible nodes as facts have it, with or without what the scores rest on.
func (c *cycle) scores(reasoned bool) *trace.Scores {
	if reasoned {
		for i, scorer := range c.choice.ranking.scorers {
			if r, ok := scorer.(framework.Reasoner); ok {
				c.choice.ranking.columns[i].Why = c.why(r)
			}
		}
	}
	return &trace.Scores{
		Nodes: c.snapshot.Names, Index: indexesOf(c.search.feasible),
		Columns: c.choice.ranking.columns, Totals: c.choice.ranking.totals,
	}
}

// indexesOf are the places of nodes in the snapshot.
func indexesOf(nodes []*cluster.Node) []int32 {
	index := make([]int32, len(nodes))
	for i, node := range nodes {
		index[i] = int32(node.Index())
	}
	return index
}

func (c *cycle) why(r framework.Reasoner) [][]trace.Evidence {
	why := make([][]trace.Evidence, len(c.search.feasible))
	for i, node := range c.search.feasible {
		why[i] = r.Why(node)
	}
	return why
}
