// Package explain is the question why a pod, a workload or a pod group is where it is, what a node holds, and what the
// plugins return for a pod on a node. The facts come from session.At, from replay/ask/remedy and from
// replay/ask/workload, the lines from replay/ask/prose: the pane Why, the command line and exported pages have them
// too.
package explain

import (
	"errors"
	"slices"

	"github.com/schedstep/schedstep/internal/spelling"
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
		Name: "explain", Aliases: []string{"x", "why"}, Usage: "[POD|NODE|deploy/NAME|podgroup/NAME] [NODE]",
		Takes: []ask.Kind{ask.OfExplained, ask.OfNode}, LooksBack: true, Find: find,
		Does: "explain why a pod, a workload or a pod group is where it is, or what is on a node",
		Help: "Tells why a pod is where it is and what would change that; how many pods of a workload fit, and what all of them " +
			"need; what a node holds; or what each plugin says to a pod on one node. Without a name it is the pod of the " +
			"cycle. A workload and a pod group are named as kubectl names them.",
		Command: ask.Place{In: "explain"}, Page: ask.Place{In: "export cycle html"},
		JSON: ask.Place{In: "explain -o json"},
		Examples: []string{
			"explain web-3", "explain deploy/web", "explain n1", "explain web-3 n1", "explain podgroup/train", "why web-3",
		},
	}
}

// page is an answer in lines.
type page struct {
	title func(words.Language) string
	lines []prose.Line
}

// Title is what the page is called.
func (p page) Title(lang words.Language) string { return p.title(lang) }

// Lines are the page.
func (p page) Lines(words.Language) []prose.Line { return p.lines }

// Next is nothing.
func (p page) Next() []string { return nil }

func find(c ask.Call) (ask.Answer, error) {
	if len(c.Args) > 2 {
		return nil, c.Lang().Errorf("explain: what? (a pod, a node, or a pod and a node)")
	}
	if len(c.Args) > 0 && session.IsGroup(c.Args[0]) {
		return group(c)
	}
	if len(c.Args) == 1 {
		if w, is, err := workload.At(c.At, c.Args[0], ""); err != nil {
			return nil, err
		} else if is {
			return ask.OfWorkload(c, w, true)
		}
	}
	if len(c.Args) == 0 {
		return pod(c)
	}
	name, isNode, err := podOrNode(c, c.Args[0])
	switch {
	case err != nil:
		return nil, orGroup(c, c.Args[0], err)
	case isNode && len(c.Args) == 2:
		return nil, c.Lang().Errorf("explain: %s is a node; the pod comes first (explain POD NODE)", name)
	case isNode:
		return node(c, name)
	case len(c.Args) == 2:
		return pair(c, name, c.Args[1])
	}
	return pod(c)
}

// podOrNode is the node that a word names, or else the key of the pod, even of one that is gone.
func podOrNode(c ask.Call, word string) (name string, isNode bool, err error) {
	if c.HasNode(word) {
		return word, true, nil
	}
	name, err = c.At.PodKey(word)
	if errors.Is(err, session.ErrNoPod) {
		names := c.At.Names()
		hint := spelling.HintName(word, slices.Concat(names.Nodes, names.Pods))
		err = c.Lang().Errorf("there is no node and no pod %q%s", word, hint)
	}
	return name, false, err
}

// orGroup is an error about a word, or names the pod group that is called so where no pod is.
func orGroup(c ask.Call, word string, err error) error {
	group := c.At.Names().Group(word)
	if _, none := c.At.PodKey(word); group == "" || !errors.Is(none, session.ErrNoPod) {
		return err
	}
	return c.Lang().Errorf("there is no pod %q, but a pod group: explain %s", word, group)
}

// pod is the page of the pod that the first word names, or that the cycle is about.
func pod(c ask.Call) (ask.Answer, error) {
	key, err := c.Pod()
	if err != nil {
		return nil, err
	}
	e, err := c.At.Explain(key)
	if err != nil {
		return nil, err
	}
	found, err := remedy.For(c.Context, c.At, &e, c.Progress)
	if err != nil {
		return nil, err
	}
	return page{
		func(lang words.Language) string { return lang.Say("Why %s is where it is", key) },
		prose.Page(e, found, prose.Usual),
	}, nil
}

func group(c ask.Call) (ask.Answer, error) {
	e, err := c.At.ExplainGroup(c.Args[0])
	if err != nil {
		return nil, err
	}
	return page{func(lang words.Language) string {
		return lang.Say("Why %s is where it is", prose.Entity(lang, e.Group))
	}, prose.GroupPage(e)}, nil
}

func node(c ask.Call, name string) (ask.Answer, error) {
	e, err := Node(c.Context, c.At, name, c.Progress)
	if err != nil {
		return nil, err
	}
	return page{
		func(lang words.Language) string { return lang.Say("What node %s holds", name) }, prose.Node(e),
	}, nil
}

func pair(c ask.Call, pod, node string) (ask.Answer, error) {
	e, err := c.At.ExplainPair(pod, node)
	if err != nil {
		return nil, err
	}
	return page{func(lang words.Language) string { return lang.Say("%s on %s", pod, node) }, prose.Pair(e)}, nil
}
