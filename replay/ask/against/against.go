// Package against is the question why a pod is not on another node, and with which weights it would be. The figures are
// those of a cycle that is run again (session.At), and the lines are shared with the page of a score
// (replay/ask/prose).
package against

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "against", Aliases: []string{"why-not", "weight", "weights"}, Usage: "[NODE] [POD]",
		Takes: []ask.Kind{ask.OfNode, ask.OfPod}, LooksBack: true, Find: find,
		Does: "compare the chosen node with another, and find the weights that change the choice",
		Help: "Compares the node that the last cycle about a pod chose with another one: what every plugin gave each of them, " +
			"raw, normalized and weighted, which plugin decided, and the weights with which the other node is chosen. Each " +
			"weight was run, and the next one before it too. Without a node it is the runner-up. " +
			"Of a node that was rejected it " +
			"says what the plugins would have given it beside the nodes that fit: numbers that kube-scheduler did not work " +
			"out stand in brackets, and so do those of a node that alone fits.",
		Command: ask.Piped, Page: ask.OnNoPage, JSON: ask.Place{In: "export score json"},
		Examples: []string{"against", "against n2", "why-not n2 web-3"},
	}
}

type answer struct{ session.Duel }

// find compares the chosen node with the one that is named, or else the runner-up.
func find(c ask.Call) (ask.Answer, error) {
	node := ""
	if len(c.Args) > 0 {
		if c.HasNode(c.Args[0]) {
			node, c.Args = c.Args[0], c.Args[1:]
		} else if len(c.Args) > 1 {
			return nil, c.Lang().Errorf("against: there is no node %q here", c.Args[0])
		}
	}
	pod, err := c.Pod()
	if err != nil {
		return nil, err
	}
	d, err := c.At.Against(pod, node)
	if err != nil {
		return nil, err
	}
	return answer{d}, nil
}

func (a answer) Title(lang words.Language) string {
	return lang.Say("Why %s is not on %s", a.Pod, a.Other)
}
func (a answer) Lines(lang words.Language) []prose.Line { return prose.Duel(lang, a.Duel) }
func (a answer) Next() []string                         { return nil }
