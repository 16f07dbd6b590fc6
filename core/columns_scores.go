package core

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/column"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// scoring is what a PreScore plugin finds out about the pod, by its place in the profile.
func (c *cycle) scoring(i int, nodes []*cluster.Node) framework.Scoring {
	plugin := c.profile.PreScore[i]
	if c.recalled == nil {
		return plugin.PreScore(c.pod, c.snapshot, nodes)
	}
	kept := &c.recalled.PreScores[i]
	if !kept.Kept {
		scoring := plugin.PreScore(c.pod, c.snapshot, nodes)
		*kept = column.Scoring{
			Scoring: scoring,
			Kept:    framework.KeptOf(plugin, c.pod)&framework.KeepStudy != 0 && scoring.Verdict.Code != trace.Error,
		}
	} else if c.scheduler.columns.use == ColumnsChecked {
		now := plugin.PreScore(c.pod, c.snapshot, nodes)
		c.compare("scoring", "all nodes", fmt.Sprint(kept.Verdict), fmt.Sprint(now.Verdict))
	}
	return kept.Scoring
}

// recallScores fills a column of scores from what is kept, as far as it goes, and adds it to the totals. It returns
// false, and has done nothing, when the plugin's scores are not kept, or not such as to be added up.
func (c *cycle) recallScores(i int, of *trace.ScoreColumn, scorer framework.Scorer) bool {
	if c.recalled == nil {
		return false
	}
	strip := c.recalled.Strip(i, scorer)
	if strip == nil {
		return false
	}
	if c.scheduler.columns.use == ColumnsChecked {
		c.checkStrip(strip, of.Plugin, scorer)
	}
	var present [256]bool
	if !c.fill(strip, scorer, &present) {
		return false
	}
	normalized, ok := c.normalized(strip.Scores(), scorer, &present)
	if !ok {
		return false
	}
	for k, node := range c.search.places {
		at, _ := strip.Place(node)
		c.choice.ranking.totals[k] += normalized[at] * of.Weight
	}
	if c.scheduler.detail >= trace.Reported || c.profile.signers != nil {
		of.Raw, of.Normalized = make([]int64, len(c.search.places)), make([]int64, len(c.search.places))
		for k, node := range c.search.places {
			at, _ := strip.Place(node)
			of.Raw[k], of.Normalized[k] = strip.Scores()[at], normalized[at]
		}
	}
	return true
}

// fill has the raw scores of all feasible nodes kept, and marks those that there are.
func (c *cycle) fill(strip *column.Strip, scorer framework.Scorer, present *[256]bool) bool {
	if strip.Same() {
		present[0] = true
		return true
	}
	var raw [1]int64
	for k, node := range c.search.places {
		at, known := strip.Place(node)
		if !known {
			raw[0] = 0
			if v := scorer.Score(c.search.feasible[k:k+1], raw[:]); v.Code != trace.Success {
				return false
			}
			if at, known = strip.Keep(node, raw[0]); !known {
				return false
			}
		}
		present[at] = true
	}
	return true
}

// normalized is what scores become that some nodes have; false when they leave the scale.
func (c *cycle) normalized(scores []int64, scorer framework.Scorer, present *[256]bool) (*[256]int64, bool) {
	s := &c.scheduler.scratch
	var there [256]uint8
	of := s.scores[:0]
	for at, score := range scores {
		if present[at] {
			there[len(of)] = uint8(at)
			of = append(of, score)
		}
	}
	if v := scorer.Normalize(c.search.feasible[:len(of)], of); v.Code != trace.Success {
		return nil, false
	}
	scale := c.profile.Behaviour.Scale
	for k, score := range of {
		if !scale.ScoresUnchecked && (score < 0 || score > scale.Max) {
			return nil, false
		}
		s.table[there[k]] = score
	}
	return &s.table, true
}

// checkStrip compares the raw scores that are kept with what the plugin gives now.
func (c *cycle) checkStrip(strip *column.Strip, plugin string, scorer framework.Scorer) {
	var raw [1]int64
	for i, node := range c.snapshot.Nodes {
		if at, known := strip.Place(int32(i)); known {
			raw[0] = 0
			v := scorer.Score([]*cluster.Node{node}, raw[:])
			c.compare("score of "+plugin, node.Name, fmt.Sprint(strip.Scores()[at], trace.Verdict{}), fmt.Sprint(raw[0], v))
		}
	}
}
