// Package changes is the question what would give a pod a node: the smallest sets of changes, each of which was run.
// The search is that of replay/ask/remedy, of a workload that of replay/ask/workload. The lines are those of
// replay/ask/prose: the page of a pod has them too.
package changes

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/ask/workload"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "changes", Aliases: []string{"fix"}, Usage: "[POD]", Takes: []ask.Kind{ask.OfPod}, LooksBack: true, Find: find,
		Does: "list the smallest changes that give a pod a node; each was run",
		Help: "Lists the smallest changes that give a pod a node: to the pod, to nodes, to other pods, to volumes, or to the " +
			"configuration. Each set was run from here on a branch of its own, with nothing more from the recording, and no " +
			"proper part of it is enough. Below each stand the commands for a cluster, and which other pods end elsewhere. " +
			"docs/changes.md says what a change costs. Of a workload it lists the changes with which all its pods fit.",
		Command: ask.Place{In: "explain"}, Page: ask.Place{In: "export cycle html"},
		JSON:     ask.Place{In: "explain -o json"},
		Examples: []string{"changes web-3", "changes deploy/web", "fix web-3"},
	}
}

// answer is the sets of changes, and what else the page has about the pod.
type answer struct {
	remedy.Answer
	others string // that other pods wait, in words; "": none does
	of     string // the workload that the pod is of; "": none
}

func find(c ask.Call) (ask.Answer, error) {
	if len(c.Args) == 1 {
		if w, is, err := workload.At(c.At, c.Args[0], ""); err != nil {
			return nil, err
		} else if is {
			return ask.OfWorkload(c, w, false)
		}
	}
	pod, err := c.PodHere()
	if err != nil {
		return nil, err
	}
	found, err := remedy.Find(c.Context, c.At, pod, c.Progress)
	if err != nil {
		return nil, err
	}
	a := answer{Answer: found, of: workload.OfPod(c.At, pod)}
	if found.Without != "" {
		a.others = prose.OthersWait(c.Lang(), &c.Frame.Queue)
	}
	return a, nil
}

// Title is what the page is called.
func (a answer) Title(lang words.Language) string {
	return lang.Say("What would give %s a node", a.Pod)
}

// Next carries out one of the sets.
func (a answer) Next() []string {
	var lines []string
	for i := range a.Remedies {
		lines = append(lines, remedy.Apply(i+1, a.Pod))
	}
	return lines
}

// Whole is the question what all pods of the workload need.
func (a answer) Whole() string {
	if a.of == "" {
		return ""
	}
	return "explain " + a.of
}

// Lines are the sets of changes, and below them what to type next.
func (a answer) Lines(lang words.Language) []prose.Line {
	lines := prose.Remedies(lang, a.Answer)
	note := func(text string) { lines = append(lines, prose.Line{Role: prose.Note, Text: text}) }
	if a.others != "" {
		note(a.others)
	}
	if next := a.Next(); len(next) > 0 {
		note(lang.Say("%s carries out the first of them, on a branch", next[0]))
	}
	if a.of != "" {
		note(lang.Say("explain %s finds what all its pods need", a.of))
	}
	return lines
}
