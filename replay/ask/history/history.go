// Package history is the question how a pod came where it is: every move between the queues, and what would wake it.
// The page of a pod has some of the same lines, so they are those of replay/ask/prose.
package history

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
		Name: "history", Aliases: []string{"h"}, Usage: "[POD]", Takes: []ask.Kind{ask.OfPod},
		LooksBack: true, Data: true, Find: find,
		Does:    "list the moves of a pod between the queues, and what would wake it",
		Help:    "Lists every move of a pod between the queues with its cause, and what would wake it now.",
		Command: ask.Piped, Page: ask.Place{In: "export cycle html"},
		Examples: []string{"history web-3"},
	}
}

// answer is the way of a pod.
type answer struct {
	Pod    string
	Now    time.Time
	Events []session.Event
	Place  session.Place
	Gone   bool          // it finished or was deleted
	Left   *session.Past // how; nil where the input does not say
}

func find(c ask.Call) (ask.Answer, error) {
	pod, err := c.Pod()
	if err != nil {
		return nil, err
	}
	a := answer{Pod: pod, Now: c.At.Began(), Events: c.At.History(pod), Place: c.At.Place(pod)}
	a.Left, a.Gone = c.At.Left(pod)
	return a, nil
}

// event is a move, as data.
type event struct {
	Step  int       `json:"step"`
	Cycle int64     `json:"cycle"` // 0 between cycles
	Time  time.Time `json:"time"`
	Says  string    `json:"says"`
}

// waker is a plugin that keeps the pod waiting, and the events that may have it tried again, as data; none: any event.
type waker struct {
	Plugin string   `json:"plugin"`
	Events []string `json:"events"`
}

// Document is the moves, and where the pod is.
func (a answer) Document() any {
	data := struct {
		Pod    string  `json:"pod"`
		Gone   bool    `json:"gone"` // it finished or was deleted
		Node   string  `json:"node"`
		Queue  string  `json:"queue"`
		Wakers []waker `json:"wakers"`
		Events []event `json:"events"`
	}{a.Pod, a.Gone, a.Place.Node, string(a.Place.Queue), []waker{}, []event{}}
	for _, w := range a.Place.Wakers {
		one := waker{w.Plugin, []string{}}
		for _, e := range w.Events {
			one.Events = append(one.Events, e.Label())
		}
		data.Wakers = append(data.Wakers, one)
	}
	for _, e := range a.Events {
		data.Events = append(data.Events, event{e.Step, e.Cycle, e.At.UTC(), e.Text.String()})
	}
	return data
}

func (a answer) Title(lang words.Language) string { return lang.Say("How %s came here", a.Pod) }
func (a answer) Next() []string                   { return nil }

// Lines are the events, where the pod is, and how it left.
func (a answer) Lines(lang words.Language) (lines []prose.Line) {
	if len(a.Events) > 0 || !a.Gone {
		lines = prose.History(lang, a.Events, a.Place, a.Now)
	}
	if a.Gone {
		lines = append(lines, prose.Left(lang, a.Pod, a.Left, a.Now))
	}
	return lines
}
