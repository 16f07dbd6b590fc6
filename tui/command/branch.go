package command

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

func branchVerbs() []Verb {
	return []Verb{
		{
			Name: "bind", Aliases: []string{"m"}, Usage: "POD NODE [yes]", takes: []kind{ofPod, ofNode, ofYes},
			Does: "bind a pod to a node by hand, on a new branch", Run: bind,
		},
		{
			Name: "branches", Aliases: []string{"w", "compare"},
			Does: "list the branches: what was placed on each, and which pods are on other nodes", Run: listBranches,
		},
		{
			Name: "branch", Aliases: []string{"switch"}, Usage: "NAME", takes: []kind{ofBranch},
			Does: "go to another branch", Run: switchBranch,
		},
		{
			Name: "scheduler", Usage: "[NAME]", takes: []kind{ofScheduler},
			Does: "look at one of several schedulers; without a name, at the one that ran last",
			Run:  lookAt,
		},
		{
			Name: "redo", Aliases: []string{"retry"},
			Does: "run the cycle before this what-if again, with the what-if made before it", Run: redo,
		},
		{
			Name: "undo", Aliases: []string{"u"}, Usage: "[BRANCH]", takes: []kind{ofBranch},
			Does: "remove a branch, and go back to where it began", Run: undo,
		},
	}
}

// bind shows what a manual bind breaks, and does it when the user answers yes.
func bind(c Call) (Answer, error) {
	if len(c.Args) < 2 || len(c.Args) > 3 {
		return Answer{}, c.lang().Errorf("bind: which pod to which node? (bind POD NODE)")
	}
	pod, err := c.Session.At().Pod(c.Args[0])
	if err != nil {
		return Answer{}, err
	}
	node := c.Args[1]
	if len(c.Args) == 3 && strings.HasPrefix(c.Args[2], "y") {
		if err := c.room(); err != nil {
			return Answer{}, err
		}
		branch, err := c.Session.Bind(pod, node)
		if err != nil {
			return Answer{}, err
		}
		return Answer{
			Moved: true,
			Said:  c.lang().Say("%s is bound to %s on branch %s; undo removes the branch", pod, node, branch),
		}, nil
	}
	preview, err := c.Session.At().Preview(pod, node)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Ask: Question{
		Page: Page{
			Title: c.lang().Say("Bind %s to %s?", pod, node),
			Lines: consequences(c.lang(), preview),
		},
		Yes: fmt.Sprintf("bind %s %s yes", pod, node),
	}}, nil
}

// consequences returns what a manual bind goes against.
func consequences(lang words.Language, p session.Preview) []string {
	if len(p.Broken) == 0 {
		lines := []string{lang.Of("No filter objects: kube-scheduler could have chosen this node.")}
		if p.Rank > 0 {
			lines = append(lines, lang.Say("By its total it is number %d of the %d nodes that were scored.", p.Rank, p.Of))
		}
		return append(lines, lang.Of("It happens on a branch; the recording does not change."))
	}
	lines := []string{lang.Say("This goes against %s:", lang.CountOf(len(p.Broken), "filter", "filters"))}
	for _, b := range p.Broken {
		lines = append(lines, "  "+b.Plugin+": "+b.Verdict.Message())
		for _, e := range b.Verdict.Evidence {
			lines = append(lines, "    "+e.String())
		}
	}
	return append(lines, lang.Of("It happens on a branch; the recording does not change."))
}

// elsewhereTold is how many pods of a branch a list names.
const elsewhereTold = 12

func listBranches(c Call) (Answer, error) {
	here := c.Session.Frame().Branch
	p := Page{Title: c.lang().Of("Branches, each up to the time of the cursor")}
	for _, b := range c.Session.Compare(c.Context, c.Progress) {
		line := b.Name
		if b.Name == here {
			line += c.lang().Of("  (here)")
		}
		if b.Parent != "" {
			line += c.lang().Say(", off %s after %s", b.Parent, b.Began)
		}
		own := ""
		if b.Parent != "" {
			own = c.lang().Say(" (%d on it)", b.Cycles)
		}
		line += c.lang().Say(
			": at %s, after cycle %d%s, %s a node, %d without", b.Now, b.Number, own,
			c.lang().Sentence(b.Placed, "%d pod has", "%d pods have"), b.Pending,
		)
		if b.Parent != "" && len(b.Elsewhere) == 0 {
			line += c.lang().Say("; no pod is elsewhere than on %s", b.Parent)
		}
		p.Lines = append(p.Lines, line)
		for _, e := range b.Elsewhere[:min(len(b.Elsewhere), elsewhereTold)] {
			p.Lines = append(
				p.Lines, c.lang().Say(
					"  %s: %s, on %s %s", e.Pod, thereWords(c.lang(), e), b.Parent,
					hostWords(c.lang(), e.Before),
				),
			)
		}
		if more := len(b.Elsewhere) - elsewhereTold; more > 0 {
			p.Lines = append(p.Lines, c.lang().Say("  and %d more pods elsewhere", more))
		}
	}
	return Answer{Page: p}, nil
}

// thereWords is where a pod is on a branch.
func thereWords(lang words.Language, e session.Elsewhere) string {
	if e.Gone {
		return lang.Of("deleted")
	}
	return hostWords(lang, e.There)
}

func hostWords(lang words.Language, node string) string {
	if node == "" {
		return lang.Of("without a node")
	}
	return node
}

func switchBranch(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("branch: which one? (branches lists them)")
	}
	if err := c.Session.Switch(c.Args[0]); err != nil {
		return Answer{}, err
	}
	return Answer{Moved: true, Said: c.lang().Say("on branch %s", c.Args[0])}, nil
}

func redo(c Call) (Answer, error) {
	branch, err := c.Session.Redo(c.Context)
	if err != nil {
		return Answer{}, err
	}
	return Answer{
		Moved: true,
		Said:  c.lang().Say("the cycle ran again, with the edit made before it, on branch %s", branch),
	}, nil
}

func undo(c Call) (Answer, error) {
	f := c.Session.Frame()
	name := f.Branch
	if len(c.Args) > 0 {
		name = c.Args[0]
	}
	if err := c.Session.Drop(name); err != nil {
		return Answer{}, err
	}
	return Answer{
		Moved: true, Said: c.lang().Say("branch %s is forgotten; on branch %s", name, c.Session.Frame().Branch),
	}, nil
}
