// Package priorities has the priorities of kube-scheduler before its framework (1.10 and 1.6) as scores under their own
// names, from 0 to 10. Where a priority counts what a later plugin counts, Of takes the plugin's raw scores and brings
// them to the scale; the others are here. It filters nothing.
package priorities

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Max is the highest score of a priority (pkg/scheduler/api.MaxPriority, 1.10).
const Max = 10

// Ways are what differs between 1.10 and 1.6. The zero value is 1.10's.
type Ways struct {
	// SharesAsFractions computes shares as fractions and truncates them, where 1.10 divides integers; how even CPU
	// and memory are is computed in another order (1.6, algorithm/priorities).
	SharesAsFractions bool
	// EmptyZonesDivideByZero divides by the number of pods in the zone that has most, also where it is 0: a
	// meaningless score for all nodes in zones (a fault of 1.6, selector_spreading.go).
	EmptyZonesDivideByZero bool
	// AntiAffinityScoresShifted assigns the scores of ServiceAntiAffinity to nodes in the order in which they were
	// computed, which is not the order of the nodes (a fault of 1.6, selector_spreading.go).
	AntiAffinityScoresShifted bool
	// MaxScoreIsHundred scores up to 100 where a priority is no plugin yet (1.17; the scale of 1.10 ends at 10).
	MaxScoreIsHundred bool
}

// Plugin is one priority.
type Plugin struct {
	name string
	of   framework.ScorePlugin
	// raw makes the score of the priority out of the plugin's; nil: it is the same.
	raw func(int64) int64
	// normalize brings the scores of all nodes to the scale; nil: they are, or the plugin itself does it.
	normalize    func(nodes []*cluster.Node, scores []int64)
	ownNormalize bool // the plugin itself does it
}

var _ framework.ScorePlugin = (*Plugin)(nil)

// Of is a priority that counts what a plugin counts.
func Of(
	name string, plugin framework.Plugin, raw func(int64) int64, normalize func([]*cluster.Node, []int64),
) *Plugin {
	of, is := framework.ScoreOf(plugin)
	if !is {
		panic(fmt.Sprintf("priorities: %s is no score", plugin.Name()))
	}
	return &Plugin{name: name, of: of, raw: raw, normalize: normalize}
}

// own has the plugin itself bring its scores to the scale.
func (p *Plugin) own() *Plugin {
	p.ownNormalize = true
	return p
}

// Name is the priority's.
func (p *Plugin) Name() string { return p.name }

// PreScore is the plugin's. It never returns Skip: a priority that has nothing to compare gives every node the same
// score.
func (p *Plugin) PreScore(
	pod *cluster.Pod, snapshot *cluster.Snapshot, feasible []*cluster.Node,
) framework.Scoring {
	scoring := p.of.PreScore(pod, snapshot, feasible)
	switch scoring.Verdict.Code {
	case trace.Success:
	case trace.Skip:
		scoring.Scorer = framework.Zero{}
	default:
		return scoring
	}
	return framework.Scoring{Scorer: &scorer{of: scoring.Scorer, plugin: p}}
}

// scorer is the plugin's on another scale.
type scorer struct {
	of     framework.Scorer
	plugin *Plugin
}

var _ framework.Reasoner = (*scorer)(nil)

// Score is the plugin's.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	v := s.of.Score(nodes, raw)
	if s.plugin.raw != nil {
		for i := range raw {
			raw[i] = s.plugin.raw(raw[i])
		}
	}
	return v
}

// Normalize is the priority's.
func (s *scorer) Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict {
	switch {
	case s.plugin.ownNormalize:
		return s.of.Normalize(nodes, scores)
	case s.plugin.normalize != nil:
		s.plugin.normalize(nodes, scores)
	}
	return trace.Verdict{}
}

// Why is the plugin's.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	if r, is := s.of.(framework.Reasoner); is {
		return r.Why(node)
	}
	return nil
}

// Tenth is a score of 0 to 100 on the scale.
func Tenth(score int64) int64 { return score / (framework.MaxNodeScore / Max) }

// Highest has the highest score become 10 (NormalizeReduce, 1.10; CalculateNodeAffinityPriorityReduce, 1.6).
func (w Ways) Highest(_ []*cluster.Node, scores []int64) {
	highest := highestOf(scores)
	for i, score := range scores {
		switch {
		case highest == 0:
			scores[i] = 0
		case w.SharesAsFractions:
			scores[i] = int64(Max * (float64(score) / float64(highest)))
		default:
			scores[i] = Max * score / highest
		}
	}
}

// Lowest has the highest score become 0, and 0 become 10 (NormalizeReduce, 1.10; ComputeTaintTolerationPriorityReduce,
// 1.6).
func (w Ways) Lowest(_ []*cluster.Node, scores []int64) {
	highest := highestOf(scores)
	for i, score := range scores {
		switch {
		case highest == 0:
			scores[i] = Max
		case w.SharesAsFractions:
			scores[i] = int64((1.0 - float64(score)/float64(highest)) * Max)
		default:
			scores[i] = Max - Max*score/highest
		}
	}
}

func highestOf(scores []int64) (highest int64) {
	for _, score := range scores {
		highest = max(highest, score)
	}
	return highest
}

// Stretched has the lowest score, or 0 if that is lower, become 0, and the highest, or 0, become 10
// (CalculateInterPodAffinityPriority, 1.10).
func Stretched(_ []*cluster.Node, scores []int64) {
	lowest, highest := int64(0), int64(0)
	for _, score := range scores {
		lowest, highest = min(lowest, score), max(highest, score)
	}
	for i, score := range scores {
		if highest == lowest {
			scores[i] = 0
			continue
		}
		scores[i] = int64(Max * (float64(score-lowest) / float64(highest-lowest)))
	}
}

// Equal is EqualPriority: every node has 1.
func Equal() *Plugin {
	return Of("EqualPriority", byNode{"EqualPriority", func(*cluster.Pod, *cluster.Node) (int64, []trace.Evidence) {
		return 1, nil
	}}, nil, nil)
}

// byNode scores by the pod and one node.
type byNode struct {
	name string
	rule func(pod *cluster.Pod, node *cluster.Node) (int64, []trace.Evidence)
}

// Name is the priority's.
func (b byNode) Name() string { return b.name }

// Score returns the rule's score.
func (b byNode) Score(pod *cluster.Pod, node *cluster.Node) (int64, trace.Verdict) {
	score, why := b.rule(pod, node)
	return score, trace.Verdict{Evidence: why}
}
