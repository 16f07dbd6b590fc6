// Package replicas is the question how many replicas of each workload fit, and what would change that. It is about the
// workloads of the input from whose templates schedstep made pods. The counts and the searches are those of the summary
// of a run.
package replicas

import (
	"slices"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/ask/workload"
	"github.com/schedstep/schedstep/replay/session"
)

// Question is the question as it is typed.
func Question() ask.Question {
	return ask.Question{
		Name: "replicas", LooksBack: true, Find: find,
		Does: "say how many replicas of a rollout fit, and what would change that",
		Help: "Says of each Deployment or other workload of which pods were made how many of them have a node here, and " +
			"the smallest changes: those with which all have one, each run over all replicas, and the one that gives the " +
			"first of the others one. schedstep run prints the same at its end.",
		Command: ask.Place{In: "run"}, Page: ask.OnNoPage,
		JSON:     ask.Place{In: "run -o json"},
		Examples: []string{"replicas"},
	}
}

// answer is the workloads, in the order of the input.
type answer struct {
	all   []counted
	early bool // pods may have no node because the end of the replay lies ahead
}

// counted is a workload, with the changes that would give its pods without a node one.
type counted struct {
	session.Replicas
	all  *workload.Answer // for all of them; nil: all have one, or it was not looked for
	next *remedy.Answer   // for the first of them; nil: all have one
}

func find(c ask.Call) (ask.Answer, error) {
	all := c.At.Replicas()
	if len(all) == 0 {
		return ask.Said(c.Lang().Of("no pods were made of a Deployment or another workload here")), nil
	}
	waits := func(r session.Replicas) bool { return len(r.Without) > 0 }
	a := answer{early: slices.ContainsFunc(all, waits) && !c.Frame.AtEnd}
	searched := 0
	for _, r := range all {
		of := counted{Replicas: r}
		if waits(r) {
			if searched++; searched <= workload.MostAtOnce {
				whole, is, err := workload.OfMade(c.Context, c.At, r.Workload, c.Progress)
				if err != nil {
					return nil, err
				}
				if is {
					of.all = &whole
				}
			}
			found, err := remedy.Find(c.Context, c.At, r.Without[0], c.Progress)
			if err != nil {
				return nil, err
			}
			of.next = &found
		}
		a.all = append(a.all, of)
	}
	return a, nil
}

// Title is what the page is called.
func (a answer) Title(lang words.Language) string { return lang.Of("How many replicas fit") }

// Next are the command lines of changes that give the next pod of a workload a node, one line for each workload.
func (a answer) Next() []string {
	var lines []string
	for _, of := range a.all {
		if of.next != nil && len(of.next.Remedies) > 0 {
			lines = append(lines, remedy.Apply(1, of.Without[0]))
		}
	}
	return lines
}

// Lines are the workloads.
func (a answer) Lines(lang words.Language) []prose.Line {
	var lines []prose.Line
	add := func(level int, role prose.Role, text string) {
		lines = append(lines, prose.Line{Level: level, Role: role, Text: text})
	}
	if a.early {
		add(0, prose.Note, lang.Of("So far, at the cursor: goto end (F) has every pod tried."))
		add(0, prose.Note, "")
	}
	for _, of := range a.all {
		add(0, prose.Verdict, prose.Replicas(lang, of.Replicas))
		if of.all != nil {
			add(1, prose.Change, prose.ForAll(lang, of.all))
		}
		if of.next != nil {
			add(1, prose.Change, prose.Smallest(lang, of.Without[0], *of.next))
		}
	}
	return lines
}
