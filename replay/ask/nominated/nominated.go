// Package nominated is the question which nodes are kept for which pods: the nominated ones, for which room is made
// there. Whether a pod fits there now is not examined: explain POD NODE does that.
package nominated

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/prose"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "nominated", Data: true, Find: find, Command: ask.Piped, Page: ask.OnNoPage,
		Does: "list the nodes that are kept for pods, and the pods that still have to leave there",
		Help: "Lists each node that is kept for a pod which is nominated there, and the pods on it that were asked to leave. " +
			"Pods of lower priority see the node as if the nominated pod were there already; pods of higher priority do not.",
		Examples: []string{"nominated"},
	}
}

// answer is the pods, node by node in the order of the snapshot.
type answer struct {
	All []kept `json:"nominated"`
}

// kept is a node that is kept for a pod.
type kept struct {
	Node     string   `json:"node"`
	Pod      string   `json:"pod"`
	Priority int32    `json:"priority"`
	Leaving  []string `json:"leaving"` // pods on the node that were asked to leave
}

func find(c ask.Call) (ask.Answer, error) {
	a := answer{All: []kept{}}
	scheduler := c.At.Player().Scheduler()
	for _, n := range scheduler.State().Snapshot().Nodes {
		leaving := []string{}
		for _, p := range n.Pods {
			if p.Terminating() {
				leaving = append(leaving, p.Key)
			}
		}
		for _, p := range scheduler.Queue().Nominated(n.API.Name) {
			a.All = append(a.All, kept{n.API.Name, p.Key, p.Priority, leaving})
		}
	}
	return a, nil
}

const (
	textKept    = "%s is kept for %s, priority %d"
	textLeaving = "%s has to leave"
	textNone    = "No node is kept for a pod."
)

// Title is what the page is called.
func (a answer) Title(lang words.Language) string { return lang.Of("Nodes that are kept for pods") }

// Next is the page of each pod.
func (a answer) Next() []string {
	var lines []string
	for _, k := range a.All {
		lines = append(lines, "explain "+k.Pod)
	}
	return lines
}

// Lines are the nodes.
func (a answer) Lines(lang words.Language) []prose.Line {
	if len(a.All) == 0 {
		return []prose.Line{{Role: prose.Note, Text: lang.Of(textNone)}}
	}
	var lines []prose.Line
	for _, k := range a.All {
		lines = append(lines, prose.Line{Role: prose.Verdict, Text: lang.Say(textKept, k.Node, k.Pod, k.Priority)})
		for _, pod := range k.Leaving {
			lines = append(lines, prose.Line{Level: 1, Role: prose.Evidence, Text: lang.Say(textLeaving, pod)})
		}
	}
	return lines
}
