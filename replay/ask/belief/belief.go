// Package belief is the question what kube-scheduler counts on a node, beside what the API server says. The page of a
// node has some of the same lines, so they are those of replay/prose.
package belief

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "belief", Usage: "NODE", Takes: []ask.Kind{ask.OfNode}, Find: find,
		Does: "list what kube-scheduler counts on a node, beside what the API server says",
		Help: "Lists what kube-scheduler counts on a node, pod by pod, beside what the API server says: pods that are assumed " +
			"there, that are going, or for which the node is kept, and those that it does not count. That is why a pod may " +
			"be told Insufficient cpu while the node looks idle.",
		Examples: []string{"belief n1"},
	}
}

type answer struct{ session.NodeBelief }

func find(c ask.Call) (ask.Answer, error) {
	if len(c.Args) != 1 {
		return nil, c.Lang().Errorf("belief: of which node? (belief NODE)")
	}
	b, err := c.At.Believes(c.Args[0])
	if err != nil {
		return nil, err
	}
	return answer{b}, nil
}

func (a answer) Title(lang words.Language) string       { return lang.Say("What is counted on %s", a.Node) }
func (a answer) Lines(lang words.Language) []prose.Line { return prose.Belief(lang, a.NodeBelief) }
func (a answer) Next() []string                         { return nil }
