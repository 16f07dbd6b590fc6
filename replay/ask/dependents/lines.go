package dependents

import (
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
)

// headingWords stand above the dependents of a reason.
var headingWords = map[reason]string{
	daemon:    "A DaemonSet or the kubelet runs them here",
	bare:      "No controller creates them again",
	data:      "They have data on its disk",
	volume:    "They use a volume that no other node reaches",
	devices:   "They use devices that are here",
	company:   "Other pods require their company, and nowhere else is such a pod",
	pinned:    "They may run on no other node, and wait",
	nominated: "The node is kept for them",
}

const (
	textNone   = "Nothing depends on %s: each pod on it could be on another node."
	textUnused = "no pod uses %s"
	textOf     = "%s: %s"
)

// Title is what the page is called.
func (a answer) Title(lang words.Language) string { return lang.Say("What depends on %s", a.Node) }

// Next is nothing.
func (a answer) Next() []string { return nil }

// Lines are the dependents reason by reason, each pod once with all that it is about.
func (a answer) Lines(lang words.Language) []prose.Line {
	if len(a.All) == 0 {
		return []prose.Line{{Role: prose.Note, Text: lang.Say(textNone, a.Node)}}
	}
	var lines []prose.Line
	for from := 0; from < len(a.All); {
		to, of := from, []string{}
		for to < len(a.All) && a.All[to].Reason == a.All[from].Reason && a.All[to].Pod == a.All[from].Pod {
			if a.All[to].Of != "" {
				of = append(of, a.All[to].Of)
			}
			to++
		}
		d := a.All[from]
		if from == 0 || a.All[from-1].Reason != d.Reason {
			lines = append(lines, prose.Line{Role: prose.Heading, Text: lang.Of(headingWords[d.Reason])})
		}
		said := d.Pod
		switch list := strings.Join(of, ", "); {
		case d.Pod == "":
			said = lang.Say(textUnused, list)
		case list != "":
			said = lang.Say(textOf, d.Pod, list)
		}
		lines = append(lines, prose.Line{Level: 1, Role: prose.Evidence, Text: said})
		from = to
	}
	return lines
}
