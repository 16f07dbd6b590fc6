package framework

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// NodeFilterPlugin is a filter that looks at one pod and one node at a time and needs no PreFilter. It has no part in
// the extension point PreFilter. A filter that looks at other nodes or their pods is a FilterPlugin.
type NodeFilterPlugin interface {
	Plugin
	// Filter answers Success, or why the pod cannot run on the node, with the evidence. The same pod and node get the
	// same answer.
	Filter(pod *cluster.Pod, node *cluster.Node) trace.Verdict
}

// NodeScorePlugin is a score that looks at one pod and one node at a time and needs no PreScore. It has no part in the
// extension point PreScore.
type NodeScorePlugin interface {
	Plugin
	// Score is the raw score of a feasible node, and Success with the evidence that it rests on. Any other verdict ends
	// the cycle with an error. The raw score is from 0 to MaxNodeScore, unless the plugin is a Normalizer too.
	Score(pod *cluster.Pod, node *cluster.Node) (int64, trace.Verdict)
}

// Normalizer is a NodeScorePlugin with raw scores of any size.
type Normalizer interface {
	NodeScorePlugin
	// NormalizeScore turns the raw scores of all feasible nodes into 0 to MaxNodeScore, in place.
	NormalizeScore(scores []int64)
}

// FilterOf is a plugin as a filter: a FilterPlugin itself, or a NodeFilterPlugin in a wrapper; false when it is
// neither.
func FilterOf(p Plugin) (FilterPlugin, bool) {
	if f, is := p.(FilterPlugin); is {
		return f, true
	}
	if f, is := p.(NodeFilterPlugin); is {
		return nodeFilter{Plugin: p, filter: f}, true
	}
	return nil, false
}

// ScoreOf is a plugin as a score plugin: a ScorePlugin itself, or a NodeScorePlugin in a wrapper; false when it is
// neither.
func ScoreOf(p Plugin) (ScorePlugin, bool) {
	if s, is := p.(ScorePlugin); is {
		return s, true
	}
	if s, is := p.(NodeScorePlugin); is {
		return nodeScore{Plugin: p, score: s}, true
	}
	return nil, false
}

// nodeFilter is a NodeFilterPlugin as a FilterPlugin. Its profile lists it at Filter alone, so that its PreFilter only
// makes the Check and leaves no fact.
type nodeFilter struct {
	Plugin
	filter NodeFilterPlugin
}

// PreFilter never skips.
func (n nodeFilter) PreFilter(pod *cluster.Pod, _ *cluster.Snapshot) Study {
	return Study{Check: nodeCheck{n.filter, pod}}
}

type nodeCheck struct {
	filter NodeFilterPlugin
	pod    *cluster.Pod
}

// Filter calls the plugin.
func (n nodeCheck) Filter(node *cluster.Node) trace.Verdict { return n.filter.Filter(n.pod, node) }

// nodeScore is a NodeScorePlugin as a ScorePlugin.
type nodeScore struct {
	Plugin
	score NodeScorePlugin
}

// PreScore never skips.
func (n nodeScore) PreScore(pod *cluster.Pod, _ *cluster.Snapshot, _ []*cluster.Node) Scoring {
	return Scoring{Scorer: nodeScorer{n.score, pod}}
}

type nodeScorer struct {
	score NodeScorePlugin
	pod   *cluster.Pod
}

// Score calls the plugin for each node; the first verdict that is no success ends it.
func (n nodeScorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		score, verdict := n.score.Score(n.pod, node)
		if !verdict.OK() {
			return verdict
		}
		raw[i] = score
	}
	return trace.Verdict{}
}

// Normalize is the plugin's own, if it has one.
func (n nodeScorer) Normalize(_ []*cluster.Node, scores []int64) trace.Verdict {
	if own, is := n.score.(Normalizer); is {
		own.NormalizeScore(scores)
	}
	return trace.Verdict{}
}

// Why is the evidence of the plugin's answer.
func (n nodeScorer) Why(node *cluster.Node) []trace.Evidence {
	_, verdict := n.score.Score(n.pod, node)
	return verdict.Evidence
}

// itself is the plugin behind a nodeFilter or a nodeScore, which has every other interface of it.
func itself(p Plugin) Plugin {
	switch p := p.(type) {
	case nodeFilter:
		return p.Plugin
	case nodeScore:
		return p.Plugin
	}
	return p
}
