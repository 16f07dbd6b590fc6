// Package belief is the question what kube-scheduler counts on a node, beside what the API server has. The page of a
// node has some of the same lines, so they are those of replay/ask/prose.
package belief

import (
	"time"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "belief", Usage: "NODE", Takes: []ask.Kind{ask.OfNode}, Data: true, Find: find,
		Does: "list what kube-scheduler counts on a node, beside what the API server says",
		Help: "Lists what kube-scheduler counts on a node, pod by pod, beside what the API server says: pods that are assumed " +
			"there, that are going, or for which the node is kept, and those that it does not count. That is why a pod may " +
			"be told Insufficient cpu while the node looks idle.",
		Command: ask.Piped, Page: ask.Place{In: "explain node/NAME -o markdown"},
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

// held is a pod of the answer, as data.
type held struct {
	Pod    string     `json:"pod"`
	As     string     `json:"as"`
	CPU    string     `json:"cpu"`
	Memory string     `json:"memory"`
	Since  *time.Time `json:"since,omitempty"` // that it is going; absent: it is not, or that is not known
	API    string     `json:"api"`             // the node that the API server has or nominates; "" for none
}

// standings are the names of session.Standing in JSON.
var standings = map[session.Standing]string{
	session.Assumed: "assumed", session.Terminating: "terminating", session.Nominated: "nominated",
	session.Lost: "lost", session.Confirmed: "confirmed",
}

// sum is how much of a resource is requested, as data.
type sum struct {
	Resource  string `json:"resource"`
	Counted   string `json:"counted"`
	Confirmed string `json:"confirmed"`
	Assumed   string `json:"assumed"`
	Going     string `json:"going"`
	Reserved  string `json:"reserved"` // by pods that the node is kept for; not counted
	Capacity  string `json:"capacity"`
}

// Document is the pods and the sums.
func (a answer) Document() any {
	data := struct {
		Node string `json:"node"`
		Gone bool   `json:"gone"` // pods are on it, and there is no such node
		Pods []held `json:"pods"`
		Sums []sum  `json:"sums"`
	}{a.Node, a.Gone, []held{}, []sum{}}
	for _, h := range a.Held {
		one := held{Pod: h.Pod, As: standings[h.As], CPU: h.CPU.String(), Memory: h.Memory.String(), API: h.API}
		if !h.Since.IsZero() {
			one.Since = &h.Since
		}
		data.Pods = append(data.Pods, one)
	}
	for _, s := range a.Sums {
		data.Sums = append(data.Sums, sum{
			s.Resource, s.Counted.String(), s.Confirmed.String(), s.Assumed.String(), s.Going.String(),
			s.Reserved.String(), s.Capacity.String(),
		})
	}
	return data
}

func (a answer) Title(lang words.Language) string       { return lang.Say("What is counted on %s", a.Node) }
func (a answer) Lines(lang words.Language) []prose.Line { return prose.Belief(lang, a.NodeBelief) }
func (a answer) Next() []string                         { return nil }
