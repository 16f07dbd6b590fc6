package command

import (
	"errors"
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/remedy"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/workload"
)

// wordVerbs are those that answer in words and move nothing.
func wordVerbs() []Verb {
	questions := questionVerbs()
	at := slices.IndexFunc(questions, func(v Verb) bool { return v.Name == "asleep" })
	return slices.Concat([]Verb{
		{
			Name: "explain", Aliases: []string{"x", "why"}, Usage: "[POD|NODE|deploy/NAME|podgroup/NAME] [NODE]",
			takes: []kind{ofExplained, ofNode},
			Does:  "explain why a pod, a workload or a pod group is where it is, or what is on a node",
			Run:   explain,
		},
	}, questions[:at], []Verb{{
		Name: "cascade", Does: "follow the evictions of this cycle: where the evicted pods go, and whom they evict in turn",
		Run: cascade,
	}}, questions[at:], []Verb{
		{
			Name: "notes", Does: "list the parts of the input that could not be used or are ignored", Run: notes,
		},
		{
			Name: "export", Usage: "PART [FORMAT|FILE]", takes: []kind{ofTable, ofFormat},
			Does: "save a cycle, a run, a table or the screen as a .html, .md, .json, .csv or .svg file",
			Run:  export,
		},
	})
}

func explain(c Call) (Answer, error) {
	if len(c.Args) > 2 {
		return Answer{}, c.lang().Errorf("explain: what? (a pod, a node, or a pod and a node)")
	}
	if len(c.Args) > 0 && session.IsGroup(c.Args[0]) {
		return explainGroup(c)
	}
	if len(c.Args) == 1 {
		if w, is, err := workload.At(c.Session, c.Args[0], ""); err != nil {
			return Answer{}, err
		} else if is {
			return workloadPage(c, w, true)
		}
	}
	pod := ""
	if len(c.Args) > 0 {
		name, isNode, err := podOrNode(c, c.Args[0], c.Session.At().PodKey)
		pod = name
		switch {
		case err != nil:
			return Answer{}, orGroup(c, c.Args[0], err)
		case isNode && len(c.Args) == 2:
			return Answer{}, c.lang().Errorf("explain: %s is a node; the pod comes first (explain POD NODE)", name)
		case isNode:
			return explainNode(c, name)
		case len(c.Args) == 2:
			return explainPair(c, name, c.Args[1])
		}
	}
	if pod == "" {
		meant, err := podMeant(c)
		if err != nil {
			return Answer{}, err
		}
		pod = meant
	}
	explanation, err := c.Session.At().Explain(pod)
	if err != nil {
		return Answer{}, err
	}
	found, err := remedy.For(c.Context, c.Session, explanation, c.Progress)
	if err != nil {
		return Answer{}, err
	}
	lines := prose.Plain(prose.Page(explanation, found, prose.Usual))
	return Answer{Page: Page{Title: c.lang().Say("Why %s is where it is", pod), Lines: lines}}, nil
}

// workloadPage is what all pods of a workload need; if whole is set, also why the first without a node has none.
func workloadPage(c Call, w workload.Workload, whole bool) (Answer, error) {
	found, err := workload.Find(c.Context, c.Session, w, c.Progress)
	if err != nil {
		return Answer{}, err
	}
	if !whole {
		found.First = nil
	}
	return Answer{Page: Page{
		Title: c.lang().Say("How many pods of %s fit", w.Word()),
		Lines: prose.Plain(prose.Workload(c.lang(), found, prose.Usual)),
	}}, nil
}

func explainGroup(c Call) (Answer, error) {
	e, err := c.Session.At().ExplainGroup(c.Args[0])
	if err != nil {
		return Answer{}, err
	}
	title := c.lang().Say("Why %s is where it is", prose.Entity(c.lang(), e.Group))
	return Answer{Page: Page{Title: title, Lines: prose.Plain(prose.GroupPage(e))}}, nil
}

func explainNode(c Call, name string) (Answer, error) {
	e, err := c.Session.At().ExplainNode(name)
	if err != nil {
		return Answer{}, err
	}
	e.Fate, e.Cycles = c.Session.At().Fate(c.Context, name, c.Progress)
	return Answer{
		Page: Page{Title: c.lang().Say("What node %s holds", name), Lines: prose.Plain(prose.Node(e))},
	}, nil
}

func explainPair(c Call, pod, node string) (Answer, error) {
	e, err := c.Session.At().ExplainPair(pod, node)
	if err != nil {
		return Answer{}, err
	}
	return Answer{
		Page: Page{Title: c.lang().Say("%s on %s", pod, node), Lines: prose.Plain(prose.Pair(e))},
	}, nil
}

func cascade(c Call) (Answer, error) {
	fallen, whole, err := c.Session.Cascade(c.Context)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Page: Page{
		Title: c.lang().Of("Who leaves for whom, and what becomes of them"),
		Lines: prose.Plain(prose.Cascade(c.lang(), fallen, whole)),
	}}, nil
}

func notes(c Call) (Answer, error) {
	all := c.Session.Frame().Notes
	if len(all) == 0 {
		return Answer{Said: c.lang().Of("there are no notes about the input")}, nil
	}
	return Answer{Page: Page{Title: c.lang().Of("Notes about the input"), Lines: rendered(c.lang(), all)}}, nil
}

// rendered are sentences in a language.
func rendered(l words.Language, all []phrase.Text) []string {
	lines := make([]string, len(all))
	for i, text := range all {
		lines[i] = l.Render(text)
	}
	return lines
}

// orGroup is an error about a word that explain was given, or names the pod group that is called so where no pod is.
func orGroup(c Call, word string, err error) error {
	group := c.Session.At().Names().Group(word)
	if _, none := c.Session.At().PodKey(word); group == "" || !errors.Is(none, session.ErrNoPod) {
		return err
	}
	return c.lang().Errorf("there is no pod %q, but a pod group: explain %s", word, group)
}
