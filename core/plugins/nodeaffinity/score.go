package nodeaffinity

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// scorer adds up the weights of the preferred terms that a node matches.
type scorer struct{ added, pod []preference }

var _ framework.Reasoner = (*scorer)(nil)

// Score is the sum of the matching terms' weights, the configuration's and the pod's.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for k, node := range nodes {
		raw[k] = sum(s.added, node) + sum(s.pod, node)
	}
	return trace.Verdict{}
}

func sum(preferences []preference, node *cluster.Node) int64 {
	weights := int64(0)
	for i := range preferences {
		if preferences[i].matches(node) {
			weights += preferences[i].weight
		}
	}
	return weights
}

// Normalize scales the scores so that the highest is 100.
func (s *scorer) Normalize(_ []*cluster.Node, scores []int64) trace.Verdict {
	framework.DefaultNormalize(scores)
	return trace.Verdict{}
}

// Why lists the terms that the node matches with their weights, the configuration's first.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	for _, preferences := range [...][]preference{s.added, s.pod} {
		for i := range preferences {
			if p := &preferences[i]; p.matches(node) {
				why = append(why, trace.Evidence{
					What: phrase.Textf("preferred term %s, weight", p.text()), Have: trace.Count(p.weight),
				})
			}
		}
	}
	return why
}

// text is the term in words: "label disktype in (ssd) and label zone present".
func (t *term) text() phrase.Phrase {
	parts := make([]phrase.Phrase, len(t.requirements))
	for i := range t.requirements {
		subject := trace.Evidence{Topic: t.requirements[i].topic(), What: phrase.Text(t.requirements[i].key)}.Subject()
		parts[i] = phrase.New("%s %s", subject, t.requirements[i].want)
	}
	return phrase.Join(" and ", parts...)
}
